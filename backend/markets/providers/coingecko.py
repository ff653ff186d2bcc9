"""Fetches quotes with sparklines, totals, OHLC candles and past prices from CoinGecko.

Endpoints: ``/coins/markets``, ``/global``, ``/coins/{id}/ohlc``, ``/coins/{id}/market_chart``, ``/key``.
Requests ask for ``precision=full``, since the default rounds prices.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from urllib.parse import quote, urlsplit

import httpx
from pydantic import SecretStr

from backend.markets.model import (
    CANDLE_SECONDS_BY_SPAN,
    CANDLES_PER_SPAN,
    COINGECKO_IDS_PER_CALL,
    DEFAULT_THROTTLE_SECONDS,
    NOT_ALLOWED,
    Candle,
    ChartSpan,
    ErrorKind,
    MarketTotals,
    PricePoint,
    ProviderError,
    QuotesResult,
)
from backend.markets.provider_names import COINGECKO
from backend.markets.providers import parsing
from backend.markets.providers.coingecko_parsing import (
    MarketsPage,
    merge_pages,
    parse_global,
    parse_market_chart,
    parse_markets,
    parse_ohlc,
    parse_usage,
)
from backend.markets.providers.protocols import AssetIds, Usage
from backend.markets.providers.provider_http import (
    ProviderResponse,
    error_kind_of_auth_failure,
    error_kind_of_status,
    error_text,
    fetch,
    retry_after,
)
from backend.settings import CoinGeckoPlan
from backend.upstream import UpstreamClient

_HOSTS: Mapping[CoinGeckoPlan, str] = {
    "keyless": "https://api.coingecko.com",
    "demo": "https://api.coingecko.com",
    "pro": "https://pro-api.coingecko.com",
}
_KEY_HEADERS: Mapping[CoinGeckoPlan, str] = {"demo": "x-cg-demo-api-key", "pro": "x-cg-pro-api-key"}
_DAY_SECONDS = 86_400

_ERROR_MEANINGS: Mapping[int, str] = {
    10002: "an API key is missing",
    10005: "the plan does not include this endpoint",
    10010: "a Pro key was sent to the Demo host: set CHAINPROOF_COINGECKO_PLAN=pro",
    10011: "a Demo key was sent to the Pro host: set CHAINPROOF_COINGECKO_PLAN=demo",
    10012: "the plan does not include so long a time range",
    1020: "its firewall blocks this address",
}


class CoinGecko:
    """Fetches from CoinGecko through ``client``; ``key_sent`` says whether the client sends a key."""

    name = COINGECKO

    def __init__(self, client: UpstreamClient, *, key_sent: bool) -> None:
        self._client = client
        self._key_sent = key_sent

    @classmethod
    def connect(
        cls,
        plan: CoinGeckoPlan,
        key: SecretStr | None = None,
        base_url: str | None = None,
        *,
        transport: httpx.BaseTransport | None = None,
    ) -> "CoinGecko":
        """A client for ``plan``. ``base_url`` overrides the plan's host; without a path it gets ``/api/v3``.

        A key without a plan counts as a Demo key, which CoinGecko gives away for free.
        """
        if key is not None and plan == "keyless":
            plan = "demo"
        base = base_url or _HOSTS[plan]
        if urlsplit(base).path in ("", "/"):
            base = base.rstrip("/") + "/api/v3"
        secret = {} if key is None else {_KEY_HEADERS[plan]: key}
        client = UpstreamClient(base, secret_headers=secret, transport=transport)
        return cls(client, key_sent=key is not None)

    def quotes(self, assets: Sequence[AssetIds], now: datetime) -> QuotesResult:
        """Quotes of the ``assets`` with a ``datasrc2_id``; one call and credit per 250 ids."""
        asset_ids_by_coin: dict[str, list[str]] = defaultdict(list)
        for asset in assets:
            if asset.datasrc2_id:
                asset_ids_by_coin[asset.datasrc2_id].append(asset.id)
        pages = [
            self._fetch_page(batch, asset_ids_by_coin, now)
            for batch in _split_batches(sorted(asset_ids_by_coin), COINGECKO_IDS_PER_CALL)
        ]
        return merge_pages(pages, asset_ids_by_coin, now)

    def _fetch_page(
        self, ids: Sequence[str], asset_ids_by_coin: Mapping[str, Sequence[str]], now: datetime
    ) -> MarketsPage:
        params: dict[str, str | int] = {
            "vs_currency": "usd",
            "ids": ",".join(ids),
            "order": "market_cap_desc",
            "per_page": COINGECKO_IDS_PER_CALL,
            "page": 1,
            "sparkline": "true",
            "price_change_percentage": "1h,24h,7d,30d",
            "precision": "full",
            "include_rehypothecated": "true",
        }
        asset_ids = {coingecko_id: asset_ids_by_coin[coingecko_id] for coingecko_id in ids}
        return parse_markets(self._get("/coins/markets", now, params), asset_ids, now)

    def market_totals(self, now: datetime) -> MarketTotals:
        return parse_global(self._get("/global", now), now)

    def ohlc(self, asset: AssetIds, span: ChartSpan, now: datetime) -> tuple[Candle, ...]:
        """Half-hour candles for ``24h``, four-hour ones for ``7d`` and ``30d``. One call and credit."""
        return parse_ohlc(self._get_past(asset, "ohlc", span, now), span, now)

    def past_prices(self, asset: AssetIds, span: ChartSpan, now: datetime) -> tuple[PricePoint, ...]:
        """Prices in USD: hourly ones up to ``90d``, daily ones for ``1y``. One call and credit."""
        return parse_market_chart(self._get_past(asset, "market_chart", span, now), now)

    def _get_past(self, asset: AssetIds, endpoint: str, span: ChartSpan, now: datetime) -> object:
        if not asset.datasrc2_id:
            raise ProviderError(COINGECKO, ErrorKind.NOT_FOUND, f"{asset.id} has no CoinGecko id")
        path = f"/coins/{quote(asset.datasrc2_id, safe='')}/{endpoint}"
        days = CANDLE_SECONDS_BY_SPAN[span] * CANDLES_PER_SPAN[span] // _DAY_SECONDS
        return self._get(path, now, {"vs_currency": "usd", "days": days, "precision": "full"})

    def usage(self, now: datetime) -> Usage | None:
        """The key's usage; None without a key or if its plan has no such endpoint."""
        if not self._key_sent:
            return None
        try:
            return parse_usage(self._get("/key", now))
        except ProviderError as error:
            if error.kind in (ErrorKind.NOT_FOUND, *NOT_ALLOWED):
                return None  # plans without the endpoint; an invalid key fails on the quotes
            raise

    def close(self) -> None:
        self._client.close()

    def _get(self, path: str, now: datetime, params: Mapping[str, str | int] | None = None) -> object:
        response = fetch(COINGECKO, self._client, path, params)
        try:
            return check_response(response, now, key_sent=self._key_sent)
        except ProviderError as error:
            message = self._client.redact(error.message)
            raise ProviderError(COINGECKO, error.kind, message, retry_after=error.retry_after) from None


