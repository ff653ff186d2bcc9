"""Who is signed in, for how long, and that what they held is taken back."""

import pytest

from dashboard.sign_in import session_store as all_sessions
from dashboard.sign_in.oauth_client import Refused, Tokens, Unavailable
from dashboard.sign_in.session import Session
from dashboard.sign_in.session_store import IDLE_SECONDS, LONGEST_SECONDS, REVOKE_EVERY_SECONDS, Sessions


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Service:
    def __init__(self) -> None:
        self.revoked: list[str] = []
        self.signed_out: list[str] = []
        self.fault: Exception | None = None

    def revoke(self, tokens: Tokens) -> None:
        if self.fault is not None:
            raise self.fault
        self.revoked.append(tokens.access)

    def sign_out(self, tokens: Tokens) -> None:
        self.revoke(tokens)
        self.signed_out.append(tokens.access)

    def renew(self, tokens: Tokens) -> Tokens:
        return tokens


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def sessions(service: Service, clock: Clock) -> Sessions:
    return Sessions(service.revoke, service.sign_out, clock=clock)


def someone(sessions: Sessions, service: Service, clock: Clock, token: str = "a") -> Session:
    tokens = Tokens(token, "r", 10 * LONGEST_SECONDS, ("read",))
    return Session("ann", tokens, service.renew, sessions.discard, clock=clock)


def test_a_session_is_found_by_the_secret_of_its_browser_alone(
    sessions: Sessions, service: Service, clock: Clock
) -> None:
    session = someone(sessions, service, clock)
    secret = sessions.open(session)
    assert sessions.find(secret) is session
    for other in (None, "", session.id, session.csrf, secret + "a", "\ud800"):
        assert sessions.find(other) is None


def test_two_sign_ins_have_two_secrets(sessions: Sessions, service: Service, clock: Clock) -> None:
    one, other = someone(sessions, service, clock), someone(sessions, service, clock)
    assert sessions.open(one) != sessions.open(other)
    assert one.id != other.id


def test_signing_out_revokes_and_forgets(sessions: Sessions, service: Service, clock: Clock) -> None:
    session = someone(sessions, service, clock)
    secret = sessions.open(session)
    assert sessions.sign_out(session)
    assert service.signed_out == ["a"]
    assert sessions.find(secret) is None
    assert sessions.sign_out(session)
    assert service.revoked == ["a"]


def test_what_could_not_be_revoked_is_tried_again(sessions: Sessions, service: Service, clock: Clock) -> None:
    session = someone(sessions, service, clock)
    secret = sessions.open(session)
    service.fault = Unavailable("down")
    assert not sessions.sign_out(session)
    assert sessions.find(secret) is None, "here it is over at once"
    sessions.tidy()
    service.fault = None
    sessions.tidy()
    assert service.revoked == [], "not every second"
    clock.now += REVOKE_EVERY_SECONDS
    sessions.tidy()
    sessions.tidy()
    assert service.signed_out == service.revoked == ["a"]


def test_a_refusal_to_revoke_is_the_end_of_it(sessions: Sessions, service: Service, clock: Clock) -> None:
    service.fault = Refused("invalid_client")
    session = someone(sessions, service, clock)
    sessions.open(session)
    assert sessions.sign_out(session)
    assert sessions._left == type(sessions._left)()


def test_who_stays_away_is_signed_out_and_whose_page_is_open_is_not(
    sessions: Sessions, service: Service, clock: Clock
) -> None:
    away, here = someone(sessions, service, clock, "away"), someone(sessions, service, clock, "here")
    secrets = sessions.open(away), sessions.open(here)
    here.when_ended(lambda: None)
    clock.now = IDLE_SECONDS + 1
    sessions.tidy()
    assert [sessions.find(secret) for secret in secrets] == [None, here]
    assert (service.revoked, service.signed_out) == (["away"], []), "they may be busy at another dashboard"
    clock.now = LONGEST_SECONDS + 1
    sessions.tidy()
    assert here.ended


def test_more_than_can_be_held_end_and_are_revoked(
    sessions: Sessions, service: Service, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(all_sessions, "MOST", 1)
    oldest = sessions.open(someone(sessions, service, clock, "one"))
    newest = sessions.open(someone(sessions, service, clock, "two"))
    assert sessions.find(oldest) is None
    assert sessions.find(newest) is not None
    sessions.tidy()
    assert service.revoked == ["one"]
