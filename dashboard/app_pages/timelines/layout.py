"""Lays out the Timelines page: filters, alerts, scores, comparison, cases and runs, each a fragment.

A fragment reads the runs and the URL again when it is drawn, so a choice inside it redraws only that one.
"""

from datetime import UTC, datetime

import streamlit as st

from dashboard.app_pages.timelines import (
    alerts,
    cases,
    comparison,
    data,
    export_menu,
    filters,
    lower_sections,
    runs,
    scores,
)
from dashboard.app_pages.timelines import url_state as desk
from dashboard.app_pages.timelines.data import Gathered
from dashboard.app_pages.timelines.lower_sections import Section
from dashboard.app_pages.timelines.selection import is_sample
from dashboard.app_pages.timelines.url_state import PARTS, Part
from dashboard.frame import freshness, refresh, states
from dashboard.frame.markup import tag, text
from dashboard.i18n import t

SKELETON = 900
COMMAND = "chainproof runs import FILE --add-profiles"
_SEEN = "_timelines_seen"
_DRAWN = "_timelines_drawn"


def label() -> str:
    """Render the sample label as markup; empty if the runs are not sample runs."""
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
    lower_sections.begin(state)
    with st.container(key="tl_top", horizontal=True, vertical_alignment="center", gap="small"):
        _live(seen)
        st.fragment(_files, key=PARTS["files"])()
    st.fragment(_filters, key=PARTS["filters"])()
    if not len(data.shown(table, state)[0]):
        states.empty(
            t("timelines.none_match"),
            action=t("timelines.clear"),
            on_click=filters.clear,
            key="tl_none",
        )
        return
    st.fragment(_alerts, key=PARTS["alerts"])()
    st.fragment(_scores, key=PARTS["scores"])()
    lower_sections.show(SECTIONS)


def _gathered() -> Gathered:
    """Load the runs; show a skeleton at the first load of a session."""
    if st.session_state.get(_SEEN):
        return data.gather()
    st.session_state[_SEEN] = True
    with states.loading(SKELETON):
        return data.gather()


def _live(seen: Gathered) -> None:
    st.session_state[_DRAWN] = seen.table
    refresh.render_live(_watch, key="tl_live")


def _watch() -> None:
    """Show the age of the data; rerun the page when the service has new data."""
    seen = data.gather()
    refresh.record_results(seen.answer)
    with st.container(key="tl_fresh", gap="small"):
        states.stale_banner(seen.answer, key="timelines")
        if seen.answer.at is not None:
            line = freshness.freshness_html(seen.answer.at, now=datetime.now(UTC))
            count = "" if seen.table is None else t("timelines.run_count", n=f"{seen.table.num_rows:,}")
            st.html(line + tag("span", f" · {text(count)}", class_="cp-fresh") + freshness.interval_html())
    if _DRAWN in st.session_state and st.session_state[_DRAWN] is not seen.table:
        st.session_state[_DRAWN] = seen.table
        st.rerun()


def _nothing(seen: Gathered) -> None:
    """Explain why there are no runs, and how to add some."""
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


def _files() -> None:
    seen = data.gather()
    if seen.table is not None:
        export_menu.show(data.shown(seen.table, desk.current())[0], seen.answer.at)


def _filters() -> None:
    seen, state = data.gather(), desk.current()
    if seen.table is not None:
        filters.show(seen, seen.table, state, data.shown(seen.table, state)[1])


def _alerts() -> None:
    table = data.gather().table
    if table is not None:
        with st.container(key="tl_alerts", border=True, gap="small"):
            awaited = alerts.section(table, desk.current())
        lower_sections.await_rates(awaited=awaited)


def _scores() -> None:
    table, state = data.gather().table, desk.current()
    if table is not None:
        with st.container(key="tl_scores", border=True, gap="small"):
            scores.section(*data.shown(table, state), table, state)


SECTIONS: dict[Part, Section] = {
    "compare": comparison.section,
    "cases": cases.section,
    "run": runs.section,
}
