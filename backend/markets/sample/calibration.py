"""Loads the assumptions of the sample market from ``data/sample.yaml`` and derives the missing ones.

The file contains classes of volatility, known assets and the assets of scripted events. The figures of an
asset that is not in the file come from a hash of its id. So any user's asset has a sample price, the same
everywhere.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Annotated, Protocol, Self

import numpy as np
import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

from backend.formats.yaml_loader import SafeLoader
from backend.markets.sample import random_numbers

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]


class SampleAsset(Protocol):
    """The fields of a configured asset that the sample market uses."""

    @property
    def id(self) -> str: ...
    @property
    def symbol(self) -> str: ...
    @property
    def enabled(self) -> bool: ...
    @property
    def pegged_to(self) -> str | None: ...


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AssetClass(_Record):
    """One class of volatility. Shares are correlations of hourly returns; moves are in percent."""

    sigma_1h_pct: Positive
    market: Share
    """Correlation with the market factor."""
    alt: Share
    """Correlation with the second factor, which all assets but bitcoin share."""
    turnover: Positive
    """Daily volume as a share of the market cap."""
    crash_wick_pct: float
    crash_close_pct: float
    """The lowest point and the close of the scripted crash hour, against its open (class median)."""
    crash_spread: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Largest deviation of an asset's own crash from the median, as a share of the log move."""
    ath_depth: Annotated[float, Field(ge=0)] = 0.0
    """Largest further log distance between the price and its historic high."""

    @model_validator(mode="after")
    def _is_a_crash(self) -> Self:
        if not -99 < self.crash_wick_pct <= self.crash_close_pct <= 0:
            raise ValueError("a crash needs -99 < crash_wick_pct <= crash_close_pct <= 0")
        if self.market**2 + self.alt**2 > 1:
            raise ValueError(
                "market and alt are correlations with independent factors: their squares exceed 1"
            )
        return self


class AssetFigures(_Record):
    """Starting figures of one known asset: fictitious round numbers in US dollars."""

    price: Positive
    cap_musd: Positive
    """Market cap at the anchor price, in millions."""
    group: str = "alt"
    tracks: str | None = None
    """Id of the asset whose price this one follows, at the ratio of the two anchor prices."""
    sigma_1h_pct: Positive | None = None
    market: Share | None = None


class EventAssets(_Record):
    """The assets that each scripted event affects; see :mod:`backend.markets.sample.scenario`."""

    depeg: str
    collapse: str
    listing: str
    halted: tuple[str, str]
    suspended: str
    divergent: tuple[str, str, str]
    conflicting: tuple[str, str]
    lagging: str
    one_view_only: str
    unranked: tuple[str, ...]
    tiny_price: str
    shared_symbol: tuple[str, str]
    disabled: str


class Calibration(_Record):
    classes: Mapping[str, AssetClass]
    assets: Mapping[str, AssetFigures]
    event_assets: EventAssets

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        for asset_id, figures in self.assets.items():
            if figures.group not in self.classes:
                raise ValueError(f"{asset_id}: unknown class {figures.group!r}")
            if figures.tracks is not None and (
                figures.tracks not in self.assets or self.assets[figures.tracks].tracks is not None
            ):
                raise ValueError(
                    f"{asset_id}: tracks {figures.tracks!r}, which is unknown or tracks another itself"
                )
        return self


@cache
def load_shipped_calibration() -> Calibration:
    """Load the calibration that is shipped with the service."""
    text = files("backend.markets.sample").joinpath("data", "sample.yaml").read_text(encoding="utf-8")
    data = yaml.load(text, SafeLoader)  # noqa: S506 - libyaml's safe one
    return Calibration.model_validate(data)


PEG_FIGURES: Mapping[str, tuple[str, float]] = {
    "usd": ("peg", 1.0),
    "eur": ("fiat", 1.1),
    "gbp": ("fiat", 1.3),
    "chf": ("fiat", 1.1),
    "jpy": ("fiat", 0.007),
    "xau": ("metal", 3000.0),
    "gold": ("metal", 3000.0),
    "xag": ("metal", 35.0),
    "silver": ("metal", 35.0),
}
"""Class and fictitious price in USD of each peg that is not an asset."""
PEG_COINS: Mapping[str, str] = {"btc": "bitcoin", "eth": "ethereum", "sol": "solana", "bnb": "bnb"}
"""Asset ids by the symbols that a peg can name."""


def derive_figures(asset: SampleAsset, calibration: Calibration) -> AssetFigures:
    """Return the file's figures of ``asset``, else figures derived from its peg and a hash of its id."""
    configured = calibration.assets.get(asset.id)
    if configured is not None:
        return configured
    traits = derive_traits(asset.id)
    cap = round(10 ** (1.0 + 2.3 * traits[0]), 1)
    peg = (asset.pegged_to or "").strip().lower()
    if peg in PEG_FIGURES:
        group, price = PEG_FIGURES[peg]
        return AssetFigures(price=price, cap_musd=cap, group=group)
    coin = PEG_COINS.get(peg, peg)
    target = calibration.assets.get(coin)
    if target is not None and target.tracks is None:
        return AssetFigures(price=target.price, cap_musd=cap, group=target.group, tracks=coin)
    group = ("alt", "alt", "wild")[math.floor(3 * traits[1])]
    return AssetFigures(price=float(f"{10 ** (4.5 * traits[2] - 3):.2g}"), cap_musd=cap, group=group)


def derive_traits(asset_id: str, count: int = 8) -> Sequence[float]:
    """Derive numbers in (0, 1) from an asset id, independent of the seed of the market."""
    key = np.array(random_numbers.derive_key(0, f"traits:{asset_id}"), dtype=np.uint64)
    return [
        float(value) for value in random_numbers.uniform(key, np.arange(count), random_numbers.Stream.TRAIT)
    ]
