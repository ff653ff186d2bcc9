"""Computes what accompanied a price change of a coin: other coins, its volume, doubtful data. No I/O.

All changes are percentages of one span. A figure that cannot be computed is ``None``, never zero.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from statistics import mean, median
from typing import NamedTuple, TypeVar

from dashboard.app_pages.rankings.rows import Row
from dashboard.client.market_schemas import CandleRow, ChangeSpan, ChartSpan, Incident, ProviderStatus
from dashboard.frame.formats import drop_stale, parse_instant

SPAN_LENGTHS: Mapping[ChartSpan, timedelta] = {
    "1h": timedelta(hours=1),
    "24h": timedelta(days=1),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
    "90d": timedelta(days=90),
    "1y": timedelta(days=365),
}
MIN_PEERS = 3
"""Below this number of other coins with a known change, there is no median."""
MAX_CATEGORIES = 3
VOLUME_CANDLES_PER_DAY = 6
"""Candles of the span ``7d`` are four hours long."""
MIN_VOLUME_CANDLES = 2 * VOLUME_CANDLES_PER_DAY
"""Below two days of known volumes, a week has no typical day."""
FAILING_STATES = ("throttled", "open", "unauthorised", "refused", "quota_spent")


@dataclass(frozen=True, slots=True)
class PeerChange:
    """The median change of ``count`` other coins; ``difference`` is the coin's change minus it, in points.

    ``category`` is empty for the whole market.
    """

    category: str
    count: int
    median: Decimal | None
    difference: Decimal | None


class DayVolume(NamedTuple):
    """A day's volume in USD, and its ratio to the mean day of up to six days before it."""

    volume: Decimal
    ratio: float | None


def compare_with_market(row: Row, rows: Iterable[Row], span: ChangeSpan) -> PeerChange:
    return _compare(row, rows, span, "")


def compare_with_categories(row: Row, rows: Sequence[Row], span: ChangeSpan) -> list[PeerChange]:
    """Compares the coin with each of its categories that has enough other coins, in their order."""
    changes = (
        _compare(row, (other for other in rows if category in other.categories), span, category)
        for category in row.categories
    )
    return [change for change in changes if change.median is not None][:MAX_CATEGORIES]


def _compare(row: Row, rows: Iterable[Row], span: ChangeSpan, category: str) -> PeerChange:
    changes = [change for other in rows if other.id != row.id and (change := other.change(span)) is not None]
    if len(changes) < MIN_PEERS:
        return PeerChange(category, len(changes), None, None)
    middle, change = median(changes), row.change(span)
    return PeerChange(category, len(changes), middle, None if change is None else change - middle)


def compute_day_volume(row: Row, candles: Sequence[CandleRow], as_of: datetime | None) -> DayVolume | None:
    """Compares the volume of the last 24 hours with the coin's own week.

    ``candles`` are those of the span ``7d``, ``as_of`` the time of the latest. The mean is of the candles
    that ended a day before it, so the last day is not compared with itself. ``None`` without a current
    volume; the ratio is ``None`` if too few candles have a volume.
    """
    volume = drop_stale(row.volume, row.source)
    if volume is None:
        return None
    if as_of is None:
        return DayVolume(volume, None)
    length = SPAN_LENGTHS["24h"] / VOLUME_CANDLES_PER_DAY
    last_opening = (as_of - SPAN_LENGTHS["24h"] - length).timestamp() * 1000
    volumes = [candle[5] for candle in candles if candle[0] <= last_opening and candle[5] is not None]
    if len(volumes) < MIN_VOLUME_CANDLES or not (typical := mean(volumes) * VOLUME_CANDLES_PER_DAY):
        return DayVolume(volume, None)
    return DayVolume(volume, float(volume) / typical)


def select_incidents(incidents: Iterable[Incident], span: ChangeSpan, now: datetime) -> list[Incident]:
    """Selects the incidents that were open at any moment of the span, in their order."""
    start = now - SPAN_LENGTHS[span]

    def is_in_span(incident: Incident) -> bool:
        closed_at = parse_instant(incident["closed_at"])
        return closed_at is None or closed_at >= start

    return [incident for incident in incidents if is_in_span(incident)]


def find_failing_providers(providers: Iterable[ProviderStatus]) -> list[ProviderStatus]:
    """Finds the providers of quotes that do not answer now."""
    return [
        provider
        for provider in providers
        if "quotes" in provider["role"]
        and (provider["state"] in FAILING_STATES or provider["failing_since"] is not None)
    ]


Item = TypeVar("Item")


def split_by_span(
    items: Iterable[tuple[str, Item]], span: ChartSpan, now: datetime
) -> tuple[list[Item], list[Item]]:
    """Splits items with their RFC 3339 times into those of the span and those before it."""
    start = now - SPAN_LENGTHS[span]
    recent: list[Item] = []
    earlier: list[Item] = []
    for published_at, item in items:
        (recent if datetime.fromisoformat(published_at) >= start else earlier).append(item)
    return recent, earlier
