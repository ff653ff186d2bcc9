"""Records the readings of a clock that may jump."""

import time
from datetime import datetime, timedelta

from backend.formats.timestamps import Clock

MARGIN = timedelta(seconds=2)
"""Between a jump and the moment when every process has it."""


class SeenClock:
    """Whoever gets something that lasts for some time looks at it before."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen: list[tuple[float, datetime]] = []
        """Each with what it showed, but for those after which it showed more."""

    def look(self) -> "Look":
        shown, at = self._clock(), time.monotonic()
        while self._seen and self._seen[-1][1] <= shown:
            self._seen.pop()
        self._seen.append((at, shown))
        return Look(self, at, shown)

    def latest_since(self, moment: float) -> datetime:
        """The latest that it showed since a moment of ``time.monotonic``, which is past."""
        self.look()
        return next(shown for at, shown in self._seen if at >= moment)


class Look:
    """One look at the clock."""

    def __init__(self, clock: SeenClock, at: float, shown: datetime) -> None:
        self._clock, self._at, self.shown = clock, at, shown

    def may_be_over(self, life: timedelta) -> bool:
        """Whether what was got after it, and lasts for ``life``, was over at some moment since."""
        return self._clock.latest_since(self._at) >= self.shown + life - MARGIN
