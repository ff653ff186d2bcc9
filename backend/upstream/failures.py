"""One error for everything that can go wrong with another host, in words for an operator."""

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
    TIMEOUT = "timeout"  # connected, but the answer was not whole in time
    TOO_LARGE = "too_large"
    PROTOCOL = "protocol"  # not HTTP, broken off, or coded in a way that was not asked for
    REDIRECT = "redirect"  # sent on to where we do not follow
    REFUSED = "refused"  # we may not go there
    CONTENT_TYPE = "content_type"
    STATUS = "status"


class UpstreamFailure(Exception):
    """No usable answer from another host; ``message`` is a sentence that holds no secret. ``headers`` are
    those of an answer with another status than was asked for, as of a ``Retry-After``."""

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


def too_large(host: str, limit: int) -> UpstreamFailure:
    return UpstreamFailure(FailureKind.TOO_LARGE, f"{host} sent more than {limit:,} bytes.")


@contextlib.contextmanager
def in_our_words(host: str, deadline: Deadline) -> Iterator[None]:
    """Turn what the libraries raise into :class:`UpstreamFailure`.

    Only our own words go in, and nothing is chained: the libraries' messages quote header values,
    keys among them.
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
        kind, words = _told(error, deadline)
        raise UpstreamFailure(kind, f"{host} {words}.") from None


def _told(error: Exception, deadline: Deadline) -> tuple[FailureKind, str]:
    match error:
        case ssrfguard.SSRFGuardError():
            reason = str(getattr(error, "reason", error)).rstrip(".")
            return FailureKind.REFUSED, f"may not be fetched: {reason}"
        case (
            httpx.InvalidURL() | httpx.UnsupportedProtocol() | httpcore.UnsupportedProtocol() | UnicodeError()
        ):
            return FailureKind.REFUSED, "is not an address that can be asked"
        case httpcore.TimeoutException() | TimeoutError() if deadline.remaining() <= 0:
            return FailureKind.TIMEOUT, f"did not finish its answer within {deadline.seconds:g} s"
        case httpcore.ConnectTimeout():
            return FailureKind.CONNECT, "could not be connected to in time"
        case httpcore.TimeoutException() | TimeoutError():
            return FailureKind.TIMEOUT, f"sent nothing for {READ_SECONDS:g} s"
        case httpcore.ConnectError():
            return FailureKind.CONNECT, f"could not be reached: {_cause(error)}"
        case httpcore.LocalProtocolError():
            return FailureKind.PROTOCOL, "could not be asked: the request is not valid"
        case _:
            return FailureKind.PROTOCOL, "broke off or did not speak HTTP"


def _cause(error: BaseException) -> str:
    """The operating system's cause of a failed connection, in words."""
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
            case OSError(strerror=str(words)):
                return words.lower()
        cause = cause.__cause__ or cause.__context__
    return "the connection failed"
