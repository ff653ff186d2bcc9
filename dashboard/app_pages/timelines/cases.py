"""Shows the cases: disagreement, lost points, behaviour and cost."""

from html import unescape

import streamlit as st

from backend.timelines.analysis.behaviour import METRICS, against_score, cost_against_score
from backend.timelines.analysis.deductions import deduction_pareto
from backend.timelines.analysis.heatmap import MAX_CASES, heatmap
from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines import (
    behaviour,
    case_dot_plot,
    comparison_data,
    heatmap_chart,
    pareto,
    section_text,
    url_state,
)
from dashboard.app_pages.timelines.selection import TimelinesState
from dashboard.charts.plotly_chart import render_chart
from dashboard.frame import theme
from dashboard.i18n import t

VISIBLE_CASES = 25
MAX_DEDUCTIONS = 15
HEATMAP_KEY, SHOW_ALL_KEY, METRIC_KEY = "tlp_heat", "tlp_heat_all", "tlp_metric"


def render(arrays: RunArrays, state: TimelinesState) -> None:
    with st.container(key="tlp_cases", border=True, gap="small"):
        section_text.render_heading(t("timelines.case_title"))
        if not len(arrays):
            section_text.render_note(t("timelines.cmp_needs_runs"))
            return
        _render_heatmap(arrays)
        left, right = st.columns(2, gap="large")
        with left:
            _render_lost_points(arrays, state)
        with right:
            _render_behaviour(arrays, state)
            _render_cost(arrays)


def _render_heatmap(arrays: RunArrays) -> None:
    show_all = bool(st.session_state.get(SHOW_ALL_KEY))
    shown = heatmap(arrays, MAX_CASES if show_all else VISIBLE_CASES)
    total = len(shown.cases) + shown.hidden
    section_text.render_heading(t("timelines.case_heat"), level=3)
    section_text.render_note(t("timelines.case_heat_note", n=f"{len(shown.cases):,}", of=f"{total:,}"))
    render_chart(
        section_text.add_watermark(
            heatmap_chart.build_figure(shown, arrays.profiles, arrays.cases, theme.current_theme()),
            arrays.profiles,
        ),
        key=HEATMAP_KEY,
        height=heatmap_chart.compute_height(shown),
        alt=heatmap_chart.build_alt(shown, arrays.cases),
        table=heatmap_chart.build_table(shown, arrays.profiles, arrays.cases),
        on_pick=_on_cell_clicked,
        late=True,
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
    url_state.redraw_sections("cases")


def _render_lost_points(arrays: RunArrays, state: TimelinesState) -> None:
    section_text.render_heading(t("timelines.case_lost"), level=3)
    pair = comparison_data.choose_pair(arrays, state.profiles, state.a, state.b)
    names = pair or tuple(comparison_data.rank_profiles(arrays, state.profiles)[:1])
    found = deduction_pareto(arrays, names[0], names[1] if pair else None, MAX_DEDUCTIONS)
    if not found.names:
        section_text.render_note(pareto.explain_empty(found))
        return
    section_text.render_note(pareto.describe_basis(found, names))
    render_chart(
        section_text.add_watermark(pareto.build_figure(found, names, theme.current_theme()), arrays.profiles),
        key="tlp_pareto",
        height=pareto.compute_height(found),
        alt=pareto.build_alt(found, names),
        table=pareto.build_table(found, names),
        late=True,
    )


def _render_behaviour(arrays: RunArrays, state: TimelinesState) -> None:
    section_text.render_heading(t("timelines.case_behaviour"), level=3)
    chosen = st.session_state.get(METRIC_KEY)
    st.session_state[METRIC_KEY] = metric = chosen if chosen in METRICS else METRICS[0]
    st.selectbox(
        t("timelines.case_metric"),
        METRICS,
        format_func=behaviour.name_metric,
        key=METRIC_KEY,
        label_visibility="collapsed",
    )
    found = against_score(arrays, metric)
    section_text.render_note(behaviour.describe_metric(found))
    if not found.known:
        return
    pair = comparison_data.choose_pair(arrays, state.profiles, state.a, state.b)
    render_chart(
        section_text.add_watermark(
            behaviour.build_scatter(found, arrays.profiles, pair, theme.current_theme()), arrays.profiles
        ),
        key="tlp_behaviour",
        height=behaviour.HEIGHT_PX,
        alt=f"{t('timelines.case_behaviour')}. {behaviour.describe_metric(found)}",
        table=behaviour.build_scatter_table(arrays, found),
        late=True,
    )


def _render_cost(arrays: RunArrays) -> None:
    section_text.render_heading(t("timelines.case_cost"), level=3)
    found = cost_against_score(arrays)
    if not found:
        section_text.render_note(t("timelines.case_cost_none"))
        return
    section_text.render_note(
        t("timelines.case_cost_note"), behaviour.describe_cost_numbers(found, arrays.profiles)
    )
    render_chart(
        section_text.add_watermark(
            behaviour.build_cost_figure(found, arrays.profiles, theme.current_theme()), arrays.profiles
        ),
        key="tlp_cost",
        height=behaviour.HEIGHT_PX,
        alt=behaviour.build_cost_alt(found, arrays.profiles),
        table=behaviour.build_cost_table(found, arrays.profiles),
        late=True,
    )
