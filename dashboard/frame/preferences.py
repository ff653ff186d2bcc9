"""Loads and stores the reader's preferences: language, theme, rise colours, refresh interval.

A cookie stores them in the browser, so that a new visit has them at its first paint; local storage
would be read only later. ``?lang=`` in a link sets the language for that visit. Without a choice,
the language follows the browser.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from dashboard import i18n
from dashboard.frame import palette, url_state
from dashboard.frame.palette import SCHEMES, Scheme
from dashboard.i18n import LANGUAGES, Language

Refresh = Literal["off", "5", "10", "30", "60"]
"""Seconds between refreshes, as codes."""
REFRESHES: tuple[Refresh, ...] = get_args(Refresh)
DEFAULT_REFRESH: Refresh = "10"

ThemeChoice = Literal["system", "light", "dark"]
THEMES: tuple[ThemeChoice, ...] = get_args(ThemeChoice)
DEFAULT_THEME: ThemeChoice = "system"

COOKIE = "chainproof"
SCHEME_KEY = "rise_colours"
THEME_KEY = "theme"
REFRESH_KEY = "refresh"
_CHOSEN = "_preferences_chosen"
_LINK = "_lang_link"


@dataclass(frozen=True, slots=True)
class Preferences:
    language: Language
    scheme: Scheme
    refresh: Refresh
    theme: ThemeChoice

    @property
    def refresh_seconds(self) -> float | None:
        return None if self.refresh == "off" else float(self.refresh)


def load() -> Preferences:
    """Loads the session's preferences; called once at the start of every run."""
    state = st.session_state
    if SCHEME_KEY not in state:
        stored = parse_cookie(st.context.cookies.get(COOKIE))
        state[i18n.SESSION_KEY] = stored.get("lang") or i18n.match_locale(st.context.locale)
        state[SCHEME_KEY] = stored.get("colours", palette.DEFAULT_SCHEME)
        state[REFRESH_KEY] = stored.get("refresh", DEFAULT_REFRESH)
        state[THEME_KEY] = stored.get("theme", DEFAULT_THEME)
    lang = url_state.read_query().get("lang")
    if lang != state.get(_LINK):
        state[_LINK] = lang
        if lang in LANGUAGES:
            state[i18n.SESSION_KEY] = lang
    return current()


def current() -> Preferences:
    state = st.session_state
    return Preferences(
        i18n.language(),
        cast(Scheme, state.get(SCHEME_KEY, palette.DEFAULT_SCHEME)),
        cast(Refresh, state.get(REFRESH_KEY, DEFAULT_REFRESH)),
        cast(ThemeChoice, state.get(THEME_KEY, DEFAULT_THEME)),
    )


def choose(key: str, code: str) -> None:
    """Stores a choice from the settings for this session, and marks the cookie for an update."""
    st.session_state[key] = code
    st.session_state[_CHOSEN] = True
    if key == i18n.SESSION_KEY:
        url_state.write_param("lang", code)  # a copied link opens in this language
        st.session_state[_LINK] = code


def build_cookie() -> str | None:
    """Builds the cookie to set; ``None`` if the reader has chosen nothing yet."""
    if not st.session_state.get(_CHOSEN):
        return None
    now = current()
    return urlencode(
        {"lang": now.language, "colours": now.scheme, "refresh": now.refresh, "theme": now.theme}
    )


def parse_cookie(cookie: str | None) -> Mapping[str, str]:
    """Returns the valid entries of the cookie; other content is dropped as untrusted."""
    codes_by_name: Mapping[str, tuple[str, ...]] = {
        "lang": LANGUAGES,
        "colours": SCHEMES,
        "refresh": REFRESHES,
        "theme": THEMES,
    }
    return {name: code for name, code in parse_qsl(cookie or "") if code in codes_by_name.get(name, ())}
