"""Builds the figures of behaviour against score and of cost against score."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from backend.timelines.analysis.behaviour import Cost, Scatter
from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines.comparison_data import escape_markup, round_values, shorten
from dashboard.app_pages.timelines.section_text import format_mean, format_percent
from dashboard.charts import plotting
from dashboard.charts.plotly_chart import Figure, Table
from dashboard.frame.formats import UNKNOWN
from dashboard.frame.theme import Theme
from dashboard.i18n import t
from dashboard.i18n.punctuation import join_items

HEIGHT_PX = 300
MAX_NUMBERED_PROFILES = 16


def name_metric(metric: str) -> str:
    return t(f"timelines.case_metric_{metric}")


def describe_metric(scatter: Scatter) -> str:
    """Describe how many runs have the metric, and its correlation with the score."""
    count_text = t("timelines.case_known", known=f"{scatter.known:,}", runs=f"{scatter.runs:,}")
    if not scatter.known:
        return count_text
    if scatter.correlation is None:
        return f"{count_text} {t('timelines.case_no_correlation')}"
    drawn = t("timelines.case_drawn", n=f"{len(scatter.run):,}") if len(scatter.run) < scatter.known else ""
    correlation = t("timelines.case_correlation", r=f"{scatter.correlation:+.2f}".replace("-", "\u2212"))
    return " ".join(part for part in (count_text, correlation, drawn) if part)


def build_scatter(
    scatter: Scatter, profiles: Sequence[str], pair: tuple[str, str] | None, theme: Theme
) -> Figure:
    """Build a scatter plot of runs; compared profiles differ by colour and shape, others are grey."""
    compared_names = [name for name in pair or () if name in profiles]
    indexes = [profiles.index(name) for name in compared_names]
    groups = [
        (t("timelines.case_others"), ~np.isin(scatter.profile, indexes), theme.shades.flat, "circle", 0.45)
    ]
    looks = ((theme.shades.up, "circle"), (theme.shades.down, "diamond"))
    groups += [
        (escape_markup(shorten(name, 30)), scatter.profile == index, colour, symbol, 0.75)
        for name, index, (colour, symbol) in zip(compared_names, indexes, looks, strict=False)
    ]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": name,
            "x": round_values(scatter.x[selected]),
            "y": round_values(scatter.score[selected]),
            "marker": {"color": colour, "symbol": symbol, "size": 7, "opacity": opacity},
            "hovertemplate": f"%{{x}}<br><b>%{{y:.1%}}</b><extra>{name}</extra>",
        }
        for name, selected, colour, symbol, opacity in groups
        if selected.any()
    ]
    return plotting.build_figure(traces, _build_layout(theme, f"behaviour {scatter.metric}"))


def _build_layout(theme: Theme, identity: str) -> dict[str, Any]:
    grid = plotting.fade(theme.ink, 0.14)
    axis = {"gridcolor": grid, "zerolinecolor": grid, "fixedrange": True}
    return {
        "margin": {"l": 48, "r": 12, "t": 30, "b": 30},
        "font": {"color": theme.ink, "size": 11},
        "hoverlabel": plotting.build_hover_label(theme.ink, theme.background),
        "hovermode": "closest",
        "uirevision": identity,
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "xaxis": axis,
        "yaxis": {**axis, "tickformat": ".0%"},
    }


def build_scatter_table(arrays: RunArrays, scatter: Scatter) -> Table:
    """Build a table of each profile's runs with the metric, its mean of case means, and their score."""
    values = arrays.numeric_column(scatter.metric)
    has_metric = ~np.isnan(values)
    means, counts = arrays.cell_means(values)
    scores = arrays.where(has_metric).by_cell[0]
    head = [
        t("timelines.case_profile"),
        t("timelines.case_runs"),
        name_metric(scatter.metric),
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
    return Table(name_metric(scatter.metric), head, rows)


def build_cost_figure(costs: Sequence[Cost], profiles: Sequence[str], theme: Theme) -> Figure:
    """Build a figure with a numbered point per profile, cheapest first, and the interval of its mean.

    The frontier is a line through filled diamonds.
    """
    front = [cost for cost in costs if cost.frontier]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter", "mode": "lines", "name": t("timelines.case_frontier"),
            "x": [_round_usd(cost) for cost in front], "y": [round(cost.score.mean, 4) for cost in front],
            "line": {"color": theme.accent, "width": 1.5, "dash": "dot"}, "hoverinfo": "skip",
        },
        {
            "type": "scatter", "mode": "markers+text", "name": t("timelines.case_profile"),
            "x": [_round_usd(cost) for cost in costs], "y": [round(cost.score.mean, 4) for cost in costs],
            "text": [str(n) for n in range(1, len(costs) + 1)],
            "textposition": "middle right",
            "textfont": {"size": 10}, "cliponaxis": False,
            "customdata": [[escape_markup(profiles[cost.profile]), cost.cost.runs] for cost in costs],
            "error_y": _build_error_bars(costs, theme),
            "marker": {
                "symbol": ["diamond" if cost.frontier else "circle-open" for cost in costs],
                "color": [theme.accent if cost.frontier else theme.shades.flat for cost in costs], "size": 9,
            },
            "hovertemplate": (
                f"%{{customdata[0]}}<br><b>%{{y:.1%}}</b> · $%{{x:,.4~g}} · {t('timelines.case_runs')} "
                "%{customdata[1]}<extra></extra>"
            ),
        },
    ]  # fmt: skip
    layout = _build_layout(theme, "cost")
    layout["xaxis"] = {**layout["xaxis"], "tickprefix": "$", "rangemode": "tozero"}
    return plotting.build_figure(traces, layout)


