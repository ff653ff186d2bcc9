"""Loads and stores the reader's preferences: language, currency, theme, rise colours, refresh interval.

A cookie stores them in the browser. Unlike local storage, it reaches the server with the first request, so
the first page is drawn with the preferences already. ``?lang=`` in a link sets the language for that
visit. Without a choice, the language follows the browser.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from dashboard import i18n
from dashboard.client.market_schemas import CURRENCIES, Currency
from dashboard.frame import palette, url_state
from dashboard.frame.palette import SCHEMES, Scheme
from dashboard.i18n import LANGUAGES, Language

RefreshInterval = Literal["off", "5", "10", "30", "60"]
"""Seconds between two refreshes, as a string, or ``off``."""
REFRESH_INTERVALS: tuple[RefreshInterval, ...] = get_args(RefreshInterval)
DEFAULT_REFRESH: RefreshInterval = "10"

ThemeChoice = Literal["system", "light", "dark"]
THEMES: tuple[ThemeChoice, ...] = get_args(ThemeChoice)
DEFAULT_THEME: ThemeChoice = "system"

COOKIE = "chainproof"
RISE_COLOURS_KEY = "rise_colours"
THEME_KEY = "theme"
REFRESH_KEY = "refresh"
CURRENCY_KEY = "currency"
"""Session key of the currency; absent until the reader has chosen one."""
DEFAULT_CURRENCY: Currency = CURRENCIES[0]
_CHOSEN = "_preferences_chosen"
_APPLIED_LINK_LANGUAGE = "_lang_link"
"""Session key of the last ``?lang=`` that was applied."""


@dataclass(frozen=True, slots=True)
class Preferences:
    language: Language
    rise_colours: Scheme
    refresh: RefreshInterval
    theme: ThemeChoice
    currency: Currency

    @property
    def refresh_seconds(self) -> float | None:
        return None if self.refresh == "off" else float(self.refresh)


def load() -> Preferences:
    """Load the session's preferences; call it once at the start of each Streamlit script run."""
    state = st.session_state
    if RISE_COLOURS_KEY not in state:
        stored = parse_cookie(st.context.cookies.get(COOKIE))
        state[i18n.SESSION_KEY] = stored.get("lang") or i18n.match_locale(st.context.locale)
        state[RISE_COLOURS_KEY] = stored.get("colours", palette.DEFAULT_SCHEME)
        state[REFRESH_KEY] = stored.get("refresh", DEFAULT_REFRESH)
        state[THEME_KEY] = stored.get("theme", DEFAULT_THEME)
        if "currency" in stored:
            state[CURRENCY_KEY] = stored["currency"]
    lang = url_state.read_query().get("lang")
    if lang != state.get(_APPLIED_LINK_LANGUAGE):
        state[_APPLIED_LINK_LANGUAGE] = lang
        if lang in LANGUAGES:
            state[i18n.SESSION_KEY] = lang
    return current()


def current() -> Preferences:
    state = st.session_state
    return Preferences(
        i18n.language(),
        cast(Scheme, state.get(RISE_COLOURS_KEY, palette.DEFAULT_SCHEME)),
        cast(RefreshInterval, state.get(REFRESH_KEY, DEFAULT_REFRESH)),
        cast(ThemeChoice, state.get(THEME_KEY, DEFAULT_THEME)),
        cast(Currency, state.get(CURRENCY_KEY, DEFAULT_CURRENCY)),
    )


def has_chosen_currency() -> bool:
    """True if the reader has chosen a currency, now or at an earlier visit."""
    return CURRENCY_KEY in st.session_state


def choose(key: str, value: str) -> None:
    """Store a choice from the settings for this session, and mark the cookie for an update."""
    st.session_state[key] = value
    st.session_state[_CHOSEN] = True
    if key == i18n.SESSION_KEY:
        url_state.write_param("lang", value)  # a copied link opens in this language
        st.session_state[_APPLIED_LINK_LANGUAGE] = value


def build_cookie_value() -> str | None:
    """Build the value of the cookie to set; None if the reader has chosen nothing yet."""
    if not st.session_state.get(_CHOSEN):
        return None
    now = current()
    codes = {"lang": now.language, "colours": now.rise_colours, "refresh": now.refresh, "theme": now.theme}
    return urlencode({**codes, "currency": now.currency} if has_chosen_currency() else codes)


def parse_cookie(cookie: str | None) -> Mapping[str, str]:
    """Return the valid entries of the cookie; other content is dropped as untrusted."""
    values_by_name: Mapping[str, tuple[str, ...]] = {
        "lang": LANGUAGES,
        "colours": SCHEMES,
        "refresh": REFRESH_INTERVALS,
        "theme": THEMES,
        "currency": CURRENCIES,
    }
    return {name: value for name, value in parse_qsl(cookie or "") if value in values_by_name.get(name, ())}
