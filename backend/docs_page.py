"""``/docs``: the service's interface in Swagger UI, from this host alone.

The viewer's files (Swagger UI, Apache License 2.0, SmartBear Software) come from the package
``fastapi-swagger``, whose own routes would be sent without a content security policy. Here they
are prepared answers under a name that changes with their bytes, so that a browser keeps them for
good. Every address is relative to the page, so that a prefix of a proxy does no harm.
"""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from fastapi import APIRouter, Request
from starlette.responses import Response

from backend import errors
from backend.prepared import Prepared
from backend.responses import PreparedResponse

PATH = "/docs"
DOCUMENT = "openapi.json"
VIEWER = {
    "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "swagger-ui.css": "text/css; charset=utf-8",
    "favicon-32x32.png": "image/png",
}
"""What is sent of the package, and as what."""

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",  # the viewer's style sheet holds its symbols
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
SECURITY = (
    (b"content-security-policy", POLICY.encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
)
FOR_GOOD = "public, max-age=31536000, immutable"

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Chainproof: the interface</title>
<link rel="icon" type="image/png" href="{files}/favicon-32x32.png">
<link rel="stylesheet" href="{files}/swagger-ui.css">
<link rel="stylesheet" href="{files}/page.css">
<script defer src="{files}/swagger-ui-bundle.js"></script>
<script defer src="{files}/start.js" data-document="{document}"></script>
</head>
<body>
<noscript><p>This page needs JavaScript. The same is in <a href="{document}">{document}</a>.</p></noscript>
<div id="viewer"></div>
</body>
</html>
"""

# The policy forbids script and style within the page, so both are files. The viewer follows a class
# of the document for its dark colours; it would send the document's address to a validator of its
# maker, if that were not switched off.
START = """\
const { document: address } = document.currentScript.dataset;
const dark = matchMedia("(prefers-color-scheme: dark)");
const colour = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", colour);
colour();
SwaggerUIBundle({
  url: new URL(address, location.href).href,
  dom_id: "#viewer",
  deepLinking: true,
  displayRequestDuration: true,
  filter: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
});
"""
STYLE = """\
body { margin: 0; }
html.dark-mode body { background: #1c2022; color: #e4e6e6; }
noscript p { margin: 2rem; font-family: sans-serif; }
"""

router = APIRouter(prefix=PATH, include_in_schema=False)


@router.get("")
def read_page(request: Request) -> Response:
    """The page; needs no key."""
    return PreparedResponse(_page(), request)


@router.get("/{digest}/{name}")
def read_file(request: Request, digest: str, name: str) -> Response:
    """One of the page's files, as long as ``digest`` names this release of them."""
    kept, known = _files()
    if digest != known or name not in kept:
        raise errors.NotFound(f"There is no such file. {PATH} is the page that names those there are.")
    return PreparedResponse(kept[name], request)


@cache
def _page() -> Prepared:
    """Asked for again at each visit, since it names the files."""
    _, digest = _files()
    body = PAGE.format(files=f"{PATH.removeprefix('/')}/{digest}", document=DOCUMENT).encode()
    return _prepared(body, "text/html; charset=utf-8", "no-cache")


@cache
def _files() -> tuple[Mapping[str, Prepared], str]:
    """Every file by name, and the digest of them all; read and compressed at the first visit."""
    package = files("fastapi_swagger") / "resources"
    bodies = {name: (package.joinpath(name).read_bytes(), kind) for name, kind in VIEWER.items()}
    bodies["start.js"] = (START.encode(), VIEWER["swagger-ui-bundle.js"])
    bodies["page.css"] = (STYLE.encode(), VIEWER["swagger-ui.css"])
    digest = hashlib.blake2b(b"".join(body for body, _ in bodies.values()), digest_size=8).hexdigest()
    return {name: _prepared(body, kind, FOR_GOOD) for name, (body, kind) in bodies.items()}, digest


def _prepared(body: bytes, content_type: str, cache_control: str) -> Prepared:
    answer = Prepared(body, content_type=content_type, cache_control=cache_control, extra=SECURITY)
    if not content_type.startswith("image/"):
        answer.compress()
    return answer
