"""What the sample market assumes of each asset: the file ``data/sample.yaml`` and what fills its gaps.

The file gives classes of volatility, known assets and the cast of the script. An asset that the
file does not know gets its figures from a hash of its id, so that any user's own asset has a
sample price too, and the same one everywhere.
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
    """What the sample market needs to know of a configured asset."""

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
    """Correlation with the second factor, which all but bitcoin share."""
    turnover: Positive
    """Volume of a day in shares of the market cap."""
    crash_wick_pct: float
    crash_close_pct: float
    """The lowest point and the close of the scripted crash hour, against its open (class median)."""
    crash_spread: Annotated[float, Field(ge=0, le=1)] = 0.0
    """How far an asset's own crash may lie from the median, as a share of the log move."""
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
    """Starting figures of one known asset, fictitious round numbers in US dollars."""

    price: Positive
    cap_musd: Positive
    """Market cap at the anchor price, in millions."""
    group: str = "alt"
    tracks: str | None = None
    """The id whose price this one follows, at the ratio of the two anchor prices."""
    sigma_1h_pct: Positive | None = None
    market: Share | None = None


class Cast(_Record):
    """Which asset plays which part of the script; see :mod:`backend.markets.sample.scenario`."""

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
    cast: Cast

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
def shipped_calibration() -> Calibration:
    """The calibration that comes with the service."""
    text = files("backend.markets.sample").joinpath("data", "sample.yaml").read_text(encoding="utf-8")
    told = yaml.load(text, SafeLoader)  # noqa: S506 - libyaml's safe one
    return Calibration.model_validate(told)


PEGS: Mapping[str, tuple[str, float]] = {
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
"""What an asset may be pegged to beside another asset: its class and a fictitious price in USD."""
COINS: Mapping[str, str] = {"btc": "bitcoin", "eth": "ethereum", "sol": "solana", "bnb": "bnb"}
"""Symbols by which an asset may name the one that it is pegged to, beside the id."""


def figures_of(asset: SampleAsset, calibration: Calibration) -> AssetFigures:
    """The file's figures of ``asset``, else figures derived from its peg and a hash of its id."""
    known = calibration.assets.get(asset.id)
    if known is not None:
        return known
    traits = traits_of(asset.id)
    cap = round(10 ** (1.0 + 2.3 * traits[0]), 1)
    peg = (asset.pegged_to or "").strip().lower()
    if peg in PEGS:
        group, price = PEGS[peg]
        return AssetFigures(price=price, cap_musd=cap, group=group)
    coin = COINS.get(peg, peg)
    target = calibration.assets.get(coin)
    if target is not None and target.tracks is None:
        return AssetFigures(price=target.price, cap_musd=cap, group=target.group, tracks=coin)
    group = ("alt", "alt", "wild")[math.floor(3 * traits[1])]
    return AssetFigures(price=float(f"{10 ** (4.5 * traits[2] - 3):.2g}"), cap_musd=cap, group=group)


def traits_of(asset_id: str, count: int = 8) -> Sequence[float]:
    """Numbers in (0, 1) that belong to an id, whatever the seed of the market."""
    key = np.array(random_numbers.key_of(0, f"traits:{asset_id}"), dtype=np.uint64)
    return [
        float(value) for value in random_numbers.uniform(key, np.arange(count), random_numbers.Stream.TRAIT)
    ]
