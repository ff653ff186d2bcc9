"""Plotly's figure classes; its package carries no types, so they are ``Any`` in one place."""

from typing import Any

import plotly.graph_objects

from dashboard.i18n import t

go: Any = plotly.graph_objects
Figure = Any


def unchecked(traces: list[dict[str, Any]], layout: dict[str, Any]) -> Figure:
    """A figure as written, without Plotly's check of every property, which takes longer than all the rest."""
    return go.Figure({"data": traces, "layout": layout}, _validate=False)


def watermark(ink: str, size: int, y: float = 0.5) -> dict[str, Any]:
    """The annotation that every drawing of sample figures carries."""
    return {
        "text": t("rankings.state_sample").upper(),
        "xref": "paper",
        "yref": "paper",
        "x": 0.5,
        "y": y,
        "showarrow": False,
        "opacity": 0.1,
        "font": {"size": size, "color": ink},
    }
