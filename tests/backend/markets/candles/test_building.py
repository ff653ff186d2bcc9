from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.markets.candles.building import (
    add_price,
    build_from_prices,
    build_from_sparkline,
    encode_candle,
    floor_to_slot,
)
from backend.markets.model import Candle
from tests.support.providers.candles import build_candles

NOON = datetime(2026, 5, 18, 12, 0, tzinfo=UTC)
HALF_HOUR_SECONDS, FOUR_HOURS = 1800, 14_400

prices = st.decimals(min_value=Decimal("0.00000001"), max_value=Decimal("100000"), places=8)
moments = st.integers(min_value=0, max_value=30 * 86_400).map(lambda second: NOON + timedelta(seconds=second))


def minutes(count):
    return NOON + timedelta(minutes=count)


def assert_lawful(candles, seconds):
    for candle in candles:
        assert candle.low <= min(candle.open, candle.close)
        assert max(candle.open, candle.close) <= candle.high
        assert floor_to_slot(candle.open_time, seconds) == candle.open_time
    times = [candle.open_time for candle in candles]
    assert times == sorted(set(times))


def test_slots_begin_at_multiples_of_their_length_in_utc():
    assert floor_to_slot(NOON + timedelta(minutes=44, seconds=59), HALF_HOUR_SECONDS) == minutes(30)
    assert floor_to_slot(datetime(2026, 5, 18, 15, 59, tzinfo=UTC), FOUR_HOURS) == NOON
    assert floor_to_slot(NOON, FOUR_HOURS) == NOON
    assert floor_to_slot(datetime(1969, 12, 31, 23, 59, tzinfo=UTC), 3600).hour == 23


def test_a_slot_without_length_is_refused():
    with pytest.raises(ValueError, match="above zero seconds"):
        floor_to_slot(NOON, 0)


def test_a_candle_grows_with_each_poll_of_its_slot():
    candle = None
    for minute, price in ((1, "10"), (6, "12"), (11, "9"), (16, "11")):
        candle = add_price(candle, Decimal(price), minutes(minute), HALF_HOUR_SECONDS)
    assert candle == Candle(NOON, Decimal(10), Decimal(12), Decimal(9), Decimal(11))


def test_a_poll_of_the_next_slot_begins_a_new_candle():
    first = add_price(None, Decimal(10), minutes(29), HALF_HOUR_SECONDS)
    assert add_price(first, Decimal(11), minutes(30), HALF_HOUR_SECONDS) == Candle(
        minutes(30), *[Decimal(11)] * 4
    )


def test_a_late_poll_of_a_closed_slot_leaves_the_candle_as_it_is():
    candle = add_price(None, Decimal(10), minutes(31), HALF_HOUR_SECONDS)
    assert add_price(candle, Decimal(99), minutes(29), HALF_HOUR_SECONDS) is candle


def test_adding_a_price_keeps_the_volume():
    candle = Candle(NOON, *[Decimal(1)] * 4, volume=Decimal(7))
    assert add_price(candle, Decimal(2), minutes(1), HALF_HOUR_SECONDS).volume == Decimal(7)


def test_slots_without_polls_have_no_candle():
    candles = build_candles([(minutes(95), Decimal(2)), (minutes(1), Decimal(1))], HALF_HOUR_SECONDS)
    assert [candle.open_time for candle in candles] == [NOON, minutes(90)]


@given(st.lists(st.tuples(moments, prices), max_size=60, unique_by=lambda point: point[0]), st.randoms())
def test_candles_of_polls_are_consistent_in_any_order_and_contain_all_extremes(points, random):
    candles = build_candles(points, HALF_HOUR_SECONDS)
    assert_lawful(candles, HALF_HOUR_SECONDS)
    assert {candle.open_time for candle in candles} == {
        floor_to_slot(at, HALF_HOUR_SECONDS) for at, _ in points
    }
    if points:
        assert max(candle.high for candle in candles) == max(price for _, price in points)
        assert min(candle.low for candle in candles) == min(price for _, price in points)
        assert candles[-1].close == max(points)[1]
    shuffled = list(points)
    random.shuffle(shuffled)
    assert build_candles(shuffled, HALF_HOUR_SECONDS) == candles


# -- prices of single moments ----------------------------------------------------------------------


def test_daily_prices_at_midnight_close_the_day_before():
    midnight = NOON - timedelta(hours=12)
    points = [(midnight + timedelta(days=day), Decimal(10 + day)) for day in (0, 1)]
    candles = build_from_prices([*points, (midnight + timedelta(days=1, hours=9), Decimal(9))], 86_400)
    assert candles == [
        Candle(midnight - timedelta(days=1), *[Decimal(10)] * 4),
        Candle(midnight, Decimal(10), Decimal(11), Decimal(10), Decimal(11)),
        Candle(midnight + timedelta(days=1), Decimal(11), Decimal(11), Decimal(9), Decimal(9)),
    ]