def _round_usd(cost: Cost) -> float:
    return float(f"{cost.cost.mean:.6g}")


def _build_error_bars(costs: Sequence[Cost], theme: Theme) -> dict[str, Any]:
    ends = [cost.score.interval or (cost.score.mean, cost.score.mean) for cost in costs]
    down = [round(cost.score.mean - low, 4) for (low, _), cost in zip(ends, costs, strict=True)]
    up = [round(high - cost.score.mean, 4) for (_, high), cost in zip(ends, costs, strict=True)]
    return {
        "type": "data", "symmetric": False, "array": up, "arrayminus": down,
        "color": theme.shades.flat, "thickness": 1, "width": 3,
    }  # fmt: skip


def describe_cost_numbers(costs: Sequence[Cost], profiles: Sequence[str]) -> str:
    """List the numbered profiles; empty above :data:`MAX_NUMBERED_PROFILES`, where the table lists them."""
    if len(costs) > MAX_NUMBERED_PROFILES:
        return ""
    return " · ".join(f"{n} {profiles[cost.profile]}" for n, cost in enumerate(costs, 1))


def build_cost_alt(costs: Sequence[Cost], profiles: Sequence[str]) -> str:
    best = [profiles[cost.profile] for cost in costs if cost.frontier]
    return t("timelines.case_cost_alt", n=len(costs), names=join_items(best))


def build_cost_table(costs: Sequence[Cost], profiles: Sequence[str]) -> Table:
    head = [
        t("timelines.case_profile"), t("timelines.case_cost_axis"), t("timelines.case_score"),
        t("timelines.case_runs"), t("timelines.case_frontier"),
    ]  # fmt: skip
    rows = [
        [
            f"{n} {profiles[cost.profile]}",
            f"${cost.cost.mean:,.4g}",
            format_mean(cost.score.mean, cost.score.interval),
            f"{cost.cost.runs:,}",
            "◆" if cost.frontier else UNKNOWN,
        ]
        for n, cost in enumerate(costs, 1)
    ]
    return Table(t("timelines.case_cost"), head, rows)
