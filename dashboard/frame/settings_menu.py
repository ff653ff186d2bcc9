"""Renders the settings menu: account, language, currency, theme, colours, refresh interval and shortcuts."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import streamlit as st

from dashboard import i18n
from dashboard.client.market_schemas import CURRENCIES
from dashboard.frame import account, preferences
from dashboard.frame.markup import tag, text
from dashboard.frame.palette import SCHEMES
from dashboard.frame.preferences import (
    CURRENCY_KEY,
    REFRESH_INTERVALS,
    REFRESH_KEY,
    RISE_COLOURS_KEY,
    THEME_KEY,
    THEMES,
)
from dashboard.frame.widget_state import bind_widget
from dashboard.i18n import LANGUAGE_NAMES, LANGUAGES, t


class Shortcut(NamedTuple):
    """Keys that do the same, and the text of what they do."""

    keys: Sequence[str]
    effect: str


def render_settings_menu(shortcuts: Sequence[Shortcut]) -> None:
    """Renders the settings menu. Each choice takes effect at once, and the menu stays open.

    ``?`` opens it too (``head_scripts/shortcut_help.js``), because it lists the shortcuts of the page.
    """
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
        names: dict[str, str] = {code: code for code in CURRENCIES}
        _render_choice(
            "pref_currency", t("frame.settings_currency"), CURRENCIES, chosen.currency, CURRENCY_KEY, names
        )
        st.caption(t("frame.settings_currency_help"))
        names = {code: t(f"frame.theme_{code}") for code in THEMES}
        _render_choice("pref_theme", t("frame.settings_theme"), THEMES, chosen.theme, THEME_KEY, names)
        names = {code: t(f"frame.colours_{code}") for code in SCHEMES}
        _render_choice(
            "pref_colours", t("frame.settings_colours"), SCHEMES, chosen.rise_colours, RISE_COLOURS_KEY, names
        )
        st.caption(t("frame.settings_colours_help"))
        names = {
            code: t("frame.refresh_off") if code == "off" else t("frame.refresh_seconds", n=code)
            for code in REFRESH_INTERVALS
        }
        _render_choice(
            "pref_refresh", t("frame.settings_refresh"), REFRESH_INTERVALS, chosen.refresh, REFRESH_KEY, names
        )
        st.caption(t("frame.settings_kept"))
        st.html(_build_shortcuts([*shortcuts, Shortcut("?", t("frame.shortcut_help"))]))


def _build_shortcuts(shortcuts: Sequence[Shortcut]) -> str:
    rows = (
        tag("dt", " ".join(tag("kbd", text(key)) for key in shortcut.keys)) + tag("dd", text(shortcut.effect))
        for shortcut in shortcuts
    )
    return tag("p", text(t("frame.shortcuts")), class_="cp-subhead") + tag(
        "dl", "".join(rows), class_="cp-keys"
    )


def _render_choice(
    key: str, label: str, codes: Sequence[str], current: str, state_key: str, names: Mapping[str, str]
) -> None:
    st.segmented_control(
        label,
        codes,
        format_func=lambda code: names[code],
        default=current,
        required=True,
        **bind_widget(key, current, partial(preferences.choose, state_key)),
    )
