"""Tests every refusal and failure of CoinGecko over real HTTP."""

from datetime import datetime
from typing import Any

import pytest
from pydantic import SecretStr

from backend.markets.model import ErrorKind, ProviderError
from backend.markets.providers.coingecko import CoinGecko
from tests.support.providers.adapters import build_coingecko as asking
from tests.support.providers.provider_server import FAULTS, Behaviour, ProviderServer, says

MARKETS = "/api/v3/coins/markets"
LIMIT = {"error_code": 429, "error_message": "You've exceeded the Rate Limit."}
RANGE = {"error_code": 10012, "error_message": "Your request exceeds the allowed time range."}


@pytest.mark.parametrize(
    ("behaviour", "fault", "wait"),
    [
        (FAULTS["throttled-json"], ErrorKind.THROTTLED, 60),
        (FAULTS["throttled-json-7s"], ErrorKind.THROTTLED, 7),
        (FAULTS["throttled-text"], ErrorKind.THROTTLED, 60),
        (FAULTS["throttled-html"], ErrorKind.THROTTLED, 60),
        (Behaviour(403, b"error code: 1015", "text/plain"), ErrorKind.THROTTLED, 60),
        (says(429, {"status": LIMIT}, retry_after="Mon, 18 May 2026 12:50:21 GMT"), ErrorKind.THROTTLED, 60),
        (says(429, {"status": LIMIT}, retry_after="Mon, 18 May 2026 12:00:00 GMT"), ErrorKind.THROTTLED, 0),
        (says(429, {"status": LIMIT}, retry_after="soon"), ErrorKind.THROTTLED, 60),
        (says(429, {"status": LIMIT}, retry_after="-5"), ErrorKind.THROTTLED, 60),
        (says(429, {"status": LIMIT}, x_ratelimit_reset="30"), ErrorKind.THROTTLED, 30),
        (says(200, {"status": LIMIT}), ErrorKind.THROTTLED, 60),
        (says(429, {"error": "Monthly call limit reached"}), ErrorKind.QUOTA_SPENT, None),
        (FAULTS["not-found"], ErrorKind.NOT_FOUND, None),
        (says(200, {"status": {"error_code": 404, "error_message": "gone"}}), ErrorKind.NOT_FOUND, None),
        (says(422, {"error": "Missing parameter vs_currency"}), ErrorKind.MALFORMED, None),
        (says(200, {"error": "something new"}), ErrorKind.MALFORMED, None),
        (says(500, {"status": {"error_code": 500, "error_message": "oops"}}), ErrorKind.UNAVAILABLE, None),
        (says(503, {}, retry_after="120"), ErrorKind.UNAVAILABLE, 120),
        (says(408, {}), ErrorKind.UNAVAILABLE, None),
        (FAULTS["broken-json"], ErrorKind.MALFORMED, None),
        (FAULTS["web-page"], ErrorKind.MALFORMED, None),
        (FAULTS["empty"], ErrorKind.MALFORMED, None),
        (says(200, {"unexpected": 1}), ErrorKind.MALFORMED, None),
        (says(200, "text"), ErrorKind.MALFORMED, None),
        (FAULTS["cut-off"], ErrorKind.UNAVAILABLE, None),
        (FAULTS["dropped"], ErrorKind.UNAVAILABLE, None),
        (Behaviour(302, b"", headers={"Location": "http://198.51.100.1/"}), ErrorKind.UNAVAILABLE, None),
    ],
)
def test_a_refusal_raises_its_kind_of_error(
    behaviour: Behaviour,
    fault: ErrorKind,
    wait: float | None,
    server: ProviderServer,
    assets: list[Any],
    now: datetime,
) -> None:
    server.always(MARKETS, behaviour)
    with pytest.raises(ProviderError) as caught:
        asking(server.url).quotes(assets, now)
    assert (caught.value.kind, caught.value.retry_after) == (fault, wait)
    assert caught.value.provider == "coingecko"
    assert len(caught.value.message) > 5


@pytest.mark.parametrize(
    ("behaviour", "with_key"),
    [
        (FAULTS["unauthorised"], ErrorKind.UNAUTHORISED),
        (says(402, {}), ErrorKind.UNAUTHORISED),
        (says(400, {"error_code": 10010, "status": {"error_message": "host"}}), ErrorKind.UNAUTHORISED),
        (says(400, {"error_code": "10011", "status": {}}), ErrorKind.UNAUTHORISED),
        (says(403, {"status": {"error_code": 10005, "error_message": "plan"}}), ErrorKind.UNAUTHORISED),
        (says(401, {"error": {"status": RANGE}}), ErrorKind.UNAUTHORISED),
        (says(403, {"error": "forbidden"}), ErrorKind.UNAUTHORISED),
        (FAULTS["forbidden-html"], ErrorKind.REFUSED),
        (Behaviour(401, b"<html>", "text/html"), ErrorKind.REFUSED),
        (Behaviour(403, b"error code: 1020", "text/plain"), ErrorKind.REFUSED),
        (Behaviour(403, b""), ErrorKind.REFUSED),
    ],
)
def test_only_a_sent_key_that_the_provider_itself_refuses_counts_as_unauthorised(
    behaviour: Behaviour, with_key: ErrorKind, server: ProviderServer, assets: list[Any], now: datetime
) -> None:
    server.always(MARKETS, behaviour)
    for key_sent, fault in ((True, with_key), (False, ErrorKind.REFUSED)):
        with pytest.raises(ProviderError) as caught:
            asking(server.url, key_sent=key_sent).quotes(assets, now)
        assert (caught.value.kind, caught.value.retry_after) == (fault, None)


def test_a_huge_page_is_malformed(server: ProviderServer, assets: list[Any], now: datetime) -> None:
    with pytest.raises(ProviderError, match="more than 10,000 bytes") as caught:
        asking(server.url, max_bytes=10_000).quotes(assets, now)
    assert caught.value.kind is ErrorKind.MALFORMED


def test_a_key_in_an_error_message_is_redacted(server: ProviderServer, now: datetime) -> None:
    server.always("*", says(401, {"error": "The key CG-secret-1 is wrong"}))
    with pytest.raises(ProviderError) as caught:
        CoinGecko.connect("demo", SecretStr("CG-secret-1"), server.url).market_totals(now)
    assert caught.value.message == "The key [key] is wrong (status 401)"
    assert "CG-secret-1" not in f"{caught.value!r}{caught.value.__context__ and caught.value.__cause__}"
