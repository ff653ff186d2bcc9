"""Defines the faults that a replay can simulate, by their names in the setting."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import httpx

from backend.settings import ReplayFault

ALL_PROVIDERS = "all"
"""Names every provider in the setting."""

JSON = "application/json"
HTML = "text/html; charset=utf-8"
_BLOCK_PAGE = (
    b"<!doctype html>\n<html><head><title>Access denied</title></head><body>Access denied.</body></html>\n"
)


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """A simulated response in place of a recorded one."""

    status: int
    content_type: str
    body: bytes


ERROR_RESPONSES: Final[Mapping[ReplayFault, ErrorResponse]] = {
    "401": ErrorResponse(
        401, JSON, b'{"status": {"error_code": 1001, "error_message": "This API Key is invalid."}}'
    ),
    "403": ErrorResponse(403, HTML, _BLOCK_PAGE),
    "429": ErrorResponse(
        429, JSON, b'{"status": {"error_code": 429, "error_message": "You have exceeded the rate limit."}}'
    ),
    "503": ErrorResponse(503, "text/plain", b"upstream connect error"),
    "html": ErrorResponse(200, HTML, _BLOCK_PAGE),
}


class TruncatedStream(httpx.SyncByteStream):
    """Sends half of a body, then closes the connection."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        yield self._body[: len(self._body) // 2]
        raise httpx.RemoteProtocolError("the connection was closed before the whole body arrived")
