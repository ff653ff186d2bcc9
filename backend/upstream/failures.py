"""Converts all errors of HTTP requests to other hosts into one error with a message for operators."""

import contextlib
import socket
import ssl
from collections.abc import Iterator, Mapping
from enum import StrEnum

import httpcore
import httpx
import ssrfguard

from backend.upstream.deadline import READ_SECONDS, Deadline


class FailureKind(StrEnum):
    CONNECT = "connect"  # no connection: name, route, refusal, TLS
    TIMEOUT = "timeout"  # connected, but no complete response in time
    TOO_LARGE = "too_large"
    PROTOCOL = "protocol"  # not HTTP, incomplete, or in an encoding that was not requested
    REDIRECT = "redirect"  # to a host that is not followed, or too many
    REFUSED = "refused"  # the address is not allowed
    CONTENT_TYPE = "content_type"
    STATUS = "status"


class UpstreamFailure(Exception):
    """No usable response from another host. ``message`` is a sentence without secrets.

    ``headers`` are those of a response with an unexpected status, such as ``Retry-After``.
    """

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.status = status
        self.headers: Mapping[str, str] = {} if headers is None else headers


def build_size_error(host: str, limit: int) -> UpstreamFailure:
    return UpstreamFailure(FailureKind.TOO_LARGE, f"{host} sent more than {limit:,} bytes.")


@contextlib.contextmanager
def convert_errors(host: str, deadline: Deadline) -> Iterator[None]:
    """Convert exceptions of the libraries into :class:`UpstreamFailure`.

    The message contains only our own words and no exception is chained: messages of the libraries quote
    header values, such as keys.
    """
    try:
        yield
    except (
        ssrfguard.SSRFGuardError,
        httpx.HTTPError,
        httpx.InvalidURL,
        httpcore.NetworkError,
        httpcore.ProtocolError,
        httpcore.TimeoutException,
        httpcore.UnsupportedProtocol,
        TimeoutError,
        UnicodeError,
    ) as error:
        kind, message = _describe(error, deadline)
        raise UpstreamFailure(kind, f"{host} {message}.") from None


def _describe(error: Exception, deadline: Deadline) -> tuple[FailureKind, str]:
    match error:
        case ssrfguard.SSRFGuardError():
            reason = str(getattr(error, "reason", error)).rstrip(".")
            return FailureKind.REFUSED, f"may not be fetched: {reason}"
        case (
            httpx.InvalidURL() | httpx.UnsupportedProtocol() | httpcore.UnsupportedProtocol() | UnicodeError()
        ):
            return FailureKind.REFUSED, "is not a valid address"
        case httpcore.TimeoutException() | TimeoutError() if deadline.remaining() <= 0:
            return FailureKind.TIMEOUT, f"did not complete its response within {deadline.seconds:g} s"
        case httpcore.ConnectTimeout():
            return FailureKind.CONNECT, "did not accept a connection in time"
        case httpcore.TimeoutException() | TimeoutError():
            return FailureKind.TIMEOUT, f"sent nothing for {READ_SECONDS:g} s"
        case httpcore.ConnectError():
            return FailureKind.CONNECT, f"could not be reached: {_describe_cause(error)}"
        case httpcore.LocalProtocolError():
            return FailureKind.PROTOCOL, "got no request: the request is not valid"
        case _:
            return FailureKind.PROTOCOL, "closed the connection or did not speak HTTP"


def _describe_cause(error: BaseException) -> str:
    """Describe the operating system's cause of a failed connection."""
    cause: BaseException | None = error
    while cause is not None:
        match cause:
            case socket.gaierror():
                return "its name could not be resolved"
            case ssl.SSLCertVerificationError():
                return f"its certificate was not accepted ({cause.verify_message})"
            case ssl.SSLError():
                return "the TLS handshake failed"
            case ConnectionRefusedError():
                return "it refused the connection"
            case OSError(strerror=str(message)):
                return message.lower()
        cause = cause.__cause__ or cause.__context__
    return "the connection failed"
