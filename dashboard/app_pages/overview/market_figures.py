"""Computes the Overview's figures from the service's responses. No I/O."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from statistics import median
from types import MappingProxyType
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
from dashboard.frame.providers import split_source

Concern = Literal["unknown", "conflict", "divergent", "jump", "depeg", "stale"]
CONCERNS: Sequence[Concern] = get_args(Concern)
"""Most serious first."""
MIN_CAPS: Mapping[str, int] = {"0": 0, "10m": 10**7, "100m": 10**8, "1b": 10**9, "10b": 10**10}
"""Minimum market capitalisation in USD of gainers and losers, by its code in links."""


@dataclass(frozen=True, slots=True)
class Coin:
    """One asset of the Overview, in USD and percent; unknown figures are ``None``.

    A last known good figure has no change and no volume: see :func:`dashboard.frame.formats.drop_stale`.
    """

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


CLASS_BOUNDS: Mapping[Span, Sequence[int]] = {
    "24h": (-10, -5, -2, 0, 2, 5, 10),
    "7d": (-30, -15, -5, 0, 5, 15, 30),
}
"""Bounds between the classes of changes, in percent; a change of zero belongs to no class."""


@dataclass(frozen=True, slots=True)
class Breadth:
    """Counts of assets that rose, fell, did not change or are unknown, and the median of known changes.

    ``classes`` counts the changes between the ``CLASS_BOUNDS`` of the span, lowest first. A change equal
    to a bound belongs to the class nearer zero.
    """

    up: int
    down: int
    flat: int
    unknown: int
    median: Decimal | None
    classes: Sequence[int]


@dataclass(frozen=True, slots=True)
class DoubtfulFigure:
    """An asset whose figure is unknown, stale or in doubt.

    ``rule`` is the service's code of how the figure was chosen. ``reason`` is its sentence about that;
    ``code`` and ``values`` translate the sentence.
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
class IncidentEntry:
    """An incident of one asset; ``closed_at`` is ``None`` while it is open."""

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
class QuotaUsage:
    """Usage of a provider's monthly quota. ``share`` of the quota and ``elapsed`` of the month are 0 to 1."""

    used: int
    allowed: int
    share: float
    elapsed: float | None

    @property
    def is_ahead(self) -> bool:
        """True if the quota would run out before the end of the month."""
        return self.elapsed is not None and self.share > self.elapsed and self.share > 0.05


