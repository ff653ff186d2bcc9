"""What all drawings have in common. Figures are written as Plotly.js reads them.

Plotly's own classes for Python check every property, which takes longer than all the rest; the tests
check the figures with them instead.
"""

from collections.abc import Mapping
from typing import Any

from dashboard.charts.plotly_chart import Figure
from dashboard.i18n import t

CLEAR = "rgba(0,0,0,0)"


def hover_label(ink: str, background: str) -> dict[str, Any]:
    return {"bgcolor": background, "font": {"color": ink}, "bordercolor": ink}


def faint(ink: str, share: float) -> str:
    """The ``#rrggbb`` of ``ink`` at ``share`` of its strength, for grids."""
    return f"rgba({','.join(str(int(ink[k : k + 2], 16)) for k in (1, 3, 5))},{share})"


def watermark(ink: str, size: int, y: float = 0.5) -> dict[str, Any]:
    """The annotation that every drawing of sample figures carries."""
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


def figure(traces: list[dict[str, Any]], layout: Mapping[str, Any]) -> Figure:
    """``layout`` over a clear ground."""
    return {"data": traces, "layout": {"paper_bgcolor": CLEAR, "plot_bgcolor": CLEAR, **layout}}
