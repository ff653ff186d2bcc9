"""Sends the states of a resource as server-sent events, one event for each of its states."""

import time
from collections.abc import Callable

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from backend.http.access_log import HELD_SECONDS_KEY
from backend.http.content_negotiation import EVENT_STREAM
from backend.http.event_streams import EventStreams
from backend.http.events import Event, Resource

IS_HEAD_KEY = "is_head"
"""Key in the request state; set if the client asked for the headers alone."""
HEADERS = {
    "Cache-Control": "no-store",
    "Vary": "Accept, Authorization, CP-X-API-KEY",
    "X-Accel-Buffering": "no",  # nginx would hold events back
}


def build_event_stream(
    streams: EventStreams,
    resource: Resource,
    current: Event,
    *,
    last_id: str | None,
    is_allowed: Callable[[], bool],
) -> Response:
    """Build the response; 204 if the client has the last event, so that browsers do not connect again."""
    if current.is_last and current.id == last_id:
        return Response(status_code=204, headers=HEADERS)
    return _EventStreamResponse(streams, resource, current, last_id, is_allowed)


class _EventStreamResponse(StreamingResponse):
    """Raises :class:`backend.errors.Overloaded` before the response begins if there are too many streams."""

    def __init__(
        self,
        streams: EventStreams,
        resource: Resource,
        current: Event,
        last_id: str | None,
        is_allowed: Callable[[], bool],
    ) -> None:
        super().__init__((), media_type=EVENT_STREAM, headers=HEADERS)
        self._streams, self._resource, self._current = streams, resource, current
        self._last_id, self._is_allowed = last_id, is_allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["state"].get(IS_HEAD_KEY):
            await self.stream_response(send)
            return
        started = time.perf_counter()
        try:
            with self._streams.subscribe(
                self._resource, current=self._current, last_id=self._last_id, is_allowed=self._is_allowed
            ) as subscriber:
                self.body_iterator = subscriber.messages()
                await super().__call__(scope, receive, send)
        finally:
            scope["state"][HELD_SECONDS_KEY] = time.perf_counter() - started
