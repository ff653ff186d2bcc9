"""The error family and its renderings.

Code anywhere raises a :class:`ServiceError`; what the client sees depends on where it asked:
``application/problem+json`` (RFC 9457) everywhere, ``{code, message, data: null}`` in the topic
group, RFC 6749 section 5.2 under ``/oauth/``.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypedDict

import orjson

OAUTH_WORDS = frozenset(
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
"""Codes that are words of RFC 6749 and RFC 6750 as they are."""
OAUTH_WORD_OF = {
    401: "invalid_token",
    429: "temporarily_unavailable",
    500: "server_error",
    503: "temporarily_unavailable",
}
"""The word for any other error, by its status; else it is ``invalid_request``."""
PROBLEM_JSON = "application/problem+json"
JSON = "application/json"


class FieldError(TypedDict):
    """One fault of the input: where, in words, and its kind. Never the input itself."""

    loc: list[str | int]
    msg: str
    type: str


class ServiceError(Exception):
    """An answer other than success.

    ``detail`` is a sentence for the caller that says what to do; ``code`` a stable snake_case word
    for programs.
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
    """The request came too slowly. The rest of it is not waited for, so the connection ends."""

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
    """A dependency is down; ``Retry-After`` says when to ask again (seconds)."""

    status, code = 503, "dependency_unavailable"

    def __init__(self, detail: str, *, retry_after: int = 5, code: str | None = None) -> None:
        super().__init__(detail, code=code, headers={"Retry-After": str(retry_after)})


class Overloaded(Unavailable):
    """There is more to do than can be done in time: asking again a moment later is all that it takes."""

    code = "overloaded"

    def __init__(self, detail: str, *, retry_after: int = 2) -> None:
        super().__init__(detail, retry_after=retry_after)


class TookTooLong(Unavailable):
    code = "took_too_long"

    def __init__(self, detail: str, *, retry_after: int = 10) -> None:
        super().__init__(detail, retry_after=retry_after)


def in_a_sentence(message: str) -> str:
    """What a check of ours said, without what the validating library puts before it."""
    return message.removeprefix("Value error, ")


def unexpected(request_id: str | None) -> ServiceError:
    """A fault of ours, with the one thing that helps to find it."""
    return ServiceError(f"Something went wrong on our side. Please report request {request_id}.")


@dataclass(frozen=True, slots=True)
class Rendered:
    status: int
    body: bytes
    content_type: str
    headers: Mapping[str, str]


def render(error: ServiceError, *, path: str, request_id: str | None = None) -> Rendered:
    """The answer that a client gets for ``error`` at ``path``."""
    headers = error.headers
    if path.startswith("/oauth/"):
        word = error.code if error.code in OAUTH_WORDS else OAUTH_WORD_OF.get(error.status, "invalid_request")
        body: dict[str, Any] = {"error": word, "error_description": _for_oauth(error.detail)}
        content_type = JSON
        headers = {**headers, "Cache-Control": "no-store", "Pragma": "no-cache"}
    elif path.startswith(("/topics", "/ranking_topics", "/ai_insights")):
        body = {"code": error.status, "message": error.detail, "data": None}
        content_type = JSON
    else:
        body = problem(error, path=path, request_id=request_id)
        content_type = PROBLEM_JSON
    return Rendered(error.status, orjson.dumps(body), content_type, headers)


def _for_oauth(sentence: str) -> str:
    """In the characters that RFC 6749 section 5.2 allows: printable ASCII but for two."""
    return re.sub(r"[^\x20-\x7e]", "?", sentence.replace('"', "'").replace("\\", "/"))


def problem(error: ServiceError, *, path: str, request_id: str | None) -> dict[str, Any]:
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
