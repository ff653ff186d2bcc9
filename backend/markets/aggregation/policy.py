"""Defines the constants of the aggregation rule and the traits of an asset. No I/O.

Percentages are in percent: 0.5 means 0.5 %.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal

from backend.markets.provider_names import COINGECKO, COINMARKETCAP


@dataclass(frozen=True, slots=True)
class AssetTraits:
    """Traits of one asset that the rule uses.

    ``sigma_1h`` is the standard deviation of the hourly return, in percent (0.7 for Bitcoin).
    ``pegged``: the asset is pegged to one US dollar.
    """

    asset_id: str
    pegged: bool = False
    sigma_1h: Decimal = Decimal("1.0")


@dataclass(frozen=True, slots=True)
class AggregationPolicy:
    """Constants of the rule in :mod:`backend.markets.aggregation.aggregate`.

    ``order`` is the order of the providers in a blended source. ``primary`` is the provider whose figures are
    used if nothing else decides. ``poll_seconds`` are the expected poll intervals by provider (T in the
    rule), on which the freshness limits depend.
    """

    primary: str = COINGECKO
    order: tuple[str, ...] = (COINGECKO, COINMARKETCAP)
    poll_seconds: Mapping[str, int] = field(default_factory=dict)
    default_poll_seconds: int = 60

    future_tolerance: timedelta = timedelta(seconds=60)
    min_fresh: timedelta = timedelta(seconds=180)
    fresh_poll_intervals: float = 2.5
    min_ageing: timedelta = timedelta(seconds=900)
    ageing_poll_intervals: float = 6.0
    null_after: timedelta = timedelta(hours=24)

    band_pct: Decimal = Decimal(3)
    """Of three or more quotes, those farther than this from the median are excluded."""
    pegged_band_pct: Decimal = Decimal("0.3")

    agree_pct: Decimal = Decimal("0.5")
    agree_sigmas: Decimal = Decimal(4)
    conflict_pct: Decimal = Decimal(5)
    pegged_agree_pct: Decimal = Decimal("0.3")
    pegged_conflict_pct: Decimal = Decimal(1)
    max_hold: timedelta = timedelta(minutes=15)
    """In a conflict the last good figure is held until it has this age."""

    jump_pct: Decimal = Decimal(20)
    jump_sigmas: Decimal = Decimal(12)

    depeg_pct: Decimal = Decimal(1)
    """A pegged asset farther than this from one dollar has lost its peg."""
    quiet_period: timedelta = timedelta(minutes=15)
    """An incident closes when its cause has been absent for this time."""

    def __post_init__(self) -> None:
        limits = (self.band_pct, self.pegged_band_pct, self.agree_pct, self.pegged_agree_pct, self.jump_pct)
        if min(*limits, self.depeg_pct) <= 0:
            raise ValueError("Every limit of the aggregation policy must be above zero.")
        if min((self.default_poll_seconds, *self.poll_seconds.values())) <= 0:
            raise ValueError("Every expected poll interval must be above zero seconds.")
        if self.agree_pct > self.conflict_pct or self.pegged_agree_pct > self.pegged_conflict_pct:
            raise ValueError("The limits for agreement must not exceed the limits for a conflict.")
        if self.min_fresh > self.min_ageing or self.fresh_poll_intervals > self.ageing_poll_intervals:
            raise ValueError("The limits for fresh quotes must not exceed the limits for ageing ones.")

    def sort_key(self, provider: str) -> tuple[int, str]:
        """Sort key: the configured order, then unknown providers by name."""
        return (self.order.index(provider) if provider in self.order else len(self.order), provider)

    def fresh_limit(self, provider: str) -> timedelta:
        return max(self.min_fresh, self.fresh_poll_intervals * self._poll_interval(provider))

    def ageing_limit(self, provider: str) -> timedelta:
        return max(self.min_ageing, self.ageing_poll_intervals * self._poll_interval(provider))

    def _poll_interval(self, provider: str) -> timedelta:
        return timedelta(seconds=self.poll_seconds.get(provider, self.default_poll_seconds))
