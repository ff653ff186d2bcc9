"""CoinGecko, the second market-data provider: quotes with sparklines, totals, OHLC.

Endpoints: ``/coins/markets``, ``/global``, ``/coins/{id}/ohlc``, ``/key``. Every numeric field may be
null; a null rank is ordinary (wrapped and staked tokens are not ranked). Prices come with
``precision=full``, since the default rounds.
"""

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from urllib.parse import quote, urlsplit

import httpx
from pydantic import SecretStr

from backend.markets.model import (
    NOT_ALLOWED,
    SPAN_COUNT,
    SPAN_SECONDS,
    Candle,
    Fault,
    GlobalFigures,
    Poll,
    ProviderError,
    Quote,
    Span,
)
from backend.markets.providers import parsing
from backend.markets.providers.protocols import Identified, Usage
from backend.markets.providers.provider_http import (
    Answer,
    ask,
    fault_of_denial,
    fault_of_status,
    retry_after,
    said_in,
)
from backend.settings import CoinGeckoPlan
from backend.upstream import UpstreamClient

NAME = "coingecko"
BATCH = 250
_HOSTS: Mapping[CoinGeckoPlan, str] = {
    "keyless": "https://api.coingecko.com",
    "demo": "https://api.coingecko.com",
    "pro": "https://pro-api.coingecko.com",
}
_KEY_HEADERS: Mapping[CoinGeckoPlan, str] = {"demo": "x-cg-demo-api-key", "pro": "x-cg-pro-api-key"}
_DAYS: Mapping[Span, int] = {"24h": 1, "7d": 7}
_THROTTLED_SECONDS = 60.0
_SHORTEST_SPARKLINE = 2

_EXPLAINED: Mapping[int, str] = {
    10002: "an API key is missing",
    10005: "the plan does not include this endpoint",
    10010: "a Pro key was sent to the Demo host: set CHAINPROOF_COINGECKO_PLAN=pro",
    10011: "a Demo key was sent to the Pro host: set CHAINPROOF_COINGECKO_PLAN=demo",
    10012: "the plan does not include so long a time range",
    1020: "its firewall blocks this address",
}


