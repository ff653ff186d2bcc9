"""alternative.me's Crypto Fear & Greed Index: one value a day, every number a string, days missing."""

from collections.abc import Mapping
from datetime import datetime

import httpx

from backend.markets.model import Fault, FearGreed, ProviderError
from backend.markets.providers import parsing
from backend.markets.providers.provider_http import Answer, ask, fault_of_status, retry_after, said_in
from backend.upstream import UpstreamClient

NAME = "alternative.me"
_THROTTLED_SECONDS = 60.0


class AlternativeMe:
    """Asks alternative.me through ``client``; there are no keys."""

    name = NAME

    def __init__(self, client: UpstreamClient) -> None:
        self._client = client

    @classmethod
    def connect(
        cls, base_url: str = "https://api.alternative.me", *, transport: httpx.BaseTransport | None = None
    ) -> "AlternativeMe":
        return cls(UpstreamClient(base_url, transport=transport))

    def fear_greed(self, now: datetime) -> FearGreed:
        return parse_fear_greed(accepted(ask(NAME, self._client, "/fng/", {"limit": 1}), now), now)

    def close(self) -> None:
        self._client.close()


def accepted(answer: Answer, now: datetime) -> object:
    """The payload of a good answer; raises :class:`ProviderError` for a refusal."""
    metadata = parsing.mapping(parsing.mapping(answer.payload).get("metadata"))
    said = metadata.get("error")
    if answer.status == 200 and not answer.unreadable and said is None:
        return answer.payload
    if answer.status == 200 and answer.unreadable:
        raise ProviderError(NAME, Fault.MALFORMED, f"the answer {answer.unreadable}")
    reason = said_in(answer, parsing.words(said))
    if answer.status == 200:
        raise ProviderError(NAME, Fault.UNAVAILABLE, reason)
    fault, told = fault_of_status(answer, keyed=False), retry_after(answer.headers, now)
    if fault is Fault.THROTTLED and told is None:
        told = _THROTTLED_SECONDS
    raise ProviderError(NAME, fault, f"{reason} (status {answer.status})", retry_after=told)


def parse_fear_greed(payload: object, now: datetime) -> FearGreed:
    """The newest entry that is whole: an entry may be null, or lack its value."""
    entries = [parsing.mapping(entry) for entry in parsing.rows(parsing.mapping(payload).get("data"))]
    found = [index for entry in entries if (index := _index(entry, now)) is not None]
    if not found:
        raise ProviderError(NAME, Fault.MALFORMED, "the answer holds no index with a value, label and time")
    return max(found, key=lambda index: index.as_of)


def _index(entry: Mapping[str, object], now: datetime) -> FearGreed | None:
    value = parsing.whole(entry.get("value"))
    label = parsing.words(entry.get("value_classification"), 60)
    as_of = parsing.epoch(entry.get("timestamp"))
    if (
        value is None
        or not 0 <= value <= 100
        or label is None
        or as_of is None
        or as_of > now + parsing.AHEAD
    ):
        return None
    return FearGreed(NAME, as_of, value, label)
