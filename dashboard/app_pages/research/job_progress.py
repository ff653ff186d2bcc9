"""A job while it is watched: its state in words, its steps as they come, and the way to end it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from dashboard.app_pages.research import jobs as reading
from dashboard.app_pages.research import session_state
from dashboard.app_pages.research.form import sentence
from dashboard.app_pages.research.jobs import STEP_CODES, State, StepLine
from dashboard.app_pages.research.markup import hundredths
from dashboard.app_pages.research.session_state import Look, bench
from dashboard.client.research import ASSESSMENTS, Job
from dashboard.components.live_view import Node, h, live_view
from dashboard.frame import account, formats, states
from dashboard.frame.markup import detect_html_lang, tag, text
from dashboard.i18n import fill, language, t

POLL_SECONDS = 0.6
GLYPHS: Mapping[str, str] = {"pending": "◔", "running": "◑", "completed": "✓", "failed": "✕"}
TONES: Mapping[State, str] = {
    "waiting": "calm",
    "running": "good",
    "unattended": "warn",
    "quiet": "warn",
    "completed": "good",
    "failed": "bad",
}


def watch(first: Look) -> None:
    """Draw a job that has not ended, and again several times a second until it has."""
    looks: list[Look] = [first]
    stopped = session_state.is_given_up()

    def draw() -> None:
        seen = looks.pop() if looks else session_state.look(first.id)
        if seen.ended or session_state.is_given_up() != stopped:
            st.rerun()  # the whole page, which draws the result or another pace
        _draw(seen)

    st.fragment(draw, run_every=None if stopped else POLL_SECONDS, key="rs_watch")()


def progress(seen: Look, state: State) -> None:
    """The state in a sentence, and every step."""
    job = seen.job.data
    if job is None:
        return
    now = datetime.now(UTC)
    lines = reading.step_lines(seen.progress.data["steps"] if seen.progress.data else (), now)
    live_view([_state(job, state, now), steps_list(lines)], key="rs_progress")


def steps_list(lines: list[StepLine]) -> Node | None:
    if not lines:
        return None
    return h("ol", *(_step(line, number) for number, line in enumerate(lines)), class_="rs-steps")


def failed_words(error: str | None) -> str:
    word, values = reading.failure(error)
    return fill(t(f"research.failed_{word}"), values)


def _draw(seen: Look) -> None:
    if session_state.is_given_up():
        st.html(tag("p", text(t("research.watch_stopped")), class_="cp-stale", role="status"))
        st.button(t("frame.retry"), key="rs_watch_again", on_click=session_state.resume)
    else:
        states.stale_banner(seen.job, key="rs_watch")
    job = seen.job.data
    if job is None:
        if seen.job.error is not None:
            states.error(seen.job.error, key="rs_watch", live=True)
        return
    told = seen.progress.data
    steps = told["steps"] if told else []
    state = reading.state_of(job, steps, datetime.now(UTC), told["waiting"] if told else None)
    with st.container(key="rs_panel_watch", border=True, gap="small"):
        progress(seen, state)
        st.button(
            t("research.cancel"),
            key="rs_cancel",
            icon=":material/close:",
            on_click=session_state.cancel,
            args=(seen.kind, seen.id),
            disabled=not account.can_write(),
        )
        if not account.can_write():
            account.render_missing_scope("cancel")
        if (fault := bench().cancelling) is not None:
            states.alert(sentence(fault), fault.detail, fault.request_id)


def _state(job: Job, state: State, now: datetime) -> Node:
    """What a screen reader is told as it changes; the time that runs stands outside of it."""
    badge = h(
        "span",
        h("span", f"{GLYPHS[job['status']]} ", aria_hidden="true"),
        t(f"research.state_{job['status']}"),
        class_=f"cp-badge cp-tone-{TONES[state]}",
    )
    span = formats.duration(reading.lasted(job, now), language())
    steady = state in ("waiting", "running")
    return h(
        "div",
        h(
            "p",
            badge,
            h("span", " " + t(f"research.said_{state}")),
            role="status",
            aria_live="polite",
            class_="rs-said" if steady else "rs-said rs-warned",
        ),
        h("p", t("research.elapsed", span=span), class_="cp-note"),
        class_="rs-state",
    )


def _step(line: StepLine, number: int) -> Node:
    done = t("research.step_done") if line.done else t("research.step_at_work")
    return h(
        "li",
        h("span", "✓" if line.done else "◑", class_="rs-step-glyph", role="img", aria_label=done),
        h("span", step_name(line), class_="rs-step-name"),
        h("span", detail(line), class_="cp-note", lang=_query_lang(line)),
        h("span", seconds(line.seconds), class_="cp-note rs-step-time") if line.done else None,
        key=f"{number}",
        class_="rs-step" if line.done else "rs-step rs-at-work",
    )


def step_name(line: StepLine) -> str:
    if line.code not in STEP_CODES:
        return line.code
    name = t(f"research.step_{line.code}")
    return t("research.step_round", step=name, n=line.turn) if line.turn else name


def detail(line: StepLine) -> str:
    """What came of a step, in words; what this page does not know is left out."""
    found = line.detail
    parts: list[str] = []
    for name in ("claims", "results", "pages", "documents"):
        if (count := _count(found.get(name))) is not None:
            parts.append(t(f"research.detail_{name}", n=f"{count:,}"))
    failures = found.get("failed")
    failed = len(failures) if isinstance(failures, list) else _count(failures)
    if failed:
        parts.append(t("research.detail_failed", n=f"{failed:,}"))
    if (relevance := found.get("relevance")) is not None:
        parts.append(t("research.detail_relevance", n=f"{float(relevance):.2f}"))
    if isinstance(query := found.get("query"), str):
        parts.append(query)
    word = found.get("assessment")
    if isinstance(word, str) and word in ASSESSMENTS:
        parts.append(t(f"research.word_{word}"))
    return " · ".join(parts)


def _count(value: Any) -> int | None:
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _query_lang(line: StepLine) -> str | None:
    query = line.detail.get("query")
    return detect_html_lang(query) if isinstance(query, str) else None


def seconds(count: float) -> str:
    """How long something took, with hundredths below ten seconds."""
    return formats.duration(count, language()) if count >= 10 else hundredths(count)
