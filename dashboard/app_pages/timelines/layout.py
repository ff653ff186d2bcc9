"""Lays out the Timelines page: filters, alerts, scores, comparison, cases and runs, each a fragment.

A fragment reads the runs and the URL again when it is drawn, so its widgets redraw only that fragment.
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
    lazy_sections,
    runs,
    scores,
    url_state,
)
from dashboard.app_pages.timelines.data import TimelinesData
from dashboard.app_pages.timelines.lazy_sections import RenderSection
from dashboard.app_pages.timelines.selection import is_sample
from dashboard.app_pages.timelines.url_state import FRAGMENT_KEYS, SectionName
from dashboard.frame import freshness, refresh, states
from dashboard.frame.markup import tag, text
from dashboard.i18n import t

SKELETON_HEIGHT_PX = 900
IMPORT_COMMAND = "chainproof runs import FILE --add-profiles"
_VISITED = "_timelines_visited"
_DRAWN_TABLE = "_timelines_drawn_table"


def render_sample_label() -> str:
    """Render the sample label as markup; empty if the runs are not sample runs."""
    table = data.load().table
    if table is None or not is_sample(data.select_all_runs(table).profiles):
        return ""
    note = t("timelines.sample_note")
    return tag(
        "span",
        tag("strong", text(t("frame.sample_label"))),
        tag("span", text(note), class_="cp-sample-note"),
        class_="cp-sample",
        title=note,
    )


def render_page() -> None:
    """Render the page, or an explanation if there are no runs or none match the filters."""
    loaded = _load_with_skeleton()
    table = loaded.table
    if table is None or not table.num_rows:
        _render_live(loaded)
        _explain_missing_runs(loaded)
        return
    state = url_state.read_state()
    lazy_sections.start_page_run(state)
    with st.container(key="tl_top", horizontal=True, vertical_alignment="center", gap="small"):
        _render_live(loaded)
        st.fragment(_draw_export, key=FRAGMENT_KEYS["files"])()
    st.fragment(_draw_filters, key=FRAGMENT_KEYS["filters"])()
    if not len(data.select_visible_runs(table, state)[0]):
        states.render_empty(
            t("timelines.none_match"),
            action=t("timelines.clear"),
            on_click=filters.clear_filters,
            key="tl_none",
        )
        return
    st.fragment(_draw_alerts, key=FRAGMENT_KEYS["alerts"])()
    st.fragment(_draw_scores, key=FRAGMENT_KEYS["scores"])()
    lazy_sections.render(SECTIONS)


def _load_with_skeleton() -> TimelinesData:
    """Load the runs; show a skeleton at the first load of a session."""
    if st.session_state.get(_VISITED):
        return data.load()
    st.session_state[_VISITED] = True
    with states.show_skeleton(SKELETON_HEIGHT_PX):
        return data.load()


def _render_live(loaded: TimelinesData) -> None:
    st.session_state[_DRAWN_TABLE] = loaded.table
    refresh.render_live(_render_freshness, key="tl_live")


def _render_freshness() -> None:
    """Show the age of the data; rerun the page when the service has new data."""
    loaded = data.load()
    refresh.record_results(loaded.answer)
    with st.container(key="tl_fresh", gap="small"):
        states.render_stale_banner(loaded.answer, key="timelines")
        if loaded.answer.at is not None:
            line = freshness.freshness_html(loaded.answer.at, now=datetime.now(UTC))
            count = "" if loaded.table is None else t("timelines.run_count", n=f"{loaded.table.num_rows:,}")
            st.html(line + tag("span", f" · {text(count)}", class_="cp-fresh") + freshness.interval_html())
    if _DRAWN_TABLE in st.session_state and st.session_state[_DRAWN_TABLE] is not loaded.table:
        st.session_state[_DRAWN_TABLE] = loaded.table
        st.rerun()


def _explain_missing_runs(loaded: TimelinesData) -> None:
    """Explain why there are no runs, and how to add some."""
    if loaded.table is None:
        if loaded.answer.error is not None:
            states.render_error(loaded.answer.error, key="timelines")
        return
    with st.container(key="tl_nothing", border=True, gap="small"):
        st.html(tag("p", text(t("timelines.no_runs")), class_="cp-empty"))
        if loaded.profiles:
            names = ", ".join(sorted(loaded.profiles)[:20])
            st.html(tag("p", text(t("timelines.no_runs_yet", names=names)), class_="cp-note"))
        st.html(tag("p", text(t("timelines.no_runs_do")), class_="cp-note"))
        st.code(IMPORT_COMMAND, language=None)


def _draw_export() -> None:
    loaded = data.load()
    if loaded.table is not None:
        export_menu.render(
            data.select_visible_runs(loaded.table, url_state.read_state())[0], loaded.answer.at
        )


def _draw_filters() -> None:
    loaded, state = data.load(), url_state.read_state()
    if loaded.table is not None:
        filters.render(loaded, loaded.table, state, data.select_visible_runs(loaded.table, state)[1])


def _draw_alerts() -> None:
    table = data.load().table
    if table is not None:
        with st.container(key="tl_alerts", border=True, gap="small"):
            rates_pending = alerts.render(table, url_state.read_state())
        lazy_sections.set_rates_pending(pending=rates_pending)


def _draw_scores() -> None:
    table, state = data.load().table, url_state.read_state()
    if table is not None:
        with st.container(key="tl_scores", border=True, gap="small"):
            scores.render(*data.select_visible_runs(table, state), table, state)


SECTIONS: dict[SectionName, RenderSection] = {
    "compare": comparison.render,
    "cases": cases.render,
    "run": runs.render,
}
