"""Defines the result of a call to the service: data with its time, or the last good data and the error."""

from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Generic, Literal, TypeVar

T_co = TypeVar("T_co", covariant=True)
Mode = Literal["sample", "live", "replay"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Why there is no new response. ``status`` is the HTTP status; ``None`` if no response came.

    ``retry_after_seconds`` is the pause that the service asks for, if it asks for one. ``waiting_seconds``
    is how long it has left requests unanswered, if it accepts them at all.
    """

    title: str
    detail: str
    request_id: str | None = None
    status: int | None = None
    retry_after_seconds: float | None = None
    waiting_seconds: float | None = None

    @property
    def is_temporary(self) -> bool:
        """True if the service is busy, or slow to respond: nothing is broken, so requests go on."""
        is_busy = self.status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
        return is_busy or self.is_slow

    @property
    def is_slow(self) -> bool:
        return self.waiting_seconds is not None

    @property
    def is_unreachable(self) -> bool:
        return self.status is None and not self.is_slow


@dataclass(frozen=True, slots=True)
class Fetched(Generic[T_co]):
    """The result of a request.

    ``data`` keeps its identity (``is``) as long as the service reports no change. ``at`` is the time
    (aware UTC) of the service's last confirmation. ``stale`` means that later requests failed, for the
    reason in ``error``. Without any data, ``data`` is ``None`` and ``error`` holds the reason.
    """

    data: T_co | None
    at: datetime | None = None
    stale: bool = False
    error: Problem | None = None
    mode: Mode | None = None
