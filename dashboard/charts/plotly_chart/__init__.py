"""Renders Plotly charts in a Streamlit component that updates them in place.

Streamlit's own chart takes a figure only when it is mounted, so it draws each new figure from scratch.
This component keeps its chart and lets Plotly update the differences. It loads Plotly from this host,
under a URL of its version (:mod:`dashboard.charts.plotly_chart.library`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import orjson
import streamlit as st

from dashboard.charts.plotly_chart.library import LIBRARY_URL
from dashboard.components.registration import join_scripts
from dashboard.i18n import t

__all__ = ["Figure", "Table", "preload_library", "render_chart"]

Figure: TypeAlias = dict[str, Any]
"""``{"data": [traces], "layout": {…}}`` as Plotly.js reads it."""
CONFIG: Mapping[str, Any] = {"displayModeBar": False, "scrollZoom": False}

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Table:
    """The figures of a chart. The first column holds the row headers."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def render_chart(
    figure: Figure,
    *,
    key: str,
    height: int,
    alt: str,
    table: Table | None = None,
    config: Mapping[str, Any] | None = None,
    on_pick: Callable[[], None] | None = None,
    lazy: bool = False,
) -> None:
    """Renders ``figure`` in the full width of its container, ``height`` pixels high.

    ``alt`` describes the chart in words. ``table`` shows its figures below it, collapsed; the browser
    creates the table only when it is opened. The next figure with the same ``key`` updates the chart,
    which keeps its zoom as long as ``layout.uirevision`` stays the same. ``config`` overrides
    :data:`CONFIG`. The layout needs no ``height`` or ``width``. Give instants without a zone, in the
    reader's local time.

    ``on_pick`` is called after a click on a point, with its ``{"x", "y", "id"}`` (``id`` is the
    ``customdata``) in ``st.session_state[key].picked``. Another control must offer the same to the
    keyboard. ``lazy`` delays drawing until the chart is near the screen, which keeps a long page fast.
    """
    options = {
        "key": key,
        "height": height,
        "alt": alt,
        "table": None if table is None else asdict(table),
        "config": {**CONFIG, **(config or {})},
        "late": lazy,
        "picks": on_pick is not None,
        "words": {"failed": t("chart.failed"), "as_table": t("chart.as_table")},
    }
    payload = orjson.dumps(options) + b"\n" + orjson.dumps(figure, option=orjson.OPT_SERIALIZE_NUMPY)
    _chart_component()(key=key, data=payload, on_picked_change=on_pick or _ignore_trigger)


def preload_library() -> None:
    """Makes the browser load Plotly when the page is idle, before the first chart.

    A page that may show charts later calls this once; a chart also works without it.
    """
    _library_component()(key="chart_library")


def _ignore_trigger() -> None:
    """Does nothing: Streamlit sends a trigger only if it has a callback."""


def build_script(*parts: str) -> str:
    """Joins scripts to one ES module and inserts the URL of Plotly."""
    return join_scripts(_FOLDER, *parts).replace('"LIBRARY_URL"', orjson.dumps(LIBRARY_URL).decode())


@cache
def _chart_component() -> Any:
    js = build_script("library", "../folded_table", "chart")
    return st.components.v2.component("chainproof.plotly_chart", js=js, isolate_styles=False)


@cache
def _library_component() -> Any:
    js = build_script("../../components/page_idle", "library", "preload")
    return st.components.v2.component("chainproof.plotly_library", js=js, isolate_styles=False)
