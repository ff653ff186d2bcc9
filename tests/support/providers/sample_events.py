"""Finds events in the schedule of the sample market."""

from datetime import datetime, timedelta

from backend.markets.sample import Event, EventKind, Schedule
from backend.markets.sample.event_schedule import CYCLE_HOURS

CYCLE = timedelta(hours=CYCLE_HOURS)


def events_at(schedule: Schedule, time: datetime) -> tuple[Event, ...]:
    """List the events at ``time``."""
    return tuple(event for window in schedule.windows for event in window.at(time))


def next_event(schedule: Schedule, kind: EventKind, after: datetime) -> Event:
    """Find the first event of ``kind`` that starts at or after ``after``."""
    candidates: list[Event] = []
    for window in schedule.windows:
        if window.kind is kind:
            number = window.number_at(after)
            event = window.occurrence(number)
            candidates.append(event if event.starts >= after else window.occurrence(number + 1))
    return min(candidates, key=lambda event: event.starts)
