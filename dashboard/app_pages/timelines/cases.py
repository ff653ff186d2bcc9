"""Shows the cases: disagreement, lost points, behaviour and cost."""

from html import unescape

import streamlit as st

from backend.timelines.analysis.behaviour import METRICS, against_score, cost_against_score
from backend.timelines.analysis.deductions import deduction_pareto
from backend.timelines.analysis.heatmap import MAX_CASES, heatmap
from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines import behaviour, pareto
from dashboard.app_pages.timelines import comparison_data as parts
from dashboard.app_pages.timelines import difference_dots as dots
from dashboard.app_pages.timelines import heatmap as timelines_heat
from dashboard.app_pages.timelines import section_text as words
from dashboard.app_pages.timelines import url_state as desk
from dashboard.app_pages.timelines.selection import TimelinesState
from dashboard.charts.plotly_chart import chart
from dashboard.frame import theme
from dashboard.i18n import t

SCREENFUL = 25
MAX_NAMES = 15
HEAT, ALL, METRIC = "tlp_heat", "tlp_heat_all", "tlp_metric"


def section(arrays: RunArrays, state: TimelinesState) -> None:
    with st.container(key="tlp_cases", border=True, gap="small"):
        words.heading(t("timelines.case_title"))
        if not len(arrays):
            words.note(t("timelines.cmp_needs_runs"))
            return
        _heat(arrays)
        left, right = st.columns(2, gap="large")
        with left:
            _lost(arrays, state)
        with right:
            _behaviour(arrays, state)
            _cost(arrays)


def _heat(arrays: RunArrays) -> None:
    whole = bool(st.session_state.get(ALL))
    shown = heatmap(arrays, MAX_CASES if whole else SCREENFUL)
    in_all = len(shown.cases) + shown.hidden
    words.heading(t("timelines.case_heat"), level=3)
    words.note(t("timelines.case_heat_note", n=f"{len(shown.cases):,}", of=f"{in_all:,}"))
    chart(
        words.marked(
            timelines_heat.figure(shown, arrays.profiles, arrays.cases, theme.current_theme()),
            arrays.profiles,
        ),
        key=HEAT,
        height=timelines_heat.height(shown),
        alt=timelines_heat.alt(shown, arrays.cases),
        table=timelines_heat.table(shown, arrays.profiles, arrays.cases),
        on_pick=_picked,
        late=True,
    )
    if in_all > SCREENFUL:
        most = min(in_all, MAX_CASES)
        label = t("timelines.cmp_fewer") if whole else t("timelines.cmp_all_cases", n=f"{most:,}")
        st.button(label, key="tlp_heat_more", on_click=_turn)


def _picked() -> None:
    point = st.session_state[HEAT].picked
    if point:
        dots.open_case(unescape(str(point["y"])), unescape(str(point["x"])))


def _turn() -> None:
    st.session_state[ALL] = not st.session_state.get(ALL)
    desk.redraw("cases")


def _lost(arrays: RunArrays, state: TimelinesState) -> None:
    words.heading(t("timelines.case_lost"), level=3)
    pair = parts.pair_of(arrays, state.profiles, state.a, state.b)
    names = pair or tuple(parts.by_mean(arrays, state.profiles)[:1])
    found = deduction_pareto(arrays, names[0], names[1] if pair else None, MAX_NAMES)
    if not found.names:
        words.note(pareto.nothing(found))
        return
    words.note(pareto.basis(found, names))
    chart(
        words.marked(pareto.figure(found, names, theme.current_theme()), arrays.profiles),
        key="tlp_pareto",
        height=pareto.height(found),
        alt=pareto.alt(found, names),
        table=pareto.table(found, names),
        late=True,
    )


def _behaviour(arrays: RunArrays, state: TimelinesState) -> None:
    words.heading(t("timelines.case_behaviour"), level=3)
    chosen = st.session_state.get(METRIC)
    st.session_state[METRIC] = metric = chosen if chosen in METRICS else METRICS[0]
    st.selectbox(
        t("timelines.case_metric"),
        METRICS,
        format_func=behaviour.metric_name,
        key=METRIC,
        label_visibility="collapsed",
    )
    found = against_score(arrays, metric)
    words.note(behaviour.told(found))
    if not found.known:
        return
    pair = parts.pair_of(arrays, state.profiles, state.a, state.b)
    chart(
        words.marked(behaviour.scatter(found, arrays.profiles, pair, theme.current_theme()), arrays.profiles),
        key="tlp_behaviour",
        height=behaviour.HEIGHT,
        alt=f"{t('timelines.case_behaviour')}. {behaviour.told(found)}",
        table=behaviour.scatter_table(arrays, found),
        late=True,
    )


def _cost(arrays: RunArrays) -> None:
    words.heading(t("timelines.case_cost"), level=3)
    found = cost_against_score(arrays)
    if not found:
        words.note(t("timelines.case_cost_none"))
        return
    words.note(t("timelines.case_cost_note"), behaviour.cost_names(found, arrays.profiles))
    chart(
        words.marked(behaviour.cost(found, arrays.profiles, theme.current_theme()), arrays.profiles),
        key="tlp_cost",
        height=behaviour.HEIGHT,
        alt=behaviour.cost_alt(found, arrays.profiles),
        table=behaviour.cost_table(found, arrays.profiles),
        late=True,
    )
