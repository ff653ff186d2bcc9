"""Serves ``/docs``, FastAPI's page of Swagger UI, with local files and a strict content security policy.

The files (Swagger UI, Apache License 2.0, SmartBear Software) come from the package ``fastapi-swagger``.
Every URL is relative to the page and works behind a path prefix of a proxy.
"""

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files

from fastapi import APIRouter, Request
from fastapi.openapi.docs import get_swagger_ui_html
from starlette.responses import Response

from backend import errors
from backend.http.prepared_responses import Prepared
from backend.http.responses import PreparedResponse

HTML, SCRIPT, STYLE = "text/html; charset=utf-8", "text/javascript; charset=utf-8", "text/css; charset=utf-8"
FILES = {"swagger-ui-bundle.js": SCRIPT, "swagger-ui.css": STYLE, "favicon-32x32.png": "image/png"}
THEME_FILE = "theme.js"
THEME = b"""\
const dark = matchMedia("(prefers-color-scheme: dark)");
const apply = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", apply);
apply();
"""
POLICY = (
    "default-src 'none'; script-src 'self' 'sha256-{inline_script}'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""``img-src data:`` is for the icons in the style sheet."""

router = APIRouter(prefix="/docs", include_in_schema=False)


@router.get("")
def read_page(request: Request) -> Response:
    """The page; needs no key."""
    return PreparedResponse(_build_page(), request)


@router.get("/{name}")
def read_file(request: Request, name: str) -> Response:
    if name != THEME_FILE and name not in FILES:
        raise errors.NotFound("There is no such file. /docs links to all of them.")
    return PreparedResponse(_load_file(name), request)


@cache
def _build_page() -> Prepared:
    page = get_swagger_ui_html(
        openapi_url="openapi.json",
        title="Chainproof: the interface",
        swagger_js_url="docs/swagger-ui-bundle.js",
        swagger_css_url="docs/swagger-ui.css",
        swagger_favicon_url="docs/favicon-32x32.png",
        # The default validator sends the URL of the document to another host.
        swagger_ui_parameters={"displayRequestDuration": True, "filter": True, "validatorUrl": None},
    )
    html = bytes(page.body).decode()
    [inline] = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    policy = POLICY.format(inline_script=base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode())
    html = html.replace("</head>", f'<script src="docs/{THEME_FILE}"></script></head>')
    return _prepare_response(html.encode(), HTML, ((b"content-security-policy", policy.encode()),))


@cache
def _load_file(name: str) -> Prepared:
    if name == THEME_FILE:
        return _prepare_response(THEME, SCRIPT)
    return _prepare_response((files("fastapi_swagger") / "resources" / name).read_bytes(), FILES[name])


def _prepare_response(
    body: bytes, content_type: str, extra: tuple[tuple[bytes, bytes], ...] = ()
) -> Prepared:
    answer = Prepared(body, content_type=content_type, cache_control="no-cache", extra=extra)
    if not content_type.startswith("image/"):
        answer.compress()
    return answer
