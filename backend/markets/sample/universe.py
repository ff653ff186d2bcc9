"""Builds the calibration of a set of assets as numeric columns, one entry per asset.

The universe contains the given assets and, hidden after them, the assets that their prices follow (always
bitcoin, which the market totals need). An asset's figures depend on its id alone, not on the other assets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from backend.markets.sample import random_numbers
from backend.markets.sample.calibration import (
    AssetFigures,
    Calibration,
    SampleAsset,
    derive_figures,
    derive_traits,
)
from backend.markets.sample.event_schedule import CYCLE_HOURS
from backend.markets.sample.random_numbers import Floats, Ints, Keys

LEVEL_LIMIT = 2.2
"""Largest distance of a cycle's starting level from the anchor, in the level's standard deviations."""
TREND_SIZE = 0.12
"""Log rise of bitcoin at the height of the script's trend."""
PEG_SD = 0.0004
"""Standard deviation of a pegged price around its peg."""
_ANCESTORS = ("bitcoin",)


@dataclass(frozen=True, slots=True)
class Universe:
    """Columns over assets; logarithms are natural, moves are log moves, ``sigma`` is per hour."""

    ids: tuple[str, ...]
    visible: int
    """The first ``visible`` entries are the assets that were given."""
    index: Mapping[str, int]
    factors: Keys
    """Keys of the market factor and of the alt factor."""
    keys: Keys
    log_anchor: Floats
    sigma: Floats
    market: Floats
    alt: Floats
    own: Floats
    """Shares of the market factor, the alt factor and own noise: their squares add up to 1."""
    pegged: npt.NDArray[np.bool_]
    base: Ints
    """Index of the asset whose price is followed, or -1."""
    level_sd: Floats
    bound: Floats
    """Largest distance (log) of a price from its anchor, apart from wicks and scripted moves."""
    supply: Floats
    supply_growth: Floats
    """Log growth of the supply in a year."""
    turnover: Floats
    trend: Floats
    wick: Floats
    close: Floats
    """Effect of the script's trend and crash on the log price at their height."""
    log_ath: Floats
    ath_seconds: Floats
    ranked: npt.NDArray[np.bool_]

    def columns(self, asset_ids: Sequence[str]) -> Ints:
        unknown = [asset_id for asset_id in asset_ids if asset_id not in self.index]
        if unknown:
            raise KeyError(f"The sample market has no asset {unknown[0]!r}.")
        return np.array([self.index[asset_id] for asset_id in asset_ids], dtype=np.int64)


def build_universe(seed: int, assets: Sequence[SampleAsset], calibration: Calibration) -> Universe:
    figures = {asset.id: derive_figures(asset, calibration) for asset in assets}
    if len(figures) != len(assets):
        raise ValueError("The sample market was given two assets with the same id.")
    visible = len(figures)
    for ancestor in (*_ANCESTORS, *(entry.tracks for entry in figures.values())):
        if ancestor is not None and ancestor not in figures:
            figures = figures | {ancestor: calibration.assets[ancestor]}
    ids = tuple(figures)
    index = {asset_id: column for column, asset_id in enumerate(ids)}
    rows = [_build_row(asset_id, entry, calibration) for asset_id, entry in figures.items()]

    def column(name: str) -> Floats:
        return np.array([row[name] for row in rows], dtype=np.float64)

    sigma, market, alt = column("sigma"), column("market"), column("alt")
    base = np.array(
        [index[entry.tracks] if entry.tracks else -1 for entry in figures.values()], dtype=np.int64
    )
    pegged = np.array([entry.group == "peg" or entry.tracks is not None for entry in figures.values()])
    cycle_sd = sigma * np.sqrt(CYCLE_HOURS)
    bound = np.where(pegged, 8 * PEG_SD, (LEVEL_LIMIT + 1.3) * cycle_sd)
    trend, log_anchor, price = column("trend"), column("log_anchor"), np.exp(column("log_anchor"))
    columns = {"wick": column("wick"), "close": column("close"), "trend": trend}
    follows = base >= 0
    for name, values in columns.items():
        columns[name] = np.where(follows, values[base], values)
    log_ath = (
        log_anchor
        + np.where(pegged, 0.01 + 0.04 * column("jitter"), bound + np.maximum(trend, 0) + 0.02)
        + column("depth")
    )
    log_ath = np.where(follows, log_ath[base] + log_anchor - log_anchor[base] + 0.01, log_ath)
    return Universe(
        ids=ids,
        visible=visible,
        index=index,
        factors=np.array(
            [random_numbers.derive_key(seed, f"factor:{name}") for name in ("market", "alt")], dtype=np.uint64
        ),
        keys=np.array([random_numbers.derive_key(seed, asset_id) for asset_id in ids], dtype=np.uint64),
        log_anchor=log_anchor,
        sigma=sigma,
        market=market,
        alt=alt,
        own=np.sqrt(1 - market**2 - alt**2),
        pegged=pegged,
        base=base,
        level_sd=np.where(pegged, 0.0, cycle_sd),
        bound=bound,
        supply=column("cap") / price,
        supply_growth=column("supply_growth"),
        turnover=column("turnover"),
        log_ath=log_ath,
        ath_seconds=np.floor(column("ath_seconds")),
        ranked=np.array([asset_id not in calibration.event_assets.unranked for asset_id in ids]),
        **columns,
    )


def _build_row(asset_id: str, entry: AssetFigures, calibration: Calibration) -> dict[str, float]:
    """Build one asset's figures: from the file, else from its class, varied by its traits."""
    group = calibration.classes[entry.group]
    traits = derive_traits(asset_id)
    sigma = (entry.sigma_1h_pct or group.sigma_1h_pct * (0.85 + 0.3 * traits[3])) / 100
    market = entry.market if entry.market is not None else min(0.98, group.market * (0.93 + 0.14 * traits[4]))
    alt = min(group.alt, float(np.sqrt(max(0.0, 0.97 - market**2))))
    crash = np.exp(group.crash_spread * (2 * traits[5] - 1))
    wick, close = (crash * np.log1p(move / 100) for move in (group.crash_wick_pct, group.crash_close_pct))
    bitcoin_sigma = calibration.classes["bitcoin"].sigma_1h_pct / 100
    return {
        "log_anchor": float(np.log(entry.price)),
        "cap": entry.cap_musd * 1e6,
        "sigma": sigma,
        "market": market,
        "alt": alt,
        "turnover": group.turnover * (0.5 + traits[6]),
        "wick": max(float(wick), float(np.log(0.01))),
        "close": float(close),
        "trend": TREND_SIZE * min(market * sigma / bitcoin_sigma, 1.8),
        "depth": group.ath_depth * traits[7] ** 2,
        "jitter": traits[0],
        "supply_growth": 0.04 * traits[1] ** 2,
        "ath_seconds": _OLDEST_ATH + traits[2] * (_NEWEST_ATH - _OLDEST_ATH),
    }


_OLDEST_ATH = 1_609_459_200.0  # 2021-01-01
_NEWEST_ATH = 1_702_080_000.0  # 2023-12-09: the cycle before the script's epoch