def test_a_candle_after_a_long_gap_opens_at_its_own_first_price():
    first, second, third = build_from_prices(
        [(minutes(1), Decimal(1)), (minutes(10), Decimal(2)), (minutes(24), Decimal(3))], 300
    )
    assert (first.open, second.open, third.open) == (Decimal(1), Decimal(1), Decimal(3))


# -- sparklines ----------------------------------------------------------------------------------


def hourly(count):
    return [Decimal(number) for number in range(1, count + 1)]


def test_a_week_of_hourly_closes_gives_42_candles_of_four_hours():
    candles = build_from_sparkline(hourly(168), NOON + timedelta(minutes=34))
    assert len(candles) == 42
    last = candles[-1]
    assert last == Candle(NOON, Decimal(167), Decimal(168), Decimal(167), Decimal(168))
    assert candles[-2] == Candle(
        NOON - timedelta(hours=4), Decimal(163), Decimal(167), Decimal(163), Decimal(167)
    )
    assert candles[0].open_time == NOON - timedelta(hours=164)


def test_each_candle_opens_at_the_close_before_it():
    candles = build_from_sparkline(hourly(168), NOON)
    assert all(later.open == earlier.close for earlier, later in pairwise(candles))


def test_a_close_exactly_on_a_boundary_closes_the_earlier_candle():
    candles = build_from_sparkline(hourly(168), NOON)
    assert candles[-1].open_time == NOON - timedelta(hours=4)
    assert candles[-1].close == Decimal(168)
    assert len(candles) == 42


def test_a_young_listing_has_as_many_candles_as_it_has_hours_for():
    candles = build_from_sparkline(hourly(6), NOON + timedelta(hours=1))
    assert [candle.open_time.hour for candle in candles] == [4, 8, 12]
    assert candles[0].open == Decimal(1)


def test_gaps_remain_and_the_next_candle_opens_at_its_own_first_close():
    closes = hourly(24)
    closes[8:20] = [None, Decimal(0), Decimal("NaN")] * 4
    candles = build_from_sparkline(closes, NOON + timedelta(hours=4))
    assert [candle.open_time for candle in candles] == [
        NOON - timedelta(hours=20),
        NOON - timedelta(hours=16),
        NOON,
    ]
    assert candles[-1].open == Decimal(21)


def test_no_closes_give_no_candles():
    assert build_from_sparkline([], NOON) == []
    assert build_from_sparkline(hourly(10), NOON, count=0) == []


@given(
    st.lists(st.none() | prices, min_size=160, max_size=170),
    moments,
    st.sampled_from([3600, FOUR_HOURS, 86_400]),
    st.integers(min_value=1, max_value=42),
)
def test_candles_of_a_sparkline_are_consistent_limited_and_end_with_it(closes, end, seconds, count):
    candles = build_from_sparkline(closes, end, seconds, count)
    assert_lawful(candles, seconds)
    assert len(candles) <= count
    known_closes = [close for close in closes if close is not None]
    if candles:
        assert candles[-1].close == known_closes[-1]
        assert candles[-1].open_time < end
        assert {candle.close for candle in candles} <= set(known_closes)
        assert max(candle.high for candle in candles) <= max(known_closes)


# -- encode_candle ----------------------------------------------------------------------------------------


def test_a_candle_is_sent_as_an_array_of_exact_numbers():
    candle = Candle(
        NOON, Decimal("1.223e-09"), Decimal("1E+5"), Decimal("0.000000001"), Decimal("67012.510"), None
    )
    assert encode_candle(candle) == b"[1779105600000,0.000000001223,100000,0.000000001,67012.51,null]"


def test_a_known_volume_is_sent():
    candle = Candle(NOON, *[Decimal(1)] * 4, volume=Decimal("10.5"))
    assert encode_candle(candle) == b"[1779105600000,1,1,1,1,10.5]"


@given(moments, prices, prices)
def test_candles_are_sent_as_json_without_exponents(at, first, second):
    row = encode_candle(build_candles([(at, first), (at + timedelta(seconds=1), second)], 10**7)[0])
    assert b"e" not in row.lower().replace(b"null", b"")
    opened, o, h, low, c, volume = orjson.loads(row)
    assert opened % 10**10 == 0
    assert low <= min(o, c) <= max(o, c) <= h
    assert volume is None
