"""Who is signed in is looked after in time, whatever tidying waits for."""

import logging
import threading
from collections.abc import Iterator

import pytest

from dashboard.sign_in.oauth_client import Tokens
from dashboard.sign_in.service import Desk
from dashboard.sign_in.session import Session
from dashboard.sign_in.session_maintenance import Rounds
from tests.support.waiting import LIMIT_SECONDS


class Tidy:
    """What waits for a service that hangs until it ``goes_on``."""

    def __init__(self) -> None:
        self.begun, self.goes_on = threading.Semaphore(0), threading.Event()
        self.times = 0
        self.fault: Exception | None = None

    def __call__(self) -> None:
        self.times += 1
        self.begun.release()
        assert self.goes_on.wait(LIMIT_SECONDS)
        if self.fault is not None:
            raise self.fault


@pytest.fixture
def tidy(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Tidy:
    hanging = Tidy()
    monkeypatch.setattr(desk.sessions, "tidy", hanging)
    return hanging


@pytest.fixture
def rounds(desk: Desk, tidy: Tidy) -> Iterator[Rounds]:
    made = Rounds(desk, revoked)
    yield made
    tidy.goes_on.set()
    made.stop()


def revoked(session: Session) -> None:
    """The service's word on everybody."""
    session.handle_rejection(session.credential())


def watched(desk: Desk) -> Session:
    tokens = Tokens("a", None, 3600.0, ("read",))
    session = Session("ann", tokens, lambda held: held, desk.sessions.discard)
    desk.sessions.open(session)
    session.when_ended(lambda: None)
    session._sure_at -= 60
    return session


def test_tidying_that_hangs_keeps_no_page_open_that_was_revoked(
    desk: Desk, rounds: Rounds, tidy: Tidy
) -> None:
    for _ in range(3):
        session = watched(desk)
        rounds.once()
        assert session.ended
    assert tidy.begun.acquire(timeout=LIMIT_SECONDS)
    assert tidy.times == 1, "one at a time"


def test_what_goes_wrong_while_tidying_is_logged_and_tried_again(
    rounds: Rounds, tidy: Tidy, caplog: pytest.LogCaptureFixture
) -> None:
    tidy.fault = RuntimeError("out of order")
    tidy.goes_on.set()
    for _ in range(2):
        rounds.once()
        assert rounds._tidying is not None
        rounds._tidying.result(LIMIT_SECONDS)
    assert tidy.times == 2
    said = [record for record in caplog.records if record.name == "dashboard.sign_in.session_maintenance"]
    assert [record.exc_info[1] for record in said if record.exc_info] == [tidy.fault] * 2
    assert {record.levelno for record in said} == {logging.ERROR}
