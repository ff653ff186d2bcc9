"""Builds the Pareto chart of lost points by deduction, A beside B."""

from collections.abc import Sequence
from typing import Any

from backend.timelines.analysis.deductions import DeductionRanking
from dashboard.app_pages.timelines.comparison_data import escape_markup, round_values, shorten, shorten_labels
from dashboard.app_pages.timelines.section_text import format_points
from dashboard.charts import plotting
from dashboard.charts.plotly_chart import Figure, Table
from dashboard.frame.theme import Theme
from dashboard.i18n import t

ROW_PX = 30


def compute_height(ranking: DeductionRanking) -> int:
    return 84 + ROW_PX * (len(ranking.names) + bool(ranking.rest))


def list_labels(ranking: DeductionRanking) -> list[str]:
    rest = [t("timelines.case_rest", n=f"{ranking.rest:,}")] if ranking.rest else []
    return [*ranking.names, *rest]


def _pair_values(ranking: DeductionRanking, names: Sequence[str]) -> list[tuple[str, list[float]]]:
    rest = [(ranking.rest_a, ranking.rest_b)] if ranking.rest else []
    sides = [
        [*ranking.a.tolist(), *(values[0] for values in rest)],
        [*ranking.b.tolist(), *(values[1] for values in rest)],
    ]
    return list(zip(names, sides, strict=False))


def build_figure(ranking: DeductionRanking, names: Sequence[str], theme: Theme) -> Figure:
    """Build bars in points of 100; B's are hatched, so that they differ not only by colour."""
    full = list_labels(ranking)
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
        for index, (name, lost_shares) in enumerate(_pair_values(ranking, names))
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


def describe_basis(ranking: DeductionRanking, names: Sequence[str]) -> str:
    if len(names) > 1:
        return t("timelines.case_lost_note", cases=f"{ranking.cases:,}", a=names[0], b=names[1])
    return t("timelines.case_lost_note_one", cases=f"{ranking.cases:,}", a=names[0])


def build_alt(ranking: DeductionRanking, names: Sequence[str]) -> str:
    top = t("timelines.case_lost_most", name=ranking.names[0], share=f"{100 * ranking.cumulative[0]:.0f}")
    return f"{describe_basis(ranking, names)} {top}"


def build_table(ranking: DeductionRanking, names: Sequence[str]) -> Table:
    head = [t("timelines.case_reason"), *names, t("timelines.case_cumulative")]
    shares = [*round_values(ranking.cumulative), *([1.0] if ranking.rest else [])]
    rows = [
        [
            label,
            *(format_points(lost_shares[index]) for _, lost_shares in _pair_values(ranking, names)),
            f"{100 * (shares[index] or 0):.0f}%",
        ]
        for index, label in enumerate(list_labels(ranking))
    ]
    return Table(t("timelines.case_lost"), head, rows)
