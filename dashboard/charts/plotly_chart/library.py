"""Plotly.js from this host: out of the installed package, compressed once, kept by browsers for good.

The address holds a digest of the file, so that another version has another address.
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
LEVEL = 6
"""Of the compression; 9 takes three times as long for a hundredth less."""


def _file() -> Path:
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("The plotly package is not installed.")
    return Path(spec.origin).parent / "package_data" / "plotly.min.js"


def _digest() -> str:
    return blake2b(_file().read_bytes(), digest_size=8).hexdigest()


ADDRESS = f"/assets/lib/plotly-{_digest()}.js"


@cache
def compressed() -> bytes:
    """The library as one gzip member, the same bytes each time."""
    return gzip.compress(_file().read_bytes(), LEVEL, mtime=0)


def answer(request: Request) -> Response:
    """The library; as it is for the rare client that reads no gzip."""
    if request.headers.get("if-none-match") == _etag():
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers={**HEADERS, "ETag": _etag()})
    packed = "gzip" in request.headers.get("accept-encoding", "")
    body = compressed() if packed else _file().read_bytes()
    headers = {**HEADERS, "ETag": _etag(), **({"Content-Encoding": "gzip"} if packed else {})}
    return Response(body, media_type="text/javascript", headers=headers)


def _etag() -> str:
    return f'"{ADDRESS.rpartition("-")[2]}"'


ROUTES = (Route(ADDRESS, answer, methods=["GET"]),)
