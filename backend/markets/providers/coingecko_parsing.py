"""Parses CoinGecko's responses: quotes with sparklines, totals, OHLC candles, past prices, key usage. Pure.

Every numeric field may be null. A null rank is normal: wrapped and staked tokens are not ranked.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from backend.markets.model import (
    CANDLE_SECONDS_BY_SPAN,
    CANDLES_PER_SPAN,
    DISPLAY_CURRENCIES,
    Candle,
    ChartSpan,
    ErrorKind,
    MarketTotals,
    PricePoint,
    ProviderError,
    Quote,
    QuotesResult,
)
from backend.markets.numbers import compute_rate, is_sane
from backend.markets.provider_names import COINGECKO
from backend.markets.providers import parsing
from backend.markets.providers.protocols import Usage

_MIN_SPARKLINE_POINTS = 2
_MAX_SPARKLINE_POINTS = 1000
_MAX_URL_CHARS = 2000
_MAX_TIME_MS = 95_617_584_000_000
"""The start of the year 5000: a later time is not in milliseconds."""


@dataclass
class MarketsPage:
    """One page of ``/coins/markets``, keyed by our asset ids."""

    quotes: dict[str, Quote] = field(default_factory=dict)
    sparklines: dict[str, tuple[Decimal, ...]] = field(default_factory=dict)
    images: dict[str, str] = field(default_factory=dict)
    rejected: dict[str, str] = field(default_factory=dict)


def parse_markets(
    payload: object, asset_ids_by_coin: Mapping[str, Sequence[str]], now: datetime
) -> MarketsPage:
    """Parses ``/coins/markets``. Ignores rows whose id is not in ``asset_ids_by_coin``."""
    if not isinstance(payload, list):
        raise ProviderError(COINGECKO, ErrorKind.MALFORMED, "the markets answer is not a list")
    page = MarketsPage()
    for entry in payload:
        row = parsing.as_mapping(entry)
        coingecko_id = row.get("id")
        for asset_id in asset_ids_by_coin.get(coingecko_id, ()) if isinstance(coingecko_id, str) else ():
            _add_row(page, row, asset_id, now)
    return page


def _add_row(page: MarketsPage, row: Mapping[str, object], asset_id: str, now: datetime) -> None:
    """Add a row to the page. Of two rows for one id, a valid one wins, and of two valid ones the later."""
    quote = _parse_quote(row, asset_id, now)
    existing = page.quotes.get(asset_id)
    if isinstance(quote, str):
        if existing is None:
            page.rejected[asset_id] = quote
        return
    if existing is not None and existing.as_of >= quote.as_of:
        return
    page.rejected.pop(asset_id, None)
    page.quotes[asset_id] = quote
    closes = _parse_sparkline(row.get("sparkline_in_7d"))
    if closes:
        page.sparklines[asset_id] = closes
    image = row.get("image")
    if isinstance(image, str) and _is_image_url(image):
        page.images[asset_id] = image


def _is_image_url(text: str) -> bool:
    """True for a URL of an image that can be stored and fetched."""
    printable = text.isascii() and text.isprintable()
    return printable and text.startswith(("https://", "http://")) and len(text) < _MAX_URL_CHARS


def _parse_quote(row: Mapping[str, object], asset_id: str, now: datetime) -> Quote | str:
    """The quote, or the reason to reject it."""
    price_and_time = parsing.parse_price_and_time(row.get("current_price"), row.get("last_updated"), now)
    if isinstance(price_and_time, str):
        return price_and_time
    price, as_of = price_and_time
    change_24h = parsing.parse_number(row.get("price_change_percentage_24h_in_currency"))
    return Quote(
        provider=COINGECKO,
        asset_id=asset_id,
        external_id=str(row["id"]),
        price=price,
        as_of=as_of,
        received_at=now,
        market_cap=parsing.parse_positive(row.get("market_cap")),  # CoinGecko sends 0 for an unknown value
        market_cap_rank=parsing.parse_rank(row.get("market_cap_rank")),
        volume_24h=parsing.parse_not_negative(row.get("total_volume")),
        pct_change_1h=parsing.parse_number(row.get("price_change_percentage_1h_in_currency")),
        pct_change_24h=parsing.parse_number(row.get("price_change_percentage_24h"))
        if change_24h is None
        else change_24h,
        pct_change_7d=parsing.parse_number(row.get("price_change_percentage_7d_in_currency")),
        pct_change_30d=parsing.parse_number(row.get("price_change_percentage_30d_in_currency")),
        ath=parsing.parse_positive(row.get("ath")),
        ath_change_percentage=parsing.parse_number(row.get("ath_change_percentage")),
        ath_date=parsing.parse_timestamp(row.get("ath_date")),
    )


def _parse_sparkline(value: object) -> tuple[Decimal, ...]:
    """The evenly spaced closes, oldest first. They have no times, so a gap makes them unusable."""
    closes = [
        parsing.parse_positive(close) for close in parsing.as_list(parsing.as_mapping(value).get("price"))
    ]
    # Leading nulls are from before the listing.
    since_listing = list(itertools.dropwhile(lambda close: close is None, closes))
    if not _MIN_SPARKLINE_POINTS <= len(since_listing) <= _MAX_SPARKLINE_POINTS:
        return ()
    without_gaps = tuple(close for close in since_listing if close is not None)
    return without_gaps if len(without_gaps) == len(since_listing) else ()


def merge_pages(
    pages: Sequence[MarketsPage], asset_ids_by_coin: Mapping[str, Sequence[str]], now: datetime
) -> QuotesResult:
    """One result from all pages; each page cost one credit."""
    merged = MarketsPage()
    for page in pages:
        merged.quotes |= page.quotes
        merged.sparklines |= page.sparklines
        merged.images |= page.images
        merged.rejected |= page.rejected
    missing = [
        asset_id
        for asset_ids in asset_ids_by_coin.values()
        for asset_id in asset_ids
        if asset_id not in merged.quotes and asset_id not in merged.rejected
    ]
    return QuotesResult(
        provider=COINGECKO,
        received_at=now,
        quotes=merged.quotes,
        sparklines=merged.sparklines,
        images=merged.images,
        missing=tuple(sorted(missing)),
        rejected=merged.rejected,
        credits=len(pages),
    )


def parse_global(payload: object, now: datetime) -> MarketTotals:
    """Parses ``/global``. Older responses lack the change of the volume.

    The market cap comes in many currencies, converted at the provider's exchange rates of that time.
    """
    data = parsing.as_mapping(parsing.as_mapping(payload).get("data"))
    caps = parsing.as_mapping(data.get("total_market_cap"))
    cap = parsing.parse_positive(caps.get("usd"))
    as_of = parsing.parse_epoch_seconds(data.get("updated_at"))
    if cap is None or as_of is None or as_of > now + parsing.MAX_CLOCK_SKEW:
        raise ProviderError(
            COINGECKO, ErrorKind.MALFORMED, "the totals hold no market value in USD with a valid time"
        )
    shares = parsing.as_mapping(data.get("market_cap_percentage"))
    return MarketTotals(
        provider=COINGECKO,
        as_of=as_of,
        market_cap=cap,
        market_cap_change_24h=parsing.parse_number(data.get("market_cap_change_percentage_24h_usd")),
        volume_24h=parsing.parse_not_negative(parsing.as_mapping(data.get("total_volume")).get("usd")),
        volume_change_24h=parsing.parse_number(data.get("volume_change_percentage_24h_usd")),
        btc_market_cap_percentage=parsing.parse_not_negative(shares.get("btc")),
        eth_market_cap_percentage=parsing.parse_not_negative(shares.get("eth")),
        rates=_parse_rates(caps, cap),
    )


def _parse_rates(caps: Mapping[str, object], usd: Decimal) -> dict[str, Decimal]:
    """The rate of each display currency for which ``caps`` has a usable amount beside the ``usd``."""
    amounts = {code: parsing.parse_positive(caps.get(code.lower())) for code in DISPLAY_CURRENCIES[1:]}
    rates = {code: compute_rate(amount, usd) for code, amount in amounts.items() if amount is not None}
    return {code: rate for code, rate in rates.items() if is_sane(rate)}


def parse_ohlc(payload: object, span: ChartSpan, now: datetime) -> tuple[Candle, ...]:
    """Candles by opening time from rows of ``[close_time_ms, open, high, low, close]``.

    The row of the open candle carries the time of the response. Its opening time is that of its interval.
    """
    if not isinstance(payload, list):
        raise ProviderError(COINGECKO, ErrorKind.MALFORMED, "the OHLC answer is not a list")
    candles: dict[datetime, Candle] = {}
    for row in payload:
        candle = _parse_candle(row, CANDLE_SECONDS_BY_SPAN[span], now)
        if candle is not None:
            candles[candle.open_time] = candle
    if payload and not candles:
        raise ProviderError(COINGECKO, ErrorKind.MALFORMED, "no row of the OHLC answer is a candle")
    return tuple(candles[moment] for moment in sorted(candles))[-CANDLES_PER_SPAN[span] :]


def _parse_candle(row: object, seconds: int, now: datetime) -> Candle | None:
    cells = parsing.as_list(row)
    closed = parsing.parse_int(cells[0]) if len(cells) == 5 else None
    if closed is None or not 0 < closed < _MAX_TIME_MS:
        return None
    interval_ms = seconds * 1000
    opened = datetime.fromtimestamp((closed - 1) // interval_ms * seconds, UTC)
    prices = [price for cell in cells[1:] if (price := parsing.parse_positive(cell)) is not None]
    if len(prices) != 4 or opened > now + timedelta(seconds=seconds):
        return None
    first, high, low, last = prices
    if not low <= min(first, last) <= max(first, last) <= high:
        return None
    return Candle(opened, first, high, low, last)


def parse_market_chart(payload: object, now: datetime) -> tuple[PricePoint, ...]:
    """Parses the ``prices`` of ``/coins/{id}/market_chart``: rows of ``[time_ms, price]``, ascending."""
    rows = parsing.as_mapping(payload).get("prices")
    if not isinstance(rows, list):
        raise ProviderError(COINGECKO, ErrorKind.MALFORMED, "the chart answer holds no list of prices")
    points = dict(point for row in rows if (point := _parse_point(row, now)) is not None)
    if rows and not points:
        raise ProviderError(COINGECKO, ErrorKind.MALFORMED, "no row of the chart answer is a price")
    return tuple(sorted(points.items()))


def _parse_point(row: object, now: datetime) -> PricePoint | None:
    cells = parsing.as_list(row)
    time_ms = parsing.parse_int(cells[0]) if len(cells) == 2 else None
    if time_ms is None or not 0 < time_ms < _MAX_TIME_MS:
        return None
    at, price = datetime.fromtimestamp(time_ms / 1000, UTC), parsing.parse_positive(cells[1])
    return None if price is None or at > now + parsing.MAX_CLOCK_SKEW else (at, price)


def parse_usage(payload: object) -> Usage:
    """Parses ``/key``: the plan, its limits and the calls of this month."""
    data = parsing.as_mapping(payload)
    return Usage(
        provider=COINGECKO,
        plan=parsing.parse_text(data.get("plan"), 60),
        per_minute=parsing.parse_int(data.get("rate_limit_request_per_minute")),
        quota=parsing.parse_int(data.get("monthly_call_credit")),
        used=parsing.parse_int(data.get("current_total_monthly_calls")),
    )
