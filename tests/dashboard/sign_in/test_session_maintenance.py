"""Sessions are checked on time, even if the cleanup hangs."""

import logging
import threading
from collections.abc import Iterator

import pytest

from dashboard.sign_in.oauth_client import Tokens
from dashboard.sign_in.service import SignInService
from dashboard.sign_in.session import Session
from dashboard.sign_in.session_maintenance import SessionMaintenance
from tests.support.waiting import LIMIT_SECONDS


class HangingCleanup:
    """A cleanup that waits until ``goes_on`` is set."""

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
def cleanup(sign_in_service: SignInService, monkeypatch: pytest.MonkeyPatch) -> HangingCleanup:
    hanging = HangingCleanup()
    monkeypatch.setattr(sign_in_service.sessions, "cleanup", hanging)
    return hanging


@pytest.fixture
def maintenance(sign_in_service: SignInService, cleanup: HangingCleanup) -> Iterator[SessionMaintenance]:
    started = SessionMaintenance(sign_in_service, reject)
    yield started
    cleanup.goes_on.set()
    started.stop()


def reject(session: Session) -> None:
    """Report every session as revoked."""
    session.handle_rejection(session.credential())


def open_session(sign_in_service: SignInService) -> Session:
    tokens = Tokens("a", None, 3600.0, ("read",))
    session = Session("ann", tokens, lambda held: held, sign_in_service.sessions.queue_revocation)
    sign_in_service.sessions.add(session)
    session.add_end_listener(lambda: None)
    session._verified_at -= 60
    return session


def test_a_hanging_cleanup_does_not_delay_the_check_of_revoked_sessions(
    sign_in_service: SignInService, maintenance: SessionMaintenance, cleanup: HangingCleanup
) -> None:
    for _ in range(3):
        session = open_session(sign_in_service)
        maintenance.run_once()
        assert session.ended
    assert cleanup.begun.acquire(timeout=LIMIT_SECONDS)
    assert cleanup.times == 1, "one at a time"


def test_an_error_of_the_cleanup_is_logged_and_the_next_one_runs(
    maintenance: SessionMaintenance, cleanup: HangingCleanup, caplog: pytest.LogCaptureFixture
) -> None:
    cleanup.fault = RuntimeError("out of order")
    cleanup.goes_on.set()
    for _ in range(2):
        maintenance.run_once()
        assert maintenance._cleanup_task is not None
        maintenance._cleanup_task.result(LIMIT_SECONDS)
    assert cleanup.times == 2
    records = [record for record in caplog.records if record.name == "dashboard.sign_in.session_maintenance"]
    assert [record.exc_info[1] for record in records if record.exc_info] == [cleanup.fault] * 2
    assert {record.levelno for record in records} == {logging.ERROR}
