from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from backend.markets.retention_policy import (
    CANDLE_RETENTION,
    compute_cutoffs,
    select_expired,
    select_kept,
    select_kept_points,
)

NOW = datetime(2026, 5, 18, 12, 2, 30, tzinfo=UTC)

instants = st.lists(
    st.integers(min_value=-600, max_value=60 * 3600).map(lambda second: NOW - timedelta(seconds=second)),
    max_size=200,
)
waits = st.integers(min_value=0, max_value=60 * 3600).map(lambda second: timedelta(seconds=second))


def before_now(**units):
    return NOW - timedelta(**units)


def test_every_point_of_three_hours_is_kept():
    points = [before_now(minutes=minute) for minute in range(180, -1, -1)]
    assert select_kept(points, NOW) == points


def test_of_older_points_the_last_of_each_five_minutes_is_kept():
    slot = datetime(2026, 5, 18, 6, 0, tzinfo=UTC)
    points = [slot + timedelta(seconds=15 * step) for step in range(40)]
    assert select_kept([*points, NOW], NOW) == [points[19], points[39], NOW]


def test_points_older_than_two_days_expire():
    assert select_kept([before_now(hours=49), before_now(hours=47), NOW], NOW) == [before_now(hours=47), NOW]
    assert select_expired([before_now(hours=49), NOW], NOW) == [before_now(hours=49)]


def test_the_newest_point_is_kept_regardless_of_age():
    assert select_kept([before_now(days=400), before_now(days=399)], NOW) == [before_now(days=399)]


def test_without_points_none_are_kept():
    assert select_kept([], NOW) == []


def test_points_of_any_type_are_thinned_by_time_and_the_last_duplicate_is_kept():
    points = [(before_now(days=3), "old"), (NOW, "first"), (NOW, "second")]
    assert select_kept_points(points, NOW, at=lambda point: point[0]) == [(NOW, "second")]


def test_longer_candles_are_kept_longer():
    limits = compute_cutoffs(NOW).candles_from
    assert limits[1800] == datetime(2026, 2, 17, 12, 0, tzinfo=UTC)
    assert limits[14_400] == datetime(2024, 5, 18, 12, 0, tzinfo=UTC)
    assert limits[86_400] is None
    assert set(limits) == set(CANDLE_RETENTION)


def test_cutoffs_lie_on_slot_boundaries():
    limits = compute_cutoffs(NOW)
    assert limits.all_points_from == datetime(2026, 5, 18, 9, 0, tzinfo=UTC)
    assert limits.sampled_points_from == datetime(2026, 5, 16, 12, 0, tzinfo=UTC)


@given(instants)
def test_thinning_is_idempotent(points):
    once = select_kept(points, NOW)
    assert select_kept(once, NOW) == once


@given(instants)
def test_the_newest_point_is_never_removed_and_none_is_added(points):
    kept_points = select_kept(points, NOW)
    assert set(kept_points) <= set(points)
    assert sorted(set(points)) == sorted({*kept_points, *select_expired(points, NOW)})
    if points:
        assert max(points) == kept_points[-1]


@given(instants, waits)
def test_thinning_often_gives_the_same_result_as_thinning_late(points, wait):
    later = NOW + wait
    assert select_kept(select_kept(points, NOW), later) == select_kept(points, later)
