"""Renders a running job: its state, its steps, and a button to cancel it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from dashboard.app_pages.research import jobs, session_state
from dashboard.app_pages.research.form import format_problem
from dashboard.app_pages.research.jobs import STEP_CODES, State, StepLine
from dashboard.app_pages.research.markup import format_hundredths
from dashboard.app_pages.research.session_state import JobSnapshot, page_state
from dashboard.client.research import ASSESSMENTS, Job
from dashboard.components.live_view import Node, h, live_view
from dashboard.frame import account, formats, states
from dashboard.frame.markup import detect_html_lang, tag, text
from dashboard.i18n import fill, language, t

POLL_SECONDS = 0.6
STATUS_GLYPHS: Mapping[str, str] = {"pending": "◔", "running": "◑", "completed": "✓", "failed": "✕"}
TONES: Mapping[State, str] = {
    "waiting": "calm",
    "running": "good",
    "unattended": "warn",
    "quiet": "warn",
    "completed": "good",
    "failed": "bad",
}


def render_until_ended(first: JobSnapshot) -> None:
    """Renders a job several times a second until it has ended."""
    snapshots: list[JobSnapshot] = [first]
    had_given_up = session_state.has_given_up()

    def render() -> None:
        snapshot = snapshots.pop() if snapshots else session_state.load_job(first.id)
        if snapshot.ended or session_state.has_given_up() != had_given_up:
            st.rerun()  # the whole page, to show the result or change the interval
        _render_job(snapshot)

    st.fragment(render, run_every=None if had_given_up else POLL_SECONDS, key="rs_watch")()


def render_progress(snapshot: JobSnapshot, state: State) -> None:
    """Renders the state in a sentence, and every step."""
    job = snapshot.job.data
    if job is None:
        return
    now = datetime.now(UTC)
    lines = jobs.build_step_lines(snapshot.progress.data["steps"] if snapshot.progress.data else (), now)
    live_view([_build_state(job, state, now), build_step_list(lines)], key="rs_progress")


def build_step_list(lines: list[StepLine]) -> Node | None:
    if not lines:
        return None
    return h("ol", *(_build_step(line, number) for number, line in enumerate(lines)), class_="rs-steps")


def format_failure(error: str | None) -> str:
    code, values = jobs.parse_failure(error)
    return fill(t(f"research.failed_{code}"), values)


def _render_job(snapshot: JobSnapshot) -> None:
    if session_state.has_given_up():
        st.html(tag("p", text(t("research.watch_stopped")), class_="cp-stale", role="status"))
        st.button(t("frame.retry"), key="rs_watch_again", on_click=session_state.resume_polling)
    else:
        states.render_stale_banner(snapshot.job, key="rs_watch", live=True)
    job = snapshot.job.data
    if job is None:
        if snapshot.job.error is not None:
            states.render_error(snapshot.job.error, key="rs_watch", live=True)
        return
    progress = snapshot.progress.data
    steps = progress["steps"] if progress else []
    state = jobs.find_state(job, steps, datetime.now(UTC), progress["waiting"] if progress else None)
    with st.container(key="rs_panel_watch", border=True, gap="small"):
        render_progress(snapshot, state)
        st.button(
            t("research.cancel"),
            key="rs_cancel",
            icon=":material/close:",
            on_click=session_state.cancel,
            args=(snapshot.kind, snapshot.id),
            disabled=not account.can_write(),
        )
        if not account.can_write():
            account.render_missing_scope("cancel")
        if (problem := page_state().cancel_problem) is not None:
            states.render_action_error(format_problem(problem), problem.detail, problem.request_id)


def _build_state(job: Job, state: State, now: datetime) -> Node:
    """Builds the state, which screen readers announce after a change, and the running time outside of it."""
    badge = h(
        "span",
        h("span", f"{STATUS_GLYPHS[job['status']]} ", aria_hidden="true"),
        t(f"research.state_{job['status']}"),
        class_=f"cp-badge cp-tone-{TONES[state]}",
    )
    span = formats.duration(jobs.compute_duration_seconds(job, now), language())
    is_normal = state in ("waiting", "running")
    return h(
        "div",
        h(
            "p",
            badge,
            h("span", " " + t(f"research.said_{state}")),
            role="status",
            aria_live="polite",
            class_="rs-state-text" if is_normal else "rs-state-text rs-warned",
        ),
        h("p", t("research.elapsed", span=span), class_="cp-note"),
        class_="rs-state",
    )


def _build_step(line: StepLine, number: int) -> Node:
    label = t("research.step_done") if line.done else t("research.step_at_work")
    return h(
        "li",
        h("span", "✓" if line.done else "◑", class_="rs-step-glyph", role="img", aria_label=label),
        h("span", format_step_name(line), class_="rs-step-name"),
        h("span", format_step_detail(line), class_="cp-note", lang=_query_lang(line)),
        h("span", format_seconds(line.seconds), class_="cp-note rs-step-time") if line.done else None,
        key=f"{number}",
        class_="rs-step" if line.done else "rs-step rs-at-work",
    )


def format_step_name(line: StepLine) -> str:
    if line.code not in STEP_CODES:
        return line.code
    name = t(f"research.step_{line.code}")
    return t("research.step_round", step=name, n=line.round) if line.round else name


def format_step_detail(line: StepLine) -> str:
    """Formats the known details of a step."""
    details = line.detail
    parts: list[str] = []
    for name in ("claims", "results", "pages", "documents"):
        if (count := _to_count(details.get(name))) is not None:
            parts.append(t(f"research.detail_{name}", n=f"{count:,}"))
    failures = details.get("failed")
    failed = len(failures) if isinstance(failures, list) else _to_count(failures)
    if failed:
        parts.append(t("research.detail_failed", n=f"{failed:,}"))
    if (relevance := details.get("relevance")) is not None:
        parts.append(t("research.detail_relevance", n=f"{float(relevance):.2f}"))
    if isinstance(query := details.get("query"), str):
        parts.append(query)
    assessment = details.get("assessment")
    if isinstance(assessment, str) and assessment in ASSESSMENTS:
        parts.append(t(f"research.word_{assessment}"))
    return " · ".join(parts)


def _to_count(value: Any) -> int | None:
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _query_lang(line: StepLine) -> str | None:
    query = line.detail.get("query")
    return detect_html_lang(query) if isinstance(query, str) else None


def format_seconds(seconds: float) -> str:
    """Formats a duration, with hundredths below ten seconds."""
    return formats.duration(seconds, language()) if seconds >= 10 else format_hundredths(seconds)
