"""Asking an address that the operator configured."""

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass

import httpx
import orjson
import stamina
from pydantic import SecretStr

from backend.upstream.deadline import Clock, Deadline, Resolver, ResolvingBackend, lookup, until
from backend.upstream.failures import FailureKind, UpstreamFailure, in_our_words
from backend.upstream.transport import MIB, client, origin_name, read_body

_REDIRECTS = 3
_POLITE_WAIT = 2.0
_UPGRADE = ("http", 80, "https", 443)


@dataclass(frozen=True, slots=True)
class UpstreamResponse:
    """A whole answer: any status, headers without regard to case, the body decompressed."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Retry:
    """How often a request is tried and how long to wait between, in seconds."""

    attempts: int = 3
    wait_initial: float = 0.25
    wait_max: float = _POLITE_WAIT
    wait_jitter: float = 0.25


class _BusyError(Exception):
    """A 502, 503 or 504, carried as an exception so that it can be tried again."""

    def __init__(self, response: UpstreamResponse) -> None:
        super().__init__(f"status {response.status}")
        self.response = response


class UpstreamClient:
    """Asks one configured address, with ``secret_headers`` that never reach a log or an error.

    ``base_url`` may hold a path; ``deadline`` is for the whole of a call in seconds, retries
    included. Connection failures and 502, 503, 504 are tried again; nothing else is, 429 least of
    all. A redirect is followed on the same host only. Safe for use by several threads.
    """

    def __init__(
        self,
        base_url: str,
        *,
        headers: Mapping[str, str] | None = None,
        secret_headers: Mapping[str, SecretStr] | None = None,
        deadline: float = 10.0,
        max_bytes: int = 8 * MIB,
        retry: Retry | None = None,
        clock: Clock = time.monotonic,
        resolver: Resolver = lookup,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """``transport`` answers in place of the network, under the same limits."""
        self._base = _base(base_url)
        self.host = origin_name(self._base)
        """The upstream as an error names it."""
        self._secrets = {name: _header_value(name, value) for name, value in (secret_headers or {}).items()}
        self._deadline = deadline
        self._max_bytes = max_bytes
        self._retry = retry or Retry()
        self._clock = clock
        sent = {"Accept": "application/json", "Accept-Encoding": "gzip", **(headers or {}), **self._secrets}
        self._client = client(ResolvingBackend(resolver), sent, deadline, transport)

    def get(self, path: str, params: Mapping[str, str | int] | None = None) -> UpstreamResponse:
        """The answer at ``path`` below the base URL, whatever its status.

        Raises :class:`UpstreamFailure` when there is none.
        """
        url = httpx.URL(self._address(path), params=params or None)
        return self._tried(self._client.build_request("GET", url))

    def post(self, path: str, body: object) -> UpstreamResponse:
        """The answer to ``body``, sent as JSON, under the same rules; a redirect is not followed.

        It may be sent twice, so it is for questions and not for orders.
        """
        content = orjson.dumps(body)
        headers = {"Content-Type": "application/json"}
        return self._tried(
            self._client.build_request("POST", self._address(path), content=content, headers=headers)
        )

    def _address(self, path: str) -> str:
        return f"{str(self._base).rstrip('/')}/{path.lstrip('/')}"

    def _tried(self, request: httpx.Request) -> UpstreamResponse:
        with until(Deadline(self._deadline, self._clock)) as deadline:
            try:
                for attempt in stamina.retry_context(
                    on=lambda error: _worth_another_try(error, deadline),
                    attempts=self._retry.attempts,
                    timeout=None,
                    wait_initial=self._retry.wait_initial,
                    wait_max=self._retry.wait_max,
                    wait_jitter=self._retry.wait_jitter,
                ):
                    with attempt:
                        response = self._exchange(request, deadline)
                        if response.status in (502, 503, 504):
                            raise _BusyError(response)
                        return response
            except _BusyError as busy:
                return busy.response
        raise AssertionError("a retry context ends with an answer or an error")

    def redacted(self, text: str) -> str:
        """``text`` with every secret of this client struck out: some upstreams quote the key."""
        for value in self._secrets.values():
            text = text.replace(value, "[key]")
        return text

    def close(self) -> None:
        self._client.close()

    def _exchange(self, request: httpx.Request, deadline: Deadline) -> UpstreamResponse:
        with in_our_words(self.host, deadline):
            for _ in range(_REDIRECTS + 1):
                response = self._client.send(request, stream=True)
                with contextlib.closing(response):
                    if response.next_request is None or request.method != "GET":
                        body = read_body(response, self._max_bytes, self.host, gzip=True)
                        return UpstreamResponse(response.status_code, response.headers, body)
                    url = self._followed(response.next_request.url)
                request = self._client.build_request("GET", url)
        raise UpstreamFailure(FailureKind.REDIRECT, f"{self.host} keeps sending the request on.")

    def _followed(self, url: httpx.URL) -> httpx.URL:
        """``url`` if our headers may go there: the same origin, or the same host from http to https."""
        here, there = _origin(self._base), _origin(url)
        if there == here or (there[1] == here[1] and (here[0], here[2], there[0], there[2]) == _UPGRADE):
            return url
        words = f"{self.host} sent the request on to {origin_name(url)}, which is not followed."
        raise UpstreamFailure(FailureKind.REDIRECT, words)


def _worth_another_try(error: Exception, deadline: Deadline) -> bool | float:
    """Whether to try again, or after how many seconds if the upstream said so."""
    if deadline.remaining() < 0.5:
        return False
    if isinstance(error, UpstreamFailure):
        return error.kind is FailureKind.CONNECT
    if not isinstance(error, _BusyError):
        return False
    told = error.response.headers.get("retry-after")
    if told is None:
        return True
    if not (told.isascii() and told.isdigit() and len(told) < 6):
        return False
    return float(told) if float(told) <= _POLITE_WAIT and float(told) < deadline.remaining() else False


def _base(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url.strip())
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host or url.userinfo or url.query or url.fragment:
        raise ValueError("A base URL is http:// or https://, a host and perhaps a path, and no more.")
    return url


def _header_value(name: str, secret: SecretStr) -> str:
    value = secret.get_secret_value().strip()
    token = value.removeprefix("Bearer ")
    if not token or not all("!" <= character <= "~" for character in token):
        raise ValueError(f"The value for {name} is empty or holds characters that a header cannot carry.")
    return value


def _origin(url: httpx.URL) -> tuple[str, str, int]:
    return url.scheme, url.host.rstrip("."), url.port or (443 if url.scheme == "https" else 80)
