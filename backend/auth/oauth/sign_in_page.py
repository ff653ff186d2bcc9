"""Renders the page for sign-in and consent, and the error pages of the authorization endpoint.

The pages run no script, load nothing from other hosts and cannot be framed. All input is escaped where it
is inserted.
"""

import base64
import hashlib
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from urllib.parse import urlencode

from backend.auth.oauth import redirect_uris
from backend.auth.oauth.authorization_request import AuthorizationRequest, ProblemCode
from backend.auth.oauth.translations import CATALOGUES
from backend.http.pages.brand import ICON, MARK
from backend.http.pages.languages import LANGUAGE_NAMES, LANGUAGE_TAGS, LANGUAGES, Language

STYLE = files(__package__).joinpath("sign_in_page.css").read_text("utf-8")
STYLE_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
PATH = "authorize"
"""Relative to the page, so that it works behind the path prefix of a proxy."""


def build_headers(form_target: str | None = None) -> dict[str, str]:
    """Build the headers of a page whose form redirects to ``form_target``.

    The policy must allow the target: browsers apply ``form-action`` to redirects too.
    """
    action = f"'self' {redirect_uris.csp_source(form_target)}" if form_target else "'none'"
    policy = (
        f"default-src 'none'; style-src 'sha256-{STYLE_HASH}'; img-src data:; form-action {action}; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "no-store",
        "Pragma": "no-cache",
        "Vary": "Accept-Language",
    }


def render_consent(
    authorization: AuthorizationRequest,
    language: Language,
    *,
    csrf_token: str,
    username: str = "",
    error_message: str | None = None,
) -> str:
    """Render the page with the form. ``error_message`` is the error of the last attempt, read out first."""
    texts = CATALOGUES[language]
    app = escape(authorization.app.name)
    target = escape(redirect_uris.describe_target(authorization.redirect_uri))
    heading = texts.permissions_heading
    access_request = escape(texts.access_request)
    session_note = escape(texts.session_note if authorization.app.first_party else texts.no_session_note)
    hidden = {**authorization.parameters, "ui_locales": language, "csrf_token": csrf_token}
    inputs = "".join(f'<input type="hidden" name="{n}" value="{escape(v)}">' for n, v in hidden.items())
    scopes = "".join(
        f"<li>{escape(texts.scopes[scope])} <code>{scope}</code></li>" for scope in authorization.scopes
    )
    alert = (
        ""
        if error_message is None
        else f'<p class="alert" role="alert" id="alert">{escape(error_message)}</p>'
    )
    described = "" if error_message is None else ' aria-describedby="alert"'
    # Autofocus only with an error message. Else screen readers would skip the text before the field.
    first, second = (
        ("", "") if error_message is None else ("", " autofocus") if username else (" autofocus", "")
    )
    return _render_document(
        language,
        f"{texts.title} – {authorization.app.name}",
        f"""<h1>{texts.title}</h1>
<p class="asks">{access_request.format(app=f"<strong>{app}</strong>")}</p>
{alert}
<section aria-labelledby="will"><h2 id="will">{heading}</h2><ul class="scopes">{scopes}</ul></section>
<form method="post" action="{PATH}">{inputs}
<label for="username">{texts.field_labels["username"]}</label>
<input id="username" name="username" value="{escape(username)}" autocomplete="username" autocapitalize="none"
 spellcheck="false" maxlength="64"{described}{first}>
<label for="password">{texts.field_labels["password"]}</label>
<input id="password" name="password" type="password" autocomplete="current-password"
 maxlength="1024"{described}{second}>
<div class="buttons"><button name="approve" value="approve" class="main">{texts.approve}</button>
<button name="deny" value="deny">{texts.deny}</button></div>
</form>
<p class="note">{escape(texts.redirect_note).format(place=f"<strong>{target}</strong>")}</p>
<p class="note">{session_note.format(app=app)}</p>""",
        authorization.parameters,
    )


def render_problem(fault: ProblemCode, language: Language, parameters: Mapping[str, str]) -> str:
    """Render the error page of a request that is not redirected."""
    texts = CATALOGUES[language]
    return _render_message(language, texts.problems[fault], texts.problem_advice, parameters)


def render_unavailable(language: Language, parameters: Mapping[str, str]) -> str:
    """Render the error page for a store that does not answer."""
    return _render_message(language, CATALOGUES[language].unavailable, "", parameters)


def _render_message(language: Language, problem: str, details: str, parameters: Mapping[str, str]) -> str:
    title = CATALOGUES[language].problem_title
    note = f'<p class="note">{escape(details)}</p>' if details else ""
    return _render_document(
        language, title, f'<h1>{escape(title)}</h1><p role="alert">{escape(problem)}</p>{note}', parameters
    )


def _render_document(language: Language, title: str, main: str, parameters: Mapping[str, str]) -> str:
    return f"""<!doctype html>
<html lang="{LANGUAGE_TAGS[language]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>{escape(title)} – Chainproof</title>
<link rel="icon" href="{ICON}">
<style>{STYLE}</style>
</head>
<body>
<header>{MARK}<span>Chainproof</span></header>
<main>
{main}
</main>
<footer><nav aria-label="{CATALOGUES[language].language}">{_render_links(language, parameters)}</nav></footer>
</body>
</html>
"""


def _render_links(current: Language, parameters: Mapping[str, str]) -> str:
    """Render links to this page in each language; the current language is text without a link."""
    links = []
    for language in LANGUAGES:
        name, tag = LANGUAGE_NAMES[language], LANGUAGE_TAGS[language]
        if language == current:
            links.append(f'<span lang="{tag}" aria-current="true">{name}</span>')
            continue
        query = urlencode({**parameters, "ui_locales": language})
        links.append(f'<a href="{PATH}?{escape(query)}" hreflang="{tag}" lang="{tag}">{name}</a>')
    return "".join(links)