def check_response(response: ProviderResponse, now: datetime, *, key_sent: bool) -> object:
    """The payload of a successful response; raises :class:`ProviderError` for every kind of refusal.

    ``key_sent`` says whether a key was sent. Errors come in four envelopes (``{error}``, ``{status{...}}``,
    ``{error{status{...}}}``, ``{error_code, status{...}}``), as the text ``error code: 1015`` or as a web
    page, and sometimes with status 200.
    """
    code, message = _find_error(response)
    if response.status == 200 and code is None and message is None:
        if response.parse_error:
            raise ProviderError(COINGECKO, ErrorKind.MALFORMED, f"the answer {response.parse_error}")
        return response.payload
    kind = _find_error_kind(response, code, message, key_sent=key_sent)
    message = error_text(response, _ERROR_MEANINGS.get(code or 0) or message)
    wait = retry_after(response.headers, now)
    if kind is ErrorKind.THROTTLED:
        raise ProviderError(
            COINGECKO,
            kind,
            f"throttled: {message}",
            retry_after=wait if wait is not None else DEFAULT_THROTTLE_SECONDS,
        )
    status = f"status {response.status}" + (f", code {code}" if code not in (None, response.status) else "")
    raise ProviderError(COINGECKO, kind, f"{message} ({status})", retry_after=wait)


def _find_error(response: ProviderResponse) -> tuple[int | None, str | None]:
    """Return the provider's error code and message, from any of the envelopes."""
    if response.parse_error:
        text = response.body_start.strip().lower()
        if text.startswith("error code:"):
            code = parsing.parse_int(text.removeprefix("error code:"))
            return code, parsing.parse_text(response.body_start, 60)
        return None, None
    payload = parsing.as_mapping(response.payload)
    inner = payload.get("error")
    status = parsing.as_mapping(payload.get("status")) or parsing.as_mapping(
        parsing.as_mapping(inner).get("status")
    )
    code = parsing.parse_int(status.get("error_code")) or parsing.parse_int(payload.get("error_code")) or None
    message = parsing.parse_text(status.get("error_message")) or parsing.parse_text(inner)
    return code, message


def _find_error_kind(
    response: ProviderResponse, code: int | None, message: str | None, *, key_sent: bool
) -> ErrorKind:
    if 429 in (response.status, code) or code == 1015:
        is_monthly = message is not None and "monthly" in message.lower()
        return ErrorKind.QUOTA_SPENT if is_monthly else ErrorKind.THROTTLED
    if code in _ERROR_MEANINGS:
        return error_kind_of_auth_failure(response, key_sent=key_sent)
    if response.status != 200:
        return error_kind_of_status(response, key_sent=key_sent)
    if code is not None and 400 <= code < 600:
        return error_kind_of_status(response, key_sent=key_sent, status=code)
    return ErrorKind.MALFORMED


def _split_batches(ids: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), size):
        yield ids[start : start + size]
