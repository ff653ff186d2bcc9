"""Builds parts of figures that all charts share, in the form that Plotly.js reads.

Plotly's Python classes validate every property, which takes longer than everything else. Tests validate
the figures with them instead.
"""

from collections.abc import Mapping
from typing import Any

from dashboard.charts.plotly_chart import Figure
from dashboard.i18n import t

TRANSPARENT = "rgba(0,0,0,0)"


def build_hover_label(ink: str, background: str) -> dict[str, Any]:
    return {"bgcolor": background, "font": {"color": ink}, "bordercolor": ink}


def fade(ink: str, share: float) -> str:
    """Returns ``ink`` (``#rrggbb``) with an opacity of ``share``, for grids."""
    return f"rgba({','.join(str(int(ink[k : k + 2], 16)) for k in (1, 3, 5))},{share})"


def build_watermark(ink: str, size: int, y: float = 0.5) -> dict[str, Any]:
    """Builds the annotation that marks charts of sample figures."""
    return {
        "text": t("chart.sample").upper(),
        "xref": "paper",
        "yref": "paper",
        "x": 0.5,
        "y": y,
        "showarrow": False,
        "opacity": 0.1,
        "font": {"size": size, "color": ink},
    }


def build_figure(traces: list[dict[str, Any]], layout: Mapping[str, Any]) -> Figure:
    """Builds a figure with a transparent background."""
    return {"data": traces, "layout": {"paper_bgcolor": TRANSPARENT, "plot_bgcolor": TRANSPARENT, **layout}}
