"""What the service answers, whatever it is, becomes tokens, a refusal, or word that it is not there."""

from collections.abc import Callable

import httpx
import pytest

from dashboard.sign_in import oauth_state
from dashboard.sign_in.oauth_client import (
    FAILED_SECONDS,
    KNOWN_SECONDS,
    Authority,
    Refused,
    Tokens,
    Unavailable,
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


def authority(answer: Callable[[httpx.Request], httpx.Response], clock: Clock | None = None) -> Authority:
    transport = httpx.MockTransport(answer)
    return Authority("http://service.test", transport=transport, clock=clock or Clock())


def exchanged(answer: httpx.Response) -> Tokens:
    there = authority(lambda _: answer)
    return there.exchange("code", oauth_state.begin("/"), client_id="c", redirect_uri="u")


def test_tokens_are_what_they_say_and_keep_the_scopes_asked_for_where_none_are_named() -> None:
    assert exchanged(httpx.Response(200, json=TOKENS)) == HELD
    unnamed = {name: value for name, value in TOKENS.items() if name != "scope"}
    assert exchanged(httpx.Response(200, json=unnamed)).scopes == ("read", "write")


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
def test_tokens_that_cannot_be_used_are_none(changes: dict[str, object]) -> None:
    with pytest.raises(Unavailable):
        exchanged(httpx.Response(200, json={**TOKENS, **changes}))


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (httpx.Response(400, json={"error": "invalid_grant"}), Refused),
        (httpx.Response(401, json={"error": "invalid_client"}), Refused),
        (httpx.Response(400, content=b"<html>"), Refused),
        (httpx.Response(429, json={"error": "slow_down"}), Unavailable),
        (httpx.Response(503), Unavailable),
        (httpx.Response(200, content=b"<html>"), Unavailable),
        (httpx.Response(200, json=[]), Unavailable),
    ],
)
def test_a_refusal_is_told_apart_from_a_service_that_is_not_there(
    answer: httpx.Response, fault: type[Exception]
) -> None:
    with pytest.raises(fault):
        exchanged(answer)


def test_a_refresh_without_a_new_refresh_token_keeps_the_old_one() -> None:
    kept = {name: value for name, value in TOKENS.items() if name != "refresh_token"}
    there = authority(lambda _: httpx.Response(200, json={**kept, "access_token": "b"}))
    assert there.renew(HELD, client_id="c") == Tokens("b", "r", 60, ("read",))


def test_metadata_are_kept_for_a_minute_and_their_lack_for_a_moment() -> None:
    clock, asked = Clock(), list[httpx.Request]()
    answers = [httpx.Response(503), httpx.Response(200, json=METADATA), httpx.Response(200, json=METADATA)]

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return answers[len(asked) - 1]

    there = authority(answer, clock)
    for _ in range(2):
        with pytest.raises(Unavailable):
            there.metadata()
    clock.now += FAILED_SECONDS
    assert [there.metadata().issuer for _ in range(2)] == ["https://a.test"] * 2
    assert len(asked) == 2
    clock.now += KNOWN_SECONDS
    there.metadata()
    assert len(asked) == 3


@pytest.mark.parametrize(
    "changes",
    [{"issuer": None}, {"authorization_endpoint": 1}, {"authorization_endpoint": "javascript:alert(1)"}],
)
def test_metadata_that_lead_nowhere_are_none(changes: dict[str, object]) -> None:
    there = authority(lambda _: httpx.Response(200, json={**METADATA, **changes}))
    with pytest.raises(Unavailable):
        there.metadata()


def test_a_name_that_is_not_told_is_no_fault() -> None:
    assert authority(lambda _: httpx.Response(403, json={})).name_of(HELD) == ""
    assert authority(lambda _: httpx.Response(200, json={"sub": "s"})).name_of(HELD) == "s"
    assert authority(lambda _: httpx.Response(200, json={"username": 5})).name_of(HELD) == ""
