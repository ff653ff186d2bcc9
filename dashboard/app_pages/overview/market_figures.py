"""What the Overview shows, out of the service's answers; pure."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from statistics import median
from typing import Literal, get_args

from dashboard.client.market_schemas import (
    FigureFacts,
    MarketIncident,
    PriceRecord,
    ProviderStatus,
    RankedToken,
    ReasonValues,
    Span,
)
from dashboard.frame.formats import direction, drop_stale, parse_decimal, parse_instant

Concern = Literal["unknown", "conflict", "divergent", "jump", "depeg", "stale"]
CONCERNS: Sequence[Concern] = get_args(Concern)
"""Most serious first."""
MIN_CAPS: Mapping[str, int] = {"0": 0, "10m": 10**7, "100m": 10**8, "1b": 10**9, "10b": 10**10}
"""Codes of the smallest market capitalisation, in USD, that may lead the gainers and losers."""


@dataclass(frozen=True, slots=True)
class Coin:
    """One asset of the overview; USD and percent, null when not known. The change and the volume of a last
    known good figure are not known: see :func:`dashboard.frame.formats.drop_stale`."""

    id: str
    symbol: str
    name: str
    icon: str
    price: Decimal | None
    change: Decimal | None
    market_cap: Decimal | None
    volume: Decimal | None
    stale: bool
    closes: Sequence[float]


STEPS: Mapping[Span, Sequence[int]] = {"24h": (-10, -5, -2, 0, 2, 5, 10), "7d": (-30, -15, -5, 0, 5, 15, 30)}
"""Where the classes of changes part, in percent; zero belongs to neither side and to no class."""


@dataclass(frozen=True, slots=True)
class Breadth:
    """How many assets rose, fell, stood still or are not known, and the median change of the known.

    ``classes`` counts the changes between the ``STEPS`` of the span, lowest first; a change at a
    step belongs to the class nearer zero.
    """

    up: int
    down: int
    flat: int
    unknown: int
    median: Decimal | None
    classes: Sequence[int]


@dataclass(frozen=True, slots=True)
class Worry:
    """An asset whose figure should not be taken at face value.

    ``rule`` is the service's code of how the figure was chosen, ``reason`` says so in its words,
    ``code`` and ``values`` for other languages.
    """

    asset_id: str
    name: str
    concern: Concern
    rule: str | None
    reason: str | None
    since: datetime | None
    code: str | None = None
    values: ReasonValues = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Event:
    """An incident of one asset; ``closed_at`` is null while it is open."""

    id: int
    asset_id: str
    name: str
    kind: str
    opened_at: datetime
    closed_at: datetime | None
    worst: Decimal | None
    detail: str
    code: str | None
    values: ReasonValues


@dataclass(frozen=True, slots=True)
class Quota:
    """A provider's monthly allowance: shares of 1 used and of the month gone by."""

    used: int
    allowed: int
    share: float
    elapsed: float | None

    @property
    def ahead(self) -> bool:
        """Whether it burns faster than the month passes, so that it would run out before its end."""
        return self.elapsed is not None and self.share > self.elapsed and self.share > 0.05


def coins(
    rankings: Sequence[RankedToken],
    prices: Mapping[str, PriceRecord],
    figures: Mapping[str, FigureFacts],
    span: Span,
) -> list[Coin]:
    """One row an asset in the rankings' order, with the changes and the trend of ``span``."""
    made = []
    for token in rankings:
        record = prices.get(token["id"])
        facts = figures.get(token["id"])
        source = record["source"] if record else None
        candles = token["candles_24h"] if span == "24h" else token["candles_7d"]
        made.append(
            Coin(
                id=token["id"],
                symbol=token["symbol"],
                name=token["name"],
                icon=token["icon_url"],
                price=parse_decimal(token["price_usd"]),
                change=drop_stale(
                    parse_decimal(token["pct_change_24h"] if span == "24h" else token["pct_change_7d"]),
                    source,
                ),
                market_cap=parse_decimal(token["market_cap"]),
                volume=drop_stale(parse_decimal(facts["volume_24h"]), source) if facts else None,
                stale=bool(source and source.endswith(":stale")),
                closes=[candle[4] for candle in candles],
            )
        )
    return made


def movers(rows: Iterable[Coin], min_cap: int, count: int) -> tuple[list[Coin], list[Coin]]:
    """The strongest rises and falls among assets of at least ``min_cap``."""
    moved = [
        (row.change, row)
        for row in rows
        if row.change is not None and (min_cap == 0 or (row.market_cap or 0) >= min_cap)
    ]
    moved.sort(key=lambda pair: (-pair[0], pair[1].id))
    gainers = [row for change, row in moved if direction(change) == "up"][:count]
    losers = [row for change, row in reversed(moved) if direction(change) == "down"][:count]
    return gainers, losers


def most_active(rows: Iterable[Coin], count: int) -> list[tuple[Coin, Decimal]]:
    """By the day's volume."""
    known = [(row, row.volume) for row in rows if row.volume is not None]
    return sorted(known, key=lambda pair: (-pair[1], pair[0].id))[:count]


