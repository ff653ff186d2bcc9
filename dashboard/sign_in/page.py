"""The page on which people are told why they are to sign in. It needs nothing but itself."""

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

Why = Literal[
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
WHYS: tuple[Why, ...] = get_args(Why)
STATUS: dict[str, HTTPStatus] = {
    "unreachable": HTTPStatus.SERVICE_UNAVAILABLE,
    "unregistered": HTTPStatus.SERVICE_UNAVAILABLE,
    "elsewhere": HTTPStatus.MISDIRECTED_REQUEST,
}
ALARMING = ("denied", "failed", "lost", "no_read", "foreign", "unrevoked", *STATUS)
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
AGAIN_SECONDS = 3
"""Until a browser asks again for a service that did not answer."""
_HERE = Path(__file__).parent


def page(request: Request, why: Why, to: str, *, origin: str = "", note: str = "") -> HTMLResponse:
    """``to``: where the sign-in leads. ``origin``: that of another address, where it is to be done."""
    lang = language_of(request, to)
    again = return_url.sign_in(to)
    alarming = why in ALARMING
    body = tag(
        "main",
        tag("div", _logo(), class_="logo"),
        tag("h1", text(t("sign_in.title", lang=lang))),
        tag(
            "p",
            text(t(f"sign_in.why_{why}", lang=lang)),
            class_="why",
            role="alert" if alarming else "status",
        ),
        tag("p", text(note), class_="note", lang="en") if note else "",
        tag("a", text(_button(why, origin, lang)), class_="button", href=f"{origin}{again}"),
    )
    head = "".join(
        (
            '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{text(t('sign_in.title', lang=lang))}</title><style>{_style()}</style>",
        )
    )
    html = f'<!doctype html><html lang="{HTML_LANG[lang]}"><head>{head}</head><body>{body}</body></html>'
    response = HTMLResponse(html, STATUS.get(why, HTTPStatus.OK), headers=HEADERS)
    if why == "unreachable":  # pages that were open come back by themselves
        response.headers["Refresh"] = f"{AGAIN_SECONDS}; url={again}"
    return response


def language_of(request: Request, to: str) -> Language:
    """As the link says, else as this reader chose before, else as the browser asks."""
    linked = dict(parse_qsl(urlsplit(to).query)).get("lang", "")
    chosen = preferences.parse_cookie(request.cookies.get(preferences.COOKIE)).get("lang", "")
    for code in (linked, chosen):
        for known in LANGUAGES:
            if code == known:
                return known
    return match_locale(request.headers.get("accept-language", "").split(",")[0].split(";")[0].strip())


def _button(why: Why, origin: str, lang: Language) -> str:
    if origin:
        return t("sign_in.open_there", lang=lang, address=origin)
    return t("sign_in.again" if why in ALARMING else "sign_in.sign_in", lang=lang)


@cache
def _logo() -> str:
    """The mark alone: the words stand in the heading."""
    return (_HERE.parent / "frame" / "favicon.svg").read_text(encoding="utf-8")


@cache
def _style() -> str:
    return (_HERE / "page.css").read_text(encoding="utf-8")
