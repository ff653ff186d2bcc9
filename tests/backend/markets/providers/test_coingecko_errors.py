"""Every way in which CoinGecko refuses or fails, over real HTTP."""

from datetime import datetime
from typing import Any

import pytest
from pydantic import SecretStr

from backend.markets.model import Fault, ProviderError
from backend.markets.providers.coingecko import CoinGecko
from tests.support.provider_server import FAULTS, Behaviour, ProviderServer, says
from tests.support.providers import asking_coingecko as asking

MARKETS = "/api/v3/coins/markets"
LIMIT = {"error_code": 429, "error_message": "You've exceeded the Rate Limit."}
RANGE = {"error_code": 10012, "error_message": "Your request exceeds the allowed time range."}


@pytest.mark.parametrize(
    ("behaviour", "fault", "wait"),
    [
        (FAULTS["throttled-json"], Fault.THROTTLED, 60),
        (FAULTS["throttled-json-7s"], Fault.THROTTLED, 7),
        (FAULTS["throttled-text"], Fault.THROTTLED, 60),
        (FAULTS["throttled-html"], Fault.THROTTLED, 60),
        (Behaviour(403, b"error code: 1015", "text/plain"), Fault.THROTTLED, 60),
        (says(429, {"status": LIMIT}, retry_after="Mon, 18 May 2026 12:50:21 GMT"), Fault.THROTTLED, 60),
        (says(429, {"status": LIMIT}, retry_after="Mon, 18 May 2026 12:00:00 GMT"), Fault.THROTTLED, 0),
        (says(429, {"status": LIMIT}, retry_after="soon"), Fault.THROTTLED, 60),
        (says(429, {"status": LIMIT}, retry_after="-5"), Fault.THROTTLED, 60),
        (says(429, {"status": LIMIT}, x_ratelimit_reset="30"), Fault.THROTTLED, 30),
        (says(200, {"status": LIMIT}), Fault.THROTTLED, 60),
        (says(429, {"error": "Monthly call limit reached"}), Fault.QUOTA_SPENT, None),
        (FAULTS["not-found"], Fault.NOT_FOUND, None),
        (says(200, {"status": {"error_code": 404, "error_message": "gone"}}), Fault.NOT_FOUND, None),
        (says(422, {"error": "Missing parameter vs_currency"}), Fault.MALFORMED, None),
        (says(200, {"error": "something new"}), Fault.MALFORMED, None),
        (says(500, {"status": {"error_code": 500, "error_message": "oops"}}), Fault.UNAVAILABLE, None),
        (says(503, {}, retry_after="120"), Fault.UNAVAILABLE, 120),
        (says(408, {}), Fault.UNAVAILABLE, None),
        (FAULTS["broken-json"], Fault.MALFORMED, None),
        (FAULTS["web-page"], Fault.MALFORMED, None),
        (FAULTS["empty"], Fault.MALFORMED, None),
        (says(200, {"unexpected": 1}), Fault.MALFORMED, None),
        (says(200, "text"), Fault.MALFORMED, None),
        (FAULTS["cut-off"], Fault.UNAVAILABLE, None),
        (FAULTS["dropped"], Fault.UNAVAILABLE, None),
        (Behaviour(302, b"", headers={"Location": "http://198.51.100.1/"}), Fault.UNAVAILABLE, None),
    ],
)
def test_a_refusal_becomes_the_fault_that_it_is(
    behaviour: Behaviour,
    fault: Fault,
    wait: float | None,
    server: ProviderServer,
    assets: list[Any],
    now: datetime,
) -> None:
    server.always(MARKETS, behaviour)
    with pytest.raises(ProviderError) as caught:
        asking(server.url).quotes(assets, now)
    assert (caught.value.fault, caught.value.retry_after) == (fault, wait)
    assert caught.value.provider == "coingecko"
    assert len(caught.value.message) > 5


@pytest.mark.parametrize(
    ("behaviour", "with_key"),
    [
        (FAULTS["unauthorised"], Fault.UNAUTHORISED),
        (says(402, {}), Fault.UNAUTHORISED),
        (says(400, {"error_code": 10010, "status": {"error_message": "host"}}), Fault.UNAUTHORISED),
        (says(400, {"error_code": "10011", "status": {}}), Fault.UNAUTHORISED),
        (says(403, {"status": {"error_code": 10005, "error_message": "plan"}}), Fault.UNAUTHORISED),
        (says(401, {"error": {"status": RANGE}}), Fault.UNAUTHORISED),
        (says(403, {"error": "forbidden"}), Fault.UNAUTHORISED),
        (FAULTS["forbidden-html"], Fault.REFUSED),
        (Behaviour(401, b"<html>", "text/html"), Fault.REFUSED),
        (Behaviour(403, b"error code: 1020", "text/plain"), Fault.REFUSED),
        (Behaviour(403, b""), Fault.REFUSED),
    ],
)
def test_only_a_key_that_was_sent_and_that_the_provider_itself_refuses_is_a_refused_key(
    behaviour: Behaviour, with_key: Fault, server: ProviderServer, assets: list[Any], now: datetime
) -> None:
    server.always(MARKETS, behaviour)
    for keyed, fault in ((True, with_key), (False, Fault.REFUSED)):
        with pytest.raises(ProviderError) as caught:
            asking(server.url, keyed=keyed).quotes(assets, now)
        assert (caught.value.fault, caught.value.retry_after) == (fault, None)


def test_a_huge_page_is_malformed(server: ProviderServer, assets: list[Any], now: datetime) -> None:
    with pytest.raises(ProviderError, match="more than 10,000 bytes") as caught:
        asking(server.url, max_bytes=10_000).quotes(assets, now)
    assert caught.value.fault is Fault.MALFORMED


def test_a_key_that_the_provider_quotes_is_struck_out(server: ProviderServer, now: datetime) -> None:
    server.always("*", says(401, {"error": "The key CG-secret-1 is wrong"}))
    with pytest.raises(ProviderError) as caught:
        CoinGecko.connect("demo", SecretStr("CG-secret-1"), server.url).global_figures(now)
    assert caught.value.message == "The key [key] is wrong (status 401)"
    assert "CG-secret-1" not in f"{caught.value!r}{caught.value.__context__ and caught.value.__cause__}"
