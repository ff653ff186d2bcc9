"""Answers a request about a job when the job has ended, or after the time that the client prefers to wait."""

import asyncio
import time
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from backend.http.access_log import HELD_SECONDS
from backend.http.event_streams import EventStreams, Reader
from backend.http.events import Followed
from backend.http.prefer_header import parse_wait
from backend.jobs.job_events import JobEvents

MAX_WAIT_SECONDS = 30
"""Maximum time of a wait. It is also at most half of the time limit of a request."""


def build_waiting_response(request: Request, job_id: str, build: Callable[[], Response]) -> Response | None:
    """Build a response that waits as the client prefers; None if it prefers no wait or there is no room.

    ``build`` then reads the job, in a worker thread.
    """
    seconds = parse_wait(request.headers.getlist("prefer"))
    limit = min(MAX_WAIT_SECONDS, request.app.state.settings.request_timeout_seconds // 2)
    streams: EventStreams = request.app.state.streams
    if not seconds or not limit or streams.is_full:
        return None
    return _WaitingResponse(request, job_id, min(seconds, limit), build)


class _WaitingResponse(Response):
    """Waits in the event loop and holds no thread meanwhile."""

    def __init__(self, request: Request, job_id: str, seconds: int, build: Callable[[], Response]) -> None:
        super().__init__()
        self._request, self._job_id, self._seconds, self._build = request, job_id, seconds, build

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        await self._wait(receive)
        scope["state"][HELD_SECONDS] = time.perf_counter() - started
        answer = await run_in_threadpool(self._build)
        answer.headers["Preference-Applied"] = f"wait={self._seconds}"
        await answer(scope, receive, send)

    async def _wait(self, receive: Receive) -> None:
        """Wait until the job has ended, the time is over, or the client has gone."""
        state = self._request.app.state
        source: JobEvents = state.job_events
        current = (await run_in_threadpool(source.load, {self._job_id: None})).get(self._job_id)
        streams: EventStreams = state.streams
        if current is None or current.last or streams.is_full:
            return
        with streams.follow(Followed(source, self._job_id), current=current) as reader:
            tasks = {asyncio.ensure_future(_read_to_end(reader)), asyncio.ensure_future(_disconnect(receive))}
            try:
                await asyncio.wait(tasks, timeout=self._seconds, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()


async def _read_to_end(reader: Reader) -> None:
    async for _ in reader.events():
        pass


async def _disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
