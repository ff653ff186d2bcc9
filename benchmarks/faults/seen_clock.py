"""Records the readings of a clock that may jump."""

import time
from datetime import datetime, timedelta

from backend.formats.timestamps import Clock

JUMP_MARGIN = timedelta(seconds=2)
"""The time until every process sees a jump."""


class ClockHistory:
    """Keeps the readings that decide whether something may have expired."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen: list[tuple[float, datetime]] = []
        """Readings by monotonic time, without those that a later one exceeds."""

    def read(self) -> "ClockReading":
        clock_time, at = self._clock(), time.monotonic()
        while self._seen and self._seen[-1][1] <= clock_time:
            self._seen.pop()
        self._seen.append((at, clock_time))
        return ClockReading(self, at, clock_time)

    def latest_since(self, moment: float) -> datetime:
        """Return the latest clock time since a past moment of ``time.monotonic``."""
        self.read()
        return next(clock_time for at, clock_time in self._seen if at >= moment)


class ClockReading:
    """One reading of the clock."""

    def __init__(self, clock: ClockHistory, at: float, clock_time: datetime) -> None:
        self._clock, self._at, self.clock_time = clock, at, clock_time

    def may_be_expired(self, life: timedelta) -> bool:
        """Whether something with lifetime ``life``, created after this reading, has expired since."""
        return self._clock.latest_since(self._at) >= self.clock_time + life - JUMP_MARGIN
