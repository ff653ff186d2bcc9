"""Parses CoinMarketCap's responses in every documented form. Pure.

``data`` is an array, or an object keyed by id (or slug, or symbol) whose values are objects or arrays
of objects. ``quote`` is an object keyed by ``USD`` or by USD's own id ``2781``, or an array.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from backend.markets.model import (
    COINMARKETCAP_ASSETS_PER_CREDIT,
    ErrorKind,
    FearGreed,
    MarketTotals,
    ProviderError,
    Quote,
)
from backend.markets.provider_names import COINMARKETCAP
from backend.markets.providers import parsing
from backend.markets.providers.protocols import Usage

_USD_ID = 2781
_MAX_CREDITS = 1_000_000
"""A larger credit count in a response is not believed."""


@dataclass
class QuotesPage:
    """Quotes of one or more calls, keyed by our asset ids, and the credits of these calls."""

    quotes: dict[str, Quote] = field(default_factory=dict)
    rejected: dict[str, str] = field(default_factory=dict)
    credits: int = 0


def parse_quotes(
    payload: object,
    asset_ids_by_number: Mapping[int, Sequence[str]],
    now: datetime,
    *,
    into: QuotesPage | None = None,
) -> QuotesPage:
    """Parses quotes, adding to ``into``. Ignores rows whose id is not in ``asset_ids_by_number``."""
    data = parsing.as_mapping(payload).get("data")
    if not isinstance(data, list | dict):
        raise ProviderError(COINMARKETCAP, ErrorKind.MALFORMED, "the quotes answer holds no data")
    page = QuotesPage() if into is None else into
    for row in _iterate_rows(data):
        for asset_id in asset_ids_by_number.get(parsing.parse_int(row.get("id")) or 0, ()):
            _add_row(page, row, asset_id, now)
    page.credits += _parse_credits(payload, -(-len(asset_ids_by_number) // COINMARKETCAP_ASSETS_PER_CREDIT))
    return page


def _iterate_rows(data: object) -> Iterator[Mapping[str, object]]:
    for entry in data.values() if isinstance(data, dict) else parsing.as_list(data):
        for row in entry if isinstance(entry, list) else (entry,):
            yield parsing.as_mapping(row)


def _add_row(page: QuotesPage, row: Mapping[str, object], asset_id: str, now: datetime) -> None:
    """Add a row to the page. Of two rows for one id, a valid one wins, and of two valid ones the later."""
    quote = _parse_quote(row, asset_id, now)
    existing = page.quotes.get(asset_id)
    if isinstance(quote, str):
        if existing is None:
            page.rejected[asset_id] = quote
    elif existing is None or existing.as_of < quote.as_of:
        page.rejected.pop(asset_id, None)
        page.quotes[asset_id] = quote


def _parse_quote(row: Mapping[str, object], asset_id: str, now: datetime) -> Quote | str:
    """The quote, or the reason to reject it."""
    if row.get("is_active") in (0, False):
        return "the provider calls it inactive"
    usd = find_usd_figures(row.get("quote"))
    updated_at = usd.get("last_updated") or row.get("last_updated")
    price_and_time = parsing.parse_price_and_time(usd.get("price"), updated_at, now)
    if isinstance(price_and_time, str):
        return price_and_time
    price, as_of = price_and_time
    return Quote(
        provider=COINMARKETCAP,
        asset_id=asset_id,
        external_id=str(parsing.parse_int(row.get("id"))),
        price=price,
        as_of=as_of,
        received_at=now,
        market_cap=parsing.parse_positive(
            usd.get("market_cap")
        ),  # CoinMarketCap sends 0 for an unknown value
        market_cap_rank=parsing.parse_rank(row.get("cmc_rank")),
        volume_24h=parsing.parse_not_negative(usd.get("volume_24h")),
        pct_change_1h=parsing.parse_number(usd.get("percent_change_1h")),
        pct_change_24h=parsing.parse_number(usd.get("percent_change_24h")),
        pct_change_7d=parsing.parse_number(usd.get("percent_change_7d")),
        pct_change_30d=parsing.parse_number(usd.get("percent_change_30d")),
    )


def find_usd_figures(quote: object) -> Mapping[str, object]:
    """The figures in USD from either form of ``quote``; empty if there are none.

    A single array element without a currency counts as USD, since requests ask for nothing else.
    """
    if isinstance(quote, dict):
        return parsing.as_mapping(quote.get("USD")) or parsing.as_mapping(quote.get(str(_USD_ID)))
    entries = [parsing.as_mapping(entry) for entry in parsing.as_list(quote)]
    for entry in entries:
        if entry.get("symbol") == "USD" or parsing.parse_int(entry.get("id")) == _USD_ID:
            return entry
    unmarked = len(entries) == 1 and entries[0].get("symbol") is None and entries[0].get("id") is None
    return entries[0] if unmarked else {}


def parse_map(payload: object, slugs: frozenset[str]) -> dict[str, int]:
    """Numeric ids of ``slugs`` that exactly one active asset has. A slug with two owners is ambiguous."""
    data = parsing.as_mapping(payload).get("data")
    if not isinstance(data, list):
        raise ProviderError(COINMARKETCAP, ErrorKind.MALFORMED, "the map answer holds no list")
    owners: dict[str, set[int]] = {}
    for entry in data:
        row = parsing.as_mapping(entry)
        slug, number = row.get("slug"), parsing.parse_int(row.get("id"))
        active = row.get("is_active") not in (0, False)
        if isinstance(slug, str) and slug in slugs and number is not None and number > 0 and active:
            owners.setdefault(slug, set()).add(number)
    return {slug: min(numbers) for slug, numbers in owners.items() if len(numbers) == 1}


def parse_global(payload: object, now: datetime) -> MarketTotals:
    data = parsing.as_mapping(parsing.as_mapping(payload).get("data"))
    usd = find_usd_figures(data.get("quote"))
    cap = parsing.parse_positive(usd.get("total_market_cap"))
    as_of = parsing.parse_timestamp(usd.get("last_updated")) or parsing.parse_timestamp(
        data.get("last_updated")
    )
    if cap is None or as_of is None or as_of > now + parsing.MAX_CLOCK_SKEW:
        raise ProviderError(
            COINMARKETCAP, ErrorKind.MALFORMED, "the totals hold no market value in USD with a valid time"
        )
    return MarketTotals(
        provider=COINMARKETCAP,
        as_of=as_of,
        market_cap=cap,
        market_cap_change_24h=parsing.parse_number(usd.get("total_market_cap_yesterday_percentage_change")),
        volume_24h=parsing.parse_not_negative(usd.get("total_volume_24h")),
        volume_change_24h=parsing.parse_number(usd.get("total_volume_24h_yesterday_percentage_change")),
        btc_market_cap_percentage=parsing.parse_not_negative(data.get("btc_dominance")),
        eth_market_cap_percentage=parsing.parse_not_negative(data.get("eth_dominance")),
        credits=_parse_credits(payload, 1),
    )


def parse_fear_greed(payload: object, now: datetime) -> FearGreed:
    data = parsing.as_mapping(parsing.as_mapping(payload).get("data"))
    value = parsing.parse_int(data.get("value"))
    label = parsing.parse_text(data.get("value_classification"), 60)
    as_of = parsing.parse_timestamp(data.get("update_time"))
    if value is None or not 0 <= value <= 100 or label is None:
        raise ProviderError(
            COINMARKETCAP, ErrorKind.MALFORMED, "the index is not a number from 0 to 100 with a label"
        )
    if as_of is None or as_of > now + parsing.MAX_CLOCK_SKEW:
        raise ProviderError(COINMARKETCAP, ErrorKind.MALFORMED, "the index has no valid time")
    return FearGreed(COINMARKETCAP, as_of, value, label, credits=_parse_credits(payload, 1))


def parse_usage(payload: object) -> Usage:
    """Parses ``/v1/key/info``: the plan, its limits and the credits used this month."""
    data = parsing.as_mapping(parsing.as_mapping(payload).get("data"))
    plan = parsing.as_mapping(data.get("plan"))
    month = parsing.as_mapping(parsing.as_mapping(data.get("usage")).get("current_month"))
    return Usage(
        provider=COINMARKETCAP,
        plan=None,
        per_minute=parsing.parse_int(plan.get("rate_limit_minute")),
        quota=parsing.parse_int(plan.get("credit_limit_monthly")),
        used=parsing.parse_int(month.get("credits_used")),
    )


def _parse_credits(payload: object, default: int) -> int:
    """The credits that the call cost according to the response, else ``default``."""
    status = parsing.as_mapping(parsing.as_mapping(payload).get("status"))
    count = parsing.parse_int(status.get("credit_count"))
    return count if count is not None and 0 <= count <= _MAX_CREDITS else default
