"""Fetches quotes, market totals and a fear and greed index from CoinMarketCap.

Endpoints: ``/v1/cryptocurrency/map`` (free), ``/v3`` or ``/v2/cryptocurrency/quotes/latest``,
``/v1/global-metrics/quotes/latest``, ``/v3/fear-and-greed/latest``, ``/v1/key/info`` (free).

Requests name assets by numeric id, since several assets share a symbol there. The documentation contradicts
itself on the form of the quotes, so every documented form is parsed (see :mod:`.coinmarketcap_parsing`).
CoinMarketCap drops unknown ids silently, so :meth:`CoinMarketCap.quotes` reports missing ones.
"""

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import httpx
import structlog
from pydantic import SecretStr

from backend.markets.model import (
    DEFAULT_THROTTLE_SECONDS,
    ErrorKind,
    FearGreed,
    MarketTotals,
    ProviderError,
    QuotesResult,
)
from backend.markets.provider_names import COINMARKETCAP
from backend.markets.providers import parsing
from backend.markets.providers.coinmarketcap_parsing import (
    QuotesPage,
    parse_fear_greed,
    parse_global,
    parse_map,
    parse_quotes,
    parse_usage,
)
from backend.markets.providers.protocols import AssetIds, Usage
from backend.markets.providers.provider_http import (
    ProviderResponse,
    error_kind_of_status,
    error_text,
    fetch,
    retry_after,
)
from backend.upstream import UpstreamClient

log = structlog.get_logger(__name__)

MAX_IDS_PER_CALL = 200
SLUG_REFRESH_INTERVAL = timedelta(days=1)
SLUG_RETRY_INTERVAL = timedelta(minutes=15)
_QUOTES_PATHS = ("/v3/cryptocurrency/quotes/latest", "/v2/cryptocurrency/quotes/latest")

_DENIAL_MEANINGS: Mapping[int, str] = {
    1001: "the API key is not valid",
    1002: "an API key is missing",
    1003: "the key's plan is not paid",
    1004: "the key's plan has expired",
    1005: "an API key is required",
    1006: "the plan does not include this endpoint",
    1007: "the API key is disabled",
}
_LIMIT_MEANINGS: Mapping[int, tuple[ErrorKind, str]] = {
    1008: (ErrorKind.THROTTLED, "the minute's requests are used up"),
    1009: (ErrorKind.QUOTA_SPENT, "the day's credits are used up"),
    1010: (ErrorKind.QUOTA_SPENT, "the month's credits are used up"),
    1011: (ErrorKind.THROTTLED, "too many requests from this address"),
}


@dataclass(frozen=True, slots=True)
class SlugIds:
    """Slugs resolved to numeric ids, and when. Callers store them to save the next start a call."""

    resolved_at: datetime | None = None
    ids: Mapping[str, int] = field(default_factory=dict)


