"""Renders links to the pages that people use on the move, at the bottom of a phone's screen."""

from collections.abc import Mapping

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from dashboard.frame import url_state
from dashboard.frame.markup import tag, text
from dashboard.i18n import t

PAGES = ("overview", "rankings", "topics", "timelines", "research")
"""Five fit. Corrections, which needs a desk, stays in the menu at the top, as all pages do."""


def render_bottom_bar(pages: Mapping[str, StreamlitPage], current: StreamlitPage) -> None:
    """Render the bar, which only phones show. ``search_palette/palette.js`` opens its links."""
    tabs = (_build_tab(name, pages[name], is_current=pages[name] is current) for name in PAGES)
    with st.container(key="bottom_bar"):
        st.html(tag("nav", *tabs, class_="cp-bottom-bar", aria_label=t("frame.bottom_bar")))


def _build_tab(name: str, page: StreamlitPage, *, is_current: bool) -> str:
    return tag(
        "a",
        tag("span", text(page.title)),
        href=url_state.build_last_view_link(page),
        target="_self",
        data_cp_open=name,
        aria_current="page" if is_current else None,
    )
