"""Lines over time with their bands and signs, drawn by a script of our own in a few milliseconds.

Plotly takes longer to be read by the browser than all the rest of a page: what stands on top of one is
drawn by this instead. Pointing tells the nearest point, a drag zooms into a span of time, and the same
figures stand in a table below.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import streamlit as st

from dashboard import charts
from dashboard.components.registration import joined
from dashboard.i18n import t

_ROOM = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class TimeLine:
    """A line of n windows. Times are in seconds of the reader's own clock, values in percent.

    ``low`` and ``high`` are null where a window has no band; ``cases`` and ``runs`` are what it holds.
    ``dash`` is as SVG writes it, empty for a solid stroke.
    """

    name: str
    colour: str
    dash: str
    start: Sequence[int]
    time: Sequence[int]
    mean: Sequence[float | None]
    low: Sequence[float | None]
    high: Sequence[float | None]
    cases: Sequence[int]
    runs: Sequence[int]


@dataclass(frozen=True, slots=True)
class Sign:
    """A mark at a moment: ``shape`` is ``up``, ``down`` or ``diamond``."""

    shape: str
    colour: str
    time: int
    value: float
    text: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """``identity``: zoom is kept as long as it stays. ``watermark`` stands across, empty for none."""

    lines: Sequence[TimeLine]
    signs: Sequence[Sign]
    span: tuple[float, float]
    """Of the values, in percent."""
    ink: str
    background: str
    watermark: str
    identity: str


def time_lines(
    drawing: Drawing, *, key: str, height: int, alt: str, caption: str, head: Sequence[str]
) -> None:
    """Draw as wide as the place and ``height`` pixels high. ``alt`` says in words what is drawn.

    The table below, made when it is opened, has a row a window: ``head`` names its columns, which are
    the line, the window's start, mean, low, high, cases and runs; ``caption`` names it.
    """
    words = {
        "as_table": t("chart.as_table"),
        "zoomed": t("chart.whole_span"),
        "point": t("timelines.hover"),
    }
    told = {
        "key": key, "height": height, "alt": alt, "caption": caption, "head": head, "words": words,
        "drawing": drawing,
    }  # fmt: skip
    _component()(key=key, data=orjson.dumps(told))


@cache
def script() -> str:
    """The browser's part as one ES module."""
    table = joined(Path(charts.__file__).parent, "folded_table")
    return f"{table}\n{joined(_ROOM, 'axis', 'shapes', 'pointer', 'line_chart')}"


@cache
def _component() -> Any:
    return st.components.v2.component("chainproof.line_chart", js=script(), isolate_styles=False)
