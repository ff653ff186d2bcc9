"""CoinMarketCap, the first market-data provider: quotes, totals, a fear and greed index.

Endpoints: ``/v1/cryptocurrency/map`` (free), ``/v3`` or ``/v2/cryptocurrency/quotes/latest``,
``/v1/global-metrics/quotes/latest``, ``/v3/fear-and-greed/latest``, ``/v1/key/info`` (free).

Quotes are asked for by numeric id: a symbol has several owners there. The documentation contradicts
itself on the form of the quotes, so every documented one is read (see :mod:`.coinmarketcap_rows`).
Unknown ids are dropped without a word, so what came back is counted.
"""

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import httpx
import structlog
from pydantic import SecretStr

from backend.markets.model import Fault, FearGreed, GlobalFigures, Poll, ProviderError
from backend.markets.providers import parsing
from backend.markets.providers.coinmarketcap_parsing import (
    NAME,
    QuotesPage,
    parse_fear_greed,
    parse_global,
    parse_map,
    parse_quotes,
    parse_usage,
)
from backend.markets.providers.protocols import Identified, Usage
from backend.markets.providers.provider_http import Answer, ask, fault_of_status, retry_after, said_in
from backend.upstream import UpstreamClient

log = structlog.get_logger(__name__)

BATCH = 200
RESOLVE_EVERY = timedelta(days=1)
RESOLVE_AGAIN_AFTER = timedelta(minutes=15)
_QUOTES = ("/v3/cryptocurrency/quotes/latest", "/v2/cryptocurrency/quotes/latest")

_NOT_ALLOWED: Mapping[int, str] = {
    1001: "the API key is not valid",
    1002: "an API key is missing",
    1003: "the key's plan is not paid",
    1004: "the key's plan has expired",
    1005: "an API key is required",
    1006: "the plan does not include this endpoint",
    1007: "the API key is disabled",
}
_LIMITS: Mapping[int, tuple[Fault, str]] = {
    1008: (Fault.THROTTLED, "the minute's requests are used up"),
    1009: (Fault.QUOTA_SPENT, "the day's credits are used up"),
    1010: (Fault.QUOTA_SPENT, "the month's credits are used up"),
    1011: (Fault.THROTTLED, "too many requests from this address"),
}
_THROTTLED_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class SlugIds:
    """Slugs resolved to numeric ids, and when; kept by whoever wants to spare the next start a call."""

    resolved_at: datetime | None = None
    ids: Mapping[str, int] = field(default_factory=dict)


