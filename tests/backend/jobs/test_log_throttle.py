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


class RecordingHandler(logging.Handler):
    """Records the messages that are logged."""

    def __init__(self, passed: list[str]) -> None:
        super().__init__()
        self._passed = passed

    def emit(self, record: logging.LogRecord) -> None:
        self._passed.append(record.getMessage())


@pytest.fixture
def messages(log: logging.Logger) -> list[str]:
    """The messages that passed the filter."""
    passed: list[str] = []
    log.addHandler(RecordingHandler(passed))
    return passed


def test_repeated_warning_is_logged_once_in_full(log: logging.Logger, messages: list[str]) -> None:
    for tick in range(100):
        log.warning(TRACEBACK.format("disk I/O error", tick))
    assert messages == [TRACEBACK.format("disk I/O error", 0)]


def test_repeated_warning_is_logged_again_after_an_interval_with_its_count(
    log: logging.Logger, messages: list[str], clock: Clock
) -> None:
    for _ in range(4):
        log.error("The store does not answer: %s", "100% full")
    clock.now += REPEAT_SECONDS
    log.error("The store does not answer: %s", "100% full")
    log.error("The store does not answer: %s", "100% full")
    assert messages == [
        "The store does not answer: 100% full",
        "The store does not answer: 100% full (and 3 times since this was last logged)",
    ]


def test_different_warnings_from_the_same_place_are_logged(log: logging.Logger, messages: list[str]) -> None:
    log.warning(TRACEBACK.format("disk I/O error", 1))
    log.warning(TRACEBACK.format("database is locked", 1))
    log.warning("Exception in schedule 'other': " + TRACEBACK.partition(": ")[2].format("disk I/O error", 1))
    assert len(messages) == 3


def test_info_messages_are_never_suppressed(log: logging.Logger, messages: list[str]) -> None:
    log.info("started")
    log.info("started")
    assert messages == ["started"] * 2


def test_number_of_remembered_warnings_is_bounded(log: logging.Logger, messages: list[str]) -> None:
    for number in range(3 * MAX_REMEMBERED_MESSAGES):
        log.warning("fault %d", number)
    assert len(messages) == 3 * MAX_REMEMBERED_MESSAGES
    warning_filter = log.filters[0]
    assert isinstance(warning_filter, RepeatedWarningFilter)
    assert len(warning_filter._last_logged) <= MAX_REMEMBERED_MESSAGES
