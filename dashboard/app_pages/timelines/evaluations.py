"""Lists the evaluations of the drawn profiles: where from, how good, and what changed since the last."""

import streamlit as st

from backend.timelines.columns.run_arrays import RunArrays
from backend.timelines.statistics.distributions import Interval
from dashboard.app_pages.timelines import comparison_data, pair, section_text
from dashboard.app_pages.timelines.selection import TimelinesState, format_split
from dashboard.client import timelines
from dashboard.client.timelines import EvaluationOut
from dashboard.components.sortable_table import Cell, Column, sortable_table
from dashboard.frame import formats, states
from dashboard.frame.formats import UNKNOWN
from dashboard.i18n import language, t

LIST_KEY = "tlp_evaluations"
MAX_EVALUATIONS = 300
MAX_NAME_CHARS = 40
_LISTED = "_timelines_evaluations"


def render(arrays: RunArrays, state: TimelinesState) -> None:
    """Render the list; nothing if these runs belong to no evaluation."""
    if not bool((arrays.names("evaluation_id")[0] >= 0).any()):
        return
    names = comparison_data.rank_profiles(arrays, state.profiles)
    answer = timelines.fetch_evaluations(sorted(names), language())
    with st.container(key="tlp_evaluations_box", border=True, gap="small"):
        section_text.render_heading(t("timelines.evaluations"))
        if answer.data is None:
            if answer.error is not None:
                states.render_error(answer.error, key="tlp_evaluations_error")
            return
        states.render_stale_banner(answer, key="tlp_evaluations")
        listed = answer.data[:MAX_EVALUATIONS]
        section_text.render_note(t("timelines.evaluations_note"))
        st.session_state[_LISTED] = listed
        with st.container(key="tlp_evaluations_list"):
            sortable_table(
                _build_columns(),
                [(str(number), _build_cells(evaluation)) for number, evaluation in enumerate(listed)],
                key=LIST_KEY,
                caption=t("timelines.evaluations"),
                more=t("timelines.run_more"),
                opens=0,
                on_open=_on_opened,
            )


def _build_columns() -> list[Column]:
    names = ("started", "profile", "source", "suite", "revision", "score", "cases", "changes")
    kinds = {"score": "number", "cases": "number", "changes": "wide"}
    return [Column(t(f"timelines.evaluation_{name}"), kinds.get(name, "text")) for name in names]


def _build_cells(evaluation: EvaluationOut) -> list[Cell]:
    at = formats.parse_instant(evaluation["started_at"])
    interval = None if evaluation["interval"] is None else Interval(*evaluation["interval"])
    name = evaluation["source"] or evaluation["evaluation_id"]
    return [
        Cell(UNKNOWN if at is None else section_text.format_local_time(at).text, evaluation["started_at"]),
        Cell(comparison_data.shorten(evaluation["profile"], MAX_NAME_CHARS)),
        Cell(comparison_data.shorten(name, MAX_NAME_CHARS)),
        Cell(evaluation["suite"] or UNKNOWN),
        Cell(comparison_data.shorten(evaluation["revision"] or UNKNOWN, MAX_NAME_CHARS)),
        Cell(section_text.format_mean(evaluation["mean"], interval), evaluation["mean"]),
        Cell(f"{evaluation['cases']:,}", evaluation["cases"]),
        Cell(evaluation["text"], None, "warning" if evaluation["line_breaks"] else ""),
    ]


def _on_opened() -> None:
    """Compare the profile before and since the opened evaluation."""
    number = st.session_state[LIST_KEY].open
    if isinstance(number, str):
        evaluation: EvaluationOut = st.session_state[_LISTED][int(number)]
        pair.compare_with_itself(
            evaluation["profile"], format_split("evaluation", evaluation["evaluation_id"])
        )
