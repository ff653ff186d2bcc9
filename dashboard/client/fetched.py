"""What a call to the service gives: data with its time, or the last good data with the fault."""

from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Generic, Literal, TypeVar

T_co = TypeVar("T_co", covariant=True)
Mode = Literal["sample", "live", "replay"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Why there is no new answer. ``status`` is the HTTP status, or null when none came.

    ``pause`` are the seconds after which the service asks to be asked again, where it says so.
    """

    title: str
    detail: str
    request_id: str | None = None
    status: int | None = None
    pause: float | None = None

    @property
    def passes(self) -> bool:
        """Whether the service itself says that it will answer again: nothing is broken, so go on asking."""
        return self.status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)

    @property
    def unreachable(self) -> bool:
        return self.status is None


@dataclass(frozen=True, slots=True)
class Fetched(Generic[T_co]):
    """An answer of the service.

    ``data`` keeps its identity (``is``) as long as the service says that nothing changed. ``at`` is
    when the service last confirmed it, aware UTC. ``stale`` says that the service could not be asked
    since, for the reason in ``error``; without any data, ``data`` is null and ``error`` says why.
    """

    data: T_co | None
    at: datetime | None = None
    stale: bool = False
    error: Problem | None = None
    mode: Mode | None = None
