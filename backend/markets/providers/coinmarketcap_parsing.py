"""Reading CoinMarketCap's answers, in every form that is documented.

``data`` is an array, or an object keyed by id (or slug, or symbol) whose values are objects or arrays
of objects. ``quote`` is an object keyed by ``USD`` or by USD's own id ``2781``, or an array. Pure.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from backend.markets.model import Fault, FearGreed, GlobalFigures, ProviderError, Quote
from backend.markets.providers import parsing
from backend.markets.providers.protocols import Usage

NAME = "coinmarketcap"
_USD_ID = 2781
_ASSETS_A_CREDIT = 200


@dataclass
class QuotesPage:
    """Quotes of one or more calls, keyed by our asset ids, and what the calls cost."""

    quotes: dict[str, Quote] = field(default_factory=dict)
    rejected: dict[str, str] = field(default_factory=dict)
    credits: int = 0


def parse_quotes(
    payload: object,
    wanted: Mapping[int, Sequence[str]],
    now: datetime,
    *,
    into: QuotesPage | None = None,
) -> QuotesPage:
    """``wanted`` maps numeric ids to our asset ids; a row that nobody asked for is not looked at."""
    data = parsing.mapping(payload).get("data")
    if not isinstance(data, list | dict):
        raise ProviderError(NAME, Fault.MALFORMED, "the quotes answer holds no data")
    page = QuotesPage() if into is None else into
    for row in _rows(data):
        for asset_id in wanted.get(parsing.whole(row.get("id")) or 0, ()):
            _take(page, row, asset_id, now)
    page.credits += _credits(payload, -(-len(wanted) // _ASSETS_A_CREDIT))
    return page


def _rows(data: object) -> Iterator[Mapping[str, object]]:
    for entry in data.values() if isinstance(data, dict) else parsing.rows(data):
        for row in entry if isinstance(entry, list) else (entry,):
            yield parsing.mapping(row)


def _take(page: QuotesPage, row: Mapping[str, object], asset_id: str, now: datetime) -> None:
    """Put a row into the page; of two rows for one id the later one stands, and a good one over a bad."""
    found = _quote(row, asset_id, now)
    known = page.quotes.get(asset_id)
    if isinstance(found, str):
        if known is None:
            page.rejected[asset_id] = found
    elif known is None or known.as_of < found.as_of:
        page.rejected.pop(asset_id, None)
        page.quotes[asset_id] = found


def _quote(row: Mapping[str, object], asset_id: str, now: datetime) -> Quote | str:
    if row.get("is_active") in (0, False):
        return "the provider calls it inactive"
    usd = in_usd(row.get("quote"))
    when = usd.get("last_updated") or row.get("last_updated")
    basis = parsing.price_at(usd.get("price"), when, now)
    if isinstance(basis, str):
        return basis
    return Quote(
        provider=NAME,
        asset_id=asset_id,
        external_id=str(parsing.whole(row.get("id"))),
        price=basis[0],
        as_of=basis[1],
        received_at=now,
        market_cap=parsing.positive(usd.get("market_cap")),  # 0 there means that it is not known
        market_cap_rank=parsing.rank(row.get("cmc_rank")),
        volume_24h=parsing.not_negative(usd.get("volume_24h")),
        pct_change_1h=parsing.number(usd.get("percent_change_1h")),
        pct_change_24h=parsing.number(usd.get("percent_change_24h")),
        pct_change_7d=parsing.number(usd.get("percent_change_7d")),
        pct_change_30d=parsing.number(usd.get("percent_change_30d")),
    )


def in_usd(quote: object) -> Mapping[str, object]:
    """The figures in USD out of either form of ``quote``; empty if there are none.

    An array's only element without a currency of its own is taken: USD is all that was asked for.
    """
    if isinstance(quote, dict):
        return parsing.mapping(quote.get("USD")) or parsing.mapping(quote.get(str(_USD_ID)))
    entries = [parsing.mapping(entry) for entry in parsing.rows(quote)]
    for entry in entries:
        if entry.get("symbol") == "USD" or parsing.whole(entry.get("id")) == _USD_ID:
            return entry
    unmarked = len(entries) == 1 and entries[0].get("symbol") is None and entries[0].get("id") is None
    return entries[0] if unmarked else {}


def parse_map(payload: object, slugs: frozenset[str]) -> dict[str, int]:
    """Numeric ids of those ``slugs`` that one active asset has; a slug with two owners has none."""
    data = parsing.mapping(payload).get("data")
    if not isinstance(data, list):
        raise ProviderError(NAME, Fault.MALFORMED, "the map answer holds no list")
    owners: dict[str, set[int]] = {}
    for entry in data:
        row = parsing.mapping(entry)
        slug, number = row.get("slug"), parsing.whole(row.get("id"))
        active = row.get("is_active") not in (0, False)
        if isinstance(slug, str) and slug in slugs and number is not None and number > 0 and active:
            owners.setdefault(slug, set()).add(number)
    return {slug: min(numbers) for slug, numbers in owners.items() if len(numbers) == 1}


def parse_global(payload: object, now: datetime) -> GlobalFigures:
    data = parsing.mapping(parsing.mapping(payload).get("data"))
    usd = in_usd(data.get("quote"))
    cap = parsing.positive(usd.get("total_market_cap"))
    as_of = parsing.instant(usd.get("last_updated")) or parsing.instant(data.get("last_updated"))
    if cap is None or as_of is None or as_of > now + parsing.AHEAD:
        raise ProviderError(NAME, Fault.MALFORMED, "the totals hold no market value in USD with a sane time")
    return GlobalFigures(
        provider=NAME,
        as_of=as_of,
        market_cap=cap,
        market_cap_change_24h=parsing.number(usd.get("total_market_cap_yesterday_percentage_change")),
        volume_24h=parsing.not_negative(usd.get("total_volume_24h")),
        volume_change_24h=parsing.number(usd.get("total_volume_24h_yesterday_percentage_change")),
        btc_market_cap_percentage=parsing.not_negative(data.get("btc_dominance")),
        credits=_credits(payload, 1),
    )


def parse_fear_greed(payload: object, now: datetime) -> FearGreed:
    data = parsing.mapping(parsing.mapping(payload).get("data"))
    value = parsing.whole(data.get("value"))
    label = parsing.words(data.get("value_classification"), 60)
    as_of = parsing.instant(data.get("update_time"))
    if value is None or not 0 <= value <= 100 or label is None:
        raise ProviderError(NAME, Fault.MALFORMED, "the index is not a number from 0 to 100 with a label")
    if as_of is None or as_of > now + parsing.AHEAD:
        raise ProviderError(NAME, Fault.MALFORMED, "the index has no sane time")
    return FearGreed(NAME, as_of, value, label, credits=_credits(payload, 1))


def parse_usage(payload: object) -> Usage:
    """``/v1/key/info``: the plan, its limits and the credits used this month."""
    data = parsing.mapping(parsing.mapping(payload).get("data"))
    plan = parsing.mapping(data.get("plan"))
    month = parsing.mapping(parsing.mapping(data.get("usage")).get("current_month"))
    return Usage(
        provider=NAME,
        plan=None,
        per_minute=parsing.whole(plan.get("rate_limit_minute")),
        quota=parsing.whole(plan.get("credit_limit_monthly")),
        used=parsing.whole(month.get("credits_used")),
    )


def _credits(payload: object, usual: int) -> int:
    """What the call cost as the answer tells, or what it usually does."""
    status = parsing.mapping(parsing.mapping(payload).get("status"))
    told = parsing.whole(status.get("credit_count"))
    return told if told is not None and 0 <= told <= 1_000_000 else usual
