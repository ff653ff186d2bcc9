from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.markets.sample import EventKind, Schedule
from backend.markets.sample.calibration import load_shipped_calibration
from backend.markets.sample.event_schedule import EPOCH
from tests.support.sample_events import CYCLE, events_at, next_event

SCHEDULE = Schedule(load_shipped_calibration().cast)
ANY_TIME = st.datetimes(datetime(2020, 1, 1), datetime(2040, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001
PHASES = {EventKind.CALM, EventKind.TREND, EventKind.CRASH, EventKind.RECOVERY, EventKind.RANGE}


@given(ANY_TIME)
def test_the_market_is_in_exactly_one_phase_at_any_time(time: datetime) -> None:
    assert len([event for event in events_at(SCHEDULE, time) if event.kind in PHASES]) == 1


@given(ANY_TIME)
def test_something_is_divergent_something_halted_and_something_new_at_any_time(time: datetime) -> None:
    for kind in (EventKind.DIVERGENCE, EventKind.LISTING):
        assert SCHEDULE.active(kind, time)
    quarter_hour_ago = time - timedelta(minutes=20)
    assert [event for event in SCHEDULE.active(EventKind.HALT, time) if event.starts <= quarter_hour_ago]


@given(ANY_TIME, st.sampled_from(list(EventKind)))
def test_the_next_event_of_a_kind_is_on_when_it_starts(after: datetime, kind: EventKind) -> None:
    event = next_event(SCHEDULE, kind, after)
    assert after <= event.starts < after + CYCLE
    assert event in events_at(SCHEDULE, event.starts)
    assert event in events_at(SCHEDULE, event.ends - timedelta(seconds=1))
    assert event not in events_at(SCHEDULE, event.ends)


@given(ANY_TIME)
def test_a_cycle_later_the_same_is_on(time: datetime) -> None:
    now, later = events_at(SCHEDULE, time), events_at(SCHEDULE, time + CYCLE)
    assert [(event.kind, event.assets, event.starts + CYCLE) for event in now] == [
        (event.kind, event.assets, event.starts) for event in later
    ]


def test_an_event_that_runs_into_the_next_cycle_is_still_on_there() -> None:
    last = SCHEDULE.cast.divergent[2]
    after_midnight = [
        event for event in SCHEDULE.active(EventKind.DIVERGENCE, EPOCH) if event.assets == (last,)
    ]
    assert [event.starts for event in after_midnight] == [EPOCH - timedelta(days=10)]


@pytest.mark.parametrize("kind", [EventKind.OUTAGE, EventKind.THROTTLE])
def test_the_failures_of_one_view_can_be_asked_for(kind: EventKind) -> None:
    event = next_event(SCHEDULE, kind, EPOCH)
    assert event.provider is not None
    assert SCHEDULE.active(kind, event.starts, event.provider) == [event]
    assert not SCHEDULE.active(kind, event.starts, "another-view")


def test_one_of_the_two_views_answers_at_any_time() -> None:
    for kind in (EventKind.OUTAGE, EventKind.THROTTLE):
        for window in (each for each in SCHEDULE.windows if each.kind is kind):
            for number in range(CYCLE // timedelta(hours=window.every)):
                event = window.occurrence(number)
                refused = [
                    other
                    for instant in (event.starts, event.ends - timedelta(seconds=1))
                    for failure in (EventKind.OUTAGE, EventKind.THROTTLE)
                    for other in SCHEDULE.active(failure, instant)
                ]
                assert {other.provider for other in refused} == {event.provider}


def test_the_newcomer_is_between_six_and_seven_days_old() -> None:
    for hour in range(0, 24, 5):
        time = datetime(2026, 5, 3, hour, 59, tzinfo=UTC)
        assert timedelta(days=6) <= time - SCHEDULE.listed_at(time) < timedelta(days=7)
