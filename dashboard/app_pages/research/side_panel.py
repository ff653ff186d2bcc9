"""Renders the side panel of the Research page: job history and recently seen entities."""

from datetime import UTC, datetime

import streamlit as st

from dashboard.app_pages.research import jobs, session_state
from dashboard.app_pages.research.job_progress import STATUS_GLYPHS
from dashboard.app_pages.research.jobs import Entry
from dashboard.app_pages.research.markup import build_entity_link, build_table, get_type_name
from dashboard.client import research
from dashboard.client.research import SeenEntity
from dashboard.components.live_view import Node, h, live_view
from dashboard.frame import formats, refresh, states, url_state
from dashboard.frame.markup import detect_html_lang, tag, text
from dashboard.i18n import HTML_LANG, language, t

WINDOWS = ("24h", "7d", "30d")
PAGE_SIZE = 10
MAX_UNSCROLLED_JOBS = 5
"""More jobs scroll in a box of a fixed height."""
LIST_HEIGHT_PIXELS = 430
MAX_JOBS = 100
_SHOWN_COUNT = "rs_history_shown"
_TONES = {"pending": "calm", "running": "calm", "completed": "good", "failed": "bad"}


def render_side_panel() -> None:
    refresh.render_live(_render_panels, key="rs_side")


def _render_panels() -> None:
    with st.container(key="rs_panel_history", border=True, gap="small"):
        st.html(tag("h2", text(t("research.history")), class_="cp-subhead"))
        _render_history()
    with st.container(key="rs_panel_seen", border=True, gap="small"):
        _render_seen_entities()


# --- Jobs


def _render_history() -> None:
    limit = int(st.session_state.get(_SHOWN_COUNT, PAGE_SIZE))
    sources = research.fetch_history("sources", limit=min(MAX_JOBS, limit + 1))
    extractions = research.fetch_history("extraction", limit=min(MAX_JOBS, limit + 1))
    refresh.record_results(sources, extractions)
    states.render_stale_banner(sources, extractions, key="rs_history", live=True)
    if sources.data is None or extractions.data is None:
        if problem := sources.error or extractions.error:
            states.render_error(problem, key="rs_history")
        return
    entries = jobs.merge_history(sources.data, extractions.data)
    if not entries:
        st.html(tag("p", text(t("research.history_empty")), class_="cp-note"))
        return
    now = datetime.now(UTC)
    shown_id = session_state.shown_job_id()
    rows = [_build_row(entry, now, current=entry.id == shown_id) for entry in entries[:limit]]
    with st.container(
        height=LIST_HEIGHT_PIXELS if len(rows) > MAX_UNSCROLLED_JOBS else "content",
        border=False,
        key="rs_list",
    ):
        opened = live_view([h("ul", *rows, class_="rs-jobs")], key="rs_jobs")
    if opened is not None and opened != shown_id:
        session_state.open_job(opened)
        st.rerun()
    if len(entries) > limit and limit < MAX_JOBS:
        st.button(t("research.history_more"), key="rs_history_more", on_click=_show_more)


def _show_more() -> None:
    st.session_state[_SHOWN_COUNT] = int(st.session_state.get(_SHOWN_COUNT, PAGE_SIZE)) + 2 * PAGE_SIZE


def _build_row(entry: Entry, now: datetime, *, current: bool) -> Node:
    at = formats.local_time(entry.created_at, st.context.timezone, now)
    return h(
        "li",
        h(
            "a",
            h("span", entry.title or entry.id, class_="rs-job-title", lang=detect_html_lang(entry.title)),
            h(
                "span",
                h(
                    "span",
                    h("span", f"{STATUS_GLYPHS.get(entry.status, '•')} ", aria_hidden="true"),
                    _format_status(entry.status),
                    class_=f"cp-badge cp-tone-{_TONES.get(entry.status, 'calm')}",
                ),
                h("span", t(f"research.kind_{entry.kind}"), class_="cp-note"),
                h(
                    "time",
                    at.text,
                    datetime=entry.created_at.isoformat(),
                    title=at.utc,
                    class_="cp-note",
                ),
                class_="rs-job-facts",
            ),
            href=f"/research?{session_state.JOB_PARAM}={entry.id}",
            data_open=entry.id,
            aria_current="true" if current else None,
        ),
        key=entry.id,
    )


def _format_status(status: str) -> str:
    return t(f"research.state_{status}") if status in STATUS_GLYPHS else status


# --- Entities


def _render_seen_entities() -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="rs_seen_head"):
        st.html(tag("h2", text(t("research.seen")), class_="cp-subhead"))
        window = url_state.bind_choice("seen", WINDOWS, WINDOWS[0])
        st.segmented_control(
            t("research.seen_window"),
            WINDOWS,
            default=window.value,
            **window.widget,
            required=True,
            label_visibility="collapsed",
            format_func=lambda code: t(f"research.seen_{code}"),
        )
    result = research.fetch_seen_entities(window.value)
    states.render_stale_banner(result, key="rs_seen", live=True)
    if result.data is None:
        if result.error is not None:
            states.render_error(result.error, key="rs_seen")
        return
    if not result.data:
        st.html(tag("p", text(t("research.seen_empty")), class_="cp-note"))
        return
    st.html(_build_seen_table(result.data))


def _build_seen_table(rows: list[SeenEntity]) -> str:
    return build_table(
        t("research.seen_caption"),
        ("col_entity", "col_type", "col_jobs"),
        (
            (
                tag(
                    "th",
                    build_entity_link(row["canonical_name"], jobs.find_site_url(row["official_domains"])),
                    scope="row",
                ),
                tag("td", text(get_type_name(row["type"]))),
                tag("td", text(f"{row['count']:,}"), class_="rs-number"),
            )
            for row in rows
        ),
        lang=HTML_LANG[language()],
    )
