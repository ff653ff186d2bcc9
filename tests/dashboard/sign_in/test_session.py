"""Tokens are refreshed in time, by one thread, once; and a session that is over stays over."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from dashboard.sign_in.oauth_client import Refused, Tokens, Unavailable
from dashboard.sign_in.session import AGAIN_SECONDS, SURE_SECONDS, Session
from tests.support.waiting import LIMIT_SECONDS

HOUR = 3600.0


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Service:
    """Gives each refresh token once, as the service does, and counts what it was asked."""

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
        "ann", tokens, service.renew, service.discarded.append, clock=clock, wall=lambda: 1e9 + clock.now
    )


def bearer(number: int) -> dict[str, str]:
    return {"Authorization": f"Bearer access-{number}"}


def test_a_young_token_is_used_as_it_is(session: Session, service: Service, clock: Clock) -> None:
    clock.now = HOUR - 301
    assert session.credential() == bearer(1)
    assert service.used == []


def test_a_token_is_refreshed_ahead_of_its_end(session: Session, service: Service, clock: Clock) -> None:
    clock.now = HOUR - 299
    assert session.credential() == bearer(2)
    clock.now += HOUR - 299
    assert session.credential() == bearer(3)
    assert service.used == ["refresh-1", "refresh-2"]


def test_fifty_threads_at_the_end_refresh_once(session: Session, service: Service, clock: Clock) -> None:
    clock.now = HOUR + 1
    together = threading.Barrier(50)

    def ask(_: int) -> object:
        together.wait(LIMIT_SECONDS)
        return session.credential()

    with ThreadPoolExecutor(50) as pool:
        assert list(pool.map(ask, range(50))) == [bearer(2)] * 50
    assert service.used == ["refresh-1"]


def test_while_the_old_token_is_good_nobody_waits_for_the_new_one(
    session: Session, service: Service, clock: Clock
) -> None:
    clock.now = HOUR - 100
    seen: list[object] = []

    def beside() -> None:
        thread = threading.Thread(target=lambda: seen.append(session.credential()))
        thread.start()
        thread.join(LIMIT_SECONDS)

    service.while_asked = beside
    assert session.credential() == bearer(2)
    assert seen == [bearer(1)]


def test_a_token_that_is_refused_before_its_time_ends_the_session(session: Session, service: Service) -> None:
    told: list[str] = []
    session.when_ended(lambda: told.append("ended"))
    assert not session.handle_rejection(session.credential())
    assert session.ended
    assert (session.credential(), session.is_verified, told) == ({}, False, ["ended"])
    assert [tokens.refresh for tokens in service.discarded] == ["refresh-1"], "nobody may refresh it any more"
    assert service.used == []


def test_a_token_that_was_replaced_meanwhile_is_tried_anew(
    session: Session, service: Service, clock: Clock
) -> None:
    sent = session.credential()
    clock.now = HOUR - 10
    session.credential()
    assert session.handle_rejection(sent)
    assert not session.ended


def test_a_token_that_is_over_for_the_service_is_refreshed(
    session: Session, service: Service, clock: Clock
) -> None:
    service.fault = Unavailable("down")
    clock.now = HOUR + 1
    sent = session.credential()
    service.fault = None
    clock.now += AGAIN_SECONDS
    assert session.handle_rejection(sent)
    assert session.credential() == bearer(3)


def test_after_the_machine_slept_a_refused_token_is_refreshed_and_nobody_signed_out(
    service: Service, clock: Clock
) -> None:
    wall = Clock()
    wall.now = 1e9
    tokens = Tokens("access-1", "refresh-1", HOUR, ("read",))
    session = Session("ann", tokens, service.renew, service.discarded.append, clock=clock, wall=wall)
    clock.now += 60
    wall.now += 2 * HOUR
    assert session.handle_rejection(session.credential())
    assert session.credential() == bearer(2)
    assert service.discarded == []
    assert not session.handle_rejection(session.credential()), (
        "the new one is refused before its time by both"
    )
    assert session.ended


def test_a_refused_refresh_ends_the_session(session: Session, service: Service, clock: Clock) -> None:
    told: list[str] = []
    session.when_ended(lambda: told.append("ended"))
    service.fault = Refused("invalid_grant")
    clock.now = HOUR - 10
    assert session.credential() == {}
    assert session.ended
    assert told == ["ended"]
    assert session.credential() == {}
    assert service.used == ["refresh-1"]


def test_a_service_that_is_down_ends_nothing_and_is_not_asked_at_once_again(
    session: Session, service: Service, clock: Clock
) -> None:
    service.fault = Unavailable("down")
    clock.now = HOUR - 100
    assert [session.credential() for _ in range(3)] == [bearer(1)] * 3
    assert service.used == ["refresh-1"]
    service.fault = None
    clock.now += AGAIN_SECONDS
    assert session.credential() == bearer(3)


def test_who_signs_out_during_a_refresh_leaves_no_token_behind(
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


def test_an_answer_counts_for_a_moment_from_when_it_was_asked_for(session: Session, clock: Clock) -> None:
    clock.now = 10.0
    assert not session.is_verified
    session.record_acceptance(9.0)
    assert session.is_verified
    clock.now = 9.0 + SURE_SECONDS
    assert not session.is_verified


def test_nothing_of_a_session_tells_a_token(session: Session) -> None:
    assert "access-1" not in repr(session)
    assert "refresh-1" not in repr(Tokens("access-1", "refresh-1", HOUR, ()))


def test_who_listens_after_the_end_is_told_at_once_and_who_left_is_not(session: Session) -> None:
    told: list[str] = []
    session.when_ended(lambda: told.append("left"))()
    assert not session.watched
    session.end()
    session.when_ended(lambda: told.append("late"))
    assert told == ["late"]
