"""Builds the charts of stored violations: most frequent rules, and violations by day."""

from collections.abc import Mapping, Sequence
from datetime import date
from html import escape
from typing import Any

from dashboard.charts import plotting
from dashboard.charts.plotly_chart import Figure
from dashboard.frame.markup import tag, text
from dashboard.frame.palette import mix
from dashboard.frame.theme import Theme

BAR_HEIGHT_PX = 30
SEVERITY_GLYPHS: Mapping[str, str] = {"error": "✕", "warning": "▲", "info": "●"}


def compute_rule_chart_height_px(rows: int) -> int:
    return max(1, rows) * BAR_HEIGHT_PX + 14


def build_rule_chart(rows: Sequence[tuple[str, int]], theme: Theme) -> Figure:
    """Build one horizontal bar per rule, most frequent first, labelled at its side."""
    counts = [count for _, count in rows]
    bars = {
        "orientation": "h",
        "x": counts,
        "y": [escape(name) for name, _ in rows],
        "text": [f"{count:,}" for count in counts],
        "textposition": "outside",
        "cliponaxis": False,
        "textfont": {"color": theme.ink},
        "hovertemplate": "%{y}: %{x:,}<extra></extra>",
    }
    layout = {
        "margin": {"l": 8, "r": 52, "t": 4, "b": 4},
        "bargap": 0.38,
        "xaxis": {"visible": False, "fixedrange": True},
        "yaxis": {"autorange": "reversed", "automargin": True, "fixedrange": True, "ticksuffix": "  "},
    }
    return _build_bar_chart(bars, layout, theme, size=12.5)


def build_day_chart(days: Sequence[tuple[date, int]], theme: Theme) -> Figure:
    """Build one bar per day, including days without violations."""
    bars = {
        "x": [day.isoformat() for day, _ in days],
        "y": [count for _, count in days],
        "hovertemplate": "%{x|%Y-%m-%d}: %{y:,}<extra></extra>",
    }
    layout = {
        "margin": {"l": 40, "r": 8, "t": 8, "b": 26},
        "bargap": 0.25,
        "xaxis": {"type": "date", "showgrid": False, "tickformat": "%m-%d", "nticks": 7, "fixedrange": True},
        "yaxis": {
            "gridcolor": mix(theme.ink, theme.background, 0.14),
            "zeroline": False,
            "rangemode": "tozero",
            "nticks": 5,
            "fixedrange": True,
            "tickformat": ",d",
        },
    }
    return _build_bar_chart(bars, layout, theme, size=12)


def _build_bar_chart(
    bars: Mapping[str, Any], layout: Mapping[str, Any], theme: Theme, *, size: float
) -> Figure:
    """Build bars in the colours of the page, with labels of ``size`` pixels."""
    trace = {"type": "bar", "marker": {"color": mix(theme.accent, theme.background, 0.75)}, **bars}
    style = {
        "font": {"color": theme.ink, "size": size},
        "hoverlabel": plotting.build_hover_label(theme.ink, theme.background),
    }
    return plotting.build_figure([trace], {**style, **layout})


def build_severity_bar(counts: Mapping[str, int], names: Mapping[str, str]) -> str:
    """Build one bar divided by severity as markup, with a legend of glyphs, names and numbers."""
    present = {severity: count for severity, count in counts.items() if count}
    parts = (
        tag("span", class_=f"cr-part-{severity}", style=f"flex-grow:{count}")
        for severity, count in present.items()
    )
    legend = (
        tag(
            "li",
            tag("span", SEVERITY_GLYPHS[severity], class_=f"cr-{severity}", aria_hidden="true"),
            text(f" {names[severity]} "),
            tag("strong", f"{count:,}"),
        )
        for severity, count in counts.items()
    )
    return tag("div", *parts, class_="cr-parts", aria_hidden="true") + tag("ul", *legend, class_="cr-legend")
