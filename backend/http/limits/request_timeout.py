"""Answers a request with 503 when the application takes too long."""

import asyncio

import structlog

from backend import errors
from backend.http.response_writer import ResponseWriter
from backend.runtime import metrics

log = structlog.get_logger(__name__)


class TimeLimit:
    """Sends the 503 of one request when its time is over.

    The endpoint continues, since a thread cannot be stopped. The request counts as in progress until the
    endpoint returns; the response of the endpoint is dropped.
    """

    def __init__(self, seconds: float, answer: ResponseWriter, *, path: str, request_id: str) -> None:
        self._seconds = seconds
        self._answer = answer
        self._path = path
        self._request_id = request_id
        self._timer: asyncio.TimerHandle | None = None
        self._send_task: asyncio.Task[None] | None = None

    def restart(self) -> None:
        """Restart the timer, at the start and with each part of the body, which has a limit of its own."""
        self.end()
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._expire)

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _expire(self) -> None:
        if self._answer.status == 0:
            metrics.SHED.labels("time").inc()
            log.warning("request_timed_out", path=self._path, seconds=self._seconds)
            self._send_task = asyncio.get_running_loop().create_task(self._send_timeout())

    async def _send_timeout(self) -> None:
        error = errors.ProcessingTimeout(
            f"This took longer than {self._seconds:g} seconds. Request less at once, or try again later."
        )
        await self._answer.replace_with(errors.render(error, path=self._path, request_id=self._request_id))
