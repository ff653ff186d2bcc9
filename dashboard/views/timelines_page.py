"""The Timelines page put together: filters, alerts, scores, comparison, cases and a run, each a fragment.

A fragment reads the runs and the address anew when it is drawn, so that a choice within one draws that one.
"""

from collections.abc import Callable
from datetime import UTC, datetime

import pyarrow as pa
import streamlit as st

from backend.timelines.run_arrays import RunArrays
from dashboard.i18n import t
from dashboard.services.timelines import TimelinesState, is_sample
from dashboard.views import (
    freshness,
    refresh,
    states,
    timelines_alerts,
    timelines_cases,
    timelines_compare,
    timelines_exports,
    timelines_filters,
    timelines_run,
    timelines_scores,
)
from dashboard.views import timelines_data as data
from dashboard.views import timelines_state as desk
from dashboard.views.markup import tag, text
from dashboard.views.timelines_data import Gathered
from dashboard.views.timelines_state import PARTS, Part

SKELETON = 900
COMMAND = "chainproof runs import FILE --add-profiles"
AWAIT_SECONDS = 1.0
"""Until the rates of false alarms are looked for again."""
_SEEN = "_timelines_seen"
_DRAWN = "_timelines_drawn"


def label() -> str:
    """The sample label, as markup, where the runs are the sample's; nothing for runs of one's own."""
    table = data.gather().table
    if table is None or not is_sample(data.whole(table).profiles):
        return ""
    note = t("timelines.sample_note")
    return tag(
        "span",
        tag("strong", text(t("frame.sample_label"))),
        tag("span", text(note), class_="cp-sample-note"),
        class_="cp-sample",
        title=note,
    )


def page() -> None:
    seen = _gathered()
    table = seen.table
    if table is None or not table.num_rows:
        _live(seen)
        _nothing(seen)
        return
    state = desk.current()
    arrays, drawn = data.shown(table, state)
    with st.container(key="tl_top", horizontal=True, vertical_alignment="center", gap="small"):
        _live(seen)
        timelines_exports.show(arrays, seen.answer.at)
    timelines_filters.show(seen, table, state, drawn)
    if not len(arrays):
        states.empty(
            t("timelines.none_match"),
            action=t("timelines.clear"),
            on_click=timelines_filters.clear,
            key="tl_none",
        )
        return
    _alerts_part(table, state)
    for part, draw in SECTIONS.items():
        st.fragment(_drawing(draw), key=PARTS[part])()


def _gathered() -> Gathered:
    """The first time in a session with a skeleton in its place."""
    if st.session_state.get(_SEEN):
        return data.gather()
    st.session_state[_SEEN] = True
    with states.loading(SKELETON):
        return data.gather()


def _live(seen: Gathered) -> None:
    st.session_state[_DRAWN] = seen.table
    refresh.live(_watch, key="tl_live")


def _watch() -> None:
    """How old the figures are; a change at the service draws the page anew."""
    seen = data.gather()
    refresh.note(seen.answer)
    with st.container(key="tl_fresh", gap="small"):
        states.stale_banner(seen.answer, key="timelines")
        if seen.answer.at is not None:
            line = freshness.freshness_html(seen.answer.at, now=datetime.now(UTC))
            count = "" if seen.table is None else t("timelines.held", n=f"{seen.table.num_rows:,}")
            st.html(line + tag("span", f" · {text(count)}", class_="cp-fresh") + freshness.interval_html())
    if _DRAWN in st.session_state and st.session_state[_DRAWN] is not seen.table:
        st.session_state[_DRAWN] = seen.table
        st.rerun()


def _nothing(seen: Gathered) -> None:
    """Why there is nothing to see, and what to do about it."""
    if seen.table is None:
        if seen.answer.error is not None:
            states.error(seen.answer.error, key="timelines")
        return
    with st.container(key="tl_nothing", border=True, gap="small"):
        st.html(tag("p", text(t("timelines.no_runs")), class_="cp-empty"))
        if seen.profiles:
            names = ", ".join(sorted(seen.profiles)[:20])
            st.html(tag("p", text(t("timelines.no_runs_yet", names=names)), class_="cp-note"))
        st.html(tag("p", text(t("timelines.no_runs_do")), class_="cp-note"))
        st.code(COMMAND, language=None)


def _alerts_part(table: pa.Table, state: TimelinesState) -> None:
    """Looked at again while the rates of false alarms are worked out."""
    awaited = data.alarms(table, state).awaited

    def draw() -> None:
        now = data.gather().table
        with st.container(key="tl_alerts", border=True, gap="small"):
            still = timelines_alerts.section(table if now is None else now, desk.current())
        if awaited and not still:
            st.rerun()  # without the interval

    st.fragment(draw, key=PARTS["alerts"], run_every=AWAIT_SECONDS if awaited else None)()


def _drawing(draw: Callable[[RunArrays, TimelinesState], None]) -> Callable[[], None]:
    def part() -> None:
        table = data.gather().table
        if table is not None:
            arrays, state = data.shown(table, desk.current())
            draw(arrays, state)

    return part


def _scores(arrays: RunArrays, state: TimelinesState) -> None:
    with st.container(key="tl_scores", border=True, gap="small"):
        timelines_scores.section(arrays, state, arrays.table, desk.current())


SECTIONS: dict[Part, Callable[[RunArrays, TimelinesState], None]] = {
    "scores": _scores,
    "compare": timelines_compare.section,
    "cases": timelines_cases.section,
    "run": timelines_run.section,
}
