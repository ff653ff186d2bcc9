"""Builds the chart of the spread between providers over the last day, one bar per half hour."""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from html import escape

from dashboard.client.market_schemas import SpreadPoint
from dashboard.frame.formats import parse_decimal, parse_instant, significant
from dashboard.i18n import t

BAR_DURATION = timedelta(minutes=30)
BAR_COUNT = 48


def build_spread_chart(
    points: Sequence[SpreadPoint], agree_limit: Decimal, conflict_limit: Decimal, now: datetime
) -> str:
    """Builds the chart as HTML with its text alternative; empty if no spread is known.

    ``points`` hold the widest spread of each five minutes, in percent. Up to ``agree`` the service
    averages the quotes; beyond ``conflict`` it holds the price.
    """
    last = _floor_to_bar(now)
    widest = {
        slot: value
        for slot, value in _find_widest_by_bar(points).items()
        if last - (BAR_COUNT - 1) * BAR_DURATION <= slot <= last
    }
    if not widest:
        return ""
    bars = "".join(
        _build_bar(slot, widest.get(slot), agree_limit, conflict_limit)
        for slot in (last - back * BAR_DURATION for back in reversed(range(BAR_COUNT)))
    )
    limits = "".join(
        f'<b style="bottom:{compute_height_percent(limit, conflict_limit):.1f}%"></b>'
        for limit in (agree_limit, conflict_limit)
    )
    ends = f"<span>{escape(t('rankings.day_ago'))}</span><span>{escape(t('rankings.day_now'))}</span>"
    return (
        f'<h3>{escape(t("rankings.spread_day"))}</h3><div class="rk-day" role="img" '
        f'aria-label="{escape(build_summary(widest, agree_limit))}">{limits}{bars}</div>'
        f'<p class="rk-day-ends" aria-hidden="true">{ends}</p>'
    )


def compute_height_percent(value: Decimal, conflict: Decimal) -> float:
    """Computes a height in percent of the chart; the square root keeps the small limit visible."""
    return min(100.0, 80 * math.sqrt(value / conflict))


def build_summary(widest: Mapping[datetime, Decimal], agree_limit: Decimal) -> str:
    """Describes the day in one sentence."""
    widest_slot = max(widest, key=lambda slot: (widest[slot], slot))
    return t(
        "rankings.spread_day_alt",
        high=significant(widest[widest_slot], 2),
        time=f"{widest_slot:%m-%d %H:%M} UTC",
        agree=significant(agree_limit, 2),
        n=sum(value > agree_limit for value in widest.values()),
        of=len(widest),
    )


def _find_widest_by_bar(points: Sequence[SpreadPoint]) -> dict[datetime, Decimal]:
    widest: dict[datetime, Decimal] = {}
    for point in points:
        at, value = parse_instant(point["opened_at"]), parse_decimal(point["spread_pct"])
        if at is not None and value is not None:
            slot = _floor_to_bar(at)
            widest[slot] = max(widest.get(slot, value), value)
    return widest


def _floor_to_bar(at: datetime) -> datetime:
    at = at.astimezone(UTC)
    return at.replace(minute=at.minute - at.minute % 30, second=0, microsecond=0)


def _build_bar(slot: datetime, value: Decimal | None, agree_limit: Decimal, conflict_limit: Decimal) -> str:
    if value is None:
        return "<i></i>"
    level = "ok" if value <= agree_limit else "mid" if value <= conflict_limit else "bad"
    words = f"{slot:%H:%M} UTC · {significant(value, 2)}%"
    bar_height = max(3.0, compute_height_percent(value, conflict_limit))
    return f'<i class="rk-{level}" style="height:{bar_height:.1f}%" title="{escape(words)}"></i>'
