"""Tokens are refreshed ahead of expiry by one thread, and an ended session stays ended."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from dashboard.sign_in.oauth_client import OAuthError, ServiceUnavailableError, Tokens
from dashboard.sign_in.session import RETRY_SECONDS, VERIFIED_SECONDS, Session
from tests.support.waiting import LIMIT_SECONDS

HOUR = 3600.0


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Service:
    """Issues numbered tokens and records the used refresh tokens."""

    def __init__(self) -> None:
        self.used: list[str | None] = []
        self.discarded: list[Tokens] = []
        self.fault: Exception | None = None
        self.while_asked: Callable[[], object] = lambda: None

    def renew(self, tokens: Tokens) -> Tokens:
        self.used.append(tokens.refresh)
        self.while_asked()
        if self.fault is not None:
            raise self.fault
        number = len(self.used) + 1
        return Tokens(f"access-{number}", f"refresh-{number}", HOUR, tokens.scopes)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def session(service: Service, clock: Clock) -> Session:
    tokens = Tokens("access-1", "refresh-1", HOUR, ("read",))
    return Session(
        "ann",
        tokens,
        service.renew,
        service.discarded.append,
        clock=clock,
        wall_clock=lambda: 1e9 + clock.now,
    )


def bearer(number: int) -> dict[str, str]:
    return {"Authorization": f"Bearer access-{number}"}


def test_a_new_token_is_not_refreshed(session: Session, service: Service, clock: Clock) -> None:
    clock.now = HOUR - 301
    assert session.credential() == bearer(1)
    assert service.used == []


def test_a_token_is_refreshed_ahead_of_its_expiry(session: Session, service: Service, clock: Clock) -> None:
    clock.now = HOUR - 299
    assert session.credential() == bearer(2)
    clock.now += HOUR - 299
    assert session.credential() == bearer(3)
    assert service.used == ["refresh-1", "refresh-2"]


def test_fifty_threads_refresh_an_expired_token_once(
    session: Session, service: Service, clock: Clock
) -> None:
    clock.now = HOUR + 1
    together = threading.Barrier(50)

    def ask(_: int) -> object:
        together.wait(LIMIT_SECONDS)
        return session.credential()

    with ThreadPoolExecutor(50) as pool:
        assert list(pool.map(ask, range(50))) == [bearer(2)] * 50
    assert service.used == ["refresh-1"]


def test_while_the_old_token_is_valid_other_threads_do_not_wait(
    session: Session, service: Service, clock: Clock
) -> None:
    clock.now = HOUR - 100
    seen: list[object] = []

    def read_credential_in_thread() -> None:
        thread = threading.Thread(target=lambda: seen.append(session.credential()))
        thread.start()
        thread.join(LIMIT_SECONDS)

    service.while_asked = read_credential_in_thread
    assert session.credential() == bearer(2)
    assert seen == [bearer(1)]


def test_a_token_rejected_before_its_expiry_ends_the_session(session: Session, service: Service) -> None:
    events: list[str] = []
    session.add_end_listener(lambda: events.append("ended"))
    assert not session.handle_rejection(session.credential())
    assert session.ended
    assert (session.credential(), session.is_verified, events) == ({}, False, ["ended"])
    assert [tokens.refresh for tokens in service.discarded] == ["refresh-1"], "nobody may refresh it any more"
    assert service.used == []


def test_a_rejected_token_that_was_replaced_is_retried(
    session: Session, service: Service, clock: Clock
) -> None:
    credential = session.credential()
    clock.now = HOUR - 10
    session.credential()
    assert session.handle_rejection(credential)
    assert not session.ended


def test_a_rejected_expired_token_is_refreshed(session: Session, service: Service, clock: Clock) -> None:
    service.fault = ServiceUnavailableError("down")
    clock.now = HOUR + 1
    credential = session.credential()
    service.fault = None
    clock.now += RETRY_SECONDS
    assert session.handle_rejection(credential)
    assert session.credential() == bearer(3)


def test_after_the_machine_slept_a_rejected_token_is_refreshed(service: Service, clock: Clock) -> None:
    wall = Clock()
    wall.now = 1e9
    tokens = Tokens("access-1", "refresh-1", HOUR, ("read",))
    session = Session("ann", tokens, service.renew, service.discarded.append, clock=clock, wall_clock=wall)
    clock.now += 60
    wall.now += 2 * HOUR
    assert session.handle_rejection(session.credential())
    assert session.credential() == bearer(2)
    assert service.discarded == []
    assert not session.handle_rejection(session.credential()), (
        "the new one is refused before its time by both"
    )
    assert session.ended


def test_a_rejected_refresh_ends_the_session(session: Session, service: Service, clock: Clock) -> None:
    events: list[str] = []
    session.add_end_listener(lambda: events.append("ended"))
    service.fault = OAuthError("invalid_grant")
    clock.now = HOUR - 10
    assert session.credential() == {}
    assert session.ended
    assert events == ["ended"]
    assert session.credential() == {}
    assert service.used == ["refresh-1"]


def test_an_unavailable_service_ends_no_session_and_is_retried_later(
    session: Session, service: Service, clock: Clock
) -> None:
    service.fault = ServiceUnavailableError("down")
    clock.now = HOUR - 100
    assert [session.credential() for _ in range(3)] == [bearer(1)] * 3
    assert service.used == ["refresh-1"]
    service.fault = None
    clock.now += RETRY_SECONDS
    assert session.credential() == bearer(3)


def test_a_sign_out_during_a_refresh_leaves_no_token(
    session: Session, service: Service, clock: Clock
) -> None:
    clock.now = HOUR - 10
    ended: list[Tokens | None] = []
    leaving = threading.Thread(target=lambda: ended.append(session.end()))
    service.while_asked = leaving.start
    session.credential()
    leaving.join(LIMIT_SECONDS)
    assert [tokens.refresh for tokens in ended if tokens] == ["refresh-2"]
    assert session.credential() == {}
    assert session.end() is None


def test_a_response_verifies_the_session_from_the_time_of_its_request(session: Session, clock: Clock) -> None:
    clock.now = 10.0
    assert not session.is_verified
    session.record_acceptance(9.0)
    assert session.is_verified
    clock.now = 9.0 + VERIFIED_SECONDS
    assert not session.is_verified


def test_the_repr_of_a_session_contains_no_token(session: Session) -> None:
    assert "access-1" not in repr(session)
    assert "refresh-1" not in repr(Tokens("access-1", "refresh-1", HOUR, ()))


def test_a_late_listener_is_called_at_once_and_a_removed_one_never(session: Session) -> None:
    events: list[str] = []
    session.add_end_listener(lambda: events.append("left"))()
    assert not session.has_open_page
    session.end()
    session.add_end_listener(lambda: events.append("late"))
    assert events == ["late"]
