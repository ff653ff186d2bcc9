"""The Research page put together: the boxes, the job that the address names, and what stands beside."""

from datetime import UTC, datetime

import streamlit as st

from dashboard.app_pages.research import (
    form,
    job_progress,
    report,
    result,
    session_state,
    side_panel,
    sources,
)
from dashboard.app_pages.research import jobs as reading
from dashboard.app_pages.research.markup import ENTITY_TYPES
from dashboard.app_pages.research.session_state import Look, bench
from dashboard.client import markets
from dashboard.client.research import Job
from dashboard.components.copy_button import copy_button
from dashboard.components.focus import focus
from dashboard.components.live_view import live_view
from dashboard.frame import account, states
from dashboard.frame.markup import detect_html_lang, tag, text
from dashboard.i18n import t


def page() -> None:
    main, side = st.columns([13, 6], gap="medium")
    job_id = session_state.shown()
    with main:
        states.worker_banner(markets.fetch_status().data)
        with st.container(key="rs_lead"):
            st.html(tag("p", text(t("research.lead")), class_="cp-lead"))
        with st.container(key="rs_panel_form", border=True):
            form.show(examples=not job_id)
        if job_id:
            with st.container(key="rs_job", gap="small"):
                _job(job_id)
        focus(result.HEADING, bench().arrived, key="rs_focus")
    with side:
        side_panel.show()


def _job(job_id: str) -> None:
    seen = session_state.look(job_id)
    if seen.unknown:
        states.empty(
            t("research.job_unknown"),
            action=t("research.job_close"),
            on_click=session_state.close,
            key="rs_job",
        )
        return
    job = seen.job.data
    if not seen.ended or job is None:
        _title(seen)
        job_progress.watch(seen)
        return
    session_state.arrive(job_id)
    states.stale_banner(seen.job, key="rs_job")
    if job["status"] == "failed":
        _failed(seen, job)
    else:
        _completed(seen, job)
    _what_was_done(seen, job)


def _title(seen: Look) -> None:
    """What the job is about, as far as this session or the list of jobs knows."""
    said = bench().submitted.get(seen.id)
    if said is not None:
        words = " ".join(reading.text_of(said).split())
        short = words if len(words) <= 300 else f"{words[:299]}…"
        st.html(tag("blockquote", text(short), class_="rs-asked", lang=detect_html_lang(short)))


def _failed(seen: Look, job: Job) -> None:
    _title(seen)
    with st.container(key="rs_panel_failed", border=True, gap="small"):
        words = job_progress.failed_words(job["error"])
        st.html(
            tag(
                "h2",
                tag("span", text("✕"), class_="rs-glyph", aria_hidden="true"),
                tag("span", text(words)),
                id=result.HEADING,
                tabindex="-1",
                class_="rs-verdict-said rs-failed",
            )
        )
        if reading.failure(job["error"])[0] in ("other", "fault") and job["error"]:
            st.html(tag("p", text(job["error"]), class_="cp-note", lang="en"))
        draft = bench().submitted.get(seen.id)
        if draft is not None:
            st.button(
                t("research.again"),
                key="rs_again",
                icon=":material/refresh:",
                on_click=session_state.submit,
                args=(draft,),
                disabled=not account.can_write(),
            )
            if not account.can_write():
                account.render_missing_scope("submit")
        if (fault := bench().cancelling) is not None:
            states.alert(form.sentence(fault), fault.detail, fault.request_id)


def _completed(seen: Look, job: Job) -> None:
    draft = bench().submitted.get(seen.id)
    submitted = None if draft is None else reading.text_of(draft)
    with st.container(key="rs_panel_result", border=True, gap="small"):
        if seen.kind == "sources":
            result.sources(job["result"], submitted)
        else:
            result.entities(job["result"]["entities"], submitted)
        _take_out(seen, job)


def _take_out(seen: Look, job: Job) -> None:
    words = {name: t(f"research.{name}") for name in report.WORDS}
    words |= {f"verdict_{word}": t(f"research.verdict_{word}") for word in result.GLYPHS}
    words |= {f"confidence_{level}": t(f"research.confidence_{level}") for level in ("high", "medium", "low")}
    words |= {f"source_{kind}": t(f"research.source_{kind}") for kind in sources.TYPES}
    words |= {f"entity_{kind}": t(f"research.entity_{kind}") for kind in ENTITY_TYPES}
    written = report.sources_markdown if seen.kind == "sources" else report.entities_markdown
    made = {"md": written(job, words), "json": report.as_json(job)}
    with st.popover(t("research.take_out"), icon=":material/ios_share:", key="rs_take_out"):
        with st.container(horizontal=True):
            copy_button(t("frame.copy_link"), key="rs_copy_link")
            for kind, text in made.items():
                copy_button(t(f"research.copy_{kind}"), text, key=f"rs_copy_{kind}")
        with st.container(horizontal=True):
            for kind, mime in (("md", "text/markdown"), ("json", "application/json")):
                st.download_button(
                    t(f"research.download_{kind}"),
                    data=made[kind].encode(),
                    file_name=f"chainproof-{seen.kind}-{seen.id[:8]}.{kind}",
                    mime=mime,
                    key=f"rs_download_{kind}",
                    icon=":material/download:",
                    on_click="ignore",
                )


def _what_was_done(seen: Look, job: Job) -> None:
    now = datetime.now(UTC)
    lines = reading.step_lines(seen.progress.data["steps"] if seen.progress.data else (), now)
    if not lines:
        return
    span = job_progress.seconds(reading.lasted(job, now))
    with st.expander(t("research.steps_done", n=len(lines), span=span), key="rs_done"):
        live_view([job_progress.steps_list(lines)], key="rs_progress_done")
