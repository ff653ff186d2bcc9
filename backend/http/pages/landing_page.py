"""Serves ``/``, a page with links to the dashboard, the API reference and the health checks.

The page runs no script and loads nothing. Its links are relative and work behind a path prefix of a proxy.
"""

import base64
import hashlib
from functools import lru_cache
from html import escape
from importlib.metadata import version
from importlib.resources import files

from fastapi import APIRouter, Request
from starlette.responses import Response

from backend.http.pages.brand import ICON, MARK
from backend.http.pages.landing_page_translations import TRANSLATIONS
from backend.http.pages.languages import LANGUAGE_NAMES, LANGUAGE_TAGS, LANGUAGES, Language, choose_language
from backend.http.prepared_responses import Prepared
from backend.http.responses import PreparedResponse
from backend.settings import Mode

STYLE = files(__package__).joinpath("landing_page.css").read_text("utf-8")
STYLE_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'sha256-{STYLE_HASH}'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"vary", b"Accept-Language"),
    (b"x-frame-options", b"DENY"),
)
PATHS = {"docs": "docs", "openapi": "openapi.json", "health": "healthz", "readiness": "readyz"}

router = APIRouter(include_in_schema=False)


@router.get("/")
def read_page(request: Request) -> Response:
    """The page in the language that ``lang`` or ``Accept-Language`` asks for; needs no key."""
    settings = request.app.state.settings
    language = choose_language(request.query_params.get("lang"), request.headers.get("accept-language"))
    return PreparedResponse(
        _prepare_response(language, settings.mode, settings.dashboard_public_origin), request
    )


@lru_cache(maxsize=16)
def _prepare_response(language: Language, mode: Mode, dashboard: str) -> Prepared:
    answer = Prepared(
        _render_html(language, mode, dashboard).encode(),
        content_type="text/html; charset=utf-8",
        cache_control="no-cache",
        extra=HEADERS,
    )
    answer.compress()
    return answer


def _render_html(language: Language, mode: Mode, dashboard: str) -> str:
    text = TRANSLATIONS[language]
    mode_class = "" if mode == "live" else " unreal"
    links = "\n".join(
        f'<li><a href="{escape(address)}"><strong>{escape(text.links[name][0])}</strong>'
        f"<span>{escape(text.links[name][1])}</span><code>{escape(visible_address)}</code></a></li>"
        for name, address, visible_address in (
            ("dashboard", dashboard, dashboard),
            *((name, path, f"/{path}") for name, path in PATHS.items()),
        )
    )
    return f"""<!doctype html>
<html lang="{LANGUAGE_TAGS[language]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Chainproof</title>
<link rel="icon" href="{ICON}">
<style>{STYLE}</style>
</head>
<body>
<header>{MARK}<h1>Chainproof</h1><span class="mode{mode_class}">{text.modes[mode]}</span></header>
<main>
<p class="lead">{escape(text.lead)}</p>
<ul>
{links}
</ul>
</main>
<footer><span>{text.version.format(version=version("chainproof"))}</span>
<nav aria-label="{text.language}">{_render_language_links(language)}</nav></footer>
</body>
</html>
"""


def _render_language_links(current: Language) -> str:
    return "".join(
        f'<span lang="{LANGUAGE_TAGS[language]}" aria-current="true">{LANGUAGE_NAMES[language]}</span>'
        if language == current
        else f'<a href="?lang={language}" hreflang="{LANGUAGE_TAGS[language]}" '
        f'lang="{LANGUAGE_TAGS[language]}">'
        f"{LANGUAGE_NAMES[language]}</a>"
        for language in LANGUAGES
    )
