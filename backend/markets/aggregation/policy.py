"""The constants of the aggregation rule, and what it must know of an asset. Pure.

Percentages are in percent: 0.5 means 0.5 %.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal

from backend.markets.provider_names import COINGECKO, COINMARKETCAP


@dataclass(frozen=True, slots=True)
class AssetTraits:
    """What the rule must know of one asset.

    ``sigma_1h`` is the standard deviation of its hourly return, in percent (0.7 for Bitcoin).
    ``pegged``: it is meant to be worth one US dollar.
    """

    asset_id: str
    pegged: bool = False
    sigma_1h: Decimal = Decimal("1.0")


@dataclass(frozen=True, slots=True)
class Policy:
    """Every constant of the rule in :mod:`backend.markets.aggregation.aggregate`.

    ``order`` names the providers in the order in which a blended source is written; ``primary`` is
    whose figures stand where nothing else decides. ``poll_seconds`` is how often each is expected
    to be asked (T in the rule): what is fresh depends on it.
    """

    primary: str = COINGECKO
    order: tuple[str, ...] = (COINGECKO, COINMARKETCAP)
    poll_seconds: Mapping[str, int] = field(default_factory=dict)
    default_poll_seconds: int = 60

    future_tolerance: timedelta = timedelta(seconds=60)
    fresh_floor: timedelta = timedelta(seconds=180)
    fresh_polls: float = 2.5
    ageing_floor: timedelta = timedelta(seconds=900)
    ageing_polls: float = 6.0
    null_after: timedelta = timedelta(hours=24)

    band_pct: Decimal = Decimal(3)
    """Three or more quotes: one farther than this from the median is left out."""
    pegged_band_pct: Decimal = Decimal("0.3")

    agree_pct: Decimal = Decimal("0.5")
    agree_sigmas: Decimal = Decimal(4)
    conflict_pct: Decimal = Decimal(5)
    pegged_agree_pct: Decimal = Decimal("0.3")
    pegged_conflict_pct: Decimal = Decimal(1)
    hold: timedelta = timedelta(minutes=15)
    """In a conflict the last good figure stands until it is this old."""

    jump_pct: Decimal = Decimal(20)
    jump_sigmas: Decimal = Decimal(12)

    depeg_pct: Decimal = Decimal(1)
    """A pegged asset farther than this from one dollar has lost its peg."""
    quiet: timedelta = timedelta(minutes=15)
    """An incident is over when its cause has been absent for this long."""

    def __post_init__(self) -> None:
        limits = (self.band_pct, self.pegged_band_pct, self.agree_pct, self.pegged_agree_pct, self.jump_pct)
        if min(*limits, self.depeg_pct) <= 0:
            raise ValueError("Every limit of the aggregation policy must be above zero.")
        if min((self.default_poll_seconds, *self.poll_seconds.values())) <= 0:
            raise ValueError("Every expected poll interval must be above zero seconds.")
        if self.agree_pct > self.conflict_pct or self.pegged_agree_pct > self.pegged_conflict_pct:
            raise ValueError("Quotes must agree within a smaller spread than the one that is a conflict.")
        if self.fresh_floor > self.ageing_floor or self.fresh_polls > self.ageing_polls:
            raise ValueError("A quote must be fresh for a shorter time than it is usable.")

    def rank(self, provider: str) -> tuple[int, str]:
        """Sort key: the configured order, then unknown providers by name."""
        return (self.order.index(provider) if provider in self.order else len(self.order), provider)

    def fresh_limit(self, provider: str) -> timedelta:
        return max(self.fresh_floor, self.fresh_polls * self._poll(provider))

    def ageing_limit(self, provider: str) -> timedelta:
        return max(self.ageing_floor, self.ageing_polls * self._poll(provider))

    def _poll(self, provider: str) -> timedelta:
        return timedelta(seconds=self.poll_seconds.get(provider, self.default_poll_seconds))
