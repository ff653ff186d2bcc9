"""How far apart the providers were over the last day: one bar for each half hour, and a sentence."""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from html import escape

from dashboard.client.market_schemas import SpreadPoint
from dashboard.frame.formats import parse_decimal, parse_instant, significant
from dashboard.i18n import t

BAR = timedelta(minutes=30)
BARS = 48


def spread_day(points: Sequence[SpreadPoint], agree: Decimal, conflict: Decimal, now: datetime) -> str:
    """The drawing as HTML with its text alternative; nothing while no spread is known.

    ``points`` hold the widest spread of each five minutes, in percent; up to ``agree`` the quotes are
    averaged, beyond ``conflict`` the price is held.
    """
    last = _slot(now)
    widest = {
        slot: value for slot, value in _by_bar(points).items() if last - (BARS - 1) * BAR <= slot <= last
    }
    if not widest:
        return ""
    bars = "".join(
        _bar(slot, widest.get(slot), agree, conflict)
        for slot in (last - back * BAR for back in reversed(range(BARS)))
    )
    limits = "".join(f'<b style="bottom:{height(limit, conflict):.1f}%"></b>' for limit in (agree, conflict))
    ends = f"<span>{escape(t('rankings.day_ago'))}</span><span>{escape(t('rankings.day_now'))}</span>"
    return (
        f'<h3>{escape(t("rankings.spread_day"))}</h3><div class="rk-day" role="img" '
        f'aria-label="{escape(sentence(widest, agree))}">{limits}{bars}</div>'
        f'<p class="rk-day-ends" aria-hidden="true">{ends}</p>'
    )


def height(value: Decimal, conflict: Decimal) -> float:
    """Percent of the drawing; a square root, so that the small limit is not lost beside the large one."""
    return min(100.0, 80 * math.sqrt(value / conflict))


def sentence(widest: Mapping[datetime, Decimal], agree: Decimal) -> str:
    """The day in words."""
    when = max(widest, key=lambda slot: (widest[slot], slot))
    return t(
        "rankings.spread_day_alt",
        high=significant(widest[when], 2),
        time=f"{when:%m-%d %H:%M} UTC",
        agree=significant(agree, 2),
        n=sum(value > agree for value in widest.values()),
        of=len(widest),
    )


def _by_bar(points: Sequence[SpreadPoint]) -> dict[datetime, Decimal]:
    widest: dict[datetime, Decimal] = {}
    for point in points:
        at, value = parse_instant(point["opened_at"]), parse_decimal(point["spread_pct"])
        if at is not None and value is not None:
            slot = _slot(at)
            widest[slot] = max(widest.get(slot, value), value)
    return widest


def _slot(at: datetime) -> datetime:
    at = at.astimezone(UTC)
    return at.replace(minute=at.minute - at.minute % 30, second=0, microsecond=0)


def _bar(slot: datetime, value: Decimal | None, agree: Decimal, conflict: Decimal) -> str:
    if value is None:
        return "<i></i>"
    level = "ok" if value <= agree else "mid" if value <= conflict else "bad"
    words = f"{slot:%H:%M} UTC · {significant(value, 2)} %"
    high = max(3.0, height(value, conflict))
    return f'<i class="rk-{level}" style="height:{high:.1f}%" title="{escape(words)}"></i>'
