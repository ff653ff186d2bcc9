"""Sends requests to a provider, classifies the HTTP errors common to all providers, and reads retry times."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from email.utils import parsedate_to_datetime

from backend.markets.model import ErrorKind, ProviderError
from backend.markets.providers import parsing
from backend.upstream import FailureKind, UpstreamClient, UpstreamFailure

_MAX_RETRY_AFTER_SECONDS = 31 * 86_400.0
_ERROR_TEXT_BYTES = 1000


@dataclass(frozen=True, slots=True)
class ProviderResponse:
    """A provider's response. ``payload`` is the parsed JSON, or None with the reason in ``parse_error``.

    ``body_start`` is the start of the body, for error messages.
    """

    status: int
    headers: Mapping[str, str]
    body_start: str
    payload: object
    parse_error: str | None


def fetch(
    provider: str, client: UpstreamClient, path: str, params: Mapping[str, str | int] | None = None
) -> ProviderResponse:
    """GET ``path`` and return the response of any status. Raises :class:`ProviderError` without one."""
    try:
        response = client.get(path, params)
    except UpstreamFailure as failure:
        kind = ErrorKind.MALFORMED if failure.kind is FailureKind.TOO_LARGE else ErrorKind.UNAVAILABLE
        raise ProviderError(provider, kind, failure.message.rstrip(".")) from None
    body_start = response.body[:_ERROR_TEXT_BYTES].decode("utf-8", errors="replace")
    try:
        return ProviderResponse(
            response.status, response.headers, body_start, parsing.load_json(response.body), None
        )
    except parsing.UnreadableBodyError as error:
        return ProviderResponse(response.status, response.headers, body_start, None, str(error))


def error_text(response: ProviderResponse, message: str | None) -> str:
    """Return the provider's error message without its full stop, or else a generic phrase."""
    if message is not None:
        return message.rstrip(". ")
    if response.status >= 500:
        return "out of order"
    return f"refused, and the answer {response.parse_error}" if response.parse_error else "refused"


def error_kind_of_auth_failure(response: ProviderResponse, *, key_sent: bool) -> ErrorKind:
    """Return UNAUTHORISED if a key was sent and the provider itself answered in JSON, else REFUSED.

    A web page or plain text comes from a firewall or proxy in front of the provider, which knows no keys.
    """
    return ErrorKind.UNAUTHORISED if key_sent and not response.parse_error else ErrorKind.REFUSED


def error_kind_of_status(
    response: ProviderResponse, *, key_sent: bool, status: int | None = None
) -> ErrorKind:
    """Return the kind of error that an HTTP status means. Used if the body names no more specific one.

    ``status`` overrides the response's own where the body names another. ``key_sent`` says whether a key was
    sent.
    """
    status = response.status if status is None else status
    match status:
        case 401 | 402 | 403:
            return error_kind_of_auth_failure(response, key_sent=key_sent)
        case 404 | 410:
            return ErrorKind.NOT_FOUND
        case 429:
            return ErrorKind.THROTTLED
        case 408 | 425:
            return ErrorKind.UNAVAILABLE
        case _ if status >= 500:
            return ErrorKind.UNAVAILABLE
        case _:
            return ErrorKind.MALFORMED


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds to wait, up to 31 days; None if neither header says so.

    Reads ``Retry-After`` (seconds or a date), then ``X-RateLimit-Reset`` (seconds, or an epoch in seconds or
    milliseconds).
    """
    header = headers.get("retry-after", "").strip()
    if header:
        number = parsing.parse_number(header)
        seconds = float(number) if number is not None else _parse_seconds_until(header, now)
        if seconds is not None and seconds >= 0:
            return min(seconds, _MAX_RETRY_AFTER_SECONDS)
    reset = parsing.parse_not_negative(headers.get("x-ratelimit-reset", ""))
    if reset is None:
        return None
    if reset >= 100_000_000_000:
        reset /= 1000
    if reset >= 1_000_000_000:
        reset = max(Decimal(0), reset - Decimal(int(now.timestamp())))
    return min(float(reset), _MAX_RETRY_AFTER_SECONDS)


def _parse_seconds_until(http_date: str, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(http_date)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
        return max(0.0, (moment - now).total_seconds())
    except (ValueError, OverflowError):
        return None
