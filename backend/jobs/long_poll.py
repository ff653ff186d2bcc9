"""Serves long polls: a request about a job waits until the job ends, or as long as ``Prefer: wait`` says."""

import asyncio
import time
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from backend.http.access_log import HELD_SECONDS_KEY
from backend.http.event_streams import EventStreams, Subscriber
from backend.http.events import Resource
from backend.http.prefer_header import parse_wait
from backend.jobs.job_events import JobEvents

MAX_WAIT_SECONDS = 30
"""Longest wait. A wait is also limited to half of the request timeout."""


def build_long_poll_response(
    request: Request, job_id: str, build_final_response: Callable[[], Response]
) -> Response | None:
    """Build a response that waits until the job ends or the time of ``Prefer: wait`` is over.

    After the wait, ``build_final_response`` is called in a worker thread to read the job and build the
    response. Returns None if the client asks for no wait, or if all places of event streams are taken.
    """
    seconds = parse_wait(request.headers.getlist("prefer"))
    limit = min(MAX_WAIT_SECONDS, request.app.state.settings.request_timeout_seconds // 2)
    streams: EventStreams = request.app.state.streams
    if not seconds or not limit or streams.is_full:
        return None
    return _LongPollResponse(request, job_id, min(seconds, limit), build_final_response)


class _LongPollResponse(Response):
    """Waits in the event loop and holds no thread meanwhile."""

    def __init__(
        self, request: Request, job_id: str, seconds: int, build_final_response: Callable[[], Response]
    ) -> None:
        super().__init__()
        self._request, self._job_id, self._seconds = request, job_id, seconds
        self._build_final_response = build_final_response

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        await self._wait(receive)
        scope["state"][HELD_SECONDS_KEY] = time.perf_counter() - started
        response = await run_in_threadpool(self._build_final_response)
        response.headers["Preference-Applied"] = f"wait={self._seconds}"
        await response(scope, receive, send)

    async def _wait(self, receive: Receive) -> None:
        """Wait until the job has ended, the time is over, or the client has gone."""
        state = self._request.app.state
        source: JobEvents = state.job_events
        current = (await run_in_threadpool(source.load, {self._job_id: None})).get(self._job_id)
        streams: EventStreams = state.streams
        if current is None or current.is_last or streams.is_full:
            return
        with streams.subscribe(Resource(source, self._job_id), current=current) as subscriber:
            tasks = {
                asyncio.ensure_future(_wait_for_last_event(subscriber)),
                asyncio.ensure_future(_wait_for_disconnect(receive)),
            }
            try:
                await asyncio.wait(tasks, timeout=self._seconds, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()


async def _wait_for_last_event(subscriber: Subscriber) -> None:
    async for _ in subscriber.events():
        pass


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