class CoinMarketCap:
    """Fetches from CoinMarketCap through ``client``, which sends the key.

    ``slug_ids`` are the ids of an earlier run; ``on_resolved`` is called with new ones.
    """

    name = COINMARKETCAP

    def __init__(
        self,
        client: UpstreamClient,
        *,
        slug_ids: SlugIds | None = None,
        on_resolved: Callable[[SlugIds], None] | None = None,
    ) -> None:
        self._client = client
        self.slug_ids = slug_ids or SlugIds()
        self._on_resolved = on_resolved
        self._resolve_tried_at: datetime | None = None
        self._unknown_slugs: frozenset[str] = frozenset()
        self._resolve_lock = threading.Lock()
        self._quotes_path = _QUOTES_PATHS[0]

    @classmethod
    def connect(
        cls,
        key: SecretStr,
        base_url: str = "https://pro-api.coinmarketcap.com",
        *,
        slug_ids: SlugIds | None = None,
        on_resolved: Callable[[SlugIds], None] | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> "CoinMarketCap":
        client = UpstreamClient(base_url, secret_headers={"X-CMC_PRO_API_KEY": key}, transport=transport)
        return cls(client, slug_ids=slug_ids, on_resolved=on_resolved)

    def quotes(self, assets: Sequence[AssetIds], now: datetime) -> QuotesResult:
        """Quotes of the ``assets`` with a ``cmc_id`` or a ``datasrc1_slug``; one call per 200 ids."""
        listed = [asset for asset in assets if asset.cmc_id or asset.datasrc1_slug]
        numeric_ids = self._find_numeric_ids(listed, now)
        asset_ids_by_number: dict[int, list[str]] = defaultdict(list)
        for asset in listed:
            if asset.id in numeric_ids:
                asset_ids_by_number[numeric_ids[asset.id]].append(asset.id)
        page = QuotesPage()
        ids = sorted(asset_ids_by_number)
        for start in range(0, len(ids), MAX_IDS_PER_CALL):
            batch = ids[start : start + MAX_IDS_PER_CALL]
            payload = self._fetch_quotes(batch, now)
            parse_quotes(payload, {number: asset_ids_by_number[number] for number in batch}, now, into=page)
        missing = [
            asset.id for asset in listed if asset.id not in page.quotes and asset.id not in page.rejected
        ]
        return QuotesResult(
            provider=COINMARKETCAP,
            received_at=now,
            quotes=page.quotes,
            missing=tuple(sorted(missing)),
            rejected=page.rejected,
            credits=page.credits,
        )

    def market_totals(self, now: datetime) -> MarketTotals:
        return parse_global(self._get("/v1/global-metrics/quotes/latest", now, {"convert": "USD"}), now)

    def fear_greed(self, now: datetime) -> FearGreed:
        return parse_fear_greed(self._get("/v3/fear-and-greed/latest", now), now)

    def usage(self, now: datetime) -> Usage | None:
        """The key's usage; costs no credit."""
        return parse_usage(self._get("/v1/key/info", now))

    def close(self) -> None:
        self._client.close()

    def _fetch_quotes(self, ids: Sequence[int], now: datetime) -> object:
        """The payload of the newest quotes endpoint that works.

        Version 3 drops unknown ids. Where it refuses the whole call instead, version 2 is asked to skip them.
        """
        params = {"id": ",".join(map(str, ids)), "convert": "USD"}
        if self._quotes_path == _QUOTES_PATHS[0]:
            try:
                return self._get(self._quotes_path, now, params)
            except _InvalidRequestError as error:
                log.warning("quotes_rejected", provider=COINMARKETCAP, reason=error.message)
            except ProviderError as error:
                if error.kind is not ErrorKind.NOT_FOUND:
                    raise
                self._quotes_path = _QUOTES_PATHS[1]
                log.info("quotes_endpoint_changed", provider=COINMARKETCAP, path=self._quotes_path)
        return self._get(_QUOTES_PATHS[1], now, {**params, "skip_invalid": "true"})

    def _find_numeric_ids(self, assets: Sequence[AssetIds], now: datetime) -> dict[str, int]:
        """Numeric ids by asset id: the configured one, else the id of the slug in CoinMarketCap's map."""
        slugs = {asset.datasrc1_slug for asset in assets if asset.datasrc1_slug and not asset.cmc_id}
        if slugs:
            with self._resolve_lock:
                self._resolve_slugs(frozenset(slugs), now)
        numeric_ids: dict[str, int] = {}
        for asset in assets:
            number = asset.cmc_id or self.slug_ids.ids.get(asset.datasrc1_slug or "")
            if number:
                numeric_ids[asset.id] = number
        return numeric_ids

    def _resolve_slugs(self, slugs: frozenset[str], now: datetime) -> None:
        """Fetch the map once a day and for new slugs. The known ids stay if that fails."""
        age = None if self.slug_ids.resolved_at is None else now - self.slug_ids.resolved_at
        new = slugs - self.slug_ids.ids.keys() - self._unknown_slugs
        if age is not None and age < SLUG_REFRESH_INTERVAL and not new:
            return
        if (
            self._resolve_tried_at is not None
            and now - self._resolve_tried_at < SLUG_RETRY_INTERVAL
            and self.slug_ids.ids
        ):
            return
        self._resolve_tried_at = now
        try:
            resolved = parse_map(self._get("/v1/cryptocurrency/map", now, {"aux": "is_active"}), slugs)
        except ProviderError as error:
            if not self.slug_ids.ids or error.kind not in (ErrorKind.UNAVAILABLE, ErrorKind.MALFORMED):
                raise
            log.warning("slug_lookup_failed", provider=COINMARKETCAP, reason=error.message)
            return
        changed = {slug for slug, number in resolved.items() if self.slug_ids.ids.get(slug, number) != number}
        if changed:
            log.warning("slugs_changed_owner", provider=COINMARKETCAP, slugs=sorted(changed))
        self._unknown_slugs = slugs - resolved.keys()
        self._quotes_path = _QUOTES_PATHS[0]
        self.slug_ids = SlugIds(now, resolved)
        if self._on_resolved is not None:
            self._on_resolved(self.slug_ids)

    def _get(self, path: str, now: datetime, params: Mapping[str, str | int] | None = None) -> object:
        response = fetch(COINMARKETCAP, self._client, path, params)
        try:
            return check_response(response, now)
        except ProviderError as error:
            message = self._client.redact(error.message)
            raise type(error)(COINMARKETCAP, error.kind, message, retry_after=error.retry_after) from None


class _InvalidRequestError(ProviderError):
    """A request refused with status 400, possibly because of a single id."""


def check_response(response: ProviderResponse, now: datetime) -> object:
    """The payload of a successful response; raises :class:`ProviderError` for every kind of refusal.

    ``status.error_code``, an integer or a string, decides even with status 200.
    """
    status = parsing.as_mapping(parsing.as_mapping(response.payload).get("status"))
    code = parsing.parse_int(status.get("error_code")) or 0
    if response.status == 200 and code == 0:
        if response.parse_error:
            raise ProviderError(COINMARKETCAP, ErrorKind.MALFORMED, f"the answer {response.parse_error}")
        return response.payload
    wait = retry_after(response.headers, now)
    message = error_text(response, parsing.parse_text(status.get("error_message")))
    status_text = f"status {response.status}" + (f", code {code}" if code not in (0, response.status) else "")
    if code in _LIMIT_MEANINGS:
        kind, meaning = _LIMIT_MEANINGS[code]
        if wait is None:
            wait = _compute_default_wait_seconds(code, now)
        raise ProviderError(COINMARKETCAP, kind, f"{meaning} ({status_text})", retry_after=wait)
    if code in _DENIAL_MEANINGS:
        raise ProviderError(
            COINMARKETCAP, ErrorKind.UNAUTHORISED, f"{_DENIAL_MEANINGS[code]} ({status_text})"
        )
    http_status = code if response.status == 200 and 400 <= code < 600 else response.status
    kind = error_kind_of_status(response, key_sent=True, status=http_status)
    if kind is ErrorKind.THROTTLED and wait is None:
        wait = DEFAULT_THROTTLE_SECONDS
    error_class = _InvalidRequestError if response.status == 400 else ProviderError
    raise error_class(COINMARKETCAP, kind, f"{message} ({status_text})", retry_after=wait)


def _compute_default_wait_seconds(code: int, now: datetime) -> float | None:
    """Seconds until a limit ends by the provider's rules; None for the monthly limit.

    The provider counts months from the day of the subscription, which we do not know.
    """
    if code == 1009:
        tomorrow = datetime(now.year, now.month, now.day, tzinfo=UTC) + timedelta(days=1)
        return (tomorrow - now).total_seconds()
    return None if code == 1010 else DEFAULT_THROTTLE_SECONDS
