"""Draws the lower sections of the Timelines page lazily: near the viewport, or when the page is idle.

A filter redraws the upper sections at once. The lower ones keep their old content, marked as outdated, until
they are redrawn. Sections that a link opens are drawn with the page.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Unpack

import pyarrow as pa
import streamlit as st

from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines import data
from dashboard.app_pages.timelines import section_text as words
from dashboard.app_pages.timelines import url_state as desk
from dashboard.app_pages.timelines.lazy_section import Awaited, later
from dashboard.app_pages.timelines.selection import TimelinesState
from dashboard.app_pages.timelines.url_state import PARTS, Changes, Part
from dashboard.frame.markup import tag
from dashboard.i18n import t

LOWER: tuple[Part, ...] = ("compare", "cases", "run")
UPPER: tuple[Part, ...] = ("files", "filters", "alerts", "scores", "later")
TITLES = {"compare": "timelines.cmp_title", "cases": "timelines.case_title", "run": "timelines.run_title"}
AWAIT_SECONDS = 1.0
"""Interval of checks for computed false alarm rates."""
KEY = "tl_later"
_DRAWN, _WANTED, _TURN = "_timelines_drawn_of", "_timelines_wanted", "_timelines_later_turn"
_AWAITED = "_timelines_rates_awaited"
_FIRST_WIDGET = "tl_machinery"

Section = Callable[[RunArrays, TimelinesState], None]


def begin(state: TimelinesState) -> None:
    """Start a page run. On the first visit, draw the sections that the link opens at once."""
    if _FIRST_WIDGET in st.session_state:
        return
    opened: set[Part] = set()
    if state.run or state.case:
        opened.add("run")
    if state.a or state.b:
        opened.add("compare")
    st.session_state[_WANTED], st.session_state[_DRAWN] = opened, {}


def show(sections: dict[Part, Section]) -> None:
    """Draw each of :data:`LOWER` as a fragment, and the component that requests them."""
    for part in LOWER:
        st.fragment(_drawing(part, sections[part]), key=PARTS[part])()
    st.fragment(_ask, key=PARTS["later"])()


def _drawing(part: Part, section: Section) -> Callable[[], None]:
    def draw() -> None:
        table = data.gather().table
        if table is None:
            return
        if part not in st.session_state[_WANTED]:
            _place(part)
            return
        state = desk.current()
        st.session_state[_DRAWN][part] = (table, _narrowed(state))
        section(*data.shown(table, state))

    return draw


def _place(part: Part) -> None:
    """Draw a placeholder with the section's title and final height."""
    with st.container(key=f"tlp_{part}", border=True, gap="small"):
        words.heading(t(TITLES[part]))
        st.html(tag("div", class_=f"tl-later tl-later-{part}", aria_hidden="true"))


def await_rates(*, awaited: bool) -> None:
    """Store whether the false alarm rates of the drawn alerts are still missing."""
    st.session_state[_AWAITED] = awaited


def _ask() -> None:
    table, state = data.gather().table, desk.current()
    if table is None:
        return
    due = [Awaited(part, f".st-key-tlp_{part}") for part in LOWER if _behind(part, table, state)]
    if st.session_state.get(_AWAITED):
        due.append(Awaited("alerts", after=AWAIT_SECONDS))
    turn = st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1
    later(due, key=KEY, turn=turn if due else 0, on_due=_asked)


def _behind(part: Part, table: pa.Table, state: TimelinesState) -> bool:
    known: tuple[pa.Table, TimelinesState] | None = st.session_state[_DRAWN].get(part)
    return known is None or known[0] is not table or known[1] != _narrowed(state)


def _narrowed(state: TimelinesState) -> TimelinesState:
    """Keep only the fields that select runs. Other fields are redrawn where they change."""
    return replace(state, a=None, b=None, case=None, run=None, alert=None, hidden=(), window=None,
                   same_cases=False)  # fmt: skip


def _asked() -> None:
    part = st.session_state[KEY].due
    if part == "alerts":
        desk.redraw("alerts", "scores", "later")
    for lower in LOWER:
        if part == lower:
            st.session_state[_WANTED].add(lower)
            desk.redraw(lower, "later")


def reselect(**changes: Unpack[Changes]) -> None:
    """Change the selection of runs in a callback and redraw the upper sections.

    Redraws the whole page when it changes to or from a page without runs.
    """
    before = _any_runs()
    desk.choose(**changes)
    if before and _any_runs():
        desk.redraw(*UPPER)
    st.rerun()


def _any_runs() -> bool:
    table: Any = data.gather().table
    return table is not None and bool(len(data.shown(table, desk.current())[0]))
