"""Lays out the Timelines page: a bar with filters and A/B, the verdict, and four tabs.

Each part is a fragment that reads the runs and the URL again when it is drawn. Its widgets redraw only the
parts that change, and only the open tab is computed.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines import (
    alerts,
    cases,
    comparison,
    data,
    export,
    filters,
    pair,
    runs,
    scores,
    url_state,
)
from dashboard.app_pages.timelines.data import TimelinesData
from dashboard.app_pages.timelines.export import RunsExport
from dashboard.app_pages.timelines.selection import TABS, TimelinesState, is_sample
from dashboard.app_pages.timelines.url_state import FRAGMENT_KEYS
from dashboard.frame import freshness, head, refresh, states
from dashboard.frame.markup import tag, text
from dashboard.frame.widget_state import bind_tabs
from dashboard.i18n import t
from dashboard.i18n.punctuation import join_items

SKELETON_HEIGHT_PX = 900
IMPORT_COMMAND = "chainproof runs import FILE --add-profiles"
EXPORT_FORMATS: tuple[tuple[str, Callable[[RunsExport], bytes], str], ...] = (
    ("csv", export.to_csv, "text/csv"),
    ("parquet", export.to_parquet, "application/vnd.apache.parquet"),
)
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
    with st.container(key="tl_top", horizontal=True, vertical_alignment="center", gap="small"):
        _render_live(loaded)
        st.fragment(_draw_export, key=FRAGMENT_KEYS["files"])()
    with st.container(key="tl_bar"):
        st.fragment(_draw_bar, key=FRAGMENT_KEYS["bar"])()
    if not len(data.select_visible_runs(table, url_state.read_state())[0]):
        states.render_empty(
            t("timelines.none_match"),
            action=t("timelines.clear"),
            on_click=filters.clear_filters,
            key="tl_none",
        )
        return
    with st.container(key="tl_verdict"):
        st.fragment(_draw_verdict, key=FRAGMENT_KEYS["verdict"])()
    st.fragment(_draw_tab, key=FRAGMENT_KEYS["tab"])()


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
        states.render_stale_banner(loaded.answer, key="timelines", live=True)
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
            names = join_items(sorted(loaded.profiles)[:20])
            st.html(tag("p", text(t("timelines.no_runs_yet", names=names)), class_="cp-note"))
        st.html(tag("p", text(t("timelines.no_runs_do")), class_="cp-note"))
        st.code(IMPORT_COMMAND, language=None)


def _draw_export() -> None:
    if (loaded := data.load()).table is not None:
        arrays, _ = data.select_visible_runs(loaded.table, url_state.read_state())
        _render_export_menu(arrays, loaded.answer.at)


def _render_export_menu(arrays: RunArrays, as_of: datetime | None) -> None:
    """Render a menu with the runs of the view as files, which are generated on download."""
    base = (st.context.url or "").partition("/timelines")[0].rstrip("/")
    exported = RunsExport(arrays, as_of or datetime.now(UTC), base + url_state.build_link())
    with st.popover(t("timelines.export"), icon=":material/ios_share:", key="tl_export", width="content"):
        st.caption(t("timelines.export_help", n=f"{len(arrays):,}"))
        with st.container(horizontal=True, gap="small"):
            for kind, make, mime in EXPORT_FORMATS:
                st.download_button(
                    t(f"timelines.download_{kind}"),
                    data=partial(make, exported),
                    file_name=f"chainproof-runs-{exported.as_of:%Y%m%dT%H%M%SZ}.{kind}",
                    mime=mime,
                    key=f"tl_download_{kind}",
                    icon=":material/download:",
                    on_click="ignore",
                    disabled=not len(arrays),
                )


def _draw_bar() -> None:
    loaded, state = data.load(), url_state.read_state()
    if loaded.table is None:
        return
    arrays, drawn = data.select_visible_runs(loaded.table, state)
    with st.container(key="tl_bar_row", horizontal=True, vertical_alignment="center", gap="small"):
        filters.render(loaded, loaded.table, state, drawn)
        pair.render_choice(arrays, drawn)
    filters.render_unknown_profiles(loaded, loaded.table, state)
    if len(arrays):
        filters.render_invalid_values(arrays, drawn)
    opened = pair.list_title_parts(arrays, drawn) or (state.profiles if len(state.profiles) == 1 else ())
    head.set_tab_title(*opened, t("timelines.title"))


def _draw_verdict() -> None:
    if (visible := _select_visible_runs()) is not None:
        pair.render_verdict(*visible)
        filters.render_newest_runs_only(visible[0].table, visible[1])


def _select_visible_runs() -> tuple[RunArrays, TimelinesState] | None:
    """Select the visible runs; None if the newest data has none, for which the whole page is drawn next."""
    table = data.load().table
    visible = None if table is None else data.select_visible_runs(table, url_state.read_state())
    return visible if visible is not None and len(visible[0]) else None


def _draw_tab() -> None:
    if (visible := _select_visible_runs()) is None:
        return
    names = [t(f"timelines.tab_{tab}") for tab in TABS]
    opened = TABS.index(visible[1].open_tab)
    tabs = st.tabs(names, **bind_tabs("tl_tab", names[opened], _choose_tab))
    with tabs[opened]:
        RENDER_TAB[TABS[opened]](*visible)


def _choose_tab(chosen: str) -> None:
    url_state.update_state(tab=next(tab for tab in TABS if t(f"timelines.tab_{tab}") == chosen))
    url_state.redraw_sections("tab")


def _render_trend(arrays: RunArrays, state: TimelinesState) -> None:
    if alerts.render(arrays, state):
        alerts.wait_for_rest()
    scores.render(arrays, state)


RENDER_TAB: dict[str, Callable[[RunArrays, TimelinesState], None]] = {
    "trend": _render_trend,
    "compare": comparison.render,
    "cases": cases.render,
    "runs": runs.render,
}
