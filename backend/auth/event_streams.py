"""Opens event streams that end with the credential of their subscriber."""

from functools import partial
from typing import Annotated, Any

from fastapi import Header, Request
from starlette.responses import Response

from backend.auth.gate import is_still_authorized
from backend.http.content_negotiation import EVENT_STREAM, prefers
from backend.http.event_stream_response import build_event_stream
from backend.http.event_streams import EventStreams
from backend.http.events import EventSource, Resource

LAST_EVENT_ID = "Last-Event-ID"
LastEventId = Annotated[
    str | None,
    Header(
        alias=LAST_EVENT_ID,
        description="With `Accept: text/event-stream`: the id of the last event that the client has.",
    ),
]
"""Describes the header in the OpenAPI document."""
EVENT_STREAM_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            EVENT_STREAM: {
                "schema": {"type": "string"},
                "example": 'data: {"…": "…"}\nid: 5f1c0e\n\n',
            }
        }
    }
}
"""Describes the stream: the data of each event is the JSON that the endpoint returns at that moment."""


def wants_events(request: Request) -> bool:
    """Return whether the client prefers events to one JSON document."""
    return prefers(", ".join(request.headers.getlist("accept")), EVENT_STREAM)


def respond_with_events(request: Request, source: EventSource, key: Any) -> Response:
    """Stream the states of a resource that exists, until its last one or the end of the credential."""
    streams: EventStreams = request.app.state.streams
    return build_event_stream(
        streams,
        Resource(source, key),
        source.load({key: None})[key],
        last_id=request.headers.get(LAST_EVENT_ID),
        is_allowed=partial(is_still_authorized, request),
    )
