"""Builds the Pareto chart of lost points by deduction, A beside B."""

from collections.abc import Sequence
from typing import Any

from backend.timelines.analysis.deductions import Pareto
from dashboard.app_pages.timelines.comparison_data import escape_markup, round_values, shorten, shorten_labels
from dashboard.app_pages.timelines.section_text import format_points
from dashboard.charts import plotting
from dashboard.charts.plotly_chart import Figure, Table
from dashboard.frame.theme import Theme
from dashboard.i18n import t

ROW_PX = 30


def compute_height(pareto: Pareto) -> int:
    return 84 + ROW_PX * (len(pareto.names) + bool(pareto.rest))


def list_labels(pareto: Pareto) -> list[str]:
    rest = [t("timelines.case_rest", n=f"{pareto.rest:,}")] if pareto.rest else []
    return [*pareto.names, *rest]


def _pair_values(pareto: Pareto, names: Sequence[str]) -> list[tuple[str, list[float]]]:
    rest = [(pareto.rest_a, pareto.rest_b)] if pareto.rest else []
    sides = [
        [*pareto.a.tolist(), *(values[0] for values in rest)],
        [*pareto.b.tolist(), *(values[1] for values in rest)],
    ]
    return list(zip(names, sides, strict=False))


def build_figure(pareto: Pareto, names: Sequence[str], theme: Theme) -> Figure:
    """Build bars in points of 100; B's are hatched, so that they differ not only by colour."""
    full = list_labels(pareto)
    rows = [escape_markup(label) for label in full]
    fills = (theme.shades.up, theme.shades.down)
    traces: list[dict[str, Any]] = [
        {
            "type": "bar",
            "orientation": "h",
            "name": escape_markup(shorten(name, 30)),
            "y": rows,
            "x": [round(100 * value, 3) for value in lost_shares],
            "marker": {
                "color": fills[index],
                "pattern": {
                    "shape": "/" if index else "",
                    "fillmode": "overlay",
                    "fgcolor": theme.background,
                    "fgopacity": 0.65,
                    "size": 6,
                    "solidity": 0.3,
                },
            },
            "hovertemplate": f"%{{y}}<br><b>%{{x:.2f}}</b> {t('timelines.case_points')}",
        }
        for index, (name, lost_shares) in enumerate(_pair_values(pareto, names))
    ]
    grid = plotting.fade(theme.ink, 0.14)
    layout = {
        "margin": {"l": 178, "r": 8, "t": 28, "b": 48},
        "font": {"color": theme.ink, "size": 11},
        "hoverlabel": plotting.build_hover_label(theme.ink, theme.background),
        "barmode": "group",
        "bargap": 0.28,
        "bargroupgap": 0.05,
        "uirevision": "pareto",
        "legend": {
            "orientation": "h", "x": 0, "xref": "container", "y": 0, "yref": "container", "yanchor": "bottom",
        },
        "xaxis": {"gridcolor": grid, "zerolinecolor": grid, "fixedrange": True, "side": "top"},
        "yaxis": {
            "autorange": "reversed", "fixedrange": True, "type": "category",
            "tickvals": rows, "ticktext": shorten_labels(full, 27),
        },
    }  # fmt: skip
    return plotting.build_figure(traces, layout)


def describe_basis(pareto: Pareto, names: Sequence[str]) -> str:
    if len(names) > 1:
        return t("timelines.case_lost_note", cases=f"{pareto.cases:,}", a=names[0], b=names[1])
    return t("timelines.case_lost_note_one", cases=f"{pareto.cases:,}", a=names[0])


def build_alt(pareto: Pareto, names: Sequence[str]) -> str:
    top = t("timelines.case_lost_most", name=pareto.names[0], share=f"{100 * pareto.cumulative[0]:.0f}")
    return f"{describe_basis(pareto, names)} {top}"


def build_table(pareto: Pareto, names: Sequence[str]) -> Table:
    head = [t("timelines.case_reason"), *names, t("timelines.case_cumulative")]
    shares = [*round_values(pareto.cumulative), *([1.0] if pareto.rest else [])]
    rows = [
        [
            label,
            *(format_points(lost_shares[index]) for _, lost_shares in _pair_values(pareto, names)),
            f"{100 * (shares[index] or 0):.0f} %",
        ]
        for index, label in enumerate(list_labels(pareto))
    ]
    return Table(t("timelines.case_lost"), head, rows)