class CoinMarketCap:
    """Asks CoinMarketCap through ``client``, which sends the key.

    ``slug_ids`` are those of an earlier run; ``on_resolved`` is called with the new ones.
    """

    name = NAME

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
        self._tried_at: datetime | None = None
        self._unknown: frozenset[str] = frozenset()
        self._resolving = threading.Lock()
        self._quotes_path = _QUOTES[0]

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

    def quotes(self, assets: Sequence[Identified], now: datetime) -> Poll:
        """Quotes of ``assets`` that have a ``cmc_id`` or a ``datasrc1_slug``; one call per 200 ids."""
        asked = [asset for asset in assets if asset.cmc_id or asset.datasrc1_slug]
        known = self._ids_of(asked, now)
        wanted: dict[int, list[str]] = defaultdict(list)
        for asset in asked:
            if asset.id in known:
                wanted[known[asset.id]].append(asset.id)
        page = QuotesPage()
        ids = sorted(wanted)
        for start in range(0, len(ids), BATCH):
            batch = ids[start : start + BATCH]
            payload = self._quotes_payload(batch, now)
            parse_quotes(payload, {number: wanted[number] for number in batch}, now, into=page)
        missing = [
            asset.id for asset in asked if asset.id not in page.quotes and asset.id not in page.rejected
        ]
        return Poll(
            provider=NAME,
            received_at=now,
            quotes=page.quotes,
            missing=tuple(sorted(missing)),
            rejected=page.rejected,
            credits=page.credits,
        )

    def global_figures(self, now: datetime) -> GlobalFigures:
        return parse_global(self._get("/v1/global-metrics/quotes/latest", now, {"convert": "USD"}), now)

    def fear_greed(self, now: datetime) -> FearGreed:
        return parse_fear_greed(self._get("/v3/fear-and-greed/latest", now), now)

    def usage(self, now: datetime) -> Usage | None:
        """The key's allowance; costs no credit."""
        return parse_usage(self._get("/v1/key/info", now))

    def close(self) -> None:
        self._client.close()

    def _quotes_payload(self, ids: Sequence[int], now: datetime) -> object:
        """The newest quotes endpoint that answers. Version 3 drops unknown ids; where it refuses the
        whole call all the same, version 2 is told to skip them."""
        params = {"id": ",".join(map(str, ids)), "convert": "USD"}
        if self._quotes_path == _QUOTES[0]:
            try:
                return self._get(self._quotes_path, now, params)
            except _InvalidRequestError as error:
                log.warning("quotes_refused_as_invalid", provider=NAME, reason=error.message)
            except ProviderError as error:
                if error.fault is not Fault.NOT_FOUND:
                    raise
                self._quotes_path = _QUOTES[1]
                log.info("quotes_endpoint_changed", provider=NAME, path=self._quotes_path)
        return self._get(_QUOTES[1], now, {**params, "skip_invalid": "true"})

    def _ids_of(self, assets: Sequence[Identified], now: datetime) -> dict[str, int]:
        """Numeric ids by asset id: the configured one, else the one that the slug has in the map."""
        slugs = {asset.datasrc1_slug for asset in assets if asset.datasrc1_slug and not asset.cmc_id}
        if slugs:
            with self._resolving:
                self._resolve(frozenset(slugs), now)
        known: dict[str, int] = {}
        for asset in assets:
            number = asset.cmc_id or self.slug_ids.ids.get(asset.datasrc1_slug or "")
            if number:
                known[asset.id] = number
        return known

    def _resolve(self, slugs: frozenset[str], now: datetime) -> None:
        """Ask the map once a day, and for slugs not seen yet. What is known stands if it fails."""
        age = None if self.slug_ids.resolved_at is None else now - self.slug_ids.resolved_at
        new = slugs - self.slug_ids.ids.keys() - self._unknown
        if age is not None and age < RESOLVE_EVERY and not new:
            return
        if self._tried_at is not None and now - self._tried_at < RESOLVE_AGAIN_AFTER and self.slug_ids.ids:
            return
        self._tried_at = now
        try:
            found = parse_map(self._get("/v1/cryptocurrency/map", now, {"aux": "is_active"}), slugs)
        except ProviderError as error:
            if not self.slug_ids.ids or error.fault not in (Fault.UNAVAILABLE, Fault.MALFORMED):
                raise
            log.warning("slugs_not_resolved", provider=NAME, reason=error.message)
            return
        moved = {slug for slug, number in found.items() if self.slug_ids.ids.get(slug, number) != number}
        if moved:
            log.warning("slugs_changed_owner", provider=NAME, slugs=sorted(moved))
        self._unknown = slugs - found.keys()
        self._quotes_path = _QUOTES[0]
        self.slug_ids = SlugIds(now, found)
        if self._on_resolved is not None:
            self._on_resolved(self.slug_ids)

    def _get(self, path: str, now: datetime, params: Mapping[str, str | int] | None = None) -> object:
        answer = ask(NAME, self._client, path, params)
        try:
            return accepted(answer, now)
        except ProviderError as error:
            words = self._client.redacted(error.message)
            raise type(error)(NAME, error.fault, words, retry_after=error.retry_after) from None


class _InvalidRequestError(ProviderError):
    """A request refused with status 400, perhaps for a single id."""


def accepted(answer: Answer, now: datetime) -> object:
    """The payload of a good answer; raises :class:`ProviderError` for every kind of refusal.

    ``status.error_code`` rules, as an integer or a string, with status 200 too.
    """
    status = parsing.mapping(parsing.mapping(answer.payload).get("status"))
    code = parsing.whole(status.get("error_code")) or 0
    if answer.status == 200 and code == 0:
        if answer.unreadable:
            raise ProviderError(NAME, Fault.MALFORMED, f"the answer {answer.unreadable}")
        return answer.payload
    told = retry_after(answer.headers, now)
    said = said_in(answer, parsing.words(status.get("error_message")))
    words = f"status {answer.status}" + (f", code {code}" if code not in (0, answer.status) else "")
    if code in _LIMITS:
        fault, meaning = _LIMITS[code]
        if told is None:
            told = _usual_wait(code, now)
        raise ProviderError(NAME, fault, f"{meaning} ({words})", retry_after=told)
    if code in _NOT_ALLOWED:
        raise ProviderError(NAME, Fault.UNAUTHORISED, f"{_NOT_ALLOWED[code]} ({words})")
    meant = code if answer.status == 200 and 400 <= code < 600 else answer.status
    fault = fault_of_status(answer, keyed=True, status=meant)
    if fault is Fault.THROTTLED and told is None:
        told = _THROTTLED_SECONDS
    refusal = _InvalidRequestError if answer.status == 400 else ProviderError
    raise refusal(NAME, fault, f"{said} ({words})", retry_after=told)


def _usual_wait(code: int, now: datetime) -> float | None:
    """Seconds until the limit is lifted, where the provider's rules say so: the month's end they
    count from the day of the subscription, which we do not know."""
    if code == 1009:
        tomorrow = datetime(now.year, now.month, now.day, tzinfo=UTC) + timedelta(days=1)
        return (tomorrow - now).total_seconds()
    return None if code == 1010 else _THROTTLED_SECONDS
