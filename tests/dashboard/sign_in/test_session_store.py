"""Sessions are found by their secret, end in time, and their tokens are revoked."""

import pytest

from dashboard.sign_in import session_store
from dashboard.sign_in.oauth_client import OAuthError, ServiceUnavailableError, Tokens
from dashboard.sign_in.session import Session
from dashboard.sign_in.session_store import (
    IDLE_TIMEOUT_SECONDS,
    MAX_SESSION_SECONDS,
    REVOCATION_RETRY_SECONDS,
    SessionStore,
)


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
def sessions(service: Service, clock: Clock) -> SessionStore:
    return SessionStore(service.revoke, service.sign_out, clock=clock)


def build_session(sessions: SessionStore, service: Service, clock: Clock, token: str = "a") -> Session:
    tokens = Tokens(token, "r", 10 * MAX_SESSION_SECONDS, ("read",))
    return Session("ann", tokens, service.renew, sessions.queue_revocation, clock=clock)


def test_a_session_is_found_only_by_its_secret(
    sessions: SessionStore, service: Service, clock: Clock
) -> None:
    session = build_session(sessions, service, clock)
    secret = sessions.add(session)
    assert sessions.find(secret) is session
    for invalid_secret in (None, "", session.id, session.csrf, secret + "a", "\ud800"):
        assert sessions.find(invalid_secret) is None


def test_two_sign_ins_have_two_secrets(sessions: SessionStore, service: Service, clock: Clock) -> None:
    first, second = build_session(sessions, service, clock), build_session(sessions, service, clock)
    assert sessions.add(first) != sessions.add(second)
    assert first.id != second.id


def test_signing_out_revokes_the_tokens_and_removes_the_session(
    sessions: SessionStore, service: Service, clock: Clock
) -> None:
    session = build_session(sessions, service, clock)
    secret = sessions.add(session)
    assert sessions.sign_out(session)
    assert service.signed_out == ["a"]
    assert sessions.find(secret) is None
    assert sessions.sign_out(session)
    assert service.revoked == ["a"]


def test_a_failed_revocation_is_retried(sessions: SessionStore, service: Service, clock: Clock) -> None:
    session = build_session(sessions, service, clock)
    secret = sessions.add(session)
    service.fault = ServiceUnavailableError("down")
    assert not sessions.sign_out(session)
    assert sessions.find(secret) is None, "here it is over at once"
    sessions.cleanup()
    service.fault = None
    sessions.cleanup()
    assert service.revoked == [], "not every second"
    clock.now += REVOCATION_RETRY_SECONDS
    sessions.cleanup()
    sessions.cleanup()
    assert service.signed_out == service.revoked == ["a"]


def test_a_rejected_revocation_is_not_retried(sessions: SessionStore, service: Service, clock: Clock) -> None:
    service.fault = OAuthError("invalid_client")
    session = build_session(sessions, service, clock)
    sessions.add(session)
    assert sessions.sign_out(session)
    assert sessions._pending_revocations == type(sessions._pending_revocations)()


def test_an_idle_session_ends_unless_a_page_is_open(
    sessions: SessionStore, service: Service, clock: Clock
) -> None:
    away, here = (
        build_session(sessions, service, clock, "away"),
        build_session(sessions, service, clock, "here"),
    )
    secrets = sessions.add(away), sessions.add(here)
    here.add_end_listener(lambda: None)
    clock.now = IDLE_TIMEOUT_SECONDS + 1
    sessions.cleanup()
    assert [sessions.find(secret) for secret in secrets] == [None, here]
    assert (service.revoked, service.signed_out) == (["away"], []), "they may be busy at another dashboard"
    clock.now = MAX_SESSION_SECONDS + 1
    sessions.cleanup()
    assert here.ended


def test_the_oldest_session_ends_above_the_maximum(
    sessions: SessionStore, service: Service, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_store, "MAX_SESSIONS", 1)
    oldest = sessions.add(build_session(sessions, service, clock, "one"))
    newest = sessions.add(build_session(sessions, service, clock, "two"))
    assert sessions.find(oldest) is None
    assert sessions.find(newest) is not None
    sessions.cleanup()
    assert service.revoked == ["one"]
