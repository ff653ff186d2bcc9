"""The pages that a person sees: sign-in with consent, and why a request cannot go on.

They run no script, ask no other host, and stand in no frame. Whatever comes from outside is escaped where
it is put in.
"""

import base64
import hashlib
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from urllib.parse import urlencode

from backend.auth.oauth import redirect_uris
from backend.auth.oauth.authorization_request import AuthorizationRequest, Fault
from backend.auth.oauth.translations import CATALOGUES
from backend.http.pages.brand import ICON, MARK
from backend.http.pages.languages import LANGUAGES, NAMES, TAGS, Language

STYLE = files(__package__).joinpath("sign_in_page.css").read_text("utf-8")
STYLE_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
PATH = "authorize"
"""Relative to the page, so that a prefix of a proxy does no harm."""


def headers(form_target: str | None = None) -> dict[str, str]:
    """Of a page whose form leads on to ``form_target``: browsers hold a form's redirect to the policy too."""
    action = f"'self' {redirect_uris.policy_source(form_target)}" if form_target else "'none'"
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


def consent(
    asked: AuthorizationRequest,
    language: Language,
    *,
    csrf_token: str,
    username: str = "",
    complaint: str | None = None,
) -> str:
    """The page with the form. ``complaint`` is what was wrong with the last attempt, announced first."""
    words = CATALOGUES[language]
    app, place = escape(asked.app.name), escape(redirect_uris.shown(asked.redirect_uri))
    hidden = {**asked.parameters, "ui_locales": language, "csrf_token": csrf_token}
    inputs = "".join(f'<input type="hidden" name="{n}" value="{escape(v)}">' for n, v in hidden.items())
    scopes = "".join(f"<li>{escape(words.scopes[scope])} <code>{scope}</code></li>" for scope in asked.scopes)
    alert = "" if complaint is None else f'<p class="alert" role="alert" id="alert">{escape(complaint)}</p>'
    described = "" if complaint is None else ' aria-describedby="alert"'
    # Only where something was wrong: it has the complaint read out. Elsewhere it would skip the text.
    first, second = ("", "") if complaint is None else ("", " autofocus") if username else (" autofocus", "")
    return _document(
        language,
        f"{words.title} – {asked.app.name}",
        f"""<h1>{words.title}</h1>
<p class="asks">{escape(words.asks).format(app=f"<strong>{app}</strong>")}</p>
{alert}
<section aria-labelledby="will"><h2 id="will">{words.will}</h2><ul class="scopes">{scopes}</ul></section>
<form method="post" action="{PATH}">{inputs}
<label for="username">{words.labels["username"]}</label>
<input id="username" name="username" value="{escape(username)}" autocomplete="username" autocapitalize="none"
 spellcheck="false" maxlength="64"{described}{first}>
<label for="password">{words.labels["password"]}</label>
<input id="password" name="password" type="password" autocomplete="current-password"
 maxlength="1024"{described}{second}>
<div class="buttons"><button name="approve" value="approve" class="main">{words.approve}</button>
<button name="deny" value="deny">{words.deny}</button></div>
</form>
<p class="note">{escape(words.goes_on).format(place=f"<strong>{place}</strong>")}</p>
<p class="note">{escape(words.stays if asked.app.first_party else words.nobody).format(app=app)}</p>""",
        asked.parameters,
    )


def problem(fault: Fault, language: Language, parameters: Mapping[str, str]) -> str:
    """The page that says why nothing goes on, and leads nowhere."""
    words = CATALOGUES[language]
    return _told(language, words.problems[fault], words.to_do, parameters)


def unavailable(language: Language, parameters: Mapping[str, str]) -> str:
    """The page of a service whose store does not answer."""
    return _told(language, CATALOGUES[language].unavailable, "", parameters)


def _told(language: Language, what: str, more: str, parameters: Mapping[str, str]) -> str:
    title = CATALOGUES[language].stopped
    note = f'<p class="note">{escape(more)}</p>' if more else ""
    return _document(
        language, title, f'<h1>{escape(title)}</h1><p role="alert">{escape(what)}</p>{note}', parameters
    )


def _document(language: Language, title: str, main: str, parameters: Mapping[str, str]) -> str:
    return f"""<!doctype html>
<html lang="{TAGS[language]}">
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
<footer><nav aria-label="{CATALOGUES[language].language}">{_switch(language, parameters)}</nav></footer>
</body>
</html>
"""


def _switch(current: Language, parameters: Mapping[str, str]) -> str:
    """Links to this page in each language; the one it is in is told and leads nowhere."""
    links = []
    for language in LANGUAGES:
        name, tag = NAMES[language], TAGS[language]
        if language == current:
            links.append(f'<span lang="{tag}" aria-current="true">{name}</span>')
            continue
        query = urlencode({**parameters, "ui_locales": language})
        links.append(f'<a href="{PATH}?{escape(query)}" hreflang="{tag}" lang="{tag}">{name}</a>')
    return "".join(links)
