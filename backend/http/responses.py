"""Sends prepared responses and encoded JSON from routes."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from backend.http.prepared_responses import Prepared, accepts_gzip

CACHED_RESPONSES: dict[int | str, dict[str, Any]] = {
    304: {"description": "The client holds these very bytes (`If-None-Match`)."}
}


class PreparedResponse(Response):
    """Sends a :class:`Prepared` according to ``Accept-Encoding`` and ``If-None-Match`` of the request."""

    def __init__(self, answer: Prepared, request: Request) -> None:
        status, headers, body = answer.answer(
            join_header(request, "accept-encoding"), join_header(request, "if-none-match")
        )
        super().__init__(status_code=status)
        self.body = body
        self.raw_headers = list(headers)


def join_header(request: Request, name: str) -> bytes | None:
    """Join the lines of a header into one list (RFC 9110 section 5.3)."""
    lines = request.headers.getlist(name)
    return ", ".join(lines).encode("latin-1") if lines else None


class RawJson(Response):
    """JSON bytes that are encoded already, with exact decimals."""

    media_type = "application/json"

    def __init__(self, body: bytes, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(body, headers={"Cache-Control": "private, no-cache", **(headers or {})})


def build_tagged_json(body: bytes, request: Request, *, negotiated: bool = False) -> Response:
    """Build a response of JSON bytes for this request, with entity tag, compression and 304.

    ``negotiated``: the resource has other media types too.
    """
    answer = Prepared(body, negotiated=negotiated)
    accepted = join_header(request, "accept-encoding")
    if accepted is not None and accepts_gzip(accepted):
        answer.compress()
    return PreparedResponse(answer, request)


def document_not_found(description: str) -> dict[int | str, dict[str, Any]]:
    """Build the OpenAPI entry of a 404."""
    return {404: {"description": description}}
