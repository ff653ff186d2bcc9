"""Computes log prices of the whole universe at any instant: full hours, five-minute nodes, and between.

Nodes are five minutes apart. Within an hour they form a bridge between the full hours, correlated across
assets like the hour's returns. Between two nodes the price stays in their range (a folded sine series of a
Brownian bridge), so that a candle built from nodes bounds every instant. All derived data is in bounded
caches.
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
NODES_PER_HOUR = 12
_WAVES = 16
_INNER = 1.35
"""Factor fitted to the range of hourly candles: twelve steps miss part of an hour's range."""
_MAX_CACHED_CYCLES = 6
_MAX_CACHED_HOURS = 240

K = TypeVar("K")
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """A cache that evicts the least recently used entry. Thread-safe."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K, build: Callable[[], V]) -> V:
        """Return the value of ``key``; build it if it is not cached (at worst twice, by two threads)."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
                return self._entries[key]
        value = build()
        with self._lock:
            self._entries[key] = value
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)
        return value


class PricePaths:
    """Log prices as arrays (instants, assets), a function of the seed and the time alone."""

    def __init__(self, universe: Universe, script: Script, halts: Sequence[Window] = ()) -> None:
        self.universe = universe
        self._script = script
        self._halts = [
            (universe.index[name], halt) for halt in halts for name in halt.assets if name in universe.index
        ]
        self._cycles: LruCache[int, Cycle] = LruCache(_MAX_CACHED_CYCLES)
        self._nodes: LruCache[int, Floats] = LruCache(_MAX_CACHED_HOURS)

    def hourly(self, first: int, last: int) -> Floats:
        """(last - first + 1, assets): at the hour marks, in hours since the Unix epoch, both included."""
        hours = np.arange(first, last + 1, dtype=np.int64)
        return self._freeze_halted(self._compute_scripted_hours(hours), _to_seconds(hours))

    def nodes(self, first: int, last: int) -> Floats:
        """(12 (last - first + 1) + 1, assets): every node of those hours, the mark that ends them too."""
        parts = [self._get_hour_nodes(hour)[:NODES_PER_HOUR] for hour in range(first, last + 1)]
        return np.concatenate([*parts, self.hourly(last + 1, last + 1)])

    def at(self, seconds: Floats) -> Floats:
        """(..., assets): each asset's log price at its own instant, in Unix seconds."""
        node = np.floor(seconds / NODE_SECONDS).astype(np.int64)
        hours, row = np.unique(node // NODES_PER_HOUR, return_inverse=True)
        table = np.stack([self._get_hour_nodes(int(hour)) for hour in hours])
        row, step, column = row.reshape(node.shape), node % NODES_PER_HOUR, np.arange(node.shape[-1])
        start, end = table[row, step, column], table[row, step + 1, column]
        share = self._interpolate(node, seconds / NODE_SECONDS - node)
        low, high = np.minimum(start, end), np.maximum(start, end)
        return np.asarray(np.clip(start + (end - start) * share, low, high), dtype=np.float64)

    def _interpolate(self, node: Ints, share: Floats) -> Floats:
        """Position between two nodes: 0 at the first, 1 at the second, always within [0, 1]."""
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

    def _get_cycle(self, number: int) -> Cycle:
        return self._cycles.get(number, lambda: generate(self.universe, number))

    def _compute_unscripted_hours(self, hours: Ints) -> Floats:
        """Unscripted log prices at ascending hour marks."""
        number, hour_of_cycle = np.divmod(hours - EPOCH_HOUR, CYCLE_HOURS)
        parts = [self._get_cycle(int(n)).log_price[hour_of_cycle[number == n]] for n in np.unique(number)]
        return np.concatenate(parts)

    def _compute_scripted_hours(self, hours: Ints) -> Floats:
        return self._apply_script(self._compute_unscripted_hours(hours), _to_seconds(hours))

    def _freeze_halted(self, rows: Floats, seconds: Floats) -> Floats:
        """Return ``rows`` (instants, assets) with each halted asset at its price at the start of the halt."""
        for column, halt in self._halts:
            started = halt.started(seconds)
            stopped = ~np.isnan(started)
            if stopped.any():
                starts, halt_index = np.unique(started[stopped], return_inverse=True)
                last = self._compute_scripted_hours((starts // 3600).astype(np.int64))[:, column]
                rows[stopped, column] = last[halt_index]
        return rows

    def _apply_script(self, base: Floats, seconds: Floats) -> Floats:
        """Add the script's moves, then set the assets that follow another."""
        done = self._script.apply(base, seconds)
        followers = np.flatnonzero(self.universe.base >= 0)
        if len(followers):
            targets = self.universe.base[followers]
            done[:, followers] = base[:, followers] + done[:, targets] - self.universe.log_anchor[targets]
        return done

    def _get_hour_nodes(self, hour: int) -> Floats:
        """(13, assets): the nodes of one hour and the mark that ends it."""
        return self._nodes.get(hour, lambda: self._build_nodes(hour))

    def _build_nodes(self, hour: int) -> Floats:
        universe = self.universe
        marks = self._compute_unscripted_hours(np.array([hour, hour + 1], dtype=np.int64))
        number, hour_of_cycle = divmod(hour - EPOCH_HOUR, CYCLE_HOURS)
        spread = _INNER * self._get_cycle(number).spread[hour_of_cycle] / np.sqrt(NODES_PER_HOUR)
        counters = (hour * NODES_PER_HOUR + np.arange(NODES_PER_HOUR, dtype=np.int64))[:, None]
        common = random_numbers.normal(self.universe.factors, counters, Stream.SUB_STEP)
        own_noise = random_numbers.normal(universe.keys, counters, Stream.SUB_STEP)
        steps = spread * (
            common[:, :1] * universe.market + common[:, 1:] * universe.alt + own_noise * universe.own
        )
        steps += (marks[1] - marks[0] - steps.sum(axis=0)) / NODES_PER_HOUR
        base = np.empty((NODES_PER_HOUR + 1, len(universe.ids)))
        base[0] = marks[0]
        np.cumsum(steps[:-1], axis=0, out=base[1:-1])
        base[1:-1] += marks[0]
        base[-1] = marks[1]
        seconds = hour * 3600.0 + NODE_SECONDS * np.arange(NODES_PER_HOUR + 1.0)
        return self._freeze_halted(self._apply_script(base, seconds), seconds)


def _to_seconds(hours: Ints) -> Floats:
    return hours.astype(np.float64) * 3600
