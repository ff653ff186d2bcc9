"""Reads and changes the state of the Timelines page in its URL.

Each part of the page is a fragment of its own (:data:`PARTS`) and reads the state anew whenever it is drawn,
so what one part changes is drawn by those parts alone that show it.
"""

from dataclasses import replace
from datetime import datetime
from typing import Literal, NoReturn, TypedDict, Unpack

import streamlit as st

from dashboard.app_pages.timelines import selection as reading
from dashboard.app_pages.timelines.selection import FIELDS, TimelinesState
from dashboard.frame import url_state

__all__ = ["PARTS", "Part", "TimelinesState", "address", "choose", "current", "redraw", "run_link"]

Part = Literal["files", "filters", "alerts", "scores", "compare", "cases", "run", "later"]
PARTS: dict[Part, str] = {
    "files": "tl_part_files",
    "filters": "tl_part_filters",
    "alerts": "tl_part_alerts",
    "scores": "tl_part_scores",
    "compare": "tl_part_compare",
    "cases": "tl_part_cases",
    "run": "tl_part_run",
    "later": "tl_part_later",
}
"""The parts of the page, and the keys of their fragments."""


class Changes(TypedDict, total=False):
    """Fields of :class:`TimelinesState`."""

    profiles: tuple[str, ...]
    cases: tuple[str, ...]
    model_vendor: str | None
    inference_provider: str | None
    since: datetime | None
    until: datetime | None
    leave_out_machinery: bool
    a: str | None
    b: str | None
    case: str | None
    run: str | None
    alert: str | None
    hidden: tuple[str, ...]
    window: int | None
    same_cases: bool


def current() -> TimelinesState:
    """Read the state from the URL. Default profiles are not filled in here."""
    return reading.from_address({name: url_state.sync_text(name)[0] for name in FIELDS.values()})


def choose(**changes: Unpack[Changes]) -> None:
    """Set fields of the state in the session and in the URL.

    Null or an empty tuple clears a field.
    """
    now = replace(current(), **changes)
    for field in changes:
        url_state.write(FIELDS[field], reading.to_text(field, getattr(now, field)))


def redraw(*parts: Part) -> NoReturn:
    """Draw these parts alone after this callback, which must be a widget's. Does not return."""
    st.rerun([PARTS[part] for part in parts])


def address(**changes: Unpack[Changes]) -> str:
    """Build a link to this page with ``changes`` of fields."""
    state = replace(current(), **changes)
    return reading.address(state, lang=st.query_params.get("lang", ""))


def run_link(run_id: str) -> str:
    """Build a link to this page with a run opened."""
    return address(run=run_id)
