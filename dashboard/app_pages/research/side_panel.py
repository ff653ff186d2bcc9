"""Beside the research: the jobs so far, and the entities that they named lately."""

from datetime import UTC, datetime

import streamlit as st

from dashboard.app_pages.research import jobs as reading
from dashboard.app_pages.research import session_state
from dashboard.app_pages.research.job_progress import GLYPHS
from dashboard.app_pages.research.jobs import Entry
from dashboard.app_pages.research.markup import entity_link, table, type_name
from dashboard.client import research
from dashboard.client.research import SeenEntity
from dashboard.components.live_view import Node, h, live_view
from dashboard.frame import formats, refresh, states, url_state
from dashboard.frame.markup import detect_html_lang, tag, text
from dashboard.i18n import HTML_LANG, language, t

WINDOWS = ("24h", "7d", "30d")
PART = 10
FEW = 5
"""So many jobs stand in full; more scroll in a box, whose height does not wait for them."""
LIST_HEIGHT = 430
MOST = 100
_SHOWN = "rs_history_shown"
_TONES = {"pending": "calm", "running": "calm", "completed": "good", "failed": "bad"}


def show() -> None:
    refresh.render_live(_side, key="rs_side")


def _side() -> None:
    with st.container(key="rs_panel_history", border=True, gap="small"):
        st.html(tag("h2", text(t("research.history")), class_="cp-subhead"))
        _history()
    with st.container(key="rs_panel_seen", border=True, gap="small"):
        _seen()


# --- jobs


def _history() -> None:
    wanted = int(st.session_state.get(_SHOWN, PART))
    sources = research.fetch_history("sources", limit=min(MOST, wanted + 1))
    extractions = research.fetch_history("extraction", limit=min(MOST, wanted + 1))
    refresh.record_results(sources, extractions)
    states.stale_banner(sources, extractions, key="rs_history")
    if sources.data is None or extractions.data is None:
        if fault := sources.error or extractions.error:
            states.error(fault, key="rs_history")
        return
    every = reading.entries(sources.data, extractions.data)
    if not every:
        st.html(tag("p", text(t("research.history_empty")), class_="cp-note"))
        return
    now = datetime.now(UTC)
    shown = session_state.shown()
    rows = [_row(entry, now, current=entry.id == shown) for entry in every[:wanted]]
    with st.container(height=LIST_HEIGHT if len(rows) > FEW else "content", border=False, key="rs_list"):
        opened = live_view([h("ul", *rows, class_="rs-jobs")], key="rs_jobs")
    if opened is not None and opened != shown:
        session_state.open_job(opened)
        st.rerun()
    if len(every) > wanted and wanted < MOST:
        st.button(t("research.history_more"), key="rs_history_more", on_click=_more)


def _more() -> None:
    st.session_state[_SHOWN] = int(st.session_state.get(_SHOWN, PART)) + 2 * PART


def _row(entry: Entry, now: datetime, *, current: bool) -> Node:
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
                    h("span", f"{GLYPHS.get(entry.status, '•')} ", aria_hidden="true"),
                    _state(entry.status),
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
            href=f"/research?{session_state.LINK}={entry.id}",
            data_open=entry.id,
            aria_current="true" if current else None,
        ),
        key=entry.id,
    )


def _state(status: str) -> str:
    return t(f"research.state_{status}") if status in GLYPHS else status


# --- entities


def _seen() -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="rs_seen_head"):
        st.html(tag("h2", text(t("research.seen")), class_="cp-subhead"))
        window, on_window = url_state.sync("seen", WINDOWS, WINDOWS[0])
        st.segmented_control(
            t("research.seen_window"),
            WINDOWS,
            key="seen",
            required=True,
            on_change=on_window,
            label_visibility="collapsed",
            format_func=lambda code: t(f"research.seen_{code}"),
        )
    found = research.fetch_seen_entities(window)
    states.stale_banner(found, key="rs_seen")
    if found.data is None:
        if found.error is not None:
            states.error(found.error, key="rs_seen")
        return
    if not found.data:
        st.html(tag("p", text(t("research.seen_empty")), class_="cp-note"))
        return
    st.html(_seen_table(found.data))


def _seen_table(rows: list[SeenEntity]) -> str:
    return table(
        t("research.seen_caption"),
        ("col_entity", "col_type", "col_jobs"),
        (
            (
                tag(
                    "th",
                    entity_link(row["canonical_name"], reading.site(row["official_domains"])),
                    scope="row",
                ),
                tag("td", text(type_name(row["type"]))),
                tag("td", text(f"{row['count']:,}"), class_="rs-number"),
            )
            for row in rows
        ),
        lang=HTML_LANG[language()],
    )
