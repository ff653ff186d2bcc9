"""How agents behave, against what they score, and what a score costs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from backend.timelines.analysis.behaviour import Cost, Scatter
from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines.comparison_data import compact, plain, short
from dashboard.app_pages.timelines.markup import percent
from dashboard.app_pages.timelines.section_text import joined, level
from dashboard.charts import plotting
from dashboard.charts.plotly_chart import Figure, Table
from dashboard.frame.formats import UNKNOWN
from dashboard.frame.theme import Theme
from dashboard.i18n import t

HEIGHT = 300
MOST_NAMED = 16


def metric_name(metric: str) -> str:
    return t(f"timelines.case_metric_{metric}")


def told(found: Scatter) -> str:
    """How many runs tell the metric, and how it goes with the score."""
    known = t("timelines.case_known", known=f"{found.known:,}", runs=f"{found.runs:,}")
    if not found.known:
        return known
    if found.correlation is None:
        return f"{known} {t('timelines.case_no_correlation')}"
    drawn = t("timelines.case_drawn", n=f"{len(found.run):,}") if len(found.run) < found.known else ""
    said = t("timelines.case_correlation", r=f"{found.correlation:+.2f}".replace("-", "\u2212"))
    return " ".join(part for part in (known, said, drawn) if part)


def scatter(found: Scatter, profiles: Sequence[str], pair: tuple[str, str] | None, look: Theme) -> Figure:
    """A run a point; those compared by colour and shape, all others in grey."""
    named = [name for name in pair or () if name in profiles]
    places = [profiles.index(name) for name in named]
    groups = [(t("timelines.case_others"), ~np.isin(found.profile, places), look.shades.flat, "circle", 0.45)]
    looks = ((look.shades.up, "circle"), (look.shades.down, "diamond"))
    groups += [
        (plain(short(name, 30)), found.profile == place, colour, symbol, 0.75)
        for name, place, (colour, symbol) in zip(named, places, looks, strict=False)
    ]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": name,
            "x": compact(found.x[mine]),
            "y": compact(found.score[mine]),
            "marker": {"color": colour, "symbol": symbol, "size": 7, "opacity": opacity},
            "hovertemplate": f"%{{x}}<br><b>%{{y:.1%}}</b><extra>{name}</extra>",
        }
        for name, mine, colour, symbol, opacity in groups
        if mine.any()
    ]
    return plotting.figure(traces, _layout(look, f"behaviour {found.metric}"))


def _layout(look: Theme, identity: str) -> dict[str, Any]:
    grid = plotting.faint(look.ink, 0.14)
    axis = {"gridcolor": grid, "zerolinecolor": grid, "fixedrange": True}
    return {
        "margin": {"l": 48, "r": 12, "t": 30, "b": 30},
        "font": {"color": look.ink, "size": 11},
        "hoverlabel": plotting.hover_label(look.ink, look.background),
        "hovermode": "closest",
        "uirevision": identity,
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "xaxis": axis,
        "yaxis": {**axis, "tickformat": ".0%"},
    }


def scatter_table(arrays: RunArrays, found: Scatter) -> Table:
    """Each profile's runs that tell the metric, its mean of case means, and their score."""
    values = arrays.number(found.metric)
    known = ~np.isnan(values)
    means, counts = arrays.cell_means(values)
    scores = arrays.where(known).by_cell[0]
    head = [
        t("timelines.case_profile"),
        t("timelines.case_runs"),
        metric_name(found.metric),
        t("timelines.case_score"),
    ]
    rows = [
        [
            arrays.profiles[place],
            f"{int(counts[place].sum()):,}",
            f"{np.nanmean(means[place]):,.3g}",
            percent(float(np.nanmean(scores[place]))),
        ]
        for place in np.flatnonzero(counts.sum(axis=1)).tolist()
    ]
    return Table(metric_name(found.metric), head, rows)


def cost(found: Sequence[Cost], profiles: Sequence[str], look: Theme) -> Figure:
    """A point a profile, numbered from the cheapest, with the interval of its mean; the frontier is a line
    through filled diamonds."""
    front = [one for one in found if one.frontier]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter", "mode": "lines", "name": t("timelines.case_frontier"),
            "x": [_usd(one) for one in front], "y": [round(one.score.mean, 4) for one in front],
            "line": {"color": look.accent, "width": 1.5, "dash": "dot"}, "hoverinfo": "skip",
        },
        {
            "type": "scatter", "mode": "markers+text", "name": t("timelines.case_profile"),
            "x": [_usd(one) for one in found], "y": [round(one.score.mean, 4) for one in found],
            "text": [str(n) for n in range(1, len(found) + 1)],
            "textposition": "middle right",
            "textfont": {"size": 10}, "cliponaxis": False,
            "customdata": [[plain(profiles[one.profile]), one.cost.runs] for one in found],
            "error_y": _reach(found, look),
            "marker": {
                "symbol": ["diamond" if one.frontier else "circle-open" for one in found],
                "color": [look.accent if one.frontier else look.shades.flat for one in found], "size": 9,
            },
            "hovertemplate": (
                f"%{{customdata[0]}}<br><b>%{{y:.1%}}</b> · $%{{x:,.4~g}} · {t('timelines.case_runs')} "
                "%{customdata[1]}<extra></extra>"
            ),
        },
    ]  # fmt: skip
    layout = _layout(look, "cost")
    layout["xaxis"] = {**layout["xaxis"], "tickprefix": "$", "rangemode": "tozero"}
    return plotting.figure(traces, layout)


def _usd(one: Cost) -> float:
    return float(f"{one.cost.mean:.6g}")


def _reach(found: Sequence[Cost], look: Theme) -> dict[str, Any]:
    ends = [one.score.interval for one in found]
    up = [
        0.0 if end is None else round(end.high - one.score.mean, 4)
        for end, one in zip(ends, found, strict=True)
    ]
    return {"type": "data", "array": up, "color": look.shades.flat, "thickness": 1, "width": 3}


def cost_names(found: Sequence[Cost], profiles: Sequence[str]) -> str:
    """Whom the numbers stand for; those of many are in the table."""
    if len(found) > MOST_NAMED:
        return ""
    return " · ".join(f"{n} {profiles[one.profile]}" for n, one in enumerate(found, 1))


def cost_alt(found: Sequence[Cost], profiles: Sequence[str]) -> str:
    best = [profiles[one.profile] for one in found if one.frontier]
    return t("timelines.case_cost_alt", n=len(found), names=joined(best))


def cost_table(found: Sequence[Cost], profiles: Sequence[str]) -> Table:
    head = [
        t("timelines.case_profile"), t("timelines.case_cost_axis"), t("timelines.case_score"),
        t("timelines.case_runs"), t("timelines.case_frontier"),
    ]  # fmt: skip
    rows = [
        [
            f"{n} {profiles[one.profile]}",
            f"${one.cost.mean:,.4g}",
            level(one.score.mean, one.score.interval),
            f"{one.cost.runs:,}",
            "◆" if one.frontier else UNKNOWN,
        ]
        for n, one in enumerate(found, 1)
    ]
    return Table(t("timelines.case_cost"), head, rows)
