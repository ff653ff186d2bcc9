"""Puts the times of recorded answers at the present, so that their figures count as current."""

import itertools
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

_AGE = timedelta(seconds=5)
"""How old a figure is that was put at the present."""


def restamped(value: Any, now: datetime) -> Any:
    """``value`` with every time of a figure a few seconds before ``now``; dates of records stay."""
    if isinstance(value, list):
        return [restamped(item, now) for item in value]
    if isinstance(value, Mapping):
        return {name: _time(name, item, now) for name, item in value.items()}
    return value


def restamped_candles(candles: list[Any], now: datetime) -> list[Any]:
    """Candles (open time in milliseconds first) moved by whole steps, so that the last is the current one."""
    times = [candle[0] for candle in candles if isinstance(candle, list) and candle]
    if len(times) < 2 or not all(isinstance(at, int) for at in times):
        return candles
    step = min(later - sooner for sooner, later in itertools.pairwise(times))
    if step <= 0:
        return candles
    moved = (int(now.timestamp() * 1000) - times[-1]) // step * step
    return [[candle[0] + moved, *candle[1:]] for candle in candles]


def _time(name: str, value: Any, now: datetime) -> Any:
    recent = now.astimezone(UTC) - _AGE
    if name in ("last_updated", "update_time"):
        return recent.strftime("%Y-%m-%dT%H:%M:%S.") + f"{recent.microsecond // 1000:03}Z"
    if name == "updated_at":
        return int(recent.timestamp())
    if name == "timestamp" and isinstance(value, str) and value.isdecimal():  # a day of alternative.me
        return str(int(recent.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()))
    return restamped(value, now)