class CoinGecko:
    """Asks CoinGecko through ``client``; ``keyed`` says whether a key goes along."""

    name = NAME

    def __init__(self, client: UpstreamClient, *, keyed: bool) -> None:
        self._client = client
        self._keyed = keyed

    @classmethod
    def connect(
        cls,
        plan: CoinGeckoPlan,
        key: SecretStr | None = None,
        base_url: str | None = None,
        *,
        transport: httpx.BaseTransport | None = None,
    ) -> "CoinGecko":
        """For ``plan``. ``base_url`` overrides the plan's host; without a path it gets ``/api/v3``.

        A key without a plan is taken for a Demo key, the one that CoinGecko gives away. Raises
        :class:`ValueError` with a sentence if the plan needs a key that is not there.
        """
        if key is not None and plan == "keyless":
            plan = "demo"
        if key is None and plan != "keyless":
            raise ValueError(f"The CoinGecko plan {plan!r} needs CHAINPROOF_COINGECKO_API_KEY.")
        base = base_url or _HOSTS[plan]
        if urlsplit(base).path in ("", "/"):
            base = base.rstrip("/") + "/api/v3"
        secret = {} if key is None else {_KEY_HEADERS[plan]: key}
        client = UpstreamClient(base, secret_headers=secret, transport=transport)
        return cls(client, keyed=key is not None)

    def quotes(self, assets: Sequence[Identified], now: datetime) -> Poll:
        """Quotes of ``assets`` that have a ``datasrc2_id``; one call and credit per 250 ids."""
        wanted: dict[str, list[str]] = defaultdict(list)
        for asset in assets:
            if asset.datasrc2_id:
                wanted[asset.datasrc2_id].append(asset.id)
        pages = [self._page(batch, wanted, now) for batch in _batches(sorted(wanted), BATCH)]
        return assembled(pages, wanted, now)

    def _page(self, ids: Sequence[str], wanted: Mapping[str, Sequence[str]], now: datetime) -> "MarketsPage":
        params: dict[str, str | int] = {
            "vs_currency": "usd",
            "ids": ",".join(ids),
            "order": "market_cap_desc",
            "per_page": BATCH,
            "page": 1,
            "sparkline": "true",
            "price_change_percentage": "1h,24h,7d,30d",
            "precision": "full",
            "include_rehypothecated": "true",
        }
        asked = {external: wanted[external] for external in ids}
        return parse_markets(self._get("/coins/markets", now, params), asked, now)

    def global_figures(self, now: datetime) -> GlobalFigures:
        return parse_global(self._get("/global", now), now)

    def ohlc(self, asset: Identified, span: Span, now: datetime) -> tuple[Candle, ...]:
        """The last 48 half-hours or 42 four-hours, as far as there are any. One call and credit."""
        if not asset.datasrc2_id:
            raise ProviderError(NAME, Fault.NOT_FOUND, f"{asset.id} has no CoinGecko id")
        path = f"/coins/{quote(asset.datasrc2_id, safe='')}/ohlc"
        params: dict[str, str | int] = {"vs_currency": "usd", "days": _DAYS[span], "precision": "full"}
        return parse_ohlc(self._get(path, now, params), span, now)

    def usage(self, now: datetime) -> Usage | None:
        """The key's allowance, or null where there is no key or its plan does not tell."""
        if not self._keyed:
            return None
        try:
            return parse_usage(self._get("/key", now))
        except ProviderError as error:
            if error.fault in (Fault.NOT_FOUND, *NOT_ALLOWED):
                return None  # plans without the endpoint; a bad key shows itself on the quotes
            raise

    def close(self) -> None:
        self._client.close()

    def _get(self, path: str, now: datetime, params: Mapping[str, str | int] | None = None) -> object:
        answer = ask(NAME, self._client, path, params)
        try:
            return accepted(answer, now, keyed=self._keyed)
        except ProviderError as error:
            words = self._client.redacted(error.message)
            raise ProviderError(NAME, error.fault, words, retry_after=error.retry_after) from None


# Errors ---------------------------------------------------------------------------------------------


def accepted(answer: Answer, now: datetime, *, keyed: bool) -> object:
    """The payload of a good answer; raises :class:`ProviderError` for every kind of refusal. ``keyed`` says
    whether a key was sent.

    Errors come in four envelopes (``{error}``, ``{status{...}}``, ``{error{status{...}}}``,
    ``{error_code, status{...}}``), as the text ``error code: 1015`` or as a web page, and now and
    then with status 200.
    """
    code, message = _error_in(answer)
    if answer.status == 200 and code is None and message is None:
        if answer.unreadable:
            raise ProviderError(NAME, Fault.MALFORMED, f"the answer {answer.unreadable}")
        return answer.payload
    fault = _fault(answer, code, message, keyed=keyed)
    said = said_in(answer, _EXPLAINED.get(code or 0) or message)
    told = retry_after(answer.headers, now)
    if fault is Fault.THROTTLED:
        raise ProviderError(
            NAME,
            fault,
            f"throttled: {said}",
            retry_after=told if told is not None else _THROTTLED_SECONDS,
        )
    words = f"status {answer.status}" + (f", code {code}" if code not in (None, answer.status) else "")
    raise ProviderError(NAME, fault, f"{said} ({words})", retry_after=told)


def _error_in(answer: Answer) -> tuple[int | None, str | None]:
    """The provider's own code and words, out of whichever envelope they came in."""
    if answer.unreadable:
        text = answer.text.strip().lower()
        if text.startswith("error code:"):
            return parsing.whole(text.removeprefix("error code:")), parsing.words(answer.text, 60)
        return None, None
    payload = parsing.mapping(answer.payload)
    inner = payload.get("error")
    status = parsing.mapping(payload.get("status")) or parsing.mapping(parsing.mapping(inner).get("status"))
    code = parsing.whole(status.get("error_code")) or parsing.whole(payload.get("error_code")) or None
    message = parsing.words(status.get("error_message")) or parsing.words(inner)
    return code, message


