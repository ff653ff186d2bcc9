"""Renders the settings menu: account, language, theme, colours and refresh interval."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from dashboard import i18n
from dashboard.frame import account, preferences
from dashboard.frame.palette import SCHEMES
from dashboard.frame.preferences import REFRESH_KEY, REFRESHES, SCHEME_KEY, THEME_KEY, THEMES
from dashboard.i18n import LANGUAGE_NAMES, LANGUAGES, t


def render_settings_menu() -> None:
    """Renders the settings menu. Each choice takes effect at once, and the menu stays open."""
    chosen = preferences.current()
    with st.popover(t("frame.settings"), icon=":material/tune:", width="content", key="settings"):
        account.render_account()
        _render_choice(
            "pref_language",
            t("frame.settings_language"),
            LANGUAGES,
            chosen.language,
            i18n.SESSION_KEY,
            dict(LANGUAGE_NAMES.items()),
        )
        names: dict[str, str] = {code: t(f"frame.theme_{code}") for code in THEMES}
        _render_choice("pref_theme", t("frame.settings_theme"), THEMES, chosen.theme, THEME_KEY, names)
        names = {code: t(f"frame.colours_{code}") for code in SCHEMES}
        _render_choice("pref_colours", t("frame.settings_colours"), SCHEMES, chosen.scheme, SCHEME_KEY, names)
        st.caption(t("frame.settings_colours_help"))
        names = {
            code: t("frame.refresh_off") if code == "off" else t("frame.refresh_seconds", n=code)
            for code in REFRESHES
        }
        _render_choice(
            "pref_refresh", t("frame.settings_refresh"), REFRESHES, chosen.refresh, REFRESH_KEY, names
        )
        st.caption(t("frame.settings_kept"))


def _render_choice(
    key: str, label: str, codes: Sequence[str], current: str, state_key: str, names: Mapping[str, str]
) -> None:
    st.session_state[key] = current
    st.segmented_control(
        label,
        codes,
        format_func=lambda code: names[code],
        key=key,
        required=True,
        on_change=partial(_store_choice, key, state_key),
    )


def _store_choice(key: str, state_key: str) -> None:
    preferences.choose(state_key, st.session_state[key])
