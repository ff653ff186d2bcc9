import logging

import pytest

from backend.jobs.log_throttle import MAX_REMEMBERED_MESSAGES, REPEAT_SECONDS, RepeatedWarningFilter

TRACEBACK = (
    "Exception in schedule 'refresh': Traceback (most recent call last):\n"
    '  File "engine.py", line 1, in commit\n'
    "sqlite3.OperationalError: disk I/O error\n\n"
    "The above exception was the direct cause of the following exception:\n\n"
    "sqlalchemy.exc.OperationalError: {}\n"
    "[parameters: ('{}',)]\n"
)


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def log(clock: Clock) -> logging.Logger:
    logger = logging.Logger("one that repeats itself")
    logger.addFilter(RepeatedWarningFilter(clock))
    return logger


class Kept(logging.Handler):
    """Keeps what is told."""

    def __init__(self, passed: list[str]) -> None:
        super().__init__()
        self._passed = passed

    def emit(self, record: logging.LogRecord) -> None:
        self._passed.append(record.getMessage())


@pytest.fixture
def told(log: logging.Logger) -> list[str]:
    """What passed."""
    passed: list[str] = []
    log.addHandler(Kept(passed))
    return passed


def test_a_fault_is_told_in_full_and_then_left_out(log: logging.Logger, told: list[str]) -> None:
    for tick in range(100):
        log.warning(TRACEBACK.format("disk I/O error", tick))
    assert told == [TRACEBACK.format("disk I/O error", 0)]


def test_it_is_told_again_after_a_while_with_the_number_of_times(
    log: logging.Logger, told: list[str], clock: Clock
) -> None:
    for _ in range(4):
        log.error("The store does not answer: %s", "100% full")
    clock.now += REPEAT_SECONDS
    log.error("The store does not answer: %s", "100% full")
    log.error("The store does not answer: %s", "100% full")
    assert told == [
        "The store does not answer: 100% full",
        "The store does not answer: 100% full (and 3 times since this was last logged)",
    ]


def test_another_fault_in_the_same_place_is_told(log: logging.Logger, told: list[str]) -> None:
    log.warning(TRACEBACK.format("disk I/O error", 1))
    log.warning(TRACEBACK.format("database is locked", 1))
    log.warning("Exception in schedule 'other': " + TRACEBACK.partition(": ")[2].format("disk I/O error", 1))
    assert len(told) == 3


def test_what_is_no_warning_is_never_left_out(log: logging.Logger, told: list[str]) -> None:
    log.info("started")
    log.info("started")
    assert told == ["started"] * 2


def test_ever_other_faults_do_not_fill_the_memory(log: logging.Logger, told: list[str]) -> None:
    for number in range(3 * MAX_REMEMBERED_MESSAGES):
        log.warning("fault %d", number)
    assert len(told) == 3 * MAX_REMEMBERED_MESSAGES
    kept = log.filters[0]
    assert isinstance(kept, RepeatedWarningFilter)
    assert len(kept._last_logged) <= MAX_REMEMBERED_MESSAGES
