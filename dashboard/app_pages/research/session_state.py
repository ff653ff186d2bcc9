"""Holds the session state of the Research page: the draft, submissions, and the jobs being watched.

Texts stay in the session; the URL contains only the id of the shown job. A link of another page may bring a
statement, which is moved to the form.
"""

import uuid
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import streamlit as st

from backend.extraction.schemas import MAX_TEXT_CHARS
from backend.sources.schemas import MAX_CONTENT_CHARS, MAX_STATEMENT_CHARS
from dashboard.app_pages.research import jobs
from dashboard.app_pages.research.jobs import Draft, Mode
from dashboard.client import Fetched, Problem, research
from dashboard.client.article_schemas import build_blank_article
from dashboard.client.research import Job, JobKind, Progress
from dashboard.components.draft_storage import forget_draft
from dashboard.components.text_entities import scan_entities
from dashboard.components.text_marks import Mark
from dashboard.frame import url_state
from dashboard.i18n import t

_KEY = "research_bench"
JOB_PARAM = "job"
STATEMENT_PARAM = "statement"
FORM_DRAFT_KEY = "research"
MAX_STORED_TEXTS = 10
"""Limit of submitted drafts, and of texts with marks, in a session."""
MAX_FAILURES = 30
"""Consecutive failures after which the page stops polling a job."""


@dataclass
class PageState:
    """``draft`` holds the last submitted values of the form, and its initial ones."""

    draft: Draft = field(default_factory=Draft)
    validation_error: str = ""
    """Why the page rejected a draft without a request."""
    response_problem: Problem | None = None
    """Why the service rejected a submission."""
    cancel_problem: Problem | None = None
    attempt: tuple[Draft, str] | None = None
    """A submission whose job is not shown yet, and its idempotency key for the retry."""
    submitted: OrderedDict[str, Draft] = field(default_factory=OrderedDict)
    kinds: dict[str, JobKind] = field(default_factory=dict)
    awaited_job_id: str = ""
    """The job whose end moves the focus to its result."""
    shown_result_count: int = 0
    """Number of awaited results that this session has shown; each moves the focus."""
    failures: int = 0
    marks: OrderedDict[str, list[Mark]] = field(default_factory=OrderedDict)


class JobSnapshot(NamedTuple):
    """A job at one moment. ``job`` has no data after a failure; ``unknown`` means there is no such job."""

    id: str
    kind: JobKind
    job: Fetched[Job]
    progress: Fetched[Progress]
    unknown: bool = False

    @property
    def ended(self) -> bool:
        data = self.job.data
        return self.unknown or (data is not None and data["status"] in jobs.ENDED_STATUSES)


def page_state() -> PageState:
    state: PageState = st.session_state.setdefault(_KEY, PageState())
    return state


def move_linked_statement() -> None:
    """Moves the statement of a link from the URL to the form, where the reader decides about it."""
    statement = url_state.read_query().get(STATEMENT_PARAM)
    if statement is None:
        return
    url_state.write_param(STATEMENT_PARAM, "")
    if statement.strip():
        st.session_state["rs_statement"] = statement.strip()[:MAX_STATEMENT_CHARS]


def shown_job_id() -> str:
    """Returns the job id of the URL; empty without one."""
    return url_state.read_param(JOB_PARAM).strip().lower()


def open_job(job_id: str) -> None:
    state = page_state()
    state.awaited_job_id, state.failures, state.cancel_problem = job_id, 0, None
    url_state.write_param(JOB_PARAM, job_id)


def close_job() -> None:
    url_state.write_param(JOB_PARAM, "")


def get_form_expander_key(job_id: str) -> str:
    """Returns the key of the form's expander beside a job, or without one.

    With one key for all jobs, a browser that opens the expander and submits before the response would keep it
    open, because it sees no change in the response.
    """
    return f"rs_new_search_{job_id}"


