"""Calls URLs that the operator configured, with retries and one deadline per call."""

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass

import httpx
import orjson
import stamina
from pydantic import SecretStr

from backend.upstream.deadline import Clock, Deadline, Resolver, ResolvingBackend, resolve_host, use_deadline
from backend.upstream.failures import FailureKind, UpstreamFailure, convert_errors
from backend.upstream.transport import MIB, build_client, origin_name, read_body

_MAX_REDIRECTS = 3
_MAX_WAIT_SECONDS = 2.0
_MIN_REMAINING_SECONDS = 0.5
"""A request is not retried if less time than this remains before the deadline."""
_RETRIED_STATUSES = (502, 503, 504)
_HTTPS_UPGRADE = ("http", 80, "https", 443)


@dataclass(frozen=True, slots=True)
class UpstreamResponse:
    """A complete response of any status: case-insensitive headers, decompressed body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The number of attempts of a request, and the waits between them in seconds."""

    attempts: int = 3
    wait_initial: float = 0.25
    wait_max: float = _MAX_WAIT_SECONDS
    wait_jitter: float = 0.25


class _RetryableStatusError(Exception):
    """Carries a response 502, 503 or 504 as an exception, so that the request is retried."""

    def __init__(self, response: UpstreamResponse) -> None:
        super().__init__(f"status {response.status}")
        self.response = response


class UpstreamClient:
    """Calls one configured URL. ``secret_headers`` never appear in a log or an error.

    ``base_url`` may contain a path. ``deadline_seconds`` limits a whole call with its retries. Only
    connection failures and 502, 503, 504 are retried; 429 is not. A GET follows redirects within the same
    origin, and from http to https on the same host (default ports). Thread-safe.
    """

    def __init__(
        self,
        base_url: str,
        *,
        headers: Mapping[str, str] | None = None,
        secret_headers: Mapping[str, SecretStr] | None = None,
        deadline_seconds: float = 10.0,
        max_bytes: int = 8 * MIB,
        retry: RetryPolicy | None = None,
        clock: Clock = time.monotonic,
        resolver: Resolver = resolve_host,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Tests pass ``transport`` in place of the network; the deadline and the size limit still apply."""
        self._base = _parse_base_url(base_url)
        self.origin_name = origin_name(self._base)
        """The name of the upstream in error messages."""
        self._secrets = {
            name: _validate_secret_header(name, value) for name, value in (secret_headers or {}).items()
        }
        self._deadline_seconds = deadline_seconds
        self._max_bytes = max_bytes
        self._retry = retry or RetryPolicy()
        self._clock = clock
        all_headers = {
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            **(headers or {}),
            **self._secrets,
        }
        self._client = build_client(ResolvingBackend(resolver), all_headers, deadline_seconds, transport)

    def get(self, path: str, params: Mapping[str, str | int] | None = None) -> UpstreamResponse:
        """Send a GET request to ``path`` below the base URL. Returns a response of any status.

        Raises :class:`UpstreamFailure` if no complete response arrives or a redirect is refused.
        """
        url = httpx.URL(self._build_url(path), params=params or None)
        return self._send_with_retries(self._client.build_request("GET", url))

    def post(self, path: str, body: object) -> UpstreamResponse:
        """Send a POST request with ``body`` as JSON. It is retried like a GET, but follows no redirect.

        It may be sent more than once, so it must not change anything at the upstream.
        """
        content = orjson.dumps(body)
        headers = {"Content-Type": "application/json"}
        return self._send_with_retries(
            self._client.build_request("POST", self._build_url(path), content=content, headers=headers)
        )

    def _build_url(self, path: str) -> str:
        return f"{str(self._base).rstrip('/')}/{path.lstrip('/')}"

    def _send_with_retries(self, request: httpx.Request) -> UpstreamResponse:
        with use_deadline(Deadline(self._deadline_seconds, self._clock)) as deadline:
            try:
                for attempt in stamina.retry_context(
                    on=lambda error: _decide_retry(error, deadline),
                    attempts=self._retry.attempts,
                    timeout=None,
                    wait_initial=self._retry.wait_initial,
                    wait_max=self._retry.wait_max,
                    wait_jitter=self._retry.wait_jitter,
                ):
                    with attempt:
                        response = self._send_with_redirects(request, deadline)
                        if response.status in _RETRIED_STATUSES:
                            raise _RetryableStatusError(response)
                        return response
            except _RetryableStatusError as error:
                return error.response
        raise AssertionError("a retry context ends with a response or an error")

    def redact(self, text: str) -> str:
        """Replace every secret of this client in ``text``: some upstreams quote the key."""
        for value in self._secrets.values():
            text = text.replace(value, "[key]")
        return text

    def close(self) -> None:
        self._client.close()

    def _send_with_redirects(self, request: httpx.Request, deadline: Deadline) -> UpstreamResponse:
        with convert_errors(self.origin_name, deadline):
            for _ in range(_MAX_REDIRECTS + 1):
                response = self._client.send(request, stream=True)
                with contextlib.closing(response):
                    if response.next_request is None or request.method != "GET":
                        body = read_body(response, self._max_bytes, self.origin_name, gzip=True)
                        return UpstreamResponse(response.status_code, response.headers, body)
                    url = self._check_redirect(response.next_request.url)
                request = self._client.build_request("GET", url)
        raise UpstreamFailure(FailureKind.REDIRECT, f"{self.origin_name} redirects too often.")

    def _check_redirect(self, url: httpx.URL) -> httpx.URL:
        """Return ``url`` if it may get our headers: same origin, or same host upgraded from http to https."""
        base, target = _split_origin(self._base), _split_origin(url)
        if target == base or (
            target[1] == base[1] and (base[0], base[2], target[0], target[2]) == _HTTPS_UPGRADE
        ):
            return url
        message = f"{self.origin_name} redirects to {origin_name(url)}, which is not followed."
        raise UpstreamFailure(FailureKind.REDIRECT, message)


def _decide_retry(error: Exception, deadline: Deadline) -> bool | float:
    """Return whether to retry, or the wait in seconds if the upstream sent a short Retry-After."""
    if deadline.remaining() < _MIN_REMAINING_SECONDS:
        return False
    if isinstance(error, UpstreamFailure):
        return error.kind is FailureKind.CONNECT
    if not isinstance(error, _RetryableStatusError):
        return False
    retry_after = error.response.headers.get("retry-after")
    if retry_after is None:
        return True
    if not (retry_after.isascii() and retry_after.isdigit() and len(retry_after) < 6):
        return False
    seconds = float(retry_after)
    return seconds if seconds <= _MAX_WAIT_SECONDS and seconds < deadline.remaining() else False


def _parse_base_url(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url.strip())
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host or url.userinfo or url.query or url.fragment:
        raise ValueError("A base URL must be http:// or https://, a host and an optional path.")
    return url


def _validate_secret_header(name: str, secret: SecretStr) -> str:
    value = secret.get_secret_value().strip()
    token = value.removeprefix("Bearer ")
    if not token or not all("!" <= character <= "~" for character in token):
        raise ValueError(f"The value for {name} is empty or contains characters that a header cannot carry.")
    return value


def _split_origin(url: httpx.URL) -> tuple[str, str, int]:
    return url.scheme, url.host.rstrip("."), url.port or (443 if url.scheme == "https" else 80)
