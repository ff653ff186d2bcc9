"""Drawings of stored violations: which rules fire most, and when."""

from collections.abc import Mapping, Sequence
from datetime import date
from html import escape
from typing import Any

from dashboard.charts import plotting
from dashboard.charts.plotly_chart import Figure
from dashboard.frame.markup import tag, text
from dashboard.frame.palette import mix
from dashboard.frame.theme import Theme

BAR_HEIGHT = 30
GLYPHS: Mapping[str, str] = {"error": "✕", "warning": "▲", "info": "●"}


def bars_height(rows: int) -> int:
    return max(1, rows) * BAR_HEIGHT + 14


def rule_bars(rows: Sequence[tuple[str, int]], seen: Theme) -> Figure:
    """One bar a rule, most first, its name above no axis but at its side."""
    counts = [count for _, count in rows]
    bars = {
        "orientation": "h",
        "x": counts,
        "y": [escape(name) for name, _ in rows],
        "text": [f"{count:,}" for count in counts],
        "textposition": "outside",
        "cliponaxis": False,
        "textfont": {"color": seen.ink},
        "hovertemplate": "%{y}: %{x:,}<extra></extra>",
    }
    layout = {
        "margin": {"l": 8, "r": 52, "t": 4, "b": 4},
        "bargap": 0.38,
        "xaxis": {"visible": False, "fixedrange": True},
        "yaxis": {"autorange": "reversed", "automargin": True, "fixedrange": True, "ticksuffix": "  "},
    }
    return _bars(bars, layout, seen, size=12.5)


def day_bars(days: Sequence[tuple[date, int]], seen: Theme) -> Figure:
    """One bar a day, days without any included."""
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
            "gridcolor": mix(seen.ink, seen.background, 0.14),
            "zeroline": False,
            "rangemode": "tozero",
            "nticks": 5,
            "fixedrange": True,
            "tickformat": ",d",
        },
    }
    return _bars(bars, layout, seen, size=12)


def _bars(bars: Mapping[str, Any], layout: Mapping[str, Any], seen: Theme, *, size: float) -> Figure:
    """Bars in the colours of the page, their words at ``size`` pixels."""
    trace = {"type": "bar", "marker": {"color": mix(seen.accent, seen.background, 0.75)}, **bars}
    words = {
        "font": {"color": seen.ink, "size": size},
        "hoverlabel": plotting.build_hover_label(seen.ink, seen.background),
    }
    return plotting.build_figure([trace], {**words, **layout})


def severity_parts(counts: Mapping[str, int], names: Mapping[str, str]) -> str:
    """One bar parted by severity as markup; each part has its glyph, name and number below."""
    known = {severity: count for severity, count in counts.items() if count}
    parts = (
        tag("span", class_=f"cr-part-{severity}", style=f"flex-grow:{count}")
        for severity, count in known.items()
    )
    legend = (
        tag(
            "li",
            tag("span", GLYPHS[severity], class_=f"cr-{severity}", aria_hidden="true"),
            text(f" {names[severity]} "),
            tag("strong", f"{count:,}"),
        )
        for severity, count in counts.items()
    )
    return tag("div", *parts, class_="cr-parts", aria_hidden="true") + tag("ul", *legend, class_="cr-legend")
