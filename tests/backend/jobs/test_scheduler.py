"""Tests which tick is due and who starts it, on clocks that run, jump and go back."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

from backend.jobs.scheduler import find_due, find_free_id
from backend.jobs.schedules import Schedule

NOON = datetime(2026, 5, 18, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def nothing(_now: datetime) -> None:
    """A schedule that does nothing."""


QUARTER = Schedule("x", 15, nothing)


def test_tick_is_due_at_its_scheduled_time_and_not_before() -> None:
    following = NOON + 15 * SECOND
    assert find_due(QUARTER, following, NOON + 14 * SECOND) == (None, following)
    assert find_due(QUARTER, following, following) == (following, following + 15 * SECOND)


def test_only_the_last_tick_missed_in_a_clock_jump_is_due() -> None:
    later = NOON + timedelta(days=40, seconds=7)
    assert find_due(QUARTER, NOON + 15 * SECOND, later) == (later - 7 * SECOND, later + 8 * SECOND)


def test_next_tick_is_recomputed_when_the_clock_moves_back() -> None:
    earlier = NOON - timedelta(hours=1)
    assert find_due(QUARTER, NOON + 15 * SECOND, earlier) == (None, earlier + 15 * SECOND)


class Ticked:
    """The ticks that are stored, each with when that was."""

    def __init__(self, **at: datetime) -> None:
        self.at = at

    def __call__(self, workflow_id: str) -> Any:
        word = "again" if workflow_id.endswith("-again") else "first"
        stored = self.at.get(word)
        return None if stored is None else SimpleNamespace(created_at=int(stored.timestamp() * 1000))


def test_each_scheduled_time_has_one_tick() -> None:
    assert find_free_id(Ticked(), "x", NOON, NOON) == "sched-x-2026-05-18T12:00:00+00:00"
    assert find_free_id(Ticked(first=NOON), "x", NOON, NOON + SECOND) is None
    assert find_free_id(Ticked(first=NOON + 30 * SECOND), "x", NOON, NOON) is None, "another machine's clock"


def test_scheduled_time_repeated_after_a_clock_rollback_has_one_more_tick() -> None:
    before = {"first": NOON + timedelta(hours=1)}
    assert find_free_id(Ticked(**before), "x", NOON, NOON) == "sched-x-2026-05-18T12:00:00+00:00-again"
    assert find_free_id(Ticked(**before, again=NOON), "x", NOON, NOON + SECOND) is None
