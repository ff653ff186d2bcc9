"""Renders the head of every page: title, data mode, settings, language and colours."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from dashboard import i18n
from dashboard.client import Mode
from dashboard.frame import account, palette, preferences
from dashboard.frame.freshness import mode_label_html
from dashboard.frame.html_lang import html_lang
from dashboard.frame.markup import tag, text
from dashboard.frame.palette import SCHEMES
from dashboard.frame.preferences import REFRESH_KEY, REFRESHES, SCHEME_KEY, Preferences
from dashboard.i18n import LANGUAGE_NAMES, LANGUAGES, language, t


def apply_preferences(chosen: Preferences) -> None:
    """Sets the language of the document and the colours. Called once per run, before the page."""
    st.html(f"<style>:root{{{palette.css_variables(chosen.scheme)}}}</style>")
    html_lang(chosen.language, preferences.build_cookie())


def head(title: str, mode: Mode | None, note: str = "") -> None:
    """Renders the page's ``h1``, the label of the data mode, ``note`` (markup) and the settings menu."""
    with st.container(key="page-head", horizontal=True, vertical_alignment="center", gap="small"):
        heading = tag("h1", text(title), lang=i18n.HTML_LANG[language()])
        st.html(tag("div", heading, mode_label_html(mode), note, class_="cp-head"))
        settings()


def settings() -> None:
    """Renders the settings menu. Each choice takes effect at once, and the menu stays open."""
    now = preferences.current()
    with st.popover(t("frame.settings"), icon=":material/tune:", width="content", key="settings"):
        account.render_account()
        _choice(
            "pref_language",
            t("frame.settings_language"),
            LANGUAGES,
            now.language,
            i18n.SESSION_KEY,
            dict(LANGUAGE_NAMES.items()),
        )
        names: dict[str, str] = {code: t(f"frame.colours_{code}") for code in SCHEMES}
        _choice("pref_colours", t("frame.settings_colours"), SCHEMES, now.scheme, SCHEME_KEY, names)
        st.caption(t("frame.settings_colours_help"))
        names = {
            code: t("frame.refresh_off") if code == "off" else t("frame.refresh_seconds", n=code)
            for code in REFRESHES
        }
        _choice("pref_refresh", t("frame.settings_refresh"), REFRESHES, now.refresh, REFRESH_KEY, names)
        st.caption(t("frame.settings_kept"))


def _choice(
    key: str, label: str, codes: Sequence[str], current: str, target: str, names: Mapping[str, str]
) -> None:
    st.session_state[key] = current
    st.segmented_control(
        label,
        codes,
        format_func=lambda code: names[code],
        key=key,
        required=True,
        on_change=partial(_chosen, key, target),
    )


def _chosen(key: str, target: str) -> None:
    preferences.choose(target, st.session_state[key])
