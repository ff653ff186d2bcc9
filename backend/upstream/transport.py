"""What both doors share: a client without memory, and a body that is read within its limits."""

import http.cookiejar
import importlib.metadata
import ssl
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

import httpcore
import httpx

from backend.upstream.deadline import CONNECT_SECONDS, READ_SECONDS, BoundedBackend
from backend.upstream.failures import FailureKind, UpstreamFailure, too_large

USER_AGENT: Final = f"chainproof/{importlib.metadata.version('chainproof')}"
MIB: Final = 1024 * 1024


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=False)


class PoolTransport(httpx.BaseTransport):
    """Sends requests over connections that ``backend`` opens, which httpx's own transport cannot be given.

    Raises the errors of httpcore, also while a body is read.
    """

    def __init__(self, backend: httpcore.NetworkBackend) -> None:
        self._connections = httpcore.ConnectionPool(
            ssl_context=_tls(), max_connections=8, keepalive_expiry=5.0, network_backend=backend
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


class _Stream(httpx.SyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        return self._response.iter_stream()

    def close(self) -> None:
        self._response.close()


def client(
    backend: httpcore.NetworkBackend,
    headers: Mapping[str, str],
    deadline: float,
    transport: httpx.BaseTransport | None = None,
) -> httpx.Client:
    """A client that keeps no cookies, follows nothing and reads nothing from the environment.

    ``transport`` answers in place of the network.
    """
    return httpx.Client(
        transport=transport or PoolTransport(BoundedBackend(backend)),
        trust_env=False,
        follow_redirects=False,
        cookies=http.cookiejar.CookieJar(http.cookiejar.DefaultCookiePolicy(allowed_domains=[])),
        headers={"User-Agent": USER_AGENT, **headers},
        timeout=httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS, pool=deadline),
    )


def origin_name(url: httpx.URL) -> str:
    """Host and, if it is not the scheme's own, port: how an error names an address."""
    return url.host if url.port is None else f"{url.host}:{url.port}"


def read_body(response: httpx.Response, limit: int, host: str, *, gzip: bool) -> bytes:
    """The body up to ``limit`` bytes, counted both as sent and as decompressed.

    A coding other than none (and gzip, if ``gzip``) is refused: it was not asked for.
    """
    coding = response.headers.get("content-encoding", "").strip().lower()
    plain = coding in ("", "identity")
    if not plain and not (gzip and coding in ("gzip", "x-gzip")):
        words = f"{host} coded its answer as {coding[:40]!r}, which was not asked for."
        raise UpstreamFailure(FailureKind.PROTOCOL, words)
    declared = response.headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and len(declared) < 19 and int(declared) > limit:
        raise too_large(host, limit)
    raw = _counted(response.iter_raw(), limit, host)
    return b"".join(raw if plain else _inflated(raw, limit, host))


def _counted(chunks: Iterable[bytes], limit: int, host: str) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > limit:
            raise too_large(host, limit)
        yield chunk


def _inflated(chunks: Iterable[bytes], limit: int, host: str) -> Iterator[bytes]:
    """Gunzip piece by piece, so that a bomb is stopped at ``limit`` and not after it went off.

    All members are read: the usual decoders drop what follows the first.
    """
    size, ended, inflater = 0, False, zlib.decompressobj(31)
    for chunk in chunks:
        rest = chunk
        while rest:
            if ended:
                inflater, ended = zlib.decompressobj(31), False
            try:
                piece = inflater.decompress(rest, limit + 1 - size)
            except zlib.error:
                raise UpstreamFailure(FailureKind.PROTOCOL, f"{host} sent a damaged gzip body.") from None
            size += len(piece)
            if size > limit:
                raise too_large(host, limit)
            yield piece
            ended = inflater.eof
            rest = inflater.unused_data.lstrip(b"\0") if ended else inflater.unconsumed_tail
    if not ended:
        raise UpstreamFailure(FailureKind.PROTOCOL, f"{host} broke off its gzip body.")
