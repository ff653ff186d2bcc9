"""Simulates prices, market caps, volumes and candles of any set of assets at any instant.

The figures are a function of (seed, time) alone, the same in every process and for any order of requests. See
:mod:`.price_model` for the price model, :mod:`.scenario` for the scripted events, :mod:`.event_schedule` for
their times.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from backend.markets.sample.calibration import Calibration, SampleAsset, load_shipped_calibration
from backend.markets.sample.event_schedule import EPOCH_SECONDS, EventKind, Schedule, unix_seconds
from backend.markets.sample.price_paths import NODE_SECONDS, NODES_PER_HOUR, PricePaths
from backend.markets.sample.random_numbers import Floats, Ints
from backend.markets.sample.scenario import Script
from backend.markets.sample.universe import build_universe
from backend.markets.sample.volumes import VOLUME_EXPONENT, Volumes

CHANGE_HOURS = (1, 24, 168, 720)
_YEAR = 365.25 * 86_400
_TAIL_SECONDS = 10
"""Step in which the running five minutes are sampled for a candle's high and low."""


@dataclass(frozen=True, slots=True)
class QuoteFields:
    """Columns over the given assets: USD, Unix seconds, changes as ratios (0.01 is 1 %).

    ``rank`` is 0 for assets outside the ranking. ``changes`` has a row per :data:`CHANGE_HOURS`, NaN if the
    asset is younger.
    """

    as_of: Floats
    price: Floats
    market_cap: Floats
    rank: Ints
    volume_24h: Floats
    changes: Floats
    ath: Floats
    ath_seconds: Floats


@dataclass(frozen=True, slots=True)
class OhlcTable:
    """Candles (times, assets) in USD; ``times`` are Unix seconds of the opens, ascending."""

    times: Ints
    open: Floats
    high: Floats
    low: Floats
    close: Floats
    volume: Floats
    listed: npt.NDArray[np.bool_]
    """True if the asset was listed during the whole candle; other candles are not shown."""


class Totals(NamedTuple):
    """Market cap and 24-hour volume of the whole market in USD, and two assets' shares of the cap.

    The shares are from 0 to 1; ``eth_share`` is NaN if the market has no ether.
    """

    market_cap: float
    volume_24h: float
    btc_share: float
    eth_share: float


