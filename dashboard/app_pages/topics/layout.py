"""Lays out the Topics page: filters, the list, and the opened topic beside it."""

from datetime import UTC, datetime
from functools import partial

import streamlit as st

from dashboard.app_pages.topics import (
    data,
    export,
    filter_bar,
    filter_params,
    session_state,
    topic_detail,
    topic_list,
    url_state,
)
from dashboard.app_pages.topics.data import TopicListing
from dashboard.app_pages.topics.export import TopicExport
from dashboard.app_pages.topics.filter_params import Filters
from dashboard.app_pages.topics.keyboard_navigation import keyboard_navigation
from dashboard.charts.plotly_chart import preload_library
from dashboard.components.focus import focus
from dashboard.frame import refresh, states
from dashboard.i18n import t

SKELETON_HEIGHT_PX = 640
_VISITED = "_topics_visited"


def render_page() -> None:
    """Render the page: the list, or the opened topic with the list beside it."""
    filters = url_state.read_filters()
    opened = bool(url_state.read_topic())
    listing = _load_with_skeleton(filters)
    with st.container(key="tp_head_open" if opened else "tp_head", gap="small"):
        filter_bar.render(filters, listing.names)
    if opened:
        side, main = st.columns([4, 9], gap="medium")
        with side, st.container(key="tp_side"):
            refresh.render_live(partial(topic_list.render, opened=True), key="tp_live_side")
        with main:
            topic_detail.render(filters)
    else:
        with st.container(key="tp_whole"):
            refresh.render_live(partial(topic_list.render, opened=False), key="tp_live")
            _render_download_buttons(listing)
        preload_library()
    state = session_state.load_state()
    focus(state.focus_target, state.focus_request_number, key="tp_focus")
    if keyboard_navigation(filter_params.parse_number(url_state.read_topic()), key="tp_topic_keys"):
        url_state.close_topic()
        st.rerun()


def _load_with_skeleton(filters: Filters) -> TopicListing:
    """Load the list; show a skeleton at the first load of a session."""
    if st.session_state.get(_VISITED):
        return data.load(filters)
    st.session_state[_VISITED] = True
    with states.show_skeleton(SKELETON_HEIGHT_PX):
        return data.load(filters)


def _render_download_buttons(listing: TopicListing) -> None:
    """Render buttons that download the visible topics."""
    if not listing.topics:
        return
    as_of = listing.answer.at or datetime.now(UTC)
    url = st.context.url or ""
    topic_export = TopicExport(listing.topics, as_of, url.partition("/topics")[0].rstrip("/"))
    with st.container(key="tp_export", horizontal=True, vertical_alignment="center", gap="small"):
        for kind, make, mime in (
            ("csv", export.to_csv, "text/csv"),
            ("md", export.to_markdown, "text/markdown"),
        ):
            st.download_button(
                t(f"topics.download_{kind}"),
                data=make(topic_export),
                file_name=f"chainproof-topics-{as_of:%Y%m%dT%H%M%SZ}.{kind}",
                mime=mime,
                key=f"tp_download_{kind}",
                icon=":material/download:",
                on_click="ignore",
            )
