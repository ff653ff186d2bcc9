from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from dbos import DBOS
from hypothesis import given
from hypothesis import strategies as st

from backend.jobs.schedules import DAY, HOUR, MINUTE, Schedule, Ticker
from backend.jobs.worker_slots import FileLocks
from tests.support.test_session.thread_isolation import capture_logs_of_this_thread

NOW = datetime(2026, 5, 18, 12, 0, 0, tzinfo=UTC)
PERIODS = [
    *(seconds for seconds in range(1, MINUTE) if MINUTE % seconds == 0),
    *(minutes * MINUTE for minutes in range(1, 60) if 60 % minutes == 0),
    *(hours * HOUR for hours in range(1, 25) if 24 % hours == 0),
]


def nothing(now: datetime) -> None:
    """A schedule that does nothing."""


@pytest.fixture
def ticker(tmp_path: Path) -> Callable[..., Ticker]:
    def make(*schedules: Schedule, at: datetime = NOW) -> Ticker:
        return Ticker(schedules, FileLocks(tmp_path), clock=lambda: at)

    return make


@pytest.mark.parametrize("seconds", PERIODS)
def test_ticks_are_evenly_spaced_and_aligned_to_the_day(seconds: int) -> None:
    schedule = Schedule("x", seconds, nothing)
    midnight = datetime(2026, 5, 18, tzinfo=UTC)
    for number in range(min(DAY // seconds, 100)):
        tick = midnight + timedelta(seconds=seconds * number)
        assert schedule.last_tick(tick) == tick
        assert schedule.last_tick(tick + timedelta(seconds=seconds, microseconds=-1)) == tick


@given(st.integers(-10, 2 * DAY).filter(lambda seconds: seconds not in PERIODS))
def test_period_that_does_not_divide_a_minute_hour_or_day_is_rejected(seconds: int) -> None:
    with pytest.raises(ValueError, match=f"divides a minute, an hour or a day evenly; {seconds} s does not"):
        Schedule("x", seconds, nothing)


@pytest.mark.parametrize("name", ["", "Market", "two words", "a--b", "../x", "a_b"])
def test_schedule_name_that_is_not_a_valid_file_name_is_rejected(name: str) -> None:
    with pytest.raises(ValueError, match="lower-case words joined by hyphens"):
        Schedule(name, 15, nothing)


def test_tick_runs_with_the_current_time(ticker: Callable[..., Ticker]) -> None:
    times: list[datetime] = []
    schedule = Schedule("x", 15, times.append)

    assert ticker(schedule, at=NOW + timedelta(seconds=2)).tick("x", NOW) == "ran"
    assert times == [NOW + timedelta(seconds=2)]


def test_tick_older_than_its_period_is_skipped(ticker: Callable[..., Ticker]) -> None:
    times: list[datetime] = []
    schedule = Schedule("x", 15, times.append)

    late = ticker(schedule, at=NOW + timedelta(seconds=15, microseconds=1))

    assert late.tick("x", NOW) == "stale"
    assert late.tick("x", NOW + timedelta(seconds=15)) == "ran"
    assert len(times) == 1


@given(st.sampled_from([period for period in PERIODS if period >= 15]), st.integers(0, 10_000))
def test_at_most_two_ticks_run_after_a_suspend(period: int, missed: int) -> None:
    schedule = Schedule("x", period, nothing)
    woken = NOW + timedelta(seconds=period * missed)
    first = max(0, missed - 20)
    due = [NOW + timedelta(seconds=period * number) for number in range(first, missed + 1)]

    assert len([tick for tick in due if woken - tick <= schedule.stale_after]) <= 2


def test_normal_tick_delay_does_not_make_a_tick_stale() -> None:
    for period in PERIODS:
        jitter = min(period / 10, 10)
        poll = 1.05
        assert timedelta(seconds=jitter + poll) < Schedule("x", period, nothing).stale_after


def test_a_tick_is_skipped_while_the_last_one_runs(ticker: Callable[..., Ticker], tmp_path: Path) -> None:
    inside: list[str] = []
    schedule = Schedule("slow", 15, lambda now: inside.append(second_ticker.tick("slow", now)))
    first_ticker, second_ticker = ticker(schedule), Ticker([schedule], FileLocks(tmp_path), clock=lambda: NOW)

    assert first_ticker.tick("slow", NOW) == "ran"
    assert inside == ["overlapped"], "another process's too, since the lock is the store's"
    assert second_ticker.tick("slow", NOW) == "ran", "and the next one after it runs"


def test_schedules_do_not_block_each_other(ticker: Callable[..., Ticker]) -> None:
    outcomes: list[str] = []
    quick = Schedule("quick", 15, nothing)
    slow = Schedule("slow", 15, lambda now: outcomes.append(both_schedules.tick("quick", now)))
    both_schedules = ticker(quick, slow)

    both_schedules.tick("slow", NOW)

    assert outcomes == ["ran"]


def test_failing_tick_is_logged_once_and_later_ticks_run(
    ticker: Callable[..., Ticker], monkeypatch: pytest.MonkeyPatch
) -> None:
    logged: list[tuple[str, str]] = []
    monkeypatch.setattr(
        "backend.jobs.schedules.log.exception",
        lambda event, **words: logged.append((event, words["schedule"])),
    )
    runs: list[datetime] = []

    def fail(now: datetime) -> None:
        runs.append(now)
        raise ValueError("each time")

    failing = ticker(Schedule("failing", 15, fail))

    assert failing.tick("failing", NOW) == "failed"
    assert logged == [("schedule_failed", "failing")]
    assert failing.tick("failing", NOW) == "failed"
    assert len(runs) == 2


def test_a_failed_tick_is_logged_with_its_traceback(
    ticker: Callable[..., Ticker], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(now: datetime) -> None:
        raise ValueError("told in the log")

    with capture_logs_of_this_thread() as logs:
        ticker(Schedule("failing", 15, fail)).tick("failing", NOW)

    assert [entry["event"] for entry in logs] == ["schedule_failed"]
    assert logs[0]["exc_info"]
    assert logs[0]["tick"] == "2026-05-18T12:00:00+00:00"


def test_tick_of_a_removed_schedule_does_nothing(ticker: Callable[..., Ticker]) -> None:
    assert ticker().tick("gone", NOW) == "unknown"


def test_calls_inside_a_tick_are_not_recorded_as_steps(ticker: Callable[..., Ticker]) -> None:
    details: list[str | None] = []
    schedule = Schedule("x", 15, lambda now: details.append(DBOS.workflow_id))

    ticker(schedule).tick("x", NOW)

    assert details == [None]