def build_coins(
    rankings: Sequence[RankedToken],
    prices: Mapping[str, PriceRecord],
    figures: Mapping[str, FigureFacts],
    span: Span,
    names: Mapping[str, str] = MappingProxyType({}),
) -> list[Coin]:
    """Builds one row per asset in the order of the rankings, with change and trend of ``span``.

    ``names`` are the names in the reader's language by asset id.
    """
    rows = []
    for token in rankings:
        record = prices.get(token["id"])
        facts = figures.get(token["id"])
        source = record["source"] if record else None
        candles = token["candles_24h"] if span == "24h" else token["candles_7d"]
        rows.append(
            Coin(
                id=token["id"],
                symbol=token["symbol"],
                name=names.get(token["id"], token["name"]),
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
    return rows


def find_movers(rows: Iterable[Coin], min_cap: int, count: int) -> tuple[list[Coin], list[Coin]]:
    """Finds the largest rises and falls among assets with at least ``min_cap``."""
    changed_rows = [
        (row.change, row)
        for row in rows
        if row.change is not None and (min_cap == 0 or (row.market_cap or 0) >= min_cap)
    ]
    changed_rows.sort(key=lambda pair: (-pair[0], pair[1].id))
    gainers = [row for change, row in changed_rows if direction(change) == "up"][:count]
    losers = [row for change, row in reversed(changed_rows) if direction(change) == "down"][:count]
    return gainers, losers


def find_most_active(rows: Iterable[Coin], count: int) -> list[tuple[Coin, Decimal]]:
    """Finds the assets with the largest 24-hour volume."""
    rows_with_volume = [(row, row.volume) for row in rows if row.volume is not None]
    return sorted(rows_with_volume, key=lambda pair: (-pair[1], pair[0].id))[:count]


def find_largest(rows: Iterable[Coin], count: int) -> list[Coin]:
    sized_rows = [(row.market_cap, row) for row in rows if row.market_cap is not None and row.market_cap > 0]
    sized_rows.sort(key=lambda pair: (-pair[0], pair[1].id))
    return [row for _, row in sized_rows[:count]]


def compute_breadth(rows: Iterable[Coin], span: Span) -> Breadth:
    changes = [row.change for row in rows]
    directions = [direction(change) for change in changes]
    known_changes = [change for change in changes if change is not None]
    bounds = CLASS_BOUNDS[span]
    classes = [0] * (len(bounds) + 1)
    for change in known_changes:
        if direction(change) != "flat":
            classes[bisect_left(bounds, change) if change > 0 else bisect_right(bounds, change)] += 1
    return Breadth(
        up=directions.count("up"),
        down=directions.count("down"),
        flat=directions.count("flat"),
        unknown=directions.count(None),
        median=median(known_changes) if known_changes else None,
        classes=classes,
    )


def join_sources(prices: Mapping[str, PriceRecord]) -> str | None:
    """Joins the providers of all figures to a source label: ``coingecko+coinmarketcap``."""
    labels = {record["source"] for record in prices.values() if record["source"]}
    return "+".join(sorted({name for label in labels for name in split_source(label)})) or None


def find_doubtful_figures(
    prices: Mapping[str, PriceRecord], figures: Mapping[str, FigureFacts], names: Mapping[str, str]
) -> list[DoubtfulFigure]:
    """Finds assets whose figure is unknown, stale or in doubt, most serious first."""
    doubtful_figures = []
    for asset_id, record in prices.items():
        facts = figures.get(asset_id)
        concern = _find_concern(record, facts["flags"] if facts else ())
        if concern is not None:
            doubtful_figures.append(
                DoubtfulFigure(
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
    return sorted(doubtful_figures, key=lambda figure: (CONCERNS.index(figure.concern), figure.name.lower()))


def _find_concern(record: PriceRecord, flags: Sequence[str]) -> Concern | None:
    if record["price_usd"] is None:
        return "unknown"
    flagged = next((concern for concern in CONCERNS if concern in flags), None)
    return flagged or ("stale" if (record["source"] or "").endswith(":stale") else None)


def merge_incidents(
    open_incidents: Sequence[MarketIncident],
    closed: Sequence[MarketIncident],
    names: Mapping[str, str] = MappingProxyType({}),
) -> list[IncidentEntry]:
    """Merges open incidents, latest first, and closed ones, latest end first.

    ``names`` are the names in the reader's language by asset id.
    """
    entries = [
        IncidentEntry(
            id=incident["id"],
            asset_id=incident["asset_id"],
            name=names.get(incident["asset_id"], incident["name"]),
            kind=incident["kind"],
            opened_at=datetime.fromisoformat(incident["opened_at"]),
            closed_at=parse_instant(incident["closed_at"]),
            worst=parse_decimal(incident["worst_pct"]),
            detail=incident["detail"],
            code=incident["detail_code"],
            values=incident["detail_values"],
        )
        for incident in (*open_incidents, *closed)
    ]
    # Two requests return these lists, so an incident that has just ended can be in both.
    latest = {entry.id: entry for entry in entries}.values()

    def sort_key(entry: IncidentEntry) -> tuple[bool, float, int]:
        return entry.closed_at is not None, -(entry.closed_at or entry.opened_at).timestamp(), entry.id

    return sorted(latest, key=sort_key)


def compute_quota_usage(provider: ProviderStatus, now: datetime) -> QuotaUsage | None:
    """Computes the usage of a provider's quota; ``None`` for a provider without a quota."""
    used, allowed = provider["credits_used"], provider["credits_quota"]
    if used is None or not allowed:
        return None
    elapsed = None
    if provider["quota_resets_at"] is not None:
        resets = datetime.fromisoformat(provider["quota_resets_at"])
        year, month = (resets.year, resets.month - 1) if resets.month > 1 else (resets.year - 1, 12)
        started = resets.replace(year=year, month=month, day=min(resets.day, 28))
        elapsed = min(1.0, max(0.0, (now - started) / (resets - started)))
    return QuotaUsage(used, allowed, min(1.0, used / allowed), elapsed)


def build_trend_path(closes: Sequence[float], width: int, height: int, points: int = 32) -> str | None:
    """Builds an SVG path of the closes, thinned to ``points``; ``None`` for fewer than two closes.

    The height covers at least half a percent of the price, so that a pegged price looks flat.
    """
    if len(closes) < 2:
        return None
    step = max(1.0, (len(closes) - 1) / (points - 1))
    thinned = [closes[round(n * step)] for n in range(int((len(closes) - 1) / step) + 1)]
    low, high = min(thinned), max(thinned)
    step_width = width / (len(thinned) - 1)
    middle, height_range = (low + high) / 2, max(high - low, 0.005 * (low + high) / 2)
    scale = (height - 2) / height_range if height_range > 0 else 0.0
    points_xy = [(n * step_width, height / 2 - (close - middle) * scale) for n, close in enumerate(thinned)]
    return "M" + "L".join(f"{x:.0f} {y:.1f}" for x, y in points_xy)
