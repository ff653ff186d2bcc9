"""Shows the runs of a case, and the details of one run."""

import streamlit as st

from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines import (
    case_dot_plot,
    evaluations,
    run_data,
    run_detail,
    section_text,
    side_by_side,
    url_state,
)
from dashboard.app_pages.timelines.run_data import RunRow
from dashboard.app_pages.timelines.section_text import format_percent
from dashboard.app_pages.timelines.selection import TimelinesState
from dashboard.client import timelines
from dashboard.components.focus import focus
from dashboard.components.sortable_table import Cell, Column, sortable_table
from dashboard.frame import states
from dashboard.frame.formats import UNKNOWN
from dashboard.frame.widget_state import bind_widget
from dashboard.i18n import t

LIST_KEY = "tlp_runs"
HEADING_ID = "tlp-run"
ALL = ""


def render(arrays: RunArrays, state: TimelinesState) -> None:
    """Render the runs; beside an opened case what divides both sides, else the evaluations."""
    if state.open_case is not None and state.run is None:
        side_by_side.render(arrays, state, state.open_case)
    _render_runs(arrays, state)
    if state.open_case is None and state.run is None:
        evaluations.render(arrays, state)


def _render_runs(arrays: RunArrays, state: TimelinesState) -> None:
    with st.container(key="tlp_run", border=True, gap="small"):
        section_text.render_heading(t("timelines.run_list"), id_=HEADING_ID)
        focus(HEADING_ID, st.session_state.get(case_dot_plot.FOCUS_COUNT_KEY, 0), key="tlp_run_focus")
        profile = _render_choice(arrays, state)
        if state.run is None:
            section_text.render_note(t("timelines.run_choose"))
            _render_list(arrays, state, profile)
            return
        left, right = st.columns([5, 7], gap="large")
        with left:
            _render_list(arrays, state, profile)
        with right:
            _render_run(arrays, state.run)


def _render_choice(arrays: RunArrays, state: TimelinesState) -> str | None:
    """Render the choice of case and profile; returns the profile, None for all."""
    cases = sorted({arrays.cases[index] for index in set(arrays.case.tolist())})
    profiles = [arrays.profiles[index] for index in sorted(set(arrays.profile.tolist()))]
    profile = st.session_state.get(case_dot_plot.PROFILE_KEY)
    profile = profile if profile in profiles else None
    with st.container(key="tlp_run_bar", horizontal=True, vertical_alignment="bottom", gap="small"):
        chosen_case, chosen_profile = state.open_case or ALL, profile or ALL
        options = [
            ALL,
            *cases,
            *([] if chosen_case in (ALL, *cases) else [chosen_case]),
        ]
        st.selectbox(
            t("timelines.run_case"),
            options,
            format_func=_label_case,
            index=options.index(chosen_case),
            **bind_widget("tlp_run_case", chosen_case, _choose_case),
        )
        st.selectbox(
            t("timelines.case_profile"),
            [ALL, *profiles],
            format_func=_label_profile,
            index=[ALL, *profiles].index(chosen_profile),
            **bind_widget("tlp_run_whose", chosen_profile, _choose_profile),
        )
    return profile


def _label_case(case: str) -> str:
    return case or t("timelines.run_every_case")


def _label_profile(profile: str) -> str:
    return profile or t("timelines.run_every_profile")


def _choose_case(case: str) -> None:
    url_state.update_state(open_case=case or None, run=None, tab="runs")
    url_state.redraw_sections("tab")


def _choose_profile(profile: str) -> None:
    st.session_state[case_dot_plot.PROFILE_KEY] = profile or None
    url_state.redraw_sections("tab")


def _render_list(arrays: RunArrays, state: TimelinesState, profile: str | None) -> None:
    listed_runs = run_data.list_runs(arrays, state.open_case, (profile,) if profile else ())
    if not listed_runs.rows:
        section_text.render_note(t("timelines.run_none"))
        return
    if listed_runs.hidden_count:
        section_text.render_note(
            t("timelines.run_newest", n=f"{len(listed_runs.rows):,}", hidden=f"{listed_runs.hidden_count:,}")
        )
    names = [t("timelines.run_when"), t("timelines.case_profile"), t("timelines.run_score")]
    columns = [Column(names[0]), Column(names[1], "wide"), Column(names[2], "number")]
    columns += [Column(t("timelines.run_outcome")), Column(t("timelines.run_model"), "wide")]
    if state.open_case is None:
        columns.insert(2, Column(t("timelines.case_case"), "wide"))
    with st.container(key="tlp_run_list"):
        sortable_table(
            columns,
            [(row.run_id, _build_cells(row, with_case=state.open_case is None)) for row in listed_runs.rows],
            key=LIST_KEY,
            caption=t("timelines.run_list"),
            more=t("timelines.run_more"),
            opens=0,
            on_open=_on_run_opened,
        )


def _build_cells(row: RunRow, *, with_case: bool) -> list[Cell]:
    """Build the cells of a run; an infrastructure error is not shown as a failure of the model."""
    outcome, tone = ("passed", "") if row.success else ("failed", "error")
    if row.infrastructure_error:
        outcome, tone = "machinery", "warning"
    at = section_text.format_local_time(row.at)
    return [
        Cell(at.text, row.at.timestamp()),
        Cell(row.profile),
        *([Cell(row.case)] if with_case else []),
        Cell(format_percent(row.score), row.score),
        Cell(t(f"timelines.run_{outcome}"), None, tone),
        Cell(row.model or UNKNOWN),
    ]


def _on_run_opened() -> None:
    run_id = st.session_state[LIST_KEY].open
    if isinstance(run_id, str):
        url_state.update_state(run=run_id, tab="runs")
        url_state.redraw_sections("tab")


def _render_run(arrays: RunArrays, run_id: str) -> None:
    answer = timelines.fetch_run(run_id)
    if answer.data is None:
        if answer.error is not None:
            states.render_error(answer.error, key="tlp_run")
        return
    states.render_stale_banner(answer, key="tlp_run")
    run_detail.render(answer.data, run_data.find_neighbours(arrays, run_id))