def _fault(answer: Answer, code: int | None, message: str | None, *, keyed: bool) -> Fault:
    if 429 in (answer.status, code) or code == 1015:
        spent = message is not None and "monthly" in message.lower()
        return Fault.QUOTA_SPENT if spent else Fault.THROTTLED
    if code in _EXPLAINED:
        return fault_of_denial(answer, keyed=keyed)
    if answer.status != 200:
        return fault_of_status(answer, keyed=keyed)
    if code is not None and 400 <= code < 600:
        return fault_of_status(answer, keyed=keyed, status=code)
    return Fault.MALFORMED


# Answers --------------------------------------------------------------------------------------------


@dataclass
class MarketsPage:
    """One page of ``/coins/markets``, keyed by our asset ids."""

    quotes: dict[str, Quote] = field(default_factory=dict)
    sparklines: dict[str, tuple[Decimal, ...]] = field(default_factory=dict)
    images: dict[str, str] = field(default_factory=dict)
    rejected: dict[str, str] = field(default_factory=dict)


def parse_markets(payload: object, wanted: Mapping[str, Sequence[str]], now: datetime) -> MarketsPage:
    """``wanted`` maps their ids to ours; a row that nobody asked for is not looked at."""
    if not isinstance(payload, list):
        raise ProviderError(NAME, Fault.MALFORMED, "the markets answer is not a list")
    page = MarketsPage()
    for entry in payload:
        row = parsing.mapping(entry)
        external = row.get("id")
        for asset_id in wanted.get(external, ()) if isinstance(external, str) else ():
            _take(page, row, asset_id, now)
    return page


def _take(page: MarketsPage, row: Mapping[str, object], asset_id: str, now: datetime) -> None:
    """Put a row into the page; of two rows for one id the later one stands, and a good one over a bad."""
    found = _quote(row, asset_id, now)
    known = page.quotes.get(asset_id)
    if isinstance(found, str):
        if known is None:
            page.rejected[asset_id] = found
        return
    if known is not None and known.as_of >= found.as_of:
        return
    page.rejected.pop(asset_id, None)
    page.quotes[asset_id] = found
    closes = _sparkline(row.get("sparkline_in_7d"))
    if closes:
        page.sparklines[asset_id] = closes
    image = row.get("image")
    if isinstance(image, str) and _is_address(image):
        page.images[asset_id] = image


def _is_address(text: str) -> bool:
    """Whether ``text`` may be an image's address: one that can be stored and asked for."""
    printable = text.isascii() and text.isprintable()
    return printable and text.startswith(("https://", "http://")) and len(text) < 2000


def _quote(row: Mapping[str, object], asset_id: str, now: datetime) -> Quote | str:
    basis = parsing.price_at(row.get("current_price"), row.get("last_updated"), now)
    if isinstance(basis, str):
        return basis
    day = parsing.number(row.get("price_change_percentage_24h_in_currency"))
    return Quote(
        provider=NAME,
        asset_id=asset_id,
        external_id=str(row["id"]),
        price=basis[0],
        as_of=basis[1],
        received_at=now,
        market_cap=parsing.positive(row.get("market_cap")),  # 0 there means that it is not known
        market_cap_rank=parsing.rank(row.get("market_cap_rank")),
        volume_24h=parsing.not_negative(row.get("total_volume")),
        pct_change_1h=parsing.number(row.get("price_change_percentage_1h_in_currency")),
        pct_change_24h=parsing.number(row.get("price_change_percentage_24h")) if day is None else day,
        pct_change_7d=parsing.number(row.get("price_change_percentage_7d_in_currency")),
        pct_change_30d=parsing.number(row.get("price_change_percentage_30d_in_currency")),
        ath=parsing.positive(row.get("ath")),
        ath_change_percentage=parsing.number(row.get("ath_change_percentage")),
        ath_date=parsing.instant(row.get("ath_date")),
    )


def _sparkline(value: object) -> tuple[Decimal, ...]:
    """The closes, which come without times: evenly spaced, so a hole makes them unusable."""
    closes = [parsing.positive(close) for close in parsing.rows(parsing.mapping(value).get("price"))]
    listed = list(itertools.dropwhile(lambda close: close is None, closes))  # not yet listed then
    if len(listed) < _SHORTEST_SPARKLINE or len(listed) > 1000:
        return ()
    whole = tuple(close for close in listed if close is not None)
    return whole if len(whole) == len(listed) else ()


