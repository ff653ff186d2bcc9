"""Holds responses that are built once, when their data change, and sent unchanged.

A response has its bytes plain and compressed, a strong entity tag for each (RFC 9110 section 8.8.3 requires
different tags for different bytes), and its headers in the form of ASGI. Serving one takes a few dictionary
look-ups: no model, no encoder, no copy.
"""

import gzip
import hashlib
import threading
from collections.abc import Iterable, MutableMapping
from functools import lru_cache
from typing import Any

Message = MutableMapping[str, Any]
RawHeaders = list[tuple[bytes, bytes]]

MIN_COMPRESSED_BYTES = 1024
"""Smaller bodies gain nothing from compression."""
NON_JSON_MEDIA_TYPES = (b"text/event-stream", b"application/vnd.apache.arrow.stream")
"""Media types besides JSON in which some resources are available."""


class Prepared:
    """One representation of a resource: JSON bytes, their gzip form, and the headers of each.

    ``digest`` identifies the bytes and headers; by default it is computed from them. ``negotiated``: the
    resource has other media types too, so this is sent only to clients that name none of them.
    """

    __slots__ = (
        "_compress_lock", "_extra", "_zipped", "body", "digest", "negotiated", "plain_headers", "plain_tag"
    )  # fmt: skip

    def __init__(
        self,
        body: bytes,
        *,
        content_type: str = "application/json",
        cache_control: str = "private, no-cache",
        extra: Iterable[tuple[bytes, bytes]] = (),
        digest: str | None = None,
        negotiated: bool = False,
    ) -> None:
        self.body = body
        self.negotiated = negotiated
        self._extra: RawHeaders = [
            (b"content-type", content_type.encode()),
            (b"cache-control", cache_control.encode()),
            (b"vary", b"Accept, " * negotiated + b"Accept-Encoding, Authorization, CP-X-API-KEY"),
            *extra,
        ]
        self.digest = self._compute_digest() if digest is None else digest
        self.plain_tag = f'"{self.digest}"'.encode()
        self.plain_headers: RawHeaders = [
            *self._extra,
            (b"etag", self.plain_tag),
            (b"content-length", str(len(body)).encode()),
        ]
        self._zipped: tuple[bytes, bytes, RawHeaders] | None = None
        self._compress_lock = threading.Lock()

    def _compute_digest(self) -> str:
        # The tag covers the headers too: after a 304 a client keeps those it has stored.
        digest = hashlib.blake2b(self.body, digest_size=12)
        for name, value in self._extra:
            digest.update(b"%s: %s\n" % (name, value))
        return digest.hexdigest()

    def suits(self, accept: bytes | None) -> bool:
        """Return whether a client with this ``Accept`` header may be sent it without negotiation."""
        if not self.negotiated or accept is None or accept == b"*/*":
            return True
        accept = accept.lower()
        return not any(media_type in accept for media_type in NON_JSON_MEDIA_TYPES)

    @property
    def is_compressed(self) -> bool:
        return self._zipped is not None or len(self.body) < MIN_COMPRESSED_BYTES

    def compress(self) -> None:
        """Build the gzip form now, in the calling thread (zlib releases the GIL meanwhile)."""
        with self._compress_lock:
            if self.is_compressed:
                return
            zipped = gzip.compress(self.body, compresslevel=6, mtime=0)
            if len(zipped) >= len(self.body):
                return
            tag = f'"{self.digest}-gzip"'.encode()
            headers: RawHeaders = [
                *self._extra,
                (b"etag", tag),
                (b"content-encoding", b"gzip"),
                (b"content-length", str(len(zipped)).encode()),
            ]
            self._zipped = (zipped, tag, headers)

    def select(self, accept_encoding: bytes | None) -> tuple[bytes, bytes, RawHeaders]:
        """Return body, tag and headers for a client that sends ``accept_encoding``."""
        zipped = self._zipped
        if zipped is not None and accept_encoding is not None and accepts_gzip(accept_encoding):
            return zipped
        return self.body, self.plain_tag, self.plain_headers

    def answer(
        self, accept_encoding: bytes | None, if_none_match: bytes | None
    ) -> tuple[int, RawHeaders, bytes]:
        """Return status, headers and body: 304 without a body when the client has the same bytes."""
        body, tag, headers = self.select(accept_encoding)
        if if_none_match is not None and matches(if_none_match, tag):
            remaining_headers = [
                pair
                for pair in headers
                if pair[0] not in (b"content-length", b"content-type", b"content-encoding")
            ]
            return 304, remaining_headers, b""
        return 200, headers, body


@lru_cache(maxsize=256)
def accepts_gzip(header: bytes) -> bool:
    """Return whether gzip has a quality above 0 and at least that of identity (RFC 9110 section 12.5.3)."""
    quality: dict[str, float] = {}
    for part in header.decode("latin-1").lower().split(","):
        coding, *parameters = (piece.strip() for piece in part.split(";"))
        value = 1.0
        for parameter in parameters:
            if parameter.startswith("q="):
                try:
                    value = float(parameter[2:])
                except ValueError:
                    value = 0.0
        quality[coding] = value
    gzip_quality = quality.get("gzip", quality.get("x-gzip", quality.get("*", 0.0)))
    return gzip_quality > 0 and gzip_quality >= quality.get("identity", 0.0)


@lru_cache(maxsize=1024)
def matches(if_none_match: bytes, tag: bytes) -> bool:
    """Compare ``If-None-Match`` weakly with ``tag`` (RFC 9110 section 13.1.2)."""
    if if_none_match.strip() == b"*":
        return True
    return any(part.strip().removeprefix(b"W/") == tag for part in if_none_match.split(b","))
