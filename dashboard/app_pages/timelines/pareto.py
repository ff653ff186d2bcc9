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


def compute_height(found: Pareto) -> int:
    return 84 + ROW_PX * (len(found.names) + bool(found.rest))


def list_labels(found: Pareto) -> list[str]:
    rest = [t("timelines.case_rest", n=f"{found.rest:,}")] if found.rest else []
    return [*found.names, *rest]


def _pair_values(found: Pareto, names: Sequence[str]) -> list[tuple[str, list[float]]]:
    rest = [(found.rest_a, found.rest_b)] if found.rest else []
    sides = [[*found.a.tolist(), *(one[0] for one in rest)], [*found.b.tolist(), *(one[1] for one in rest)]]
    return list(zip(names, sides, strict=False))


def build_figure(found: Pareto, names: Sequence[str], look: Theme) -> Figure:
    """Build bars in points of 100; B's are hatched, so that they differ not only by colour."""
    full = list_labels(found)
    rows = [escape_markup(label) for label in full]
    fills = (look.shades.up, look.shades.down)
    traces: list[dict[str, Any]] = [
        {
            "type": "bar",
            "orientation": "h",
            "name": escape_markup(shorten(name, 30)),
            "y": rows,
            "x": [round(100 * value, 3) for value in lost],
            "marker": {
                "color": fills[index],
                "pattern": {
                    "shape": "/" if index else "",
                    "fillmode": "overlay",
                    "fgcolor": look.background,
                    "fgopacity": 0.65,
                    "size": 6,
                    "solidity": 0.3,
                },
            },
            "hovertemplate": f"%{{y}}<br><b>%{{x:.2f}}</b> {t('timelines.case_points')}",
        }
        for index, (name, lost) in enumerate(_pair_values(found, names))
    ]
    grid = plotting.fade(look.ink, 0.14)
    layout = {
        "margin": {"l": 178, "r": 8, "t": 28, "b": 48},
        "font": {"color": look.ink, "size": 11},
        "hoverlabel": plotting.build_hover_label(look.ink, look.background),
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


def describe_basis(found: Pareto, names: Sequence[str]) -> str:
    if len(names) > 1:
        return t("timelines.case_lost_note", cases=f"{found.cases:,}", a=names[0], b=names[1])
    return t("timelines.case_lost_note_one", cases=f"{found.cases:,}", a=names[0])


def explain_empty(found: Pareto) -> str:
    return t("timelines.case_lost_none" if found.cases else "timelines.case_lost_no_cases")


def build_alt(found: Pareto, names: Sequence[str]) -> str:
    top = t("timelines.case_lost_most", name=found.names[0], share=f"{100 * found.cumulative[0]:.0f}")
    return f"{describe_basis(found, names)} {top}"


def build_table(found: Pareto, names: Sequence[str]) -> Table:
    head = [t("timelines.case_reason"), *names, t("timelines.case_cumulative")]
    shares = [*round_values(found.cumulative), *([1.0] if found.rest else [])]
    rows = [
        [
            label,
            *(format_points(lost[index]) for _, lost in _pair_values(found, names)),
            f"{100 * (shares[index] or 0):.0f} %",
        ]
        for index, label in enumerate(list_labels(found))
    ]
    return Table(t("timelines.case_lost"), head, rows)