def assembled(pages: Sequence[MarketsPage], wanted: Mapping[str, Sequence[str]], now: datetime) -> Poll:
    whole = MarketsPage()
    for page in pages:
        whole.quotes |= page.quotes
        whole.sparklines |= page.sparklines
        whole.images |= page.images
        whole.rejected |= page.rejected
    missing = [
        asset_id
        for asset_ids in wanted.values()
        for asset_id in asset_ids
        if asset_id not in whole.quotes and asset_id not in whole.rejected
    ]
    return Poll(
        provider=NAME,
        received_at=now,
        quotes=whole.quotes,
        sparklines=whole.sparklines,
        images=whole.images,
        missing=tuple(sorted(missing)),
        rejected=whole.rejected,
        credits=len(pages),
    )


def parse_global(payload: object, now: datetime) -> GlobalFigures:
    """``/global``; the change of the volume is missing in older answers."""
    data = parsing.mapping(parsing.mapping(payload).get("data"))
    cap = parsing.positive(parsing.mapping(data.get("total_market_cap")).get("usd"))
    as_of = parsing.epoch(data.get("updated_at"))
    if cap is None or as_of is None or as_of > now + parsing.AHEAD:
        raise ProviderError(NAME, Fault.MALFORMED, "the totals hold no market value in USD with a sane time")
    return GlobalFigures(
        provider=NAME,
        as_of=as_of,
        market_cap=cap,
        market_cap_change_24h=parsing.number(data.get("market_cap_change_percentage_24h_usd")),
        volume_24h=parsing.not_negative(parsing.mapping(data.get("total_volume")).get("usd")),
        volume_change_24h=parsing.number(data.get("volume_change_percentage_24h_usd")),
        btc_market_cap_percentage=parsing.not_negative(
            parsing.mapping(data.get("market_cap_percentage")).get("btc")
        ),
    )


def parse_ohlc(payload: object, span: Span, now: datetime) -> tuple[Candle, ...]:
    """Rows of ``[close_time_ms, open, high, low, close]``, put on their opening times.

    The candle in progress carries the time of the answer; it opens where its interval does.
    """
    if not isinstance(payload, list):
        raise ProviderError(NAME, Fault.MALFORMED, "the OHLC answer is not a list")
    candles: dict[datetime, Candle] = {}
    for row in payload:
        candle = _candle(row, SPAN_SECONDS[span], now)
        if candle is not None:
            candles[candle.open_time] = candle
    if payload and not candles:
        raise ProviderError(NAME, Fault.MALFORMED, "no row of the OHLC answer is a candle")
    return tuple(candles[moment] for moment in sorted(candles))[-SPAN_COUNT[span] :]


def _candle(row: object, seconds: int, now: datetime) -> Candle | None:
    cells = parsing.rows(row)
    closed = parsing.whole(cells[0]) if len(cells) == 5 else None
    if closed is None or not 0 < closed < 95_617_584_000_000:
        return None
    step = seconds * 1000
    opened = datetime.fromtimestamp((closed - 1) // step * seconds, UTC)
    prices = [price for cell in cells[1:] if (price := parsing.positive(cell)) is not None]
    if len(prices) != 4 or opened > now + timedelta(seconds=seconds):
        return None
    first, high, low, last = prices
    if not low <= min(first, last) <= max(first, last) <= high:
        return None
    return Candle(opened, first, high, low, last)


def parse_usage(payload: object) -> Usage:
    """``/key``: the plan, its limits and the calls of this month."""
    data = parsing.mapping(payload)
    return Usage(
        provider=NAME,
        plan=parsing.words(data.get("plan"), 60),
        per_minute=parsing.whole(data.get("rate_limit_request_per_minute")),
        quota=parsing.whole(data.get("monthly_call_credit")),
        used=parsing.whole(data.get("current_total_monthly_calls")),
    )


def _batches(ids: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), size):
        yield ids[start : start + size]
