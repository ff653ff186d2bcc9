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
from dashboard.i18n import HTML_LANG, language, t


def apply_preferences(chosen: Preferences) -> None:
    """Sets the language of the document and the colours. Called once per run, before the page."""
    st.html(f"<style>:root{{{palette.css_variables(chosen.rise_colours)}}}</style>")
    render_html_lang(chosen, preferences.build_cookie_value())


def set_tab_title(*parts: str) -> None:
    """Sets the title of the browser's tab: ``parts``, what is open first, then the name of the product."""
    st.set_page_config(page_title=" · ".join((*parts, t("frame.product"))))


def render_head(title: str, mode: Mode | None, note: str = "", shortcuts: Sequence[Shortcut] = ()) -> None:
    """Renders the page's ``h1``, the label of the data mode, ``note`` (markup) and the tools of every page.

    These are the search palette, the link to copy and the settings, which list the ``shortcuts`` of the page.
    """
    with st.container(key="page-head", horizontal=True, vertical_alignment="center", gap="small"):
        heading = tag("h1", text(title), lang=HTML_LANG[language()])
        st.html(tag("div", heading, mode_label_html(mode), note, class_="cp-head"))
        st.html(_build_tools(), width="content")
        render_settings_menu([Shortcut(("Ctrl + K", "⌘K"), t("frame.shortcut_search")), *shortcuts])


def _build_tools() -> str:
    """Builds the buttons whose clicks ``search_palette/palette.js`` handles. Their icons are in its CSS."""
    keys = tag("kbd", "Ctrl K", class_="cp-key-pc") + tag("kbd", "⌘K", class_="cp-key-mac")
    search = _build_tool("search", t("frame.search"), keys, aria_keyshortcuts="Control+K Meta+K")
    return tag("div", search, _build_tool("copy_link", t("frame.copy_link")), class_="cp-tools")


def _build_tool(action: str, label: str, more: str = "", **attributes: str) -> str:
    content = tag("span", text(label)) + more
    return tag(
        "button", content, type="button", data_cp_do=action, aria_label=label, title=label, **attributes
    )
