"""Renders the page that explains why people must sign in. It loads no other files."""

from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse

from dashboard.frame import preferences
from dashboard.frame.markup import tag, text
from dashboard.i18n import HTML_LANG, LANGUAGES, Language, match_locale, t
from dashboard.sign_in import return_url

Reason = Literal[
    "ended",
    "signed_out",
    "unrevoked",
    "denied",
    "failed",
    "lost",
    "no_read",
    "foreign",
    "unreachable",
    "unregistered",
    "elsewhere",
]
REASONS: tuple[Reason, ...] = get_args(Reason)
STATUS_BY_REASON: dict[str, HTTPStatus] = {
    "unreachable": HTTPStatus.SERVICE_UNAVAILABLE,
    "unregistered": HTTPStatus.SERVICE_UNAVAILABLE,
    "elsewhere": HTTPStatus.MISDIRECTED_REQUEST,
}
ERROR_REASONS = ("denied", "failed", "lost", "no_read", "foreign", "unrevoked", *STATUS_BY_REASON)
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
}
RETRY_SECONDS = 3
"""Interval at which the browser retries if the service is unreachable."""
_FOLDER = Path(__file__).parent


def render_page(
    request: Request, reason: Reason, return_path: str, *, origin: str = "", note: str = ""
) -> HTMLResponse:
    """Render the page. The sign-in returns to ``return_path``.

    ``origin`` is the registered origin of the dashboard, if the browser uses another one.
    """
    lang = find_language(request, return_path)
    sign_in_url = return_url.build_sign_in_url(return_path)
    is_error = reason in ERROR_REASONS
    body = tag(
        "main",
        tag("div", _logo(), class_="logo"),
        tag("h1", text(t("sign_in.title", lang=lang))),
        tag(
            "p",
            text(t(f"sign_in.why_{reason}", lang=lang)),
            class_="why",
            role="alert" if is_error else "status",
        ),
        tag("p", text(note), class_="note", lang="en") if note else "",
        tag("a", text(_button(reason, origin, lang)), class_="button", href=f"{origin}{sign_in_url}"),
    )
    head = "".join(
        (
            '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{text(t('sign_in.title', lang=lang))}</title><style>{_style()}</style>",
        )
    )
    html = f'<!doctype html><html lang="{HTML_LANG[lang]}"><head>{head}</head><body>{body}</body></html>'
    response = HTMLResponse(html, STATUS_BY_REASON.get(reason, HTTPStatus.OK), headers=HEADERS)
    if reason == "unreachable":  # open pages return automatically
        response.headers["Refresh"] = f"{RETRY_SECONDS}; url={sign_in_url}"
    return response


def find_language(request: Request, return_path: str) -> Language:
    """Find the language of the link, the reader's preference, or the browser, in this order."""
    linked = dict(parse_qsl(urlsplit(return_path).query)).get("lang", "")
    chosen = preferences.parse_cookie(request.cookies.get(preferences.COOKIE)).get("lang", "")
    for code in (linked, chosen):
        for language in LANGUAGES:
            if code == language:
                return language
    return match_locale(request.headers.get("accept-language", "").split(",")[0].split(";")[0].strip())


def _button(reason: Reason, origin: str, lang: Language) -> str:
    if origin:
        return t("sign_in.open_there", lang=lang, address=origin)
    return t("sign_in.again" if reason in ERROR_REASONS else "sign_in.sign_in", lang=lang)


@cache
def _logo() -> str:
    """Load the logo without the name, which is in the heading."""
    return (_FOLDER.parent / "frame" / "favicon.svg").read_text(encoding="utf-8")


@cache
def _style() -> str:
    return (_FOLDER / "page.css").read_text(encoding="utf-8")
