"""Tests alternative.me's index, which sends all values as strings and has gaps."""

from datetime import UTC, datetime

import pytest

from backend.markets.model import ErrorKind, ProviderError
from backend.markets.providers.alternative_me import AlternativeMe, parse_fear_greed
from backend.upstream import RetryPolicy, UpstreamClient
from tests.support.providers.provider_server import FAULTS, Behaviour, ProviderServer, says

NEWEST = {"value": "40", "value_classification": "Fear", "timestamp": "1779062400", "time_until_update": "9"}
OLDER = {"value": "33", "value_classification": "Extreme Fear", "timestamp": "1778976000"}


def build_provider(server: ProviderServer) -> AlternativeMe:
    return AlternativeMe(
        UpstreamClient(server.url, retry=RetryPolicy(wait_initial=0, wait_max=0, wait_jitter=0))
    )


def test_the_newest_value_is_parsed_from_strings(server: ProviderServer, now: datetime) -> None:
    index = build_provider(server).fear_greed(now)
    assert (index.provider, index.value, index.label, index.credits) == ("alternative.me", 40, "Fear", 0)
    assert index.as_of == datetime(2026, 5, 18, tzinfo=UTC)
    assert (server.requests[0].path, server.requests[0].query) == ("/fng/", {"limit": "1"})


@pytest.mark.parametrize(
    "entries",
    [
        [NEWEST, OLDER],
        [OLDER, NEWEST],
        [None, NEWEST],
        [{**NEWEST, "timestamp": "1779148800", "value": None}, NEWEST],
        [{**NEWEST, "timestamp": "1779148800", "value": ""}, NEWEST, "gap"],
        [{**NEWEST, "timestamp": "1999999999"}, NEWEST],
    ],
)
def test_the_newest_complete_entry_is_used(entries: list[object], now: datetime) -> None:
    assert parse_fear_greed({"data": entries}, now).value == 40


@pytest.mark.parametrize(
    "payload", [None, [], {}, {"data": None}, {"data": []}, {"data": [{**NEWEST, "value": "140"}]}]
)
def test_a_response_without_a_complete_entry_is_malformed(payload: object, now: datetime) -> None:
    with pytest.raises(ProviderError) as caught:
        parse_fear_greed(payload, now)
    assert caught.value.kind is ErrorKind.MALFORMED


@pytest.mark.parametrize(
    ("behaviour", "fault", "wait"),
    [
        (says(200, {"data": [], "metadata": {"error": "out of order"}}), ErrorKind.UNAVAILABLE, None),
        (says(200, {"data": [], "metadata": {"error": 5}}), ErrorKind.UNAVAILABLE, None),
        (says(429, {}, retry_after="9"), ErrorKind.THROTTLED, 9),
        (FAULTS["throttled-html"], ErrorKind.THROTTLED, 60),
        (FAULTS["forbidden-html"], ErrorKind.REFUSED, None),
        (FAULTS["down"], ErrorKind.UNAVAILABLE, None),
        (FAULTS["web-page"], ErrorKind.MALFORMED, None),
        (FAULTS["broken-json"], ErrorKind.MALFORMED, None),
        (FAULTS["dropped"], ErrorKind.UNAVAILABLE, None),
    ],
)
def test_a_refusal_raises_its_kind_of_error(
    behaviour: Behaviour, fault: ErrorKind, wait: float | None, server: ProviderServer, now: datetime
) -> None:
    server.always("*", behaviour)
    with pytest.raises(ProviderError) as caught:
        build_provider(server).fear_greed(now)
    assert (caught.value.kind, caught.value.retry_after) == (fault, wait)
