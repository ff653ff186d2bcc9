"""The faults that a replay can show instead of recorded answers, by the names that the setting takes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import httpx

from backend.settings import ReplayFault

EVERY = "all"
"""Stands for every provider in the setting."""

JSON = "application/json"
HTML = "text/html; charset=utf-8"
_PAGE = (
    b"<!doctype html>\n<html><head><title>Access denied</title></head><body>Access denied.</body></html>\n"
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is no recorded one."""

    status: int
    content_type: str
    body: bytes


REFUSALS: Final[Mapping[ReplayFault, Refusal]] = {
    "401": Refusal(
        401, JSON, b'{"status": {"error_code": 1001, "error_message": "This API Key is invalid."}}'
    ),
    "403": Refusal(403, HTML, _PAGE),
    "429": Refusal(
        429, JSON, b'{"status": {"error_code": 429, "error_message": "You have exceeded the rate limit."}}'
    ),
    "503": Refusal(503, "text/plain", b"upstream connect error"),
    "html": Refusal(200, HTML, _PAGE),
}


class CutOff(httpx.SyncByteStream):
    """Half of a body, then the end of the connection."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        yield self._body[: len(self._body) // 2]
        raise httpx.RemoteProtocolError("the connection was closed before the whole body had come")
