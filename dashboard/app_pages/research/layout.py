"""Lays out the Research page: the form, the job of the URL, and the side panel."""

from datetime import UTC, datetime

import streamlit as st

from dashboard.app_pages.research import (
    form,
    job_progress,
    jobs,
    report,
    result,
    session_state,
    side_panel,
    sources,
)
from dashboard.app_pages.research.markup import ENTITY_TYPES
from dashboard.app_pages.research.session_state import JobSnapshot, page_state
from dashboard.client import markets
from dashboard.client.research import ASSESSMENTS, Job
from dashboard.components.copy_button import copy_button
from dashboard.components.focus import focus
from dashboard.components.live_view import live_view
from dashboard.frame import account, states
from dashboard.frame.markup import detect_html_lang, tag, text
from dashboard.i18n import t


def render_page() -> None:
    session_state.move_linked_statement()
    main, side = st.columns([13, 6], gap="medium")
    job_id = session_state.shown_job_id()
    with main:
        states.render_worker_banner(markets.fetch_status().data)
        with st.container(key="rs_lead"):
            st.html(tag("p", text(t("research.lead")), class_="cp-lead"))
        with (
            st.container(key="rs_panel_form"),
            st.expander(
                t("research.new_search"),
                expanded=not job_id,  # beside a job, its verdict comes first
                key=session_state.get_form_expander_key(job_id),
                on_change="rerun",
            ),
        ):
            form.render_form(show_examples=not job_id)
        if job_id:
            with st.container(key="rs_job", gap="small"):
                _render_job(job_id)
        focus(result.HEADING_ID, page_state().shown_result_count, key="rs_focus")
    with side:
        side_panel.render_side_panel()


def _render_job(job_id: str) -> None:
    snapshot = session_state.load_job(job_id)
    if snapshot.unknown:
        states.render_empty(
            t("research.job_unknown"),
            action=t("research.new_search"),
            on_click=session_state.close_job,
            key="rs_job",
        )
        return
    job = snapshot.job.data
    if not snapshot.ended or job is None:
        _render_submitted_text(snapshot)
        job_progress.render_until_ended(snapshot)
        return
    session_state.record_result_shown(job_id)
    states.render_stale_banner(snapshot.job, key="rs_job")
    if job["status"] == "failed":
        _render_failure(snapshot, job)
    else:
        _render_result(snapshot, job)
    _render_steps(snapshot, job)


def _render_submitted_text(snapshot: JobSnapshot) -> None:
    """Renders the text of the job if this session submitted it."""
    submission = page_state().submitted.get(snapshot.id)
    if submission is not None:
        statement = " ".join(jobs.join_texts(submission).split())
        short = statement if len(statement) <= 300 else f"{statement[:299]}…"
        st.html(tag("blockquote", text(short), class_="rs-statement", lang=detect_html_lang(short)))


def _render_failure(snapshot: JobSnapshot, job: Job) -> None:
    _render_submitted_text(snapshot)
    with st.container(key="rs_panel_failed", border=True, gap="small"):
        message = job_progress.format_failure(job["error"])
        st.html(
            tag(
                "h2",
                tag("span", text("✕"), class_="rs-glyph", aria_hidden="true"),
                tag("span", text(message)),
                id=result.HEADING_ID,
                tabindex="-1",
                class_="rs-verdict-title rs-failed",
            )
        )
        if jobs.parse_failure(job["error"])[0] in ("other", "fault") and job["error"]:
            st.html(tag("p", text(job["error"]), class_="cp-note", lang="en"))
        submission = page_state().submitted.get(snapshot.id)
        if submission is not None:
            st.button(
                t("research.again"),
                key="rs_again",
                icon=":material/refresh:",
                on_click=session_state.submit,
                args=(submission,),
                disabled=not account.can_write(),
            )
            if not account.can_write():
                account.render_missing_scope("submit")
        if (problem := page_state().cancel_problem) is not None:
            states.render_action_error(form.format_problem(problem), problem.detail, problem.request_id)


def _render_result(snapshot: JobSnapshot, job: Job) -> None:
    submission = page_state().submitted.get(snapshot.id)
    submitted_text = None if submission is None else jobs.join_texts(submission)
    with st.container(key="rs_panel_result", border=True, gap="small"):
        if snapshot.kind == "sources":
            result.render_fact_check_result(job["result"], submitted_text)
        else:
            result.render_entities_result(job["result"]["entities"], submitted_text)
        _render_export(snapshot, job)


def _render_export(snapshot: JobSnapshot, job: Job) -> None:
    translations = {name: t(f"research.{name}") for name in report.WORDS}
    translations["with_label"] = t("punctuation.with_label")
    translations |= {f"verdict_{word}": t(f"research.verdict_{word}") for word in ASSESSMENTS}
    translations |= {
        f"confidence_{level}": t(f"research.confidence_{level}") for level in ("high", "medium", "low")
    }
    translations |= {f"source_{kind}": t(f"research.source_{kind}") for kind in sources.SOURCE_TYPES}
    translations |= {f"entity_{kind}": t(f"research.entity_{kind}") for kind in ENTITY_TYPES}
    build_markdown = (
        report.build_fact_check_markdown if snapshot.kind == "sources" else report.build_entities_markdown
    )
    files = {"md": build_markdown(job, translations), "json": report.build_json(job)}
    with st.popover(t("research.export"), icon=":material/ios_share:", key="rs_export"):
        with st.container(horizontal=True):
            for kind, text in files.items():
                copy_button(t(f"research.copy_{kind}"), text, key=f"rs_copy_{kind}")
        with st.container(horizontal=True):
            for kind, mime in (("md", "text/markdown"), ("json", "application/json")):
                st.download_button(
                    t(f"research.download_{kind}"),
                    data=files[kind].encode(),
                    file_name=f"chainproof-{snapshot.kind}-{snapshot.id[:8]}.{kind}",
                    mime=mime,
                    key=f"rs_download_{kind}",
                    icon=":material/download:",
                    on_click="ignore",
                )


def _render_steps(snapshot: JobSnapshot, job: Job) -> None:
    now = datetime.now(UTC)
    lines = jobs.build_step_lines(snapshot.progress.data["steps"] if snapshot.progress.data else (), now)
    if not lines:
        return
    duration = job_progress.format_seconds(jobs.compute_duration_seconds(job, now))
    with st.expander(t("research.steps_done", n=len(lines), span=duration), key="rs_done"):
        live_view([job_progress.build_step_list(lines)], key="rs_progress_done")
