"""Log prices of the whole universe at any instant: hour marks, five-minute nodes, and between.

Nodes are five minutes apart: inside an hour they form a bridge between the hour marks, correlated
across assets as the hour's returns are. Between two nodes the price wanders inside the range of the
two (a Brownian bridge's sine series, folded), so that a candle built from nodes bounds every
instant. Everything derived is cached within bounds and can be dropped at any time.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import numpy as np

from backend.markets.sample import random_numbers
from backend.markets.sample.event_schedule import CYCLE_HOURS, Window
from backend.markets.sample.price_model import EPOCH_HOUR, Cycle, generate
from backend.markets.sample.random_numbers import Floats, Ints, Stream
from backend.markets.sample.scenario import Script
from backend.markets.sample.universe import Universe

NODE_SECONDS = 300
NODES_AN_HOUR = 12
_WAVES = 16
_INNER = 1.35
"""Twelve steps miss part of an hour's range, and real ones bounce: fitted to the range of hourly candles."""
_CYCLES_KEPT = 6
_HOURS_KEPT = 240

K = TypeVar("K")
V = TypeVar("V")


class Bounded(Generic[K, V]):
    """A cache that forgets what was least recently used; safe to share between threads."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The value of ``key``, made now if it is not kept (by two threads at once, at worst)."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        value = make()
        with self._lock:
            self._kept[key] = value
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return value


class Paths:
    """Log prices as arrays (instants, assets), a function of the seed and the time alone."""

    def __init__(self, universe: Universe, script: Script, halts: Sequence[Window] = ()) -> None:
        self.universe = universe
        self._script = script
        self._halts = [
            (universe.index[name], halt) for halt in halts for name in halt.assets if name in universe.index
        ]
        self._cycles: Bounded[int, Cycle] = Bounded(_CYCLES_KEPT)
        self._nodes: Bounded[int, Floats] = Bounded(_HOURS_KEPT)

    def hourly(self, first: int, last: int) -> Floats:
        """(last - first + 1, assets): at the hour marks, in hours since the Unix epoch, both included."""
        hours = np.arange(first, last + 1, dtype=np.int64)
        return self._frozen(self._moving(hours), _seconds(hours))

    def nodes(self, first: int, last: int) -> Floats:
        """(12 (last - first + 1) + 1, assets): every node of those hours, the mark that ends them too."""
        parts = [self._hour(hour)[:NODES_AN_HOUR] for hour in range(first, last + 1)]
        return np.concatenate([*parts, self.hourly(last + 1, last + 1)])

    def at(self, seconds: Floats) -> Floats:
        """(..., assets): each asset's log price at its own instant, in Unix seconds."""
        node = np.floor(seconds / NODE_SECONDS).astype(np.int64)
        hours, row = np.unique(node // NODES_AN_HOUR, return_inverse=True)
        table = np.stack([self._hour(int(hour)) for hour in hours])
        row, step, column = row.reshape(node.shape), node % NODES_AN_HOUR, np.arange(node.shape[-1])
        start, end = table[row, step, column], table[row, step + 1, column]
        share = self._wander(node, seconds / NODE_SECONDS - node)
        low, high = np.minimum(start, end), np.maximum(start, end)
        return np.asarray(np.clip(start + (end - start) * share, low, high), dtype=np.float64)

    def _wander(self, node: Ints, share: Floats) -> Floats:
        """How far along from one node to the next: 0 at the first, 1 at the second, between them always."""
        wave = np.arange(1, _WAVES + 1).reshape(-1, *[1] * node.ndim)
        height = random_numbers.normal(self.universe.keys, node * _WAVES + wave, Stream.WIGGLE) / (
            np.pi * wave
        )
        wandering = share + (height * np.sin(np.pi * wave * share)).sum(axis=0)
        return np.asarray(np.abs(wandering - 2 * np.round(wandering / 2)), dtype=np.float64)

    def halted_since(self, seconds: Floats) -> Floats:
        """(assets,): when trading stopped, for assets halted at their own instant; NaN for the others."""
        since = np.full(len(self.universe.ids), np.nan)
        for column, halt in self._halts:
            since[column] = np.fmax(since[column], halt.started(seconds[column]))
        return since

    def _cycle(self, number: int) -> Cycle:
        return self._cycles.get(number, lambda: generate(self.universe, number))

    def _raw(self, hours: Ints) -> Floats:
        """Unscripted log prices at ascending hour marks."""
        number, place = np.divmod(hours - EPOCH_HOUR, CYCLE_HOURS)
        parts = [self._cycle(int(n)).log_price[place[number == n]] for n in np.unique(number)]
        return np.concatenate(parts)

    def _moving(self, hours: Ints) -> Floats:
        return self._finished(self._raw(hours), _seconds(hours))

    def _frozen(self, rows: Floats, seconds: Floats) -> Floats:
        """``rows`` (instants, assets) with each halted asset at its price of when the halt began."""
        for column, halt in self._halts:
            started = halt.started(seconds)
            stopped = ~np.isnan(started)
            if stopped.any():
                starts, which = np.unique(started[stopped], return_inverse=True)
                last = self._moving((starts // 3600).astype(np.int64))[:, column]
                rows[stopped, column] = last[which]
        return rows

    def _finished(self, base: Floats, seconds: Floats) -> Floats:
        """The script's moves added, then the assets that follow another set upon it."""
        done = self._script.applied(base, seconds)
        followers = np.flatnonzero(self.universe.base >= 0)
        if len(followers):
            targets = self.universe.base[followers]
            done[:, followers] = base[:, followers] + done[:, targets] - self.universe.log_anchor[targets]
        return done

    def _hour(self, hour: int) -> Floats:
        """(13, assets): the nodes of one hour and the mark that ends it."""
        return self._nodes.get(hour, lambda: self._made(hour))

    def _made(self, hour: int) -> Floats:
        universe = self.universe
        marks = self._raw(np.array([hour, hour + 1], dtype=np.int64))
        number, place = divmod(hour - EPOCH_HOUR, CYCLE_HOURS)
        spread = _INNER * self._cycle(number).spread[place] / np.sqrt(NODES_AN_HOUR)
        counters = (hour * NODES_AN_HOUR + np.arange(NODES_AN_HOUR, dtype=np.int64))[:, None]
        common = random_numbers.normal(self.universe.factors, counters, Stream.SUB_STEP)
        own = random_numbers.normal(universe.keys, counters, Stream.SUB_STEP)
        steps = spread * (common[:, :1] * universe.market + common[:, 1:] * universe.alt + own * universe.own)
        steps += (marks[1] - marks[0] - steps.sum(axis=0)) / NODES_AN_HOUR
        base = np.empty((NODES_AN_HOUR + 1, len(universe.ids)))
        base[0] = marks[0]
        np.cumsum(steps[:-1], axis=0, out=base[1:-1])
        base[1:-1] += marks[0]
        base[-1] = marks[1]
        seconds = hour * 3600.0 + NODE_SECONDS * np.arange(NODES_AN_HOUR + 1.0)
        return self._frozen(self._finished(base, seconds), seconds)


def _seconds(hours: Ints) -> Floats:
    return hours.astype(np.float64) * 3600
