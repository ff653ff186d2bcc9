"""Builds the figures of behaviour against score and of cost against score."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from backend.timelines.analysis.behaviour import Cost, Scatter
from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines.comparison_data import escape_markup, round_values, shorten
from dashboard.app_pages.timelines.section_text import format_mean, format_percent, join_names
from dashboard.charts import plotting
from dashboard.charts.plotly_chart import Figure, Table
from dashboard.frame.formats import UNKNOWN
from dashboard.frame.theme import Theme
from dashboard.i18n import t

HEIGHT_PX = 300
MAX_NUMBERED_PROFILES = 16


def name_metric(metric: str) -> str:
    return t(f"timelines.case_metric_{metric}")


def describe_metric(found: Scatter) -> str:
    """Describe how many runs have the metric, and its correlation with the score."""
    known = t("timelines.case_known", known=f"{found.known:,}", runs=f"{found.runs:,}")
    if not found.known:
        return known
    if found.correlation is None:
        return f"{known} {t('timelines.case_no_correlation')}"
    drawn = t("timelines.case_drawn", n=f"{len(found.run):,}") if len(found.run) < found.known else ""
    correlation = t("timelines.case_correlation", r=f"{found.correlation:+.2f}".replace("-", "\u2212"))
    return " ".join(part for part in (known, correlation, drawn) if part)


def build_scatter(
    found: Scatter, profiles: Sequence[str], pair: tuple[str, str] | None, look: Theme
) -> Figure:
    """Build a scatter plot of runs; compared profiles differ by colour and shape, others are grey."""
    named = [name for name in pair or () if name in profiles]
    indexes = [profiles.index(name) for name in named]
    groups = [
        (t("timelines.case_others"), ~np.isin(found.profile, indexes), look.shades.flat, "circle", 0.45)
    ]
    looks = ((look.shades.up, "circle"), (look.shades.down, "diamond"))
    groups += [
        (escape_markup(shorten(name, 30)), found.profile == index, colour, symbol, 0.75)
        for name, index, (colour, symbol) in zip(named, indexes, looks, strict=False)
    ]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": name,
            "x": round_values(found.x[selected]),
            "y": round_values(found.score[selected]),
            "marker": {"color": colour, "symbol": symbol, "size": 7, "opacity": opacity},
            "hovertemplate": f"%{{x}}<br><b>%{{y:.1%}}</b><extra>{name}</extra>",
        }
        for name, selected, colour, symbol, opacity in groups
        if selected.any()
    ]
    return plotting.build_figure(traces, _build_layout(look, f"behaviour {found.metric}"))


def _build_layout(look: Theme, identity: str) -> dict[str, Any]:
    grid = plotting.fade(look.ink, 0.14)
    axis = {"gridcolor": grid, "zerolinecolor": grid, "fixedrange": True}
    return {
        "margin": {"l": 48, "r": 12, "t": 30, "b": 30},
        "font": {"color": look.ink, "size": 11},
        "hoverlabel": plotting.build_hover_label(look.ink, look.background),
        "hovermode": "closest",
        "uirevision": identity,
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "xaxis": axis,
        "yaxis": {**axis, "tickformat": ".0%"},
    }


def build_scatter_table(arrays: RunArrays, found: Scatter) -> Table:
    """Build a table of each profile's runs with the metric, its mean of case means, and their score."""
    values = arrays.number(found.metric)
    known = ~np.isnan(values)
    means, counts = arrays.cell_means(values)
    scores = arrays.where(known).by_cell[0]
    head = [
        t("timelines.case_profile"),
        t("timelines.case_runs"),
        name_metric(found.metric),
        t("timelines.case_score"),
    ]
    rows = [
        [
            arrays.profiles[index],
            f"{int(counts[index].sum()):,}",
            f"{np.nanmean(means[index]):,.3g}",
            format_percent(float(np.nanmean(scores[index]))),
        ]
        for index in np.flatnonzero(counts.sum(axis=1)).tolist()
    ]
    return Table(name_metric(found.metric), head, rows)


def build_cost_figure(found: Sequence[Cost], profiles: Sequence[str], look: Theme) -> Figure:
    """Build a figure with a numbered point per profile, cheapest first, and the interval of its mean.

    The frontier is a line through filled diamonds.
    """
    front = [one for one in found if one.frontier]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter", "mode": "lines", "name": t("timelines.case_frontier"),
            "x": [_round_usd(one) for one in front], "y": [round(one.score.mean, 4) for one in front],
            "line": {"color": look.accent, "width": 1.5, "dash": "dot"}, "hoverinfo": "skip",
        },
        {
            "type": "scatter", "mode": "markers+text", "name": t("timelines.case_profile"),
            "x": [_round_usd(one) for one in found], "y": [round(one.score.mean, 4) for one in found],
            "text": [str(n) for n in range(1, len(found) + 1)],
            "textposition": "middle right",
            "textfont": {"size": 10}, "cliponaxis": False,
            "customdata": [[escape_markup(profiles[one.profile]), one.cost.runs] for one in found],
            "error_y": _build_error_bars(found, look),
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
    layout = _build_layout(look, "cost")
    layout["xaxis"] = {**layout["xaxis"], "tickprefix": "$", "rangemode": "tozero"}
    return plotting.build_figure(traces, layout)


def _round_usd(one: Cost) -> float:
    return float(f"{one.cost.mean:.6g}")


def _build_error_bars(found: Sequence[Cost], look: Theme) -> dict[str, Any]:
    ends = [one.score.interval for one in found]
    up = [
        0.0 if end is None else round(end.high - one.score.mean, 4)
        for end, one in zip(ends, found, strict=True)
    ]
    return {"type": "data", "array": up, "color": look.shades.flat, "thickness": 1, "width": 3}


def describe_cost_numbers(found: Sequence[Cost], profiles: Sequence[str]) -> str:
    """List the numbered profiles; empty above :data:`MAX_NUMBERED_PROFILES`, where the table lists them."""
    if len(found) > MAX_NUMBERED_PROFILES:
        return ""
    return " · ".join(f"{n} {profiles[one.profile]}" for n, one in enumerate(found, 1))


def build_cost_alt(found: Sequence[Cost], profiles: Sequence[str]) -> str:
    best = [profiles[one.profile] for one in found if one.frontier]
    return t("timelines.case_cost_alt", n=len(found), names=join_names(best))


def build_cost_table(found: Sequence[Cost], profiles: Sequence[str]) -> Table:
    head = [
        t("timelines.case_profile"), t("timelines.case_cost_axis"), t("timelines.case_score"),
        t("timelines.case_runs"), t("timelines.case_frontier"),
    ]  # fmt: skip
    rows = [
        [
            f"{n} {profiles[one.profile]}",
            f"${one.cost.mean:,.4g}",
            format_mean(one.score.mean, one.score.interval),
            f"{one.cost.runs:,}",
            "◆" if one.frontier else UNKNOWN,
        ]
        for n, one in enumerate(found, 1)
    ]
    return Table(t("timelines.case_cost"), head, rows)
