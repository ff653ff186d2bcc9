"""The Topics page put together: filters, the list, and the topic that the address names beside it."""

from datetime import UTC, datetime
from functools import partial

import streamlit as st

from dashboard.app_pages.topics import data, export, topic_detail, topic_list
from dashboard.app_pages.topics import filters as topics_filters
from dashboard.app_pages.topics import topic_text as reading
from dashboard.app_pages.topics import url_state as desk
from dashboard.app_pages.topics.data import Listing
from dashboard.app_pages.topics.export import Listed
from dashboard.app_pages.topics.keyboard_navigation import topic_keys
from dashboard.app_pages.topics.topic_text import Filters
from dashboard.charts.plotly_chart import prepare
from dashboard.components.focus import focus
from dashboard.frame import refresh, states
from dashboard.i18n import t

SKELETON = 640
_SEEN = "_topics_seen"


def page() -> None:
    filters = desk.filters()
    opened = bool(desk.shown())
    listing = _listing(filters)
    with st.container(key="tp_head_open" if opened else "tp_head", gap="small"):
        topics_filters.show(filters, listing.names)
    if opened:
        side, main = st.columns([5, 8], gap="medium")
        with side, st.container(key="tp_side"):
            refresh.render_live(partial(topic_list.show, opened=True), key="tp_live_side")
        with main:
            topic_detail.show(filters)
    else:
        with st.container(key="tp_whole"):
            refresh.render_live(partial(topic_list.show, opened=False), key="tp_live")
            _take_out(listing)
        prepare()
    now = desk.desk()
    focus(now.target, now.turn, key="tp_focus")
    if topic_keys(reading.number(desk.shown()), key="tp_topic_keys"):
        desk.close()
        st.rerun()


def _listing(filters: Filters) -> Listing:
    """The first time in a session with a skeleton in its place."""
    if st.session_state.get(_SEEN):
        return data.gather(filters)
    st.session_state[_SEEN] = True
    with states.loading(SKELETON):
        return data.gather(filters)


def _take_out(listing: Listing) -> None:
    """What the list shows, as a file."""
    if not listing.shown:
        return
    as_of = listing.answer.at or datetime.now(UTC)
    url = st.context.url or ""
    listed = Listed(listing.shown, as_of, url.partition("/topics")[0].rstrip("/"))
    with st.container(key="tp_export", horizontal=True, vertical_alignment="center", gap="small"):
        for kind, make, mime in (
            ("csv", export.to_csv, "text/csv"),
            ("md", export.to_markdown, "text/markdown"),
        ):
            st.download_button(
                t(f"topics.download_{kind}"),
                data=make(listed),
                file_name=f"chainproof-topics-{as_of:%Y%m%dT%H%M%SZ}.{kind}",
                mime=mime,
                key=f"tp_download_{kind}",
                icon=":material/download:",
                on_click="ignore",
            )
