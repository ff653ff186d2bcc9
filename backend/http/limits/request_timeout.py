"""How long a request may take before its caller is told that it takes too long."""

import asyncio

import structlog

from backend import errors
from backend.http.response_writer import Answer
from backend.runtime import metrics

log = structlog.get_logger(__name__)


class TimeLimit:
    """Answers a request in the application's place when the time is over.

    What works at it goes on: a thread cannot be stopped. So the request counts as one that is worked at
    until it is really done, and what is then said is dropped.
    """

    def __init__(self, seconds: float, answer: Answer, *, path: str, request_id: str) -> None:
        self._seconds = seconds
        self._answer = answer
        self._path = path
        self._request_id = request_id
        self._timer: asyncio.TimerHandle | None = None
        self._telling: asyncio.Task[None] | None = None

    def restart(self) -> None:
        """The time begins now: at the start, and with each part of the body, whose sender has a limit of
        its own."""
        self.end()
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._is_over)

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _is_over(self) -> None:
        if self._answer.status == 0:
            metrics.SHED.labels("time").inc()
            log.warning("request_took_too_long", path=self._path, seconds=self._seconds)
            self._telling = asyncio.get_running_loop().create_task(self._tell())

    async def _tell(self) -> None:
        error = errors.TookTooLong(
            f"This took longer than {self._seconds:g} seconds. Ask for less at once, or try again later."
        )
        await self._answer.instead(errors.render(error, path=self._path, request_id=self._request_id))
