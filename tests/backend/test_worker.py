"""Tests how a worker starts on a read-only store; end-to-end tests cover its processes."""

import signal
from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from backend.runtime.processes import STOP_SIGNALS, StopRequest
from backend.worker import restart_delay_seconds, retry_until_stopped
from tests.support.test_session.thread_isolation import capture_logs_of_this_thread

FULL = sa.exc.OperationalError("INSERT", {}, Exception("database or disk is full"))


@pytest.fixture
def stop() -> Iterator[StopRequest]:
    before = {number: signal.getsignal(number) for number in STOP_SIGNALS}
    yield StopRequest()
    for number, handler in before.items():
        signal.signal(number, handler)


class Start:
    """Fails as often as there are ``faults``."""

    def __init__(self, *faults: Exception) -> None:
        self.faults = list(faults)
        self.attempts = 0

    def __call__(self) -> str:
        self.attempts += 1
        if self.faults:
            raise self.faults.pop(0)
        return "begun"


def test_a_start_is_tried_until_there_is_room_and_the_fault_is_told_once(stop: StopRequest) -> None:
    start = Start(FULL, OSError(28, "No space left on device"), FULL)
    with capture_logs_of_this_thread() as body:
        assert retry_until_stopped(start, stop, retry_seconds=0) == "begun"
    assert start.attempts == 4
    assert [(line["event"], line["reason"]) for line in body] == [
        ("store_wait_started", "database or disk is full")
    ]


def test_a_stop_ends_the_waiting(stop: StopRequest) -> None:
    def full() -> None:
        signal.raise_signal(signal.SIGTERM)
        raise FULL

    assert retry_until_stopped(full, stop, retry_seconds=3600) is None


def test_nothing_begins_after_a_stop(stop: StopRequest) -> None:
    signal.raise_signal(signal.SIGTERM)
    start = Start()
    assert retry_until_stopped(start, stop) is None
    assert start.attempts == 0


def test_a_fault_that_waiting_does_not_mend_is_raised(stop: StopRequest) -> None:
    wrong = sa.exc.ProgrammingError("SELECT", {}, Exception("permission denied"))
    with pytest.raises(sa.exc.ProgrammingError):
        retry_until_stopped(Start(wrong), stop, retry_seconds=0)


def test_the_pause_grows_with_each_loss_of_the_locks_up_to_half_a_minute() -> None:
    assert [restart_delay_seconds(lost_count) for lost_count in (1, 2, 3, 5, 6, 2000)] == [
        1,
        2,
        4,
        16,
        30,
        30,
    ]
