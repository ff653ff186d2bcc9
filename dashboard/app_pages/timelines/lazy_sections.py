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
from dashboard.app_pages.timelines.lazy_section import PendingPart, load_lazily
from dashboard.app_pages.timelines.selection import TimelinesState
from dashboard.app_pages.timelines.url_state import FRAGMENT_KEYS, Changes, Part
from dashboard.frame.markup import tag
from dashboard.i18n import t

LAZY_PARTS: tuple[Part, ...] = ("compare", "cases", "run")
EAGER_PARTS: tuple[Part, ...] = ("files", "filters", "alerts", "scores", "lazy_loader")
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

Section = Callable[[RunArrays, TimelinesState], None]


def start_page_run(state: TimelinesState) -> None:
    """Reset the state on a visit of the page; request the sections that the link opens."""
    if _FIRST_WIDGET in st.session_state:
        return
    opened: set[Part] = set()
    if state.run or state.case:
        opened.add("run")
    if state.a or state.b:
        opened.add("compare")
    st.session_state[_REQUESTED], st.session_state[_DRAWN_WITH] = opened, {}


def render(sections: dict[Part, Section]) -> None:
    """Render each of :data:`LAZY_PARTS` as a fragment, and the component that requests them."""
    for part in LAZY_PARTS:
        st.fragment(_make_fragment(part, sections[part]), key=FRAGMENT_KEYS[part])()
    st.fragment(_request_due_parts, key=FRAGMENT_KEYS["lazy_loader"])()


def _make_fragment(part: Part, section: Section) -> Callable[[], None]:
    def draw() -> None:
        table = data.load().table
        if table is None:
            return
        if part not in st.session_state[_REQUESTED]:
            _render_placeholder(part)
            return
        state = url_state.read_state()
        st.session_state[_DRAWN_WITH][part] = (table, _keep_filters(state))
        section(*data.select_visible_runs(table, state))

    return draw


def _render_placeholder(part: Part) -> None:
    """Render a placeholder with the section's title and final height."""
    with st.container(key=f"tlp_{part}", border=True, gap="small"):
        section_text.render_heading(t(TITLE_KEYS[part]))
        st.html(tag("div", class_=f"tl-placeholder tl-placeholder-{part}", aria_hidden="true"))


def set_rates_pending(*, pending: bool) -> None:
    """Store whether the false alarm rates of the drawn alerts are still missing."""
    st.session_state[_RATES_PENDING] = pending


def _request_due_parts() -> None:
    table, state = data.load().table, url_state.read_state()
    if table is None:
        return
    due_parts = [
        PendingPart(part, f".st-key-tlp_{part}") for part in LAZY_PARTS if _is_outdated(part, table, state)
    ]
    if st.session_state.get(_RATES_PENDING):
        due_parts.append(PendingPart("alerts", after=RATES_POLL_SECONDS))
    request_id = st.session_state[_REQUEST_ID] = st.session_state.get(_REQUEST_ID, 0) + 1
    load_lazily(due_parts, key=LOADER_KEY, request_id=request_id if due_parts else 0, on_due=_on_part_due)


def _is_outdated(part: Part, table: pa.Table, state: TimelinesState) -> bool:
    known: tuple[pa.Table, TimelinesState] | None = st.session_state[_DRAWN_WITH].get(part)
    return known is None or known[0] is not table or known[1] != _keep_filters(state)


def _keep_filters(state: TimelinesState) -> TimelinesState:
    """Reset all fields that do not select runs; their changes redraw only the sections that use them."""
    return replace(state, a=None, b=None, case=None, run=None, alert=None, hidden=(), window=None,
                   same_cases=False)  # fmt: skip


def _on_part_due() -> None:
    part = st.session_state[LOADER_KEY].due
    if part == "alerts":
        url_state.redraw_parts("alerts", "scores", "lazy_loader")
    for lazy_part in LAZY_PARTS:
        if part == lazy_part:
            st.session_state[_REQUESTED].add(lazy_part)
            url_state.redraw_parts(lazy_part, "lazy_loader")


def reselect(**changes: Unpack[Changes]) -> None:
    """Change the selection of runs in a callback and redraw the upper sections.

    Redraws the whole page when it changes to or from a page without runs.
    """
    before = _has_runs()
    url_state.update(**changes)
    if before and _has_runs():
        url_state.redraw_parts(*EAGER_PARTS)
    st.rerun()


def _has_runs() -> bool:
    table: Any = data.load().table
    return table is not None and bool(len(data.select_visible_runs(table, url_state.read_state())[0]))
