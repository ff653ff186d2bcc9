"""Research jobs as they are read on the page: states, steps, sources, and the history. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Literal, NamedTuple

Mode = Literal["statement", "text", "entities"]
Kind = Literal["sources", "extraction"]
"""Of a job; a statement and a text are both jobs that find sources."""
State = Literal["waiting", "unattended", "running", "quiet", "completed", "failed"]
Failure = Literal["cancelled", "overdue", "untouched", "fault", "other"]

ENDED = ("completed", "failed")
UNATTENDED_SECONDS = 8.0
"""A job that no worker took up for so long waits for one; a worker looks many times a second."""
QUIET_SECONDS = 25.0
"""Longer than any step takes that is not stuck, and than a dead worker's jobs wait for another."""
_JOB_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_OVERDUE = re.compile(r"The job did not end within ([0-9.]+) seconds? and was stopped\.")
_UNTOUCHED = "No worker took up the job within 24 hours."
_CANCELLED = "The job was cancelled."
_FAULT = "Something went wrong on our side while the job ran."
_HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
_ACCOUNT = re.compile(r"@?([A-Za-z0-9_]{1,15})")


@dataclass(frozen=True, slots=True)
class Draft:
    """What the boxes hold; ``urls`` as typed, one or more to a line."""

    mode: Mode = "statement"
    statement: str = ""
    title: str = ""
    content: str = ""
    text: str = ""
    urls: str = ""
    most: int = 10

    @property
    def is_blank(self) -> bool:
        return not text_of(self).strip()


def kind_of(draft: Draft) -> Kind:
    """Which kind of job a draft is submitted as."""
    return "extraction" if draft.mode == "entities" else "sources"


def body_of(draft: Draft) -> dict[str, Any]:
    """The body of the submission."""
    if draft.mode == "entities":
        return {"text": draft.text}
    said: dict[str, str] = (
        {"statement": draft.statement}
        if draft.mode == "statement"
        else {
            name: value
            for name, value in (("title", draft.title), ("content", draft.content))
            if value.strip()
        }
    )
    return {**said, "source_urls": draft.urls.split(), "max_results": draft.most}


def text_of(draft: Draft) -> str:
    """What is submitted, as one text."""
    if draft.mode == "entities":
        return draft.text
    if draft.mode == "statement":
        return draft.statement
    return "\n\n".join(part for part in (draft.title, draft.content) if part.strip())


def is_job_id(text: str) -> bool:
    """Whether ``text`` is a UUID, in letters of either case."""
    return _JOB_ID.fullmatch(text.lower()) is not None


def state_of(
    job: Mapping[str, Any],
    steps: Sequence[Mapping[str, Any]],
    now: datetime,
    waiting: Mapping[str, Any] | None = None,
) -> State:
    """How the job is doing, seen from outside: whether anybody works on it shows in time alone. ``waiting``
    tells what a pending job stands behind: where others are at work, it is not forgotten."""
    status = job["status"]
    if status == "completed" or status == "failed":
        return "completed" if status == "completed" else "failed"
    if status == "pending":
        if waiting is not None and waiting["jobs_running"]:
            return "waiting"
        return "unattended" if _since(job["created_at"], now) >= UNATTENDED_SECONDS else "waiting"
    moments = [job["started_at"] or job["created_at"]]
    for step in steps:
        moments += [moment for moment in (step["started_at"], step["finished_at"]) if moment]
    return "quiet" if _since(max(moments), now) >= QUIET_SECONDS else "running"


def lasted(job: Mapping[str, Any], now: datetime) -> float:
    """Seconds from the submission to the end, or until now."""
    end = job["completed_at"]
    until = datetime.fromisoformat(end) if end else now
    return max(0.0, (until - datetime.fromisoformat(job["created_at"])).total_seconds())


def failure(sentence: str | None) -> tuple[Failure, dict[str, str]]:
    """What a failed job's sentence says, so that it can be said in another language."""
    said = sentence or ""
    if said == _CANCELLED:
        return "cancelled", {}
    if overdue := _OVERDUE.fullmatch(said):
        return "overdue", {"n": overdue[1]}
    if said.startswith(_UNTOUCHED):
        return "untouched", {}
    return ("fault", {}) if said.startswith(_FAULT) else ("other", {})


class StepLine(NamedTuple):
    """A step: ``code`` names what is done, ``turn`` which round it is of (0 where there is but one)."""

    code: str
    turn: int
    done: bool
    seconds: float
    detail: Mapping[str, Any]


STEP_CODES = ("claims", "queries", "search", "read", "weigh", "assess")


def step_lines(steps: Iterable[Mapping[str, Any]], now: datetime) -> list[StepLine]:
    """A step that this page does not know keeps its name as ``code``."""
    lines = []
    for step in steps:
        word, _, number = step["name"].partition(" ")
        known = word in STEP_CODES and (number.isdecimal() or not number)
        end = step["finished_at"]
        until = datetime.fromisoformat(end) if end else now
        begun = datetime.fromisoformat(step["started_at"])
        lines.append(
            StepLine(
                code=word if known else step["name"],
                turn=int(number) if known and number else 0,
                done=end is not None,
                seconds=max(0.0, (until - begun).total_seconds()),
                detail=step["detail"],
            )
        )
    return lines


class Entry(NamedTuple):
    """A job in the history."""

    id: str
    kind: Kind
    status: str
    title: str
    created_at: datetime


def entries(sources: Iterable[Mapping[str, Any]], extractions: Iterable[Mapping[str, Any]]) -> list[Entry]:
    """Jobs of both kinds, newest first."""
    found: list[tuple[Kind, Mapping[str, Any]]] = [("sources", job) for job in sources]
    found += [("extraction", job) for job in extractions]
    listed = [
        Entry(
            job["id"],
            kind,
            job["status"],
            " ".join(job["title"].split()),
            datetime.fromisoformat(job["created_at"]),
        )
        for kind, job in found
    ]
    return sorted(listed, key=lambda entry: (entry.created_at, entry.id), reverse=True)


def verdict_span(probability: Decimal | float) -> tuple[float, float]:
    """Where the meter's bar begins and how long it is, in percent: from one half to the probability."""
    percent = min(max(float(probability), 0.0), 1.0) * 100
    return min(percent, 50.0), abs(percent - 50.0)


def site(domains: Sequence[str]) -> str | None:
    """The address of the first domain that is one."""
    return next((f"https://{name}" for name in domains if _HOST.fullmatch(name.lower())), None)


def x_account(accounts: Sequence[str]) -> str | None:
    """The first account's name, without a sign before it."""
    return next((found[1] for name in accounts if (found := _ACCOUNT.fullmatch(name))), None)


def _since(moment: str, now: datetime) -> float:
    return (now.astimezone(UTC) - datetime.fromisoformat(moment)).total_seconds()
