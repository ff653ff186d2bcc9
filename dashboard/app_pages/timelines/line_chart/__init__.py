"""Draws lines over time with bands and signs as SVG, in a few milliseconds.

The browser takes longer to parse Plotly than the rest of a page, so the chart at the top of a page uses this
component. Hovering shows the nearest point, a drag zooms into a time range, and a table contains the figures.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import streamlit as st

from dashboard import charts
from dashboard.components.registration import join_scripts
from dashboard.i18n import t

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A line of n windows. Times are in seconds of the reader's local clock, values in percent.

    ``low`` and ``high`` are null where a window has no band; ``cases`` and ``runs`` are counts per window.
    The line has a gap before each window with ``breaks``. ``dash`` is the SVG attribute, empty for a solid
    stroke.
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
    breaks: Sequence[bool]


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign at a time; ``shape`` is ``up``, ``down`` or ``diamond``."""

    shape: str
    colour: str
    time: int
    value: float
    text: str


@dataclass(frozen=True, slots=True)
class ChartData:
    """The chart's content. Zoom is kept while ``identity`` is the same. An empty ``watermark`` means none."""

    lines: Sequence[ChartLine]
    signs: Sequence[Sign]
    ink: str
    background: str
    watermark: str
    identity: str


def line_chart(
    drawing: ChartData, *, key: str, height: int, alt: str, caption: str, head: Sequence[str]
) -> None:
    """Draw the chart, ``height`` pixels high and as wide as its container. ``alt`` describes it in words.

    The table below is built when it is opened and has a row per window. ``head`` names its columns: line,
    start of the window, mean, low, high, cases and runs. ``caption`` is its title.
    """
    words = {
        "as_table": t("chart.as_table"),
        "zoomed": t("chart.whole_span"),
        "point": t("timelines.hover"),
    }
    payload = {
        "key": key, "height": height, "alt": alt, "caption": caption, "head": head, "words": words,
        "drawing": drawing,
    }  # fmt: skip
    _component()(key=key, data=orjson.dumps(payload))


@cache
def script() -> str:
    """Build the script as one ES module."""
    table = join_scripts(Path(charts.__file__).parent, "folded_table")
    return f"{table}\n{join_scripts(_FOLDER, 'axis', 'shapes', 'pointer', 'line_chart')}"


@cache
def _component() -> Any:
    return st.components.v2.component("chainproof.line_chart", js=script(), isolate_styles=False)
