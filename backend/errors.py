"""Defines the errors of the service and renders them as responses.

Any code raises a :class:`ServiceError`. The path of the request decides the format of the response:
``application/problem+json`` (RFC 9457) everywhere, ``{code, message, data: null}`` in the topic
group, RFC 6749 section 5.2 under ``/oauth/``.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypedDict

import orjson

OAUTH_ERROR_CODES = frozenset(
    (
        "invalid_request",
        "invalid_client",
        "invalid_grant",
        "invalid_scope",
        "unauthorized_client",
        "unsupported_grant_type",
        "insufficient_scope",
    )
)
"""Codes that RFC 6749 and RFC 6750 define themselves."""
OAUTH_CODE_BY_STATUS = {
    401: "invalid_token",
    429: "temporarily_unavailable",
    500: "server_error",
    503: "temporarily_unavailable",
}
"""OAuth code of any other error by HTTP status; the default is ``invalid_request``."""
PROBLEM_JSON = "application/problem+json"
JSON = "application/json"


class FieldError(TypedDict):
    """One error of the input: place, message and kind. Never holds the input itself."""

    loc: list[str | int]
    msg: str
    type: str


class ServiceError(Exception):
    """A response other than success.

    ``detail`` is a sentence that tells the caller what to do. ``code`` is a stable snake_case identifier for
    programs.
    """

    status: int = 500
    code: str = "internal_error"

    def __init__(
        self,
        detail: str,
        *,
        code: str | None = None,
        headers: Mapping[str, str] | None = None,
        errors: Sequence[FieldError] = (),
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code or type(self).code
        self.headers = dict(headers or {})
        self.errors = list(errors)


class BadRequest(ServiceError):
    status, code = 400, "invalid_request"


class Unauthorized(ServiceError):
    """A missing or bad credential; carries ``WWW-Authenticate`` (RFC 9110 section 11.6.1)."""

    status, code = 401, "unauthorized"

    def __init__(self, detail: str, *, code: str | None = None) -> None:
        super().__init__(
            detail,
            code=code,
            headers={"WWW-Authenticate": 'ApiKey realm="chainproof", Bearer realm="chainproof"'},
        )


class Forbidden(ServiceError):
    status, code = 403, "insufficient_scope"


class NotFound(ServiceError):
    status, code = 404, "not_found"


class MethodNotAllowed(ServiceError):
    status, code = 405, "method_not_allowed"


class RequestTimeout(ServiceError):
    """The request arrived too slowly. The service closes the connection without reading the rest."""

    status, code = 408, "request_timeout"

    def __init__(self, detail: str) -> None:
        super().__init__(detail, headers={"Connection": "close"})


class Conflict(ServiceError):
    status, code = 409, "conflict"


class PayloadTooLarge(ServiceError):
    status, code = 413, "payload_too_large"


class UnsupportedMediaType(ServiceError):
    status, code = 415, "unsupported_media_type"


class TooManyRequests(ServiceError):
    status, code = 429, "rate_limited"

    def __init__(self, detail: str, *, retry_after: int = 1) -> None:
        super().__init__(detail, headers={"Retry-After": str(retry_after)})


class HeadersTooLarge(ServiceError):
    status, code = 431, "headers_too_large"


class Unavailable(ServiceError):
    """A dependency is down; ``Retry-After`` says after how many seconds to retry."""

    status, code = 503, "dependency_unavailable"

    def __init__(self, detail: str, *, retry_after: int = 5, code: str | None = None) -> None:
        super().__init__(detail, code=code, headers={"Retry-After": str(retry_after)})


class Overloaded(Unavailable):
    """The service has more requests than it can answer in time. A retry a moment later succeeds."""

    code = "overloaded"

    def __init__(self, detail: str, *, retry_after: int = 2) -> None:
        super().__init__(detail, retry_after=retry_after)


class ProcessingTimeout(Unavailable):
    code = "took_too_long"

    def __init__(self, detail: str, *, retry_after: int = 10) -> None:
        super().__init__(detail, retry_after=retry_after)


class Stopping(Unavailable):
    """The process stops before the request is done. What it stores may still have been stored."""

    code = "stopping"

    def __init__(self) -> None:
        super().__init__(
            "The service is stopping and may not have finished this request. Please send it again with the "
            "same Idempotency-Key; without one, check first whether it took effect."
        )


def strip_library_prefix(message: str) -> str:
    """Return the message of our own validator, without the prefix that pydantic adds."""
    return message.removeprefix("Value error, ")


def build_internal_error(request_id: str | None) -> ServiceError:
    """Build the error for a bug of the service. The request id helps to find it in the log."""
    return ServiceError(f"Something went wrong on our side. Please report request {request_id}.")


@dataclass(frozen=True, slots=True)
class RenderedError:
    status: int
    body: bytes
    content_type: str
    headers: Mapping[str, str]


def render(error: ServiceError, *, path: str, request_id: str | None = None) -> RenderedError:
    """Render ``error`` in the format of ``path``."""
    headers = error.headers
    if path.startswith("/oauth/"):
        code = (
            error.code
            if error.code in OAUTH_ERROR_CODES
            else OAUTH_CODE_BY_STATUS.get(error.status, "invalid_request")
        )
        body: dict[str, Any] = {
            "error": code,
            "error_description": _replace_forbidden_characters(error.detail),
        }
        content_type = JSON
        headers = {**headers, "Cache-Control": "no-store", "Pragma": "no-cache"}
    elif path.startswith(("/topics", "/ranking_topics", "/ai_insights")):
        body = {"code": error.status, "message": error.detail, "data": None}
        content_type = JSON
    else:
        body = build_problem(error, path=path, request_id=request_id)
        content_type = PROBLEM_JSON
    return RenderedError(error.status, orjson.dumps(body), content_type, headers)


def _replace_forbidden_characters(sentence: str) -> str:
    """Keep the characters that RFC 6749 section 5.2 allows: printable ASCII but for two."""
    return re.sub(r"[^\x20-\x7e]", "?", sentence.replace('"', "'").replace("\\", "/"))


def build_problem(error: ServiceError, *, path: str, request_id: str | None) -> dict[str, Any]:
    body: dict[str, Any] = {
        "type": f"urn:chainproof:problem:{error.code}",
        "title": HTTPStatus(error.status).phrase,
        "status": error.status,
        "detail": error.detail,
        "instance": f"urn:chainproof:request:{request_id}" if request_id else path,
        "code": error.code,
    }
    if error.errors:
        body["errors"] = error.errors
    return body
