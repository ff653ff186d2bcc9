from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.markets.sample import EventKind, Schedule
from backend.markets.sample.calibration import load_shipped_calibration
from backend.markets.sample.event_schedule import EPOCH
from tests.support.providers.sample_events import CYCLE, events_at, next_event

SCHEDULE = Schedule(load_shipped_calibration().event_assets)
ANY_TIME = st.datetimes(datetime(2020, 1, 1), datetime(2040, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001
PHASES = {EventKind.CALM, EventKind.TREND, EventKind.CRASH, EventKind.RECOVERY, EventKind.RANGE}


@given(ANY_TIME)
def test_the_market_is_in_exactly_one_phase_at_any_time(time: datetime) -> None:
    assert len([event for event in events_at(SCHEDULE, time) if event.kind in PHASES]) == 1


@given(ANY_TIME)
def test_at_any_time_one_asset_is_divergent_one_halted_and_one_new(time: datetime) -> None:
    for kind in (EventKind.DIVERGENCE, EventKind.LISTING):
        assert SCHEDULE.active(kind, time)
    quarter_hour_ago = time - timedelta(minutes=20)
    assert [event for event in SCHEDULE.active(EventKind.HALT, time) if event.starts <= quarter_hour_ago]


@given(ANY_TIME, st.sampled_from(list(EventKind)))
def test_the_next_event_of_a_kind_is_active_at_its_start(after: datetime, kind: EventKind) -> None:
    event = next_event(SCHEDULE, kind, after)
    assert after <= event.starts < after + CYCLE
    assert event in events_at(SCHEDULE, event.starts)
    assert event in events_at(SCHEDULE, event.ends - timedelta(seconds=1))
    assert event not in events_at(SCHEDULE, event.ends)


@given(ANY_TIME)
def test_events_repeat_after_a_cycle(time: datetime) -> None:
    now, later = events_at(SCHEDULE, time), events_at(SCHEDULE, time + CYCLE)
    assert [(event.kind, event.assets, event.starts + CYCLE) for event in now] == [
        (event.kind, event.assets, event.starts) for event in later
    ]


def test_an_event_continues_into_the_next_cycle() -> None:
    last = SCHEDULE.event_assets.divergent[2]
    after_midnight = [
        event for event in SCHEDULE.active(EventKind.DIVERGENCE, EPOCH) if event.assets == (last,)
    ]
    assert [event.starts for event in after_midnight] == [EPOCH - timedelta(days=10)]


@pytest.mark.parametrize("kind", [EventKind.OUTAGE, EventKind.THROTTLE])
def test_the_failures_of_one_view_can_be_listed(kind: EventKind) -> None:
    event = next_event(SCHEDULE, kind, EPOCH)
    assert event.provider is not None
    assert SCHEDULE.active(kind, event.starts, event.provider) == [event]
    assert not SCHEDULE.active(kind, event.starts, "another-view")


def test_at_any_time_at_least_one_view_answers() -> None:
    for kind in (EventKind.OUTAGE, EventKind.THROTTLE):
        for window in (scheduled for scheduled in SCHEDULE.windows if scheduled.kind is kind):
            for number in range(CYCLE // timedelta(hours=window.every)):
                event = window.occurrence(number)
                refused = [
                    other
                    for instant in (event.starts, event.ends - timedelta(seconds=1))
                    for failure in (EventKind.OUTAGE, EventKind.THROTTLE)
                    for other in SCHEDULE.active(failure, instant)
                ]
                assert {failing.provider for failing in refused} == {event.provider}


def test_the_new_listing_is_between_six_and_seven_days_old() -> None:
    for hour in range(0, 24, 5):
        time = datetime(2026, 5, 3, hour, 59, tzinfo=UTC)
        assert timedelta(days=6) <= time - SCHEDULE.listed_at(time) < timedelta(days=7)