def submit(draft: Draft) -> None:
    """Submits a draft. The form keeps its values in any case, and opens if the draft is rejected."""
    state = page_state()
    state.draft, state.validation_error, state.response_problem = draft, "", None
    st.session_state[get_form_expander_key(shown_job_id())] = True
    if draft.is_blank:
        state.validation_error = t("research.nothing")
        return
    if (excess := find_excess_length(draft)) is not None:
        state.validation_error = t("research.too_long", n=f"{excess[0]:,}", most=f"{excess[1]:,}")
        return
    is_retry = state.attempt is not None and state.attempt[0] == draft
    key = state.attempt[1] if is_retry and state.attempt else uuid.uuid4().hex
    # Kept if a second click interrupts this one; that click then submits the same job.
    state.attempt = (draft, key)
    kind = jobs.find_job_kind(draft)
    response = research.submit_job(kind, jobs.build_request_body(draft), key=key)
    if response.error is not None or response.data is None:
        state.response_problem = response.error
        return
    state.kinds[response.data] = kind
    _store(state.submitted, response.data, draft)
    open_job(response.data)
    forget_draft(FORM_DRAFT_KEY)
    state.attempt = None


def find_excess_length(draft: Draft) -> tuple[int, int] | None:
    """Returns the length and the limit of the first text that is too long for the service."""
    limits: dict[Mode, list[tuple[str, int]]] = {
        "statement": [(draft.statement, MAX_STATEMENT_CHARS)],
        "text": [(draft.title, MAX_STATEMENT_CHARS), (draft.content, MAX_CONTENT_CHARS)],
        "entities": [(draft.text, MAX_TEXT_CHARS)],
    }
    return next(((len(text), limit) for text, limit in limits[draft.mode] if len(text) > limit), None)


def load_job(job_id: str) -> JobSnapshot:
    """Loads a job. A link does not contain the kind of job, so the first load tries both kinds."""
    state = page_state()
    kind_of_job = state.kinds.get(job_id)
    empty: Fetched[Any] = Fetched(None)
    if not jobs.is_job_id(job_id):
        return JobSnapshot(job_id, "sources", empty, empty, unknown=True)
    kinds: tuple[JobKind, ...] = (kind_of_job,) if kind_of_job else ("sources", "extraction")
    job: Fetched[Job] = empty
    for kind in kinds:
        job = research.fetch_job(kind, job_id)
        if job.error is None or job.error.status != 404:
            break
    else:
        state.kinds.pop(job_id, None)
        return JobSnapshot(job_id, kind, empty, empty, unknown=True)
    state.failures = state.failures + 1 if job.error is not None and not job.error.is_temporary else 0
    if job.data is None:
        return JobSnapshot(job_id, kind, job, empty)
    state.kinds[job_id] = kind
    return JobSnapshot(job_id, kind, job, research.fetch_progress(kind, job_id))


def has_given_up() -> bool:
    return page_state().failures >= MAX_FAILURES


def resume_polling() -> None:
    page_state().failures = 0


def record_result_shown(job_id: str) -> None:
    """Records the end of a job; the focus then moves to the result of an awaited job."""
    state = page_state()
    if state.awaited_job_id == job_id:
        state.awaited_job_id = ""
        state.shown_result_count += 1


def cancel(kind: JobKind, job_id: str) -> None:
    page_state().cancel_problem = research.cancel_job(kind, job_id).error


def find_entity_marks(text: str) -> list[Mark]:
    """Finds the entities in a text by the service's rules; none if the service is unavailable."""
    state = page_state()
    if text in state.marks:
        return state.marks[text]
    scanned_marks = scan_entities([{**build_blank_article(), "content": text}], ("content",)).marks
    if not scanned_marks:
        return []
    _store(state.marks, text, scanned_marks[0])
    return scanned_marks[0]


def _store(texts: OrderedDict[str, Any], name: str, value: Any) -> None:
    texts[name] = value
    while len(texts) > MAX_STORED_TEXTS:
        texts.popitem(last=False)
