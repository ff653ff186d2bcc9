"""Answers conditional requests for feeds by entity tag and by date."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime

from fastapi import Request
from starlette.responses import Response

from backend.http.prepared_responses import Prepared, accepts_gzip
from backend.http.responses import PreparedResponse, join_header


def build_feed_response(
    body: bytes, request: Request, *, content_type: str, updated_at: datetime
) -> Response:
    """Build the response with ``ETag`` and ``Last-Modified``, or a 304 (RFC 9110 section 13.1).

    ``If-None-Match`` has precedence over ``If-Modified-Since``, which has seconds only and ignores deleted
    entries.
    """
    modified_at = updated_at.astimezone(UTC).replace(microsecond=0)
    last_modified = format_datetime(modified_at, usegmt=True).encode()
    answer = Prepared(body, content_type=content_type, extra=[(b"last-modified", last_modified)])
    accepted = join_header(request, "accept-encoding")
    if accepted is not None and accepts_gzip(accepted):
        answer.compress()
    response = PreparedResponse(answer, request)
    if "if-none-match" not in request.headers and _is_unmodified(request, modified_at):
        response.status_code = 304
        response.body = b""
        kept = (b"content-length", b"content-type", b"content-encoding")
        response.raw_headers = [pair for pair in response.raw_headers if pair[0] not in kept]
    return response


def _is_unmodified(request: Request, modified_at: datetime) -> bool:
    try:
        since = parsedate_to_datetime(request.headers.get("if-modified-since", ""))
    except ValueError:  # an invalid date is ignored
        return False
    # A date without a time zone (-0000) is in UTC.
    since = since.replace(tzinfo=UTC) if since.tzinfo is None else since
    return modified_at - since <= timedelta(0)
