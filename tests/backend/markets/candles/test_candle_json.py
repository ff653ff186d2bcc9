"""Tests candle arrays as text against the same operations on lists."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.markets.candles.candle_json import (
    EMPTY_ARRAY,
    append_candle,
    encode_candles,
    open_time_ms,
    split_rows,
    trim_to_span,
)
from backend.markets.model import CANDLE_SECONDS_BY_SPAN, CANDLES_PER_SPAN, Candle, Span

START = datetime(2026, 5, 18, tzinfo=UTC)


def candle(slot: int, close: str = "1.5", *, seconds: int = 1800, volume: str | None = None) -> Candle:
    opened = START + timedelta(seconds=seconds * slot)
    price = Decimal(close)
    return Candle(opened, price, price, price, price, None if volume is None else Decimal(volume))


def ms(slot: int, seconds: int = 1800) -> int:
    return int((START + timedelta(seconds=seconds * slot)).timestamp() * 1000)


def times(array_json: str) -> list[int]:
    return [row[0] for row in json.loads(array_json)]


CANDLES = st.lists(
    st.builds(
        candle,
        st.integers(0, 60),
        st.decimals("1e-12", "1e12", places=12).map(str),
        volume=st.one_of(st.none(), st.just("12.5")),
    ),
    unique_by=lambda item: item.open_time,
    max_size=60,
).map(lambda items: sorted(items, key=lambda item: item.open_time))


@given(CANDLES)
def test_encoded_candles_keep_every_digit(candles: list[Candle]) -> None:
    rows = json.loads(encode_candles(candles), parse_float=Decimal, parse_int=Decimal)
    assert [(row[0], row[4], row[5]) for row in rows] == [
        (Decimal(int(item.open_time.timestamp() * 1000)), item.close, item.volume) for item in candles
    ]


@given(CANDLES)
def test_split_rows_join_to_the_same_array(candles: list[Candle]) -> None:
    array_json = encode_candles(candles)
    rows = split_rows(array_json)
    assert len(rows) == len(candles)
    assert f"[{','.join(rows)}]" == array_json
    assert [open_time_ms(row) for row in rows] == times(array_json)


@given(CANDLES.filter(bool), st.booleans())
def test_appending_replaces_the_newest_candle_of_the_slot_or_adds_one(
    candles: list[Candle], same_slot: bool
) -> None:
    last = candles[-1]
    price = Decimal("7.25")
    opens = last.open_time + timedelta(seconds=0 if same_slot else 1800)
    newer = Candle(opens, price, price, price, price)
    expected = [*(candles[:-1] if same_slot else candles), newer]
    assert append_candle(encode_candles(candles), newer) == encode_candles(expected)


def test_a_first_candle_makes_an_array_of_one() -> None:
    assert append_candle(EMPTY_ARRAY, candle(3)) == f"[[{ms(3)},1.5,1.5,1.5,1.5,null]]"
    assert split_rows(EMPTY_ARRAY) == []


@pytest.mark.parametrize("span", ["24h", "7d"])
def test_trimming_keeps_the_number_of_candles_of_the_span(span: Span) -> None:
    seconds, count = CANDLE_SECONDS_BY_SPAN[span], CANDLES_PER_SPAN[span]
    array_json = encode_candles(candle(slot, seconds=seconds) for slot in range(100))
    inside = START + timedelta(seconds=99 * seconds + 7)
    assert times(trim_to_span(array_json, span, inside)) == [
        ms(slot, seconds) for slot in range(100 - count, 100)
    ]


@pytest.mark.parametrize("span", ["24h", "7d"])
def test_a_slot_without_a_price_yet_removes_no_candle(span: Span) -> None:
    seconds, count = CANDLE_SECONDS_BY_SPAN[span], CANDLES_PER_SPAN[span]
    array_json = encode_candles(candle(slot, seconds=seconds) for slot in range(100))
    for late in (0, 1, seconds - 1):
        now = START + timedelta(seconds=100 * seconds + late)
        assert times(trim_to_span(array_json, span, now)) == [
            ms(slot, seconds) for slot in range(100 - count, 100)
        ]
    for slots in (1, 5, count - 1, count, count + 3):
        now = START + timedelta(seconds=(100 + slots) * seconds)
        assert len(times(trim_to_span(array_json, span, now))) == max(0, count - slots)


def test_an_array_with_gaps_keeps_the_candles_within_the_span() -> None:
    array_json = encode_candles(candle(slot) for slot in (0, 10, 51, 52, 60, 99))
    assert times(trim_to_span(array_json, "24h", START + timedelta(seconds=99 * 1800))) == [
        ms(slot) for slot in (51, 52, 60, 99)
    ]


@given(CANDLES, st.integers(0, 120))
def test_trimming_returns_a_suffix_of_started_candles_and_is_idempotent(
    candles: list[Candle], slot: int
) -> None:
    array_json, now = encode_candles(candles), START + timedelta(seconds=1800 * slot)
    cut = trim_to_span(array_json, "24h", now)
    started_rows = [row for row in split_rows(array_json) if open_time_ms(row) <= ms(slot)]
    assert started_rows[len(started_rows) - len(split_rows(cut)) :] == split_rows(cut)
    assert trim_to_span(cut, "24h", now) == cut
    assert len(split_rows(cut)) <= CANDLES_PER_SPAN["24h"]


def test_future_candles_after_a_clock_set_back_are_removed() -> None:
    array_json = encode_candles(candle(slot) for slot in (8, 9, 10, 11))
    assert times(trim_to_span(array_json, "24h", START + timedelta(seconds=1800 * 9 + 5))) == [ms(8), ms(9)]
    assert times(append_candle(array_json, candle(9, "7"))) == [ms(8), ms(9)]
