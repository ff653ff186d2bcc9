"""What a session does on the Research page: what is typed, what was submitted, and what became of it.

Texts stay in the session; the address holds nothing but the id of the job that is shown.
"""

import uuid
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import streamlit as st

from backend.extraction.schemas import MAX_TEXT_CHARS
from backend.sources.schemas import MAX_CONTENT_CHARS, MAX_STATEMENT_CHARS
from dashboard.app_pages.research import jobs as reading
from dashboard.app_pages.research.jobs import Draft, Mode
from dashboard.client import Fetched, Problem, research
from dashboard.client.article_schemas import build_blank_article
from dashboard.client.research import Job, JobKind, Progress
from dashboard.components.text_entities import scan_entities
from dashboard.components.text_marks import Mark
from dashboard.frame import url_state
from dashboard.i18n import t

_KEY = "research_bench"
LINK = "job"
REMEMBERED = 10
"""Submissions whose texts a session keeps, and texts whose marks it keeps."""
GIVE_UP_AFTER = 30
"""Failures in a row after which a job is not asked after any more."""


@dataclass
class Bench:
    """``draft`` is what was submitted last out of each box, and what the boxes begin with."""

    draft: Draft = field(default_factory=Draft)
    said: str = ""
    """Why nothing was submitted, found without asking the service."""
    problem: Problem | None = None
    """Why the service did not accept a submission."""
    cancelling: Problem | None = None
    attempt: tuple[Draft, str] | None = None
    """A submission that brought no answer, and its key: sent again, it is the same one."""
    submitted: OrderedDict[str, Draft] = field(default_factory=OrderedDict)
    kinds: dict[str, JobKind] = field(default_factory=dict)
    awaited: str = ""
    """The job whose end moves the focus to its result."""
    arrived: int = 0
    """Counts the results that came while they were awaited."""
    failures: int = 0
    marks: OrderedDict[str, list[Mark]] = field(default_factory=OrderedDict)


class Look(NamedTuple):
    """A job as it is now. ``job`` is null when it cannot be had, and ``unknown`` when there is none."""

    id: str
    kind: JobKind
    job: Fetched[Job]
    progress: Fetched[Progress]
    unknown: bool = False

    @property
    def ended(self) -> bool:
        data = self.job.data
        return self.unknown or (data is not None and data["status"] in reading.ENDED)


def bench() -> Bench:
    found: Bench = st.session_state.setdefault(_KEY, Bench())
    return found


def shown() -> str:
    """The id of the job that the address names; empty for none."""
    return url_state.sync_text(LINK)[0].strip().lower()


def open_job(job_id: str) -> None:
    now = bench()
    now.awaited, now.failures, now.cancelling = job_id, 0, None
    url_state.write(LINK, job_id)


def close() -> None:
    url_state.write(LINK, "")


def submit(draft: Draft) -> None:
    """Submit what is in the boxes; whatever becomes of it, the boxes keep it."""
    now = bench()
    now.draft, now.said, now.problem = draft, "", None
    if draft.is_blank:
        now.said = t("research.nothing")
        return
    if (excess := too_long(draft)) is not None:
        now.said = t("research.too_long", n=f"{excess[0]:,}", most=f"{excess[1]:,}")
        return
    again = now.attempt is not None and now.attempt[0] == draft
    key = now.attempt[1] if again and now.attempt else uuid.uuid4().hex
    kind = reading.kind_of(draft)
    answer = research.submit_job(kind, reading.body_of(draft), key=key)
    if answer.error is not None or answer.data is None:
        now.attempt = (draft, key)
        now.problem = answer.error
        return
    now.attempt = None
    now.kinds[answer.data] = kind
    _remember(now.submitted, answer.data, draft)
    open_job(answer.data)


def too_long(draft: Draft) -> tuple[int, int] | None:
    """The length of what is longer than the service takes, and how long it may be."""
    limits: dict[Mode, list[tuple[str, int]]] = {
        "statement": [(draft.statement, MAX_STATEMENT_CHARS)],
        "text": [(draft.title, MAX_STATEMENT_CHARS), (draft.content, MAX_CONTENT_CHARS)],
        "entities": [(draft.text, MAX_TEXT_CHARS)],
    }
    return next(((len(text), most) for text, most in limits[draft.mode] if len(text) > most), None)


def look(job_id: str) -> Look:
    """Ask how a job is doing. The link does not say of which kind it is: both are asked, once."""
    now = bench()
    known = now.kinds.get(job_id)
    none: Fetched[Any] = Fetched(None)
    if not reading.is_job_id(job_id):
        return Look(job_id, "sources", none, none, unknown=True)
    kinds: tuple[JobKind, ...] = (known,) if known else ("sources", "extraction")
    job: Fetched[Job] = none
    for kind in kinds:
        job = research.fetch_job(kind, job_id)
        if job.error is None or job.error.status != 404:
            break
    else:
        now.kinds.pop(job_id, None)
        return Look(job_id, kind, none, none, unknown=True)
    now.failures = now.failures + 1 if job.error is not None and not job.error.is_temporary else 0
    if job.data is None:
        return Look(job_id, kind, job, none)
    now.kinds[job_id] = kind
    return Look(job_id, kind, job, research.fetch_progress(kind, job_id))


def is_given_up() -> bool:
    return bench().failures >= GIVE_UP_AFTER


def resume() -> None:
    bench().failures = 0


def arrive(job_id: str) -> None:
    """Tell that a job has ended; if it was awaited, the focus goes to its result."""
    now = bench()
    if now.awaited == job_id:
        now.awaited = ""
        now.arrived += 1


def cancel(kind: JobKind, job_id: str) -> None:
    bench().cancelling = research.cancel_job(kind, job_id).error


def entity_marks(text: str) -> list[Mark]:
    """Every place in a text that names an entity, as the service reads it; none when it cannot be asked."""
    now = bench()
    if text in now.marks:
        return now.marks[text]
    found = scan_entities([{**build_blank_article(), "content": text}], ("content",)).marks
    if not found:
        return []
    _remember(now.marks, text, found[0])
    return found[0]


def _remember(kept: OrderedDict[str, Any], name: str, value: Any) -> None:
    kept[name] = value
    while len(kept) > REMEMBERED:
        kept.popitem(last=False)
