"""Builds stateless HTTP clients and reads response bodies within size limits."""

import http.cookiejar
import importlib.metadata
import ssl
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

import httpcore
import httpx

from backend.runtime import tracing
from backend.upstream.deadline import CONNECT_SECONDS, READ_SECONDS, BoundedBackend
from backend.upstream.failures import FailureKind, UpstreamFailure, build_size_error

USER_AGENT: Final = f"chainproof/{importlib.metadata.version('chainproof')}"
MIB: Final = 1024 * 1024


@lru_cache(maxsize=1)
def _create_tls_context() -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=False)


class PoolTransport(httpx.BaseTransport):
    """Sends requests over connections of ``backend``, which the transport of httpx does not accept.

    Raises exceptions of httpcore, also while reading a body.
    """

    def __init__(self, backend: httpcore.NetworkBackend) -> None:
        self._connections = httpcore.ConnectionPool(
            ssl_context=_create_tls_context(),
            max_connections=8,
            keepalive_expiry=5.0,
            network_backend=backend,
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        assert isinstance(request.stream, httpx.SyncByteStream)
        response = self._connections.handle_request(
            httpcore.Request(
                request.method,
                httpcore.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            response.status,
            headers=response.headers,
            stream=_Stream(response),
            extensions=response.extensions,
        )

    def close(self) -> None:
        self._connections.close()


class TracedTransport(httpx.BaseTransport):
    """Traces each request of ``inner`` until the headers of its response arrive.

    Adds no header to the request: other services learn nothing of the trace.
    """

    def __init__(self, inner: httpx.BaseTransport) -> None:
        self._inner = inner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        name, host = f"{request.method} {request.url.host}", request.url.host
        attributes = {"http.request.method": request.method, "server.address": host}
        with tracing.trace(name, attributes, is_call=True):
            response = self._inner.handle_request(request)
            tracing.update_current_span({"http.response.status_code": response.status_code})
            return response

    def close(self) -> None:
        self._inner.close()


class _Stream(httpx.SyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        return self._response.iter_stream()

    def close(self) -> None:
        self._response.close()


def build_client(
    backend: httpcore.NetworkBackend,
    headers: Mapping[str, str],
    deadline_seconds: float,
    transport: httpx.BaseTransport | None = None,
) -> httpx.Client:
    """Build a client that stores no cookies, follows no redirects and ignores the environment.

    ``transport`` replaces the network.
    """
    transport = transport or PoolTransport(BoundedBackend(backend))
    return httpx.Client(
        transport=TracedTransport(transport) if tracing.is_started() else transport,
        trust_env=False,
        follow_redirects=False,
        cookies=http.cookiejar.CookieJar(http.cookiejar.DefaultCookiePolicy(allowed_domains=[])),
        headers={"User-Agent": USER_AGENT, **headers},
        timeout=httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS, pool=deadline_seconds),
    )


def origin_name(url: httpx.URL) -> str:
    """Return the host, and the port if it is not the default one, for error messages."""
    return url.host if url.port is None else f"{url.host}:{url.port}"


def read_body(response: httpx.Response, limit: int, host: str, *, gzip: bool) -> bytes:
    """Read a body of at most ``limit`` bytes, both as sent and decompressed.

    Refuses encodings that were not requested: all except none, and gzip if ``gzip`` is true.
    """
    encoding = response.headers.get("content-encoding", "").strip().lower()
    is_plain = encoding in ("", "identity")
    if not is_plain and not (gzip and encoding in ("gzip", "x-gzip")):
        message = f"{host} sent the encoding {encoding[:40]!r}, which was not requested."
        raise UpstreamFailure(FailureKind.PROTOCOL, message)
    declared = response.headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and len(declared) < 19 and int(declared) > limit:
        raise build_size_error(host, limit)
    raw = _limit_size(response.iter_raw(), limit, host)
    return b"".join(raw if is_plain else _decompress(raw, limit, host))


def _limit_size(chunks: Iterable[bytes], limit: int, host: str) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > limit:
            raise build_size_error(host, limit)
        yield chunk


def _decompress(chunks: Iterable[bytes], limit: int, host: str) -> Iterator[bytes]:
    """Decompress gzip in chunks, so that a decompression bomb is stopped at ``limit``.

    Reads all members; common decoders drop everything after the first one.
    """
    size, ended, inflater = 0, False, zlib.decompressobj(31)
    for chunk in chunks:
        remaining = chunk
        while remaining:
            if ended:
                inflater, ended = zlib.decompressobj(31), False
            try:
                output = inflater.decompress(remaining, limit + 1 - size)
            except zlib.error:
                raise UpstreamFailure(FailureKind.PROTOCOL, f"{host} sent a damaged gzip body.") from None
            size += len(output)
            if size > limit:
                raise build_size_error(host, limit)
            yield output
            ended = inflater.eof
            remaining = inflater.unused_data.lstrip(b"\0") if ended else inflater.unconsumed_tail
    if not ended:
        raise UpstreamFailure(FailureKind.PROTOCOL, f"{host} sent an incomplete gzip body.")
