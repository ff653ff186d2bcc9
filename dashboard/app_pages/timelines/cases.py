"""Renders the panels about cases: where profiles disagree, where points were lost, behaviour and cost."""

from collections.abc import Callable, Sequence
from functools import partial
from html import unescape

import numpy as np
import streamlit as st

from backend.timelines.analysis.behaviour import METRICS, Cost, relate_cost_to_score, relate_metric_to_score
from backend.timelines.analysis.deductions import DeductionRanking, rank_deductions
from backend.timelines.analysis.heatmap import MAX_CASES, heatmap
from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines import (
    behaviour,
    case_dot_plot,
    comparison_data,
    data,
    heatmap_chart,
    lost_points_chart,
    section_text,
    url_state,
)
from dashboard.app_pages.timelines.selection import TimelinesState
from dashboard.charts.plotly_chart import render_chart
from dashboard.frame import theme
from dashboard.i18n import t
from dashboard.i18n.punctuation import end_sentence, join_sentences

VISIBLE_CASES = 25
MAX_DEDUCTIONS = 15
HEATMAP_KEY, SHOW_ALL_KEY, METRIC_KEY = "tlp_heat", "tlp_heat_all", "tlp_metric"


def render(arrays: RunArrays, state: TimelinesState) -> None:
    """Render the panels that have data."""
    with st.container(key="tlp_cases", border=True, gap="small"):
        _render_heatmap(arrays)
    sides = data.choose_comparison_sides(arrays, state)
    pair = (sides.a, sides.b) if sides is not None and sides.self_split is None else None
    best = comparison_data.rank_profiles(arrays, state.profiles)[:1]
    profile_names = pair or ((sides.a,) if sides is not None else tuple(best))
    lost_points = rank_deductions(
        arrays, profile_names[0], profile_names[1] if pair else None, MAX_DEDUCTIONS
    )
    metrics = [metric for metric in METRICS if not np.isnan(arrays.numeric_column(metric)).all()]
    costs = relate_cost_to_score(arrays)
    panels: list[Callable[[], None]] = []
    if lost_points.names:
        panels.append(partial(_render_lost_points, arrays, lost_points, profile_names))
    if metrics:
        panels.append(partial(_render_behaviour, arrays, metrics, pair))
    if costs:
        panels.append(partial(_render_cost, arrays, costs))
    for column, render_panel in zip(st.columns(len(panels)) if panels else (), panels, strict=True):
        with column, st.container(border=True, gap="small"):
            render_panel()


def _render_heatmap(arrays: RunArrays) -> None:
    show_all = bool(st.session_state.get(SHOW_ALL_KEY))
    heatmap_data = heatmap(arrays, MAX_CASES if show_all else VISIBLE_CASES)
    total = len(heatmap_data.cases) + heatmap_data.hidden_count
    section_text.render_heading(t("timelines.case_heat"))
    section_text.render_note(t("timelines.case_heat_note", n=f"{len(heatmap_data.cases):,}", of=f"{total:,}"))
    render_chart(
        section_text.add_watermark(
            heatmap_chart.build_figure(heatmap_data, arrays.profiles, arrays.cases, theme.current_theme()),
            arrays.profiles,
        ),
        key=HEATMAP_KEY,
        height=heatmap_chart.compute_height(heatmap_data),
        alt=heatmap_chart.build_alt(heatmap_data, arrays.cases),
        table=heatmap_chart.build_table(heatmap_data, arrays.profiles, arrays.cases),
        on_pick=_on_cell_clicked,
        lazy=True,
    )
    if total > VISIBLE_CASES:
        shown_cases = min(total, MAX_CASES)
        label = t("timelines.cmp_fewer") if show_all else t("timelines.cmp_all_cases", n=f"{shown_cases:,}")
        st.button(label, key="tlp_heat_more", on_click=_toggle_all_cases)


def _on_cell_clicked() -> None:
    point = st.session_state[HEATMAP_KEY].picked
    if point:
        case_dot_plot.open_case(unescape(str(point["y"])), unescape(str(point["x"])))


def _toggle_all_cases() -> None:
    st.session_state[SHOW_ALL_KEY] = not st.session_state.get(SHOW_ALL_KEY)
    url_state.redraw_sections("tab")


def _render_lost_points(arrays: RunArrays, ranking: DeductionRanking, profile_names: Sequence[str]) -> None:
    section_text.render_heading(t("timelines.case_lost"))
    section_text.render_note(lost_points_chart.describe_basis(ranking, profile_names))
    render_chart(
        section_text.add_watermark(
            lost_points_chart.build_figure(ranking, profile_names, theme.current_theme()), arrays.profiles
        ),
        key="tlp_pareto",
        height=lost_points_chart.compute_height(ranking),
        alt=lost_points_chart.build_alt(ranking, profile_names),
        table=lost_points_chart.build_table(ranking, profile_names),
        lazy=True,
    )


def _render_behaviour(arrays: RunArrays, metrics: list[str], pair: tuple[str, str] | None) -> None:
    section_text.render_heading(t("timelines.case_behaviour"))
    chosen = st.session_state.get(METRIC_KEY)
    st.session_state[METRIC_KEY] = metric = chosen if chosen in metrics else metrics[0]
    st.selectbox(
        t("timelines.case_metric"),
        metrics,
        format_func=behaviour.name_metric,
        key=METRIC_KEY,
        label_visibility="collapsed",
    )
    scatter = relate_metric_to_score(arrays, metric)
    section_text.render_note(behaviour.describe_metric(scatter))
    render_chart(
        section_text.add_watermark(
            behaviour.build_scatter(scatter, arrays.profiles, pair, theme.current_theme()), arrays.profiles
        ),
        key="tlp_behaviour",
        height=behaviour.HEIGHT_PX,
        alt=join_sentences(end_sentence(t("timelines.case_behaviour")), behaviour.describe_metric(scatter)),
        table=behaviour.build_scatter_table(arrays, scatter),
        lazy=True,
    )


def _render_cost(arrays: RunArrays, costs: Sequence[Cost]) -> None:
    section_text.render_heading(t("timelines.case_cost"))
    section_text.render_note(
        t("timelines.case_cost_note"), behaviour.describe_cost_numbers(costs, arrays.profiles)
    )
    render_chart(
        section_text.add_watermark(
            behaviour.build_cost_figure(costs, arrays.profiles, theme.current_theme()), arrays.profiles
        ),
        key="tlp_cost",
        height=behaviour.HEIGHT_PX,
        alt=behaviour.build_cost_alt(costs, arrays.profiles),
        table=behaviour.build_cost_table(costs, arrays.profiles),
        lazy=True,
    )