def largest(rows: Iterable[Coin], count: int) -> list[Coin]:
    known = [(row.market_cap, row) for row in rows if row.market_cap is not None and row.market_cap > 0]
    known.sort(key=lambda pair: (-pair[0], pair[1].id))
    return [row for _, row in known[:count]]


def breadth(rows: Iterable[Coin], span: Span) -> Breadth:
    changes = [row.change for row in rows]
    ways = [direction(change) for change in changes]
    known = [change for change in changes if change is not None]
    steps = STEPS[span]
    classes = [0] * (len(steps) + 1)
    for change in known:
        if direction(change) != "flat":
            classes[bisect_left(steps, change) if change > 0 else bisect_right(steps, change)] += 1
    return Breadth(
        up=ways.count("up"),
        down=ways.count("down"),
        flat=ways.count("flat"),
        unknown=ways.count(None),
        median=median(known) if known else None,
        classes=classes,
    )


def sources(prices: Mapping[str, PriceRecord]) -> str | None:
    """Everybody whose figures are shown, as a source label: ``coingecko+coinmarketcap``."""
    labels = {record["source"] for record in prices.values() if record["source"]}
    return "+".join(sorted({name for label in labels for name in label.split(":")[0].split("+")})) or None


def worries(
    prices: Mapping[str, PriceRecord], figures: Mapping[str, FigureFacts], names: Mapping[str, str]
) -> list[Worry]:
    """Assets without a figure, with a last known good one, or whose figure is in doubt; worst first."""
    found = []
    for asset_id, record in prices.items():
        facts = figures.get(asset_id)
        concern = _concern(record, facts["flags"] if facts else ())
        if concern is not None:
            found.append(
                Worry(
                    asset_id=asset_id,
                    name=names.get(asset_id, record["symbol"]),
                    concern=concern,
                    rule=facts["rule"] if facts else None,
                    reason=facts["reason"] if facts else None,
                    since=parse_instant(record["last_updated"]),
                    code=facts["reason_code"] if facts else None,
                    values=facts["reason_values"] if facts else {},
                )
            )
    return sorted(found, key=lambda worry: (CONCERNS.index(worry.concern), worry.name.lower()))


def _concern(record: PriceRecord, flags: Sequence[str]) -> Concern | None:
    if record["price_usd"] is None:
        return "unknown"
    flagged = next((concern for concern in CONCERNS if concern in flags), None)
    return flagged or ("stale" if (record["source"] or "").endswith(":stale") else None)


def incidents(still_open: Sequence[MarketIncident], over: Sequence[MarketIncident]) -> list[Event]:
    """Those that are open, the latest first, then those that are over, the latest to end first."""
    events = [
        Event(
            id=entry["id"],
            asset_id=entry["asset_id"],
            name=entry["name"],
            kind=entry["kind"],
            opened_at=datetime.fromisoformat(entry["opened_at"]),
            closed_at=parse_instant(entry["closed_at"]),
            worst=parse_decimal(entry["worst_pct"]),
            detail=entry["detail"],
            code=entry["detail_code"],
            values=entry["detail_values"],
        )
        for entry in (*still_open, *over)
    ]
    # Asked for one after the other, an incident that has just ended can be in both.
    latest = {event.id: event for event in events}.values()

    def place(event: Event) -> tuple[bool, float, int]:
        return event.closed_at is not None, -(event.closed_at or event.opened_at).timestamp(), event.id

    return sorted(latest, key=place)


def quota(provider: ProviderStatus, now: datetime) -> Quota | None:
    """How much of the allowance is gone; null for a provider without one."""
    used, allowed = provider["credits_used"], provider["credits_quota"]
    if used is None or not allowed:
        return None
    elapsed = None
    if provider["quota_resets_at"] is not None:
        resets = datetime.fromisoformat(provider["quota_resets_at"])
        year, month = (resets.year, resets.month - 1) if resets.month > 1 else (resets.year - 1, 12)
        began = resets.replace(year=year, month=month, day=min(resets.day, 28))
        elapsed = min(1.0, max(0.0, (now - began) / (resets - began)))
    return Quota(used, allowed, min(1.0, used / allowed), elapsed)


def trend_path(closes: Sequence[float], width: int, height: int, points: int = 32) -> str | None:
    """An SVG path over the closes, thinned to ``points``; null where there is no line to draw.

    The height shows at least half a percent of the price, so that a peg's noise looks like a peg.
    """
    if len(closes) < 2:
        return None
    step = max(1.0, (len(closes) - 1) / (points - 1))
    picked = [closes[round(n * step)] for n in range(int((len(closes) - 1) / step) + 1)]
    low, high = min(picked), max(picked)
    across = width / (len(picked) - 1)
    middle, shown = (low + high) / 2, max(high - low, 0.005 * (low + high) / 2)
    scale = (height - 2) / shown if shown > 0 else 0.0
    places = [(n * across, height / 2 - (close - middle) * scale) for n, close in enumerate(picked)]
    return "M" + "L".join(f"{x:.0f} {y:.1f}" for x, y in places)
