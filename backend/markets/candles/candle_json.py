"""Appends to and trims the JSON array of a span's candles without parsing its numbers. No I/O.

The array is sent as it is: ``[[open_time_ms,o,h,l,c,volume],…]``, ascending. A poll changes only the last
row, so rows stay text.
"""

from collections.abc import Iterable
from datetime import datetime

from backend.markets.candles.building import encode_candle
from backend.markets.model import CANDLE_SECONDS_BY_SPAN, CANDLES_PER_SPAN, Candle, ChartSpan

EMPTY_ARRAY = "[]"


def encode_candles(candles: Iterable[Candle]) -> str:
    return "[" + ",".join(encode_candle(candle).decode() for candle in candles) + "]"


def append_candle(array_json: str, candle: Candle) -> str:
    """Append ``candle`` as the newest row.

    It replaces the row with the same open time and later rows, which exist if the clock was set back.
    """
    rows = split_rows(array_json)
    while rows and open_time_ms(rows[-1]) >= _to_ms(candle.open_time):
        rows.pop()
    return _join_rows([*rows, encode_candle(candle).decode()])


def trim_to_span(array_json: str, span: ChartSpan, now: datetime) -> str:
    """Return the newest rows that belong to the span ending at ``now``, without rows in the future.

    Rows in the future exist if the clock was set back. A span has a fixed number of candles: until the
    current slot has a price, the oldest candle stays.
    """
    seconds, count = CANDLE_SECONDS_BY_SPAN[span], CANDLES_PER_SPAN[span]
    current = int(now.timestamp()) // seconds * seconds
    oldest = (current - count * seconds) * 1000
    rows = split_rows(array_json)
    row_count = len(rows)
    while row_count and open_time_ms(rows[row_count - 1]) > current * 1000:
        row_count -= 1
    if row_count < len(rows):
        rows = rows[:row_count]
        array_json = _join_rows(rows)
    first = next((index for index, row in enumerate(rows) if open_time_ms(row) >= oldest), len(rows))
    first = max(first, len(rows) - count)
    return array_json if first == 0 else _join_rows(rows[first:])


def split_rows(array_json: str) -> list[str]:
    if array_json == EMPTY_ARRAY:
        return []
    return ["[" + row + "]" for row in array_json[2:-2].split("],[")]


def open_time_ms(row: str) -> int:
    return int(row[1 : row.index(",")])


def _join_rows(rows: list[str]) -> str:
    return "[" + ",".join(rows) + "]"


def _to_ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
