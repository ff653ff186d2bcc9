"""The candles of a span as JSON text, grown without parsing the figures in it again; pure.

A strip is the array that is sent: ``[[open_time_ms,o,h,l,c,volume],…]``, ascending. One poll
changes only its last row, so rows stay text.
"""

from collections.abc import Iterable
from datetime import datetime

from backend.markets.candles.building import wire
from backend.markets.model import SPAN_COUNT, SPAN_SECONDS, Candle, Span

EMPTY = "[]"


def strip_of(candles: Iterable[Candle]) -> str:
    return "[" + ",".join(wire(candle).decode() for candle in candles) + "]"


def put(strip: str, candle: Candle) -> str:
    """``strip`` with ``candle`` as its newest row, in place of the one of the same open time, and of any
    later one, which is there where a clock was put back."""
    rows = rows_of(strip)
    while rows and opened_ms(rows[-1]) >= _ms(candle.open_time):
        rows.pop()
    return _joined([*rows, wire(candle).decode()])


def window(strip: str, span: Span, now: datetime) -> str:
    """The newest rows of ``strip`` that belong to the span that ends at ``now``: old ones fall out, and those
    that have not begun yet, by a clock that was put back.

    A span is as many candles as it holds: until the first price of the slot that has just begun, the
    oldest one stays.
    """
    seconds, count = SPAN_SECONDS[span], SPAN_COUNT[span]
    current = int(now.timestamp()) // seconds * seconds
    oldest = (current - count * seconds) * 1000
    rows = rows_of(strip)
    begun = len(rows)
    while begun and opened_ms(rows[begun - 1]) > current * 1000:
        begun -= 1
    if begun < len(rows):
        rows = rows[:begun]
        strip = _joined(rows)
    first = next((index for index, row in enumerate(rows) if opened_ms(row) >= oldest), len(rows))
    first = max(first, len(rows) - count)
    return strip if first == 0 else _joined(rows[first:])


def rows_of(strip: str) -> list[str]:
    if strip == EMPTY:
        return []
    return ["[" + row + "]" for row in strip[2:-2].split("],[")]


def opened_ms(row: str) -> int:
    return int(row[1 : row.index(",")])


def _joined(rows: list[str]) -> str:
    return "[" + ",".join(rows) + "]"


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