class SampleMarket:
    """The market of ``assets``: objects with ``id``, ``symbol``, ``enabled`` and ``pegged_to``."""

    def __init__(
        self, seed: int, assets: Sequence[SampleAsset], calibration: Calibration | None = None
    ) -> None:
        self.seed = seed
        self.calibration = calibration or load_shipped_calibration()
        self.schedule = Schedule(self.calibration.event_assets)
        self.universe = build_universe(seed, assets, self.calibration)
        self.ids = self.universe.ids[: self.universe.visible]
        script = Script(self.calibration.event_assets, self.universe)
        halts = [window for window in self.schedule.windows if window.kind is EventKind.HALT]
        self.paths = PricePaths(self.universe, script, halts)
        self._volumes = Volumes(self.paths, script)

    def price_at(self, asset_id: str, time: datetime) -> float:
        """USD of one asset at ``time``."""
        return float(self.prices(time)[self.universe.index[asset_id]])

    def prices(self, time: datetime) -> Floats:
        """(assets,): USD at ``time``, in the order of ``ids``."""
        seconds = np.full(len(self.universe.ids), unix_seconds(time))
        return np.asarray(np.exp(self.paths.at(seconds))[: self.universe.visible], dtype=np.float64)

    def quote_fields(self, time: datetime, lag: Floats | None = None) -> QuoteFields:
        """Compute a provider's figures at ``time``, each asset ``lag`` seconds late (default: none)."""
        universe, now = self.universe, unix_seconds(time)
        seconds = np.full(len(universe.ids), now)
        if lag is not None:
            seconds[: len(lag)] -= lag
        halted = self.paths.halted_since(seconds)
        seconds = np.where(np.isnan(halted), seconds, halted)
        times = seconds - 3600.0 * np.array([0, *CHANGE_HOURS])[:, None]
        log_price = self.paths.at(times)
        changes = np.expm1(log_price[0] - log_price[1:])
        ath, ath_seconds = np.exp(universe.log_ath), universe.ath_seconds.copy()
        self._limit_to_listing(time, times, changes, ath, ath_seconds)
        price = np.exp(log_price[0])
        ath_seconds = np.where(price > ath, seconds, ath_seconds)
        cap = price * self._compute_supply(seconds)
        visible_slice = slice(0, universe.visible)
        return QuoteFields(
            as_of=seconds[visible_slice],
            price=price[visible_slice],
            market_cap=cap[visible_slice],
            rank=self._compute_ranks(cap)[visible_slice],
            volume_24h=self._compute_volume(now, halted)[visible_slice],
            changes=changes[:, visible_slice],
            ath=np.maximum(ath, price)[visible_slice],
            ath_seconds=ath_seconds[visible_slice],
        )

    def totals(self, time: datetime) -> Totals:
        """Compute the totals at ``time``.

        Assets outside the ranking represent others and are excluded. A slowly varying share, about 6 %,
        represents the assets that are not in the universe.
        """
        now = unix_seconds(time)
        log_price = self.paths.at(np.full(len(self.universe.ids), now))
        return self._compute_totals(now, log_price, self._volumes.last_24h(now))

    def hourly_totals(self, first: int, last: int) -> list[Totals]:
        """Compute the totals at hour marks, in hours since the Unix epoch, both included.

        They equal those of :meth:`totals` and take a fraction of the time.
        """
        log_prices = self.paths.hourly(first, last)
        volumes = self._volumes.last_24h_by_hour(first, last)
        return [
            self._compute_totals(3600.0 * hour, log_price, volume)
            for hour, log_price, volume in zip(range(first, last + 1), log_prices, volumes, strict=True)
        ]

    def hourly_closes(self, time: datetime, count: int = 168) -> Floats:
        """(count, assets): USD at the last ``count`` full hours up to ``time``; NaN before a listing."""
        last = int(unix_seconds(time) // 3600)
        closes = np.exp(self.paths.hourly(last - count + 1, last)[:, : self.universe.visible])
        column = self.universe.index.get(self.calibration.event_assets.listing)
        if column is not None:
            marks = 3600.0 * np.arange(last - count + 1, last + 1)
            closes[marks < unix_seconds(self.schedule.listed_at(time)), column] = np.nan
        return np.asarray(closes, dtype=np.float64)

    def ohlc(self, asset_ids: Sequence[str], seconds: int, start: datetime, end: datetime) -> OhlcTable:
        """Build candles of ``seconds`` (a multiple of 300) that open in [start, end), aligned to Unix time.

        The close of a candle still open at ``end`` is the price at ``end``.
        """
        if seconds <= 0 or seconds % NODE_SECONDS:
            raise ValueError(f"Candles of {seconds} s cannot be built: use a multiple of {NODE_SECONDS} s.")
        columns, stop = self.universe.columns(asset_ids), unix_seconds(end)
        times = np.arange(math.ceil(unix_seconds(start) / seconds) * seconds, stop, seconds).astype(np.int64)
        if not (len(times) and len(columns)):
            empty = np.empty((len(times), len(columns)))
            return OhlcTable(times, empty, empty, empty, empty, empty, empty.astype(bool))
        nodes, volume = self._compute_nodes(int(times[0]), int(times[-1]) + seconds, stop, columns)
        steps = seconds // NODE_SECONDS
        grouped = nodes[:-1].reshape(len(times), steps, len(columns))
        opens, closes = nodes[:-1:steps], nodes[steps::steps]
        # A running candle has no nodes yet after ``end``: they are NaN and left out.
        highs = np.fmax(np.fmax.reduce(grouped, axis=1), closes)
        lows = np.fmin(np.fmin.reduce(grouped, axis=1), closes)
        if np.isnan(closes[-1]).any():
            tail = self._compute_tail(stop, columns)
            closes, highs, lows = closes.copy(), highs.copy(), lows.copy()
            closes[-1] = tail[-1]
            highs[-1], lows[-1] = np.fmax(highs[-1], tail.max(axis=0)), np.fmin(lows[-1], tail.min(axis=0))
        return OhlcTable(
            times=times,
            open=np.exp(opens),
            high=np.exp(highs),
            low=np.exp(lows),
            close=np.exp(closes),
            volume=np.nansum(volume.reshape(len(times), steps, len(columns)), axis=1),
            listed=self._mark_listed(times, columns, end),
        )

    def _compute_totals(self, now: float, log_price: Floats, volume_24h: Floats) -> Totals:
        universe = self.universe
        cap = np.exp(log_price) * self._compute_supply(np.full(len(universe.ids), now))
        outside_share = 0.06 + 0.01 * np.sin(2 * np.pi * (now - EPOCH_SECONDS) / (97 * 86_400))
        total = float(cap[universe.ranked].sum() / (1 - outside_share))
        ethereum = universe.index.get("ethereum")
        return Totals(
            market_cap=total,
            volume_24h=float(volume_24h[universe.ranked].sum() / (1 - outside_share)),
            btc_share=float(cap[universe.index["bitcoin"]]) / total,
            eth_share=math.nan if ethereum is None else float(cap[ethereum]) / total,
        )

    def _limit_to_listing(
        self, time: datetime, times: Floats, changes: Floats, ath: Floats, ath_seconds: Floats
    ) -> None:
        """Remove, in place, the figures that the newly listed asset cannot have at its age."""
        column = self.universe.index.get(self.calibration.event_assets.listing)
        if column is None:
            return
        listed = unix_seconds(self.schedule.listed_at(time))
        changes[times[1:, column] < listed, column] = np.nan
        first, last = int(listed // 3600), int(times[0, column] // 3600)
        life = self.paths.hourly(first, last)[:, column]
        ath[column], ath_seconds[column] = np.exp(life.max()), 3600.0 * (first + int(life.argmax()))

    def _compute_supply(self, seconds: Floats) -> Floats:
        years = (seconds - EPOCH_SECONDS) / _YEAR
        # Growth slows down, so that the supply stays plausible at any date.
        return np.asarray(
            self.universe.supply * np.exp(20 * np.tanh(years / 20) * self.universe.supply_growth)
        )

    def _compute_ranks(self, cap: Floats) -> Ints:
        """1 for the largest cap; 0 for those outside the ranking and the hidden ones. Ties by place."""
        listed = self.universe.ranked & (np.arange(len(cap)) < self.universe.visible)
        order = np.argsort(np.where(listed, -cap, np.inf), kind="stable")
        ranks = np.zeros(len(cap), dtype=np.int64)
        ranks[order] = np.arange(1, len(cap) + 1)
        return np.where(listed, ranks, 0)

    def _compute_volume(self, now: float, halted: Floats) -> Floats:
        volume = self._volumes.last_24h(now)
        for column in np.flatnonzero(~np.isnan(halted)):
            volume[column] = self._volumes.last_24h(float(halted[column]))[column]
        return volume

    def _compute_nodes(self, first: int, last: int, stop: float, columns: Ints) -> tuple[Floats, Floats]:
        """Log prices at the nodes of [first, last] and USD traded between them; nothing after ``stop``."""
        hour, end_hour = first // 3600, -(-last // 3600)
        nodes = self.paths.nodes(hour, end_hour - 1)[:, columns]
        weights = (np.abs(np.diff(nodes, axis=0)) + 1e-5) ** VOLUME_EXPONENT
        weights = weights.reshape(end_hour - hour, NODES_PER_HOUR, len(columns))
        weights /= weights.sum(axis=1, keepdims=True)
        hourly = np.stack([self._volumes.hour(clock_hour)[columns] for clock_hour in range(hour, end_hour)])
        volume = (weights * hourly[:, None]).reshape(-1, len(columns))
        marks = hour * 3600 + NODE_SECONDS * np.arange(len(nodes))
        volume *= np.clip((stop - marks[:-1]) / NODE_SECONDS, 0, 1)[:, None]
        nodes[marks > stop] = np.nan
        requested = slice((first - hour * 3600) // NODE_SECONDS, (last - hour * 3600) // NODE_SECONDS)
        return nodes[requested.start : requested.stop + 1], volume[requested]

    def _compute_tail(self, stop: float, columns: Ints) -> Floats:
        """Log prices every ten seconds of the running five minutes, the last at ``stop`` itself."""
        marks = np.append(np.arange(stop // NODE_SECONDS * NODE_SECONDS, stop, _TAIL_SECONDS), stop)
        return self.paths.at(np.repeat(marks[:, None], len(self.universe.ids), axis=1))[:, columns]

    def _mark_listed(self, times: Ints, columns: Ints, end: datetime) -> npt.NDArray[np.bool_]:
        listed = np.ones((len(times), len(columns)), dtype=bool)
        newcomer = columns == self.universe.index.get(self.calibration.event_assets.listing, -1)
        listed[:, newcomer] = (times >= unix_seconds(self.schedule.listed_at(end)))[:, None]
        return listed
