"""Reads and changes the state of the Timelines page in its URL.

Each section of the page is a Streamlit fragment (:data:`FRAGMENT_KEYS`) that reads the state itself. After a
change, the callback can therefore redraw only the sections concerned.
"""

from dataclasses import replace
from datetime import datetime
from typing import Literal, NoReturn, TypedDict, Unpack

import streamlit as st

from dashboard.app_pages.timelines import selection
from dashboard.app_pages.timelines.selection import QUERY_PARAMS, TimelinesState
from dashboard.frame import url_state

__all__ = [
    "FRAGMENT_KEYS",
    "LinkBuilder",
    "SectionName",
    "TimelinesState",
    "build_link",
    "build_run_link",
    "list_invalid_values",
    "read_state",
    "redraw_sections",
    "update_state",
]

SectionName = Literal["files", "bar", "verdict", "tab"]
FRAGMENT_KEYS: dict[SectionName, str] = {
    "files": "tl_part_files",
    "bar": "tl_part_bar",
    "verdict": "tl_part_verdict",
    "tab": "tl_part_tab",
}
"""The Streamlit key of each section's fragment."""


def list_invalid_values() -> list[str]:
    """List the values of the URL that cannot be read, such as ``from=2026-99-99``."""
    return selection.list_invalid_values(dict(st.query_params.items()))


class Changes(TypedDict, total=False):
    """Fields of :class:`TimelinesState`."""

    profiles: tuple[str, ...]
    cases: tuple[str, ...]
    model_vendor: str | None
    inference_provider: str | None
    since: datetime | None
    until: datetime | None
    exclude_infrastructure_errors: bool
    profile_a: str | None
    profile_b: str | None
    self_split: str | None
    open_case: str | None
    run: str | None
    tab: str
    alert: str | None
    hidden_profiles: tuple[str, ...]
    score_window_seconds: int | None
    center_cases: bool


def read_state() -> TimelinesState:
    """Read the state from the URL. If the URL names no profiles, ``profiles`` stays empty."""
    return selection.parse_state({name: url_state.read_param(name) for name in QUERY_PARAMS.values()})


def update_state(**changes: Unpack[Changes]) -> None:
    """Set fields of the state in the session and in the URL. None or an empty tuple clears a field."""
    state = replace(read_state(), **changes)
    for field in changes:
        url_state.write_param(QUERY_PARAMS[field], selection.format_field(field, getattr(state, field)))


def redraw_sections(*sections: SectionName) -> NoReturn:
    """Rerun only these fragments. Call it at the end of a widget's callback; it raises and never returns."""
    st.rerun([FRAGMENT_KEYS[section] for section in sections])


def build_link(**changes: Unpack[Changes]) -> str:
    """Build a link to this page with some fields changed."""
    return LinkBuilder().build(**changes)


class LinkBuilder:
    """Builds many links to this page; reads its state once."""

    def __init__(self) -> None:
        self._state, self._language = read_state(), url_state.read_query().get("lang", "")

    def build(self, **changes: Unpack[Changes]) -> str:
        """Build a link with some fields changed."""
        return selection.build_url(replace(self._state, **changes), lang=self._language)


def build_run_link(run_id: str) -> str:
    """Build a link to this page that opens a run."""
    return build_link(run=run_id, tab="runs")
