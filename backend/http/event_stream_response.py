"""Sends a followed resource as server-sent events, one event for each of its states."""

import time
from collections.abc import Callable

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from backend.http.access_log import HELD_SECONDS
from backend.http.content_negotiation import EVENT_STREAM
from backend.http.event_streams import EventStreams
from backend.http.events import Event, Followed

IS_HEAD = "is_head"
"""Key in the request state; set if the client asked for the headers alone."""
HEADERS = {
    "Cache-Control": "no-store",
    "Vary": "Accept, Authorization, CP-X-API-KEY",
    "X-Accel-Buffering": "no",  # nginx would hold events back
}


def build_event_stream(
    streams: EventStreams,
    followed: Followed,
    current: Event,
    *,
    last_id: str | None,
    is_allowed: Callable[[], bool],
) -> Response:
    """Build the response; 204 if the client has the last event, so that browsers do not connect again."""
    if current.last and current.id == last_id:
        return Response(status_code=204, headers=HEADERS)
    return _EventStreamResponse(streams, followed, current, last_id, is_allowed)


class _EventStreamResponse(StreamingResponse):
    """Raises :class:`backend.errors.Overloaded` before the response begins if there are too many streams."""

    def __init__(
        self,
        streams: EventStreams,
        followed: Followed,
        current: Event,
        last_id: str | None,
        is_allowed: Callable[[], bool],
    ) -> None:
        super().__init__((), media_type=EVENT_STREAM, headers=HEADERS)
        self._streams, self._followed, self._current = streams, followed, current
        self._last_id, self._is_allowed = last_id, is_allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["state"].get(IS_HEAD):
            await self.stream_response(send)
            return
        started = time.perf_counter()
        try:
            with self._streams.follow(
                self._followed, current=self._current, last_id=self._last_id, is_allowed=self._is_allowed
            ) as reader:
                self.body_iterator = reader.messages()
                await super().__call__(scope, receive, send)
        finally:
            scope["state"][HELD_SECONDS] = time.perf_counter() - started
