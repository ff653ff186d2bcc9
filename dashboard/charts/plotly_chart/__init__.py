"""Plotly charts that are redrawn in place, as a Streamlit component.

Streamlit's own chart takes a figure only when it is mounted, so that each new figure is drawn from
nothing. This one keeps its drawing, lets Plotly change what differs, and takes the library from this
host under an address of its version (:mod:`dashboard.charts.plotly_chart.library`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import orjson
import streamlit as st

from dashboard.charts.plotly_chart.library import ADDRESS
from dashboard.components.registration import join_scripts
from dashboard.i18n import t

__all__ = ["Figure", "Table", "chart", "prepare"]

Figure: TypeAlias = dict[str, Any]
"""``{"data": [traces], "layout": {…}}`` as Plotly.js reads it."""
CONFIG: Mapping[str, Any] = {"displayModeBar": False, "scrollZoom": False}

_ROOM = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Table:
    """What a drawing shows, in figures. The first column heads the rows."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def chart(
    figure: Figure,
    *,
    key: str,
    height: int,
    alt: str,
    table: Table | None = None,
    config: Mapping[str, Any] | None = None,
    on_pick: Callable[[], None] | None = None,
    late: bool = False,
) -> None:
    """Draw ``figure`` as wide as its place and ``height`` pixels high.

    ``alt`` says in words what the drawing shows. ``table`` says it in figures, below the drawing behind
    a line to press; it is made only when it is opened. ``key`` names the drawing: the next figure under
    it changes the same one, and zoom is kept as long as the figure's ``layout.uirevision`` stays.
    ``config`` is Plotly's, over :data:`CONFIG`. The layout needs no ``height`` nor ``width``. Instants
    are best given naive, in the reader's zone.

    ``on_pick`` is called when a point is clicked, with ``{"x", "y", "id"}`` of it (its ``customdata``) in
    ``st.session_state[key].picked``. What it does must be reached by the keyboard too, elsewhere.
    ``late`` has it drawn only when the reader comes near, which keeps a long page quick.
    """
    about = {
        "key": key,
        "height": height,
        "alt": alt,
        "table": None if table is None else asdict(table),
        "config": {**CONFIG, **(config or {})},
        "late": late,
        "picks": on_pick is not None,
        "words": {"failed": t("chart.failed"), "as_table": t("chart.as_table")},
    }
    sent = orjson.dumps(about) + b"\n" + orjson.dumps(figure, option=orjson.OPT_SERIALIZE_NUMPY)
    _drawing()(key=key, data=sent, on_picked_change=on_pick or _nothing)


def prepare() -> None:
    """Have the browser load the library once the page rests, before the first chart is asked for.

    Called once by a page that may open charts later; a chart itself needs no preparation.
    """
    _library()(key="chart_library")


def _nothing() -> None:
    """A trigger is only sent for callbacks that exist."""


def script(*parts: str) -> str:
    """The browser's part as one ES module, knowing where the library is."""
    return join_scripts(_ROOM, *parts).replace('"ADDRESS"', orjson.dumps(ADDRESS).decode())


@cache
def _drawing() -> Any:
    js = script("library", "../folded_table", "chart")
    return st.components.v2.component("chainproof.plotly_chart", js=js, isolate_styles=False)


@cache
def _library() -> Any:
    js = script("../../components/page_idle", "library", "preload")
    return st.components.v2.component("chainproof.plotly_library", js=js, isolate_styles=False)
