"""Shows the comparison of two profiles: figures, case differences, and all pairs."""

import streamlit as st

from backend.timelines.analysis import verdicts
from backend.timelines.analysis.comparison import ProfileComparison
from backend.timelines.analysis.pairwise_comparison import PairMatrix
from backend.timelines.columns.run_arrays import RunArrays
from backend.timelines.statistics.paired_comparison import Paired
from dashboard.app_pages.timelines import (
    case_dot_plot,
    comparison_data,
    data,
    pairwise_table,
    section_text,
)
from dashboard.app_pages.timelines.comparison_data import Comparison
from dashboard.app_pages.timelines.selection import TimelinesState
from dashboard.components.live_view import Node, h, live_view
from dashboard.i18n import language, t


def render(arrays: RunArrays, state: TimelinesState) -> None:
    sides = data.choose_comparison_sides(arrays, state)
    if sides is None:
        return
    comparison, matrix = data.compare(arrays, state, sides), data.compare_pairs(arrays, state)
    with st.container(key="tlp_compare", border=True, gap="small"):
        left, right = st.columns(2, gap="large")
        with left:
            live_view(
                _build_figures(arrays, comparison, matrix, is_family=sides.self_split is None),
                key="tlp_figures",
            )
            pairwise_table.render(arrays, matrix, (sides.a, sides.b))
        with right:
            case_dot_plot.render(comparison, state)


def _build_figures(
    arrays: RunArrays, comparison: Comparison, matrix: PairMatrix, *, is_family: bool
) -> list[Node | None]:
    """Build the figures; ``is_family``: the comparison is one of the pairs in ``matrix``."""
    result = comparison.result
    body: list[Node | None] = []
    has_comparison = verdicts.verdict(result).has_comparison
    if is_family and has_comparison and matrix.compared_pairs > 1:
        body.append(_build_corrected_sentence(arrays, result, matrix))
    body += [
        h("p", text, class_="cp-note")
        for side in (result.a, result.b)
        if (text := verdicts.excluded_runs_sentence(side, language())) is not None
    ]
    if has_comparison and result.paired is not None:
        body += [_build_difference_axis(comparison), _build_facts(comparison)]
    return [h("div", *body, class_="tlp-against")]


def _build_corrected_sentence(
    arrays: RunArrays, result: ProfileComparison, matrix: PairMatrix
) -> Node | None:
    rows = [arrays.profiles[index] for index in matrix.profiles]
    text = verdicts.corrected_sentence(
        matrix, rows.index(result.a.profile), rows.index(result.b.profile), language()
    )
    return None if text is None else h("p", text, class_="tlp-stands")


def _build_difference_axis(comparison: Comparison) -> Node | None:
    """Build the difference and its interval on an axis; the figures beside it contain the same."""
    paired = comparison.result.paired
    if paired is None:
        return None
    axis = comparison_data.build_axis((paired.difference,), (paired.interval,))
    a, b = (comparison_data.shorten(label, 28) for label in comparison.labels)
    return h(
        "div",
        h(
            "div",
            h("span", t("timelines.cmp_ahead", name=a)),
            h("span", t("timelines.cmp_ahead", name=b)),
            class_="tlp-sides",
        ),
        case_dot_plot.build_interval_dot(axis, paired.difference, paired.interval, large=True),
        h(
            "div",
            *(h("span", section_text.format_signed_points(end)) for end in (-axis.limit, 0.0, axis.limit)),
            class_="tlp-axis",
        ),
        class_="tlp-delta",
        aria_hidden="true",
    )


def _build_facts(comparison: Comparison) -> Node | None:
    result, paired = comparison.result, comparison.result.paired
    if paired is None:
        return None
    rows = [
        (t("timelines.cmp_difference"), section_text.format_difference(paired.difference, paired.interval)),
        (t("timelines.cmp_cases"), f"{paired.cases:,}"),
        (
            t("timelines.cmp_tally"),
            t("timelines.cmp_tally_of", wins=paired.wins, ties=paired.ties, losses=paired.losses),
        ),
        (t("timelines.cmp_least"), _format_smallest_difference(paired)),
    ]
    for side, label in zip((result.a, result.b), comparison.labels, strict=True):
        if side.mean is not None:
            mean = section_text.format_mean(side.mean.mean, side.interval)
            side_text = t("timelines.cmp_side", mean=mean, cases=f"{side.cases:,}", runs=f"{side.runs:,}")
            rows.append((comparison_data.shorten(label, 40), side_text))
    return h("dl", *(h("div", h("dt", name), h("dd", text)) for name, text in rows), class_="tlp-facts")


def _format_smallest_difference(paired: Paired) -> str:
    if paired.detectable_difference is None:
        return t("timelines.cmp_least_unknown")
    return t("timelines.cmp_points", n=verdicts.points(paired.detectable_difference))
