"""Serves Plotly.js from the installed package, compressed once and cached by browsers for a year.

The URL contains a digest of the file, so another version has another URL.
"""

import gzip
from functools import cache
from hashlib import blake2b
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

HEADERS = {
    "Cache-Control": "public, max-age=31536000, immutable",
    "Vary": "Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
}
COMPRESSION_LEVEL = 6
"""Level 9 takes longer and saves less than 1 % more."""


def _find_file() -> Path:
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("The plotly package is not installed.")
    return Path(spec.origin).parent / "package_data" / "plotly.min.js"


def _compute_digest() -> str:
    return blake2b(_find_file().read_bytes(), digest_size=8).hexdigest()


LIBRARY_URL = f"/assets/lib/plotly-{_compute_digest()}.js"


@cache
def compress_library() -> bytes:
    """Compresses the library to one gzip member, with the same bytes each time."""
    return gzip.compress(_find_file().read_bytes(), COMPRESSION_LEVEL, mtime=0)


def serve_library(request: Request) -> Response:
    """Serves the library; uncompressed for the rare client that does not accept gzip."""
    if request.headers.get("if-none-match") == _build_etag():
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers={**HEADERS, "ETag": _build_etag()})
    accepts_gzip = "gzip" in request.headers.get("accept-encoding", "")
    body = compress_library() if accepts_gzip else _find_file().read_bytes()
    headers = {**HEADERS, "ETag": _build_etag(), **({"Content-Encoding": "gzip"} if accepts_gzip else {})}
    return Response(body, media_type="text/javascript", headers=headers)


def _build_etag() -> str:
    return f'"{LIBRARY_URL.rpartition("-")[2]}"'


ROUTES = (Route(LIBRARY_URL, serve_library, methods=["GET"]),)
