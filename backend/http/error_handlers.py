"""Turns exceptions of endpoints, of the framework and of the store into problem responses (RFC 9457)."""

import re
from collections.abc import Sequence
from typing import Any

import structlog
from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match, Route

from backend import errors
from backend.http.limits.load_shedding import refuse_body
from backend.store.database import REFUSED_CHANGE_SQLSTATES

log = structlog.get_logger(__name__)

MAX_LISTED_ERRORS = 100
"""How many errors of one request body are listed; a body may hold many more."""


def install_error_handlers(app: FastAPI, routers: Sequence[APIRouter]) -> None:
    """Answer every exception with a problem of RFC 9457.

    ``routers`` are those of ``app``, since ``app.routes`` does not list the routes of included routers.
    """

    def send(request: Request, error: errors.ServiceError) -> Response:
        request_id = request.scope.get("state", {}).get("request_id")
        answer = errors.render(error, path=request.scope["path"], request_id=request_id)
        state = request.scope.get("state", {})
        headers = {**state.get("error_headers", {}), **answer.headers, "Content-Type": answer.content_type}
        return Response(answer.body, answer.status, headers=headers)

    @app.exception_handler(errors.ServiceError)
    async def _handle_service_error(request: Request, error: errors.ServiceError) -> Response:
        return send(request, error)

    @app.exception_handler(RequestValidationError)
    async def _handle_validation_error(request: Request, error: RequestValidationError) -> Response:
        return send(request, convert_validation_error(error))

    @app.exception_handler(HTTPException)
    async def _handle_http_exception(request: Request, error: HTTPException) -> Response:
        return send(request, convert_http_exception(request, error, routers))

    @app.exception_handler(Exception)  # the framework would answer in plain text, then raises it again
    async def _handle_unexpected_error(request: Request, _error: Exception) -> Response:
        return send(request, errors.build_internal_error(request.scope.get("state", {}).get("request_id")))

    @app.exception_handler(OperationalError)
    @app.exception_handler(InterfaceError)
    @app.exception_handler(PoolTimeoutError)
    async def _handle_database_error(request: Request, error: Exception) -> Response:
        original = getattr(error, "orig", error)
        log.warning("database_failed", error=type(original).__name__)
        if getattr(original, "sqlstate", None) in REFUSED_CHANGE_SQLSTATES:
            sentence = "The data store takes no changes now. Please try again."
        else:
            sentence = "The data store does not answer. Please try again shortly."
        return send(request, errors.Unavailable(sentence))


def convert_validation_error(error: RequestValidationError) -> errors.BadRequest:
    """List every error with its place.

    The input itself is left out, since it may hold secrets or lone surrogates.
    """
    validation_errors = error.errors()
    faults: list[errors.FieldError] = [
        {
            "loc": list(fault["loc"]),
            "msg": _replace_surrogates(errors.strip_library_prefix(fault["msg"])),
            "type": fault["type"],
        }
        for fault in validation_errors[:MAX_LISTED_ERRORS]
    ]
    first = faults[0] if faults else None
    location = ".".join(str(part) for part in first["loc"]) if first else "the request"
    detail = f"{location}: {first['msg']}." if first else "The request could not be read."
    more_count = len(validation_errors) - 1
    if more_count > 0:
        detail += f" {more_count} more{' in errors' if more_count < MAX_LISTED_ERRORS else ''}."
    return errors.BadRequest(_replace_surrogates(detail), errors=faults)


def _replace_surrogates(text: Any) -> str:
    return re.sub(r"[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", str(text))


def convert_http_exception(
    request: Request, error: HTTPException, routers: Sequence[APIRouter]
) -> errors.ServiceError:
    """Convert an exception that Starlette raises by itself."""
    match error.status_code:
        case 404:
            return errors.NotFound("There is nothing at this path. /docs lists what there is.")
        case 405:
            allow = list_allowed_methods(request, routers)
            refusal = errors.MethodNotAllowed(f"This path answers {', '.join(allow)}.")
            refusal.headers["Allow"] = ", ".join(allow)
            return refusal
        case 408:
            return errors.RequestTimeout("The body came too slowly. Send it faster, or less at once.")
        case 503:
            return refuse_body()
        case 413:
            limit = request.app.state.body_limit
            return errors.PayloadTooLarge(f"The body is over the limit of {limit} bytes. Send less at once.")
        case 400:
            return errors.BadRequest(
                "The request could not be read. Check that its body is valid JSON in UTF-8."
            )
    service_error = errors.ServiceError(str(error.detail), code="error")
    service_error.status = error.status_code
    return service_error


def list_allowed_methods(request: Request, routers: Sequence[APIRouter]) -> list[str]:
    """List the methods of all routes of this path. Starlette names those of the first route alone."""
    methods: set[str] = set()
    for route in (route for router in routers for route in router.routes):
        if isinstance(route, Route) and route.matches(request.scope)[0] is not Match.NONE:
            methods |= route.methods or set()
    return sorted(methods) or ["GET"]
