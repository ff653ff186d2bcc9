"""Shows the runs of a case, and the details of one run."""

import streamlit as st

from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines import difference_dots as dots
from dashboard.app_pages.timelines import run_data as reading
from dashboard.app_pages.timelines import run_detail
from dashboard.app_pages.timelines import section_text as words
from dashboard.app_pages.timelines import url_state as desk
from dashboard.app_pages.timelines.markup import percent
from dashboard.app_pages.timelines.run_data import RunRow
from dashboard.app_pages.timelines.selection import TimelinesState
from dashboard.client import timelines
from dashboard.components.focus import focus
from dashboard.components.sortable_table import Cell, Column, ledger
from dashboard.frame import states
from dashboard.frame.formats import UNKNOWN
from dashboard.i18n import t

LIST, CASE, PROFILE = "tlp_runs", "tlp_run_case", "tlp_run_whose"
HEADING = "tlp-run"
EVERY = ""


def section(arrays: RunArrays, state: TimelinesState) -> None:
    with st.container(key="tlp_run", border=True, gap="small"):
        words.heading(t("timelines.run_title"), id_=HEADING)
        focus(HEADING, st.session_state.get(dots.TURN, 0), key="tlp_run_focus")
        if not len(arrays):
            words.note(t("timelines.cmp_needs_runs"))
            return
        profile = _choice(arrays, state)
        if state.run is None:
            words.note(t("timelines.run_choose"))
            _list(arrays, state, profile)
            return
        left, right = st.columns([5, 7], gap="large")
        with left:
            _list(arrays, state, profile)
        with right:
            _one(arrays, state.run)


def _choice(arrays: RunArrays, state: TimelinesState) -> str | None:
    """The case, which the address holds, and whose runs of it; returns the profile, null for all."""
    cases = sorted({arrays.cases[place] for place in set(arrays.case.tolist())})
    profiles = [arrays.profiles[place] for place in sorted(set(arrays.profile.tolist()))]
    whose = st.session_state.get(dots.PROFILE)
    whose = whose if whose in profiles else None
    with st.container(key="tlp_run_bar", horizontal=True, vertical_alignment="bottom", gap="small"):
        st.session_state[CASE] = state.case or EVERY
        options = [EVERY, *cases, *([state.case] if state.case and state.case not in cases else [])]
        st.selectbox(
            t("timelines.run_case"), options, key=CASE, format_func=_case_label, on_change=_case_chosen
        )
        st.session_state[PROFILE] = whose or EVERY
        st.selectbox(
            t("timelines.case_profile"),
            [EVERY, *profiles],
            key=PROFILE,
            format_func=_profile_label,
            on_change=_profile_chosen,
        )
    return whose


def _case_label(case: str) -> str:
    return case or t("timelines.run_every_case")


def _profile_label(profile: str) -> str:
    return profile or t("timelines.run_every_profile")


def _case_chosen() -> None:
    desk.choose(case=st.session_state[CASE] or None, run=None)
    desk.redraw("run", "compare")


def _profile_chosen() -> None:
    st.session_state[dots.PROFILE] = st.session_state[PROFILE] or None
    desk.redraw("run")


def _list(arrays: RunArrays, state: TimelinesState, profile: str | None) -> None:
    found = reading.runs_of(arrays, state.case, (profile,) if profile else ())
    if not found.rows:
        words.note(t("timelines.run_none"))
        return
    if found.hidden:
        words.note(t("timelines.run_newest", n=f"{len(found.rows):,}", hidden=f"{found.hidden:,}"))
    names = [t("timelines.run_when"), t("timelines.case_profile"), t("timelines.run_score")]
    columns = [Column(names[0]), Column(names[1], "wide"), Column(names[2], "number")]
    columns += [Column(t("timelines.run_outcome")), Column(t("timelines.run_model"), "wide")]
    if state.case is None:
        columns.insert(2, Column(t("timelines.case_case"), "wide"))
    with st.container(key="tlp_run_list"):
        ledger(
            columns,
            [(row.run_id, _cells(row, with_case=state.case is None)) for row in found.rows],
            key=LIST,
            caption=t("timelines.run_list"),
            more=t("timelines.run_more"),
            opens=0,
            on_open=_opened,
        )


def _cells(row: RunRow, *, with_case: bool) -> list[Cell]:
    """A failure of the machinery is told apart from one of the model."""
    outcome, tone = ("passed", "") if row.success else ("failed", "error")
    if row.machinery:
        outcome, tone = "machinery", "warning"
    at = words.moment(row.at)
    return [
        Cell(at.text, row.at.timestamp()),
        Cell(row.profile),
        *([Cell(row.case)] if with_case else []),
        Cell(percent(row.score), row.score),
        Cell(t(f"timelines.run_{outcome}"), None, tone),
        Cell(row.model or UNKNOWN),
    ]


def _opened() -> None:
    run_id = st.session_state[LIST].open
    if isinstance(run_id, str):
        desk.choose(run=run_id)
        desk.redraw("run")


def _one(arrays: RunArrays, run_id: str) -> None:
    answer = timelines.fetch_run(run_id)
    if answer.data is None:
        if answer.error is not None:
            states.error(answer.error, key="tlp_run")
        return
    states.stale_banner(answer, key="tlp_run")
    run_detail.show(answer.data, reading.neighbours(arrays, run_id))
