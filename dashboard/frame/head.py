"""Renders the head of every page and applies the reader's language and colours."""

from collections.abc import Sequence

import streamlit as st

from dashboard.client import Mode
from dashboard.frame import palette, preferences
from dashboard.frame.freshness import mode_label_html
from dashboard.frame.html_lang import render_html_lang
from dashboard.frame.markup import tag, text
from dashboard.frame.preferences import Preferences
from dashboard.frame.settings_menu import Shortcut, render_settings_menu
from dashboard.i18n import HTML_LANG, language


def apply_preferences(chosen: Preferences) -> None:
    """Sets the language of the document and the colours. Called once per run, before the page."""
    st.html(f"<style>:root{{{palette.css_variables(chosen.rise_colours)}}}</style>")
    render_html_lang(chosen, preferences.build_cookie_value())


def render_head(title: str, mode: Mode | None, note: str = "", shortcuts: Sequence[Shortcut] = ()) -> None:
    """Renders the page's ``h1``, the label of the data mode, ``note`` (markup) and the settings menu.

    The settings list the ``shortcuts`` of the page.
    """
    with st.container(key="page-head", horizontal=True, vertical_alignment="center", gap="small"):
        heading = tag("h1", text(title), lang=HTML_LANG[language()])
        st.html(tag("div", heading, mode_label_html(mode), note, class_="cp-head"))
        render_settings_menu(shortcuts)
