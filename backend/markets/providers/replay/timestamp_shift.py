"""Moves the times of recorded responses to the present, so that their figures count as current."""

import itertools
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

_RESTAMPED_AGE = timedelta(seconds=5)
"""The age of a figure after its time was moved."""


def restamp(value: Any, now: datetime) -> Any:
    """``value`` with the time of each figure a few seconds before ``now``. Dates of record prices stay."""
    if isinstance(value, list):
        return [restamp(item, now) for item in value]
    if isinstance(value, Mapping):
        return {name: _shift_time(name, item, now) for name, item in value.items()}
    return value


def restamp_candles(candles: list[Any], now: datetime) -> list[Any]:
    """Candles moved by whole intervals, so that the last is current. Cell 0 is the time in milliseconds."""
    times = [candle[0] for candle in candles if isinstance(candle, list) and candle]
    if len(times) < 2 or not all(isinstance(time, int) for time in times):
        return candles
    interval = min(later - earlier for earlier, later in itertools.pairwise(times))
    if interval <= 0:
        return candles
    shift = (int(now.timestamp() * 1000) - times[-1]) // interval * interval
    return [[candle[0] + shift, *candle[1:]] for candle in candles]


def _shift_time(name: str, value: Any, now: datetime) -> Any:
    recent = now.astimezone(UTC) - _RESTAMPED_AGE
    if name in ("last_updated", "update_time"):
        return recent.strftime("%Y-%m-%dT%H:%M:%S.") + f"{recent.microsecond // 1000:03}Z"
    if name == "updated_at":
        return int(recent.timestamp())
    if (
        name == "timestamp" and isinstance(value, str) and value.isdecimal()
    ):  # alternative.me dates its values by day
        return str(int(recent.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()))
    return restamp(value, now)
