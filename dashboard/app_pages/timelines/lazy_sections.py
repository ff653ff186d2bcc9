"""Draws the comparison, cases and runs lazily: near the viewport, or when the page is idle.

A filter redraws the upper sections at once. The lazy ones keep their old content, marked as outdated, until
they are redrawn. Sections that a link opens are drawn with the page.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Unpack

import pyarrow as pa
import streamlit as st

from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines import data, section_text, url_state
from dashboard.app_pages.timelines.lazy_section import PendingSection, load_lazily
from dashboard.app_pages.timelines.selection import TimelinesState
from dashboard.app_pages.timelines.url_state import FRAGMENT_KEYS, Changes, SectionName
from dashboard.frame.markup import tag
from dashboard.i18n import t

LAZY_SECTIONS: tuple[SectionName, ...] = ("compare", "cases", "run")
EAGER_SECTIONS: tuple[SectionName, ...] = ("files", "filters", "alerts", "scores", "lazy_loader")
TITLE_KEYS = {"compare": "timelines.cmp_title", "cases": "timelines.case_title", "run": "timelines.run_title"}
RATES_POLL_SECONDS = 1.0
"""Interval at which the page checks whether the false alarm rates are computed."""
LOADER_KEY = "tl_lazy_loader"
_DRAWN_WITH, _REQUESTED, _REQUEST_ID = (
    "_timelines_drawn_with",
    "_timelines_requested",
    "_timelines_request_id",
)
_RATES_PENDING = "_timelines_rates_pending"
_FIRST_WIDGET = "tl_machinery"

RenderSection = Callable[[RunArrays, TimelinesState], None]


def start_page_run(state: TimelinesState) -> None:
    """Reset the state on a visit of the page; request the sections that the link opens."""
    if _FIRST_WIDGET in st.session_state:
        return
    opened: set[SectionName] = set()
    if state.run or state.case:
        opened.add("run")
    if state.a or state.b:
        opened.add("compare")
    st.session_state[_REQUESTED], st.session_state[_DRAWN_WITH] = opened, {}


def render(sections: dict[SectionName, RenderSection]) -> None:
    """Render each of :data:`LAZY_SECTIONS` as a fragment, and the component that requests them."""
    for name in LAZY_SECTIONS:
        st.fragment(_make_fragment(name, sections[name]), key=FRAGMENT_KEYS[name])()
    st.fragment(_request_due_sections, key=FRAGMENT_KEYS["lazy_loader"])()


def _make_fragment(name: SectionName, render_section: RenderSection) -> Callable[[], None]:
    def draw() -> None:
        table = data.load().table
        if table is None:
            return
        if name not in st.session_state[_REQUESTED]:
            _render_placeholder(name)
            return
        state = url_state.read_state()
        st.session_state[_DRAWN_WITH][name] = (table, _keep_filters(state))
        render_section(*data.select_visible_runs(table, state))

    return draw


def _render_placeholder(name: SectionName) -> None:
    """Render a placeholder with the section's title and final height."""
    with st.container(key=f"tlp_{name}", border=True, gap="small"):
        section_text.render_heading(t(TITLE_KEYS[name]))
        st.html(tag("div", class_=f"tl-placeholder tl-placeholder-{name}", aria_hidden="true"))


def set_rates_pending(*, pending: bool) -> None:
    """Store whether the false alarm rates of the drawn alerts are still missing."""
    st.session_state[_RATES_PENDING] = pending


def _request_due_sections() -> None:
    table, state = data.load().table, url_state.read_state()
    if table is None:
        return
    due_sections = [
        PendingSection(name, f".st-key-tlp_{name}")
        for name in LAZY_SECTIONS
        if _is_outdated(name, table, state)
    ]
    if st.session_state.get(_RATES_PENDING):
        due_sections.append(PendingSection("alerts", after=RATES_POLL_SECONDS))
    request_id = st.session_state[_REQUEST_ID] = st.session_state.get(_REQUEST_ID, 0) + 1
    load_lazily(
        due_sections, key=LOADER_KEY, request_id=request_id if due_sections else 0, on_due=_on_section_due
    )


def _is_outdated(name: SectionName, table: pa.Table, state: TimelinesState) -> bool:
    known: tuple[pa.Table, TimelinesState] | None = st.session_state[_DRAWN_WITH].get(name)
    return known is None or known[0] is not table or known[1] != _keep_filters(state)


def _keep_filters(state: TimelinesState) -> TimelinesState:
    """Reset all fields that do not select runs; their changes redraw only the sections that use them."""
    return replace(
        state,
        a=None,
        b=None,
        case=None,
        run=None,
        alert=None,
        hidden_profiles=(),
        window_seconds=None,
        same_cases=False,
    )


def _on_section_due() -> None:
    name = st.session_state[LOADER_KEY].due
    if name == "alerts":
        url_state.redraw_sections("alerts", "scores", "lazy_loader")
    for lazy_name in LAZY_SECTIONS:
        if name == lazy_name:
            st.session_state[_REQUESTED].add(lazy_name)
            url_state.redraw_sections(lazy_name, "lazy_loader")


def reselect(**changes: Unpack[Changes]) -> None:
    """Change the selection of runs in a callback and redraw the upper sections.

    Redraws the whole page when it changes to or from a page without runs.
    """
    before = _has_runs()
    url_state.update(**changes)
    if before and _has_runs():
        url_state.redraw_sections(*EAGER_SECTIONS)
    st.rerun()


def _has_runs() -> bool:
    table: Any = data.load().table
    return table is not None and bool(len(data.select_visible_runs(table, url_state.read_state())[0]))
