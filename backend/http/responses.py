"""How a route sends an answer that was built beforehand."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from backend.http.prepared_responses import Prepared, accepts_gzip

HOT: dict[int | str, dict[str, Any]] = {
    304: {"description": "The client holds these very bytes (`If-None-Match`)."}
}


class PreparedResponse(Response):
    """Sends a :class:`Prepared` as the request's ``Accept-Encoding`` and ``If-None-Match`` ask."""

    def __init__(self, answer: Prepared, request: Request) -> None:
        status, headers, body = answer.answer(
            joined_header(request, "accept-encoding"), joined_header(request, "if-none-match")
        )
        super().__init__(status_code=status)
        self.body = body
        self.raw_headers = list(headers)


def joined_header(request: Request, name: str) -> bytes | None:
    """A header's lines as the one list that they mean (RFC 9110 section 5.3)."""
    lines = request.headers.getlist(name)
    return ", ".join(lines).encode("latin-1") if lines else None


class RawJson(Response):
    """JSON bytes that were encoded by us, exact decimals included."""

    media_type = "application/json"

    def __init__(self, body: bytes, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(body, headers={"Cache-Control": "private, no-cache", **(headers or {})})


def tagged(body: bytes, request: Request) -> Response:
    """JSON bytes made for this request, with the entity tag, coding and 304 of answers that stand ready."""
    answer = Prepared(body)
    accepted = joined_header(request, "accept-encoding")
    if accepted is not None and accepts_gzip(accepted):
        answer.compress()
    return PreparedResponse(answer, request)


def not_found(what: str) -> dict[int | str, dict[str, Any]]:
    return {404: {"description": what}}
