"""Fetches alternative.me's Crypto Fear & Greed Index.

The index has one value a day and lacks some days. Every number comes as a string.
"""

from collections.abc import Mapping
from datetime import datetime

import httpx

from backend.markets.model import DEFAULT_THROTTLE_SECONDS, ErrorKind, FearGreed, ProviderError
from backend.markets.provider_names import ALTERNATIVE_ME
from backend.markets.providers import parsing
from backend.markets.providers.provider_http import (
    ProviderResponse,
    error_kind_of_status,
    error_text,
    fetch,
    retry_after,
)
from backend.upstream import UpstreamClient


class AlternativeMe:
    """Fetches from alternative.me, which takes no key."""

    name = ALTERNATIVE_ME

    def __init__(self, client: UpstreamClient) -> None:
        self._client = client

    @classmethod
    def connect(
        cls, base_url: str = "https://api.alternative.me", *, transport: httpx.BaseTransport | None = None
    ) -> "AlternativeMe":
        return cls(UpstreamClient(base_url, transport=transport))

    def fear_greed(self, now: datetime) -> FearGreed:
        return parse_fear_greed(
            check_response(fetch(ALTERNATIVE_ME, self._client, "/fng/", {"limit": 1}), now), now
        )

    def close(self) -> None:
        self._client.close()


def check_response(response: ProviderResponse, now: datetime) -> object:
    """The payload of a successful response; raises :class:`ProviderError` for a refusal."""
    metadata = parsing.as_mapping(parsing.as_mapping(response.payload).get("metadata"))
    error = metadata.get("error")
    if response.status == 200 and not response.parse_error and error is None:
        return response.payload
    if response.status == 200 and response.parse_error:
        raise ProviderError(ALTERNATIVE_ME, ErrorKind.MALFORMED, f"the answer {response.parse_error}")
    reason = error_text(response, parsing.parse_text(error))
    if response.status == 200:
        raise ProviderError(ALTERNATIVE_ME, ErrorKind.UNAVAILABLE, reason)
    kind, wait = error_kind_of_status(response, key_sent=False), retry_after(response.headers, now)
    if kind is ErrorKind.THROTTLED and wait is None:
        wait = DEFAULT_THROTTLE_SECONDS
    raise ProviderError(ALTERNATIVE_ME, kind, f"{reason} (status {response.status})", retry_after=wait)


def parse_fear_greed(payload: object, now: datetime) -> FearGreed:
    """The newest complete entry: an entry may be null or lack its value."""
    entries = [
        parsing.as_mapping(entry) for entry in parsing.as_list(parsing.as_mapping(payload).get("data"))
    ]
    complete = [index for entry in entries if (index := _parse_entry(entry, now)) is not None]
    if not complete:
        raise ProviderError(
            ALTERNATIVE_ME, ErrorKind.MALFORMED, "the answer holds no index with a value, label and time"
        )
    return max(complete, key=lambda index: index.as_of)


def _parse_entry(entry: Mapping[str, object], now: datetime) -> FearGreed | None:
    value = parsing.parse_int(entry.get("value"))
    label = parsing.parse_text(entry.get("value_classification"), 60)
    as_of = parsing.parse_epoch_seconds(entry.get("timestamp"))
    if (
        value is None
        or not 0 <= value <= 100
        or label is None
        or as_of is None
        or as_of > now + parsing.MAX_CLOCK_SKEW
    ):
        return None
    return FearGreed(ALTERNATIVE_ME, as_of, value, label)
