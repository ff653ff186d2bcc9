"""Responses of the service become tokens, a rejection, or an unavailable service."""

from collections.abc import Callable

import httpx
import pytest

from dashboard.sign_in import oauth_state
from dashboard.sign_in.oauth_client import (
    METADATA_CACHE_SECONDS,
    METADATA_ERROR_CACHE_SECONDS,
    OAuthClient,
    OAuthError,
    ServiceUnavailableError,
    Tokens,
)

METADATA = {"issuer": "https://a.test", "authorization_endpoint": "https://a.test/oauth/authorize"}
TOKENS = {
    "access_token": "a",
    "token_type": "bearer",
    "expires_in": 60,
    "refresh_token": "r",
    "scope": "read",
}
HELD = Tokens("a", "r", 60, ("read",))


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def build_client(
    answer: Callable[[httpx.Request], httpx.Response], clock: Clock | None = None
) -> OAuthClient:
    transport = httpx.MockTransport(answer)
    return OAuthClient("http://service.test", transport=transport, clock=clock or Clock())


def exchange(answer: httpx.Response) -> Tokens:
    client = build_client(lambda _: answer)
    return client.exchange_code("code", oauth_state.create_attempt("/"), client_id="c", redirect_uri="u")


def test_tokens_are_parsed_and_missing_scopes_are_the_requested_ones() -> None:
    assert exchange(httpx.Response(200, json=TOKENS)) == HELD
    unnamed = {name: value for name, value in TOKENS.items() if name != "scope"}
    assert exchange(httpx.Response(200, json=unnamed)).scopes == ("read", "write")


@pytest.mark.parametrize(
    "changes",
    [
        {"access_token": None},
        {"access_token": ""},
        {"token_type": "mac"},
        {"token_type": None},
        {"refresh_token": 1},
    ],
)
def test_unusable_tokens_count_as_unavailable(changes: dict[str, object]) -> None:
    with pytest.raises(ServiceUnavailableError):
        exchange(httpx.Response(200, json={**TOKENS, **changes}))


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (httpx.Response(400, json={"error": "invalid_grant"}), OAuthError),
        (httpx.Response(401, json={"error": "invalid_client"}), OAuthError),
        (httpx.Response(400, content=b"<html>"), OAuthError),
        (httpx.Response(429, json={"error": "slow_down"}), ServiceUnavailableError),
        (httpx.Response(503), ServiceUnavailableError),
        (httpx.Response(200, content=b"<html>"), ServiceUnavailableError),
        (httpx.Response(200, json=[]), ServiceUnavailableError),
    ],
)
def test_a_rejection_differs_from_an_unavailable_service(
    answer: httpx.Response, fault: type[Exception]
) -> None:
    with pytest.raises(fault):
        exchange(answer)


def test_a_refresh_without_a_new_refresh_token_keeps_the_old_one() -> None:
    tokens = {name: value for name, value in TOKENS.items() if name != "refresh_token"}
    client = build_client(lambda _: httpx.Response(200, json={**tokens, "access_token": "b"}))
    assert client.refresh_tokens(HELD, client_id="c") == Tokens("b", "r", 60, ("read",))


def test_metadata_are_cached_and_a_failure_for_a_shorter_time() -> None:
    clock, requests = Clock(), list[httpx.Request]()
    answers = [httpx.Response(503), httpx.Response(200, json=METADATA), httpx.Response(200, json=METADATA)]

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return answers[len(requests) - 1]

    client = build_client(answer, clock)
    for _ in range(2):
        with pytest.raises(ServiceUnavailableError):
            client.fetch_metadata()
    clock.now += METADATA_ERROR_CACHE_SECONDS
    assert [client.fetch_metadata().issuer for _ in range(2)] == ["https://a.test"] * 2
    assert len(requests) == 2
    clock.now += METADATA_CACHE_SECONDS
    client.fetch_metadata()
    assert len(requests) == 3


@pytest.mark.parametrize(
    "changes",
    [{"issuer": None}, {"authorization_endpoint": 1}, {"authorization_endpoint": "javascript:alert(1)"}],
)
def test_invalid_metadata_count_as_unavailable(changes: dict[str, object]) -> None:
    client = build_client(lambda _: httpx.Response(200, json={**METADATA, **changes}))
    with pytest.raises(ServiceUnavailableError):
        client.fetch_metadata()


def test_a_missing_username_is_no_error() -> None:
    assert build_client(lambda _: httpx.Response(403, json={})).fetch_username(HELD) == ""
    assert build_client(lambda _: httpx.Response(200, json={"sub": "s"})).fetch_username(HELD) == "s"
    assert build_client(lambda _: httpx.Response(200, json={"username": 5})).fetch_username(HELD) == ""
