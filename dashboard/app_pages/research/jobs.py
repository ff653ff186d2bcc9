"""Reads research jobs for the page: request bodies, states, steps, failures and history. No I/O."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Literal, NamedTuple

Mode = Literal["statement", "text", "entities"]
Kind = Literal["sources", "extraction"]
"""The kind of a job; the modes ``statement`` and ``text`` are both source-finding jobs."""
State = Literal["waiting", "unattended", "running", "quiet", "completed", "failed"]
Failure = Literal["cancelled", "overdue", "untouched", "fault", "other"]

ENDED_STATUSES = ("completed", "failed")
UNATTENDED_SECONDS = 8.0
"""A job pending for longer has no worker; workers poll many times a second."""
QUIET_SECONDS = 25.0
"""Longer than any step takes, and longer than the jobs of a dead worker wait for another one."""
_JOB_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_OVERDUE = re.compile(r"The job did not end within ([0-9.]+) seconds? and was stopped\.")
_NOT_STARTED = "No worker took up the job within 24 hours."
_CANCELLED = "The job was cancelled."
_INTERNAL_ERROR = "Something went wrong on our side while the job ran."
_HOSTNAME = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
_X_ACCOUNT = re.compile(r"@?([A-Za-z0-9_]{1,15})")


@dataclass(frozen=True, slots=True)
class Draft:
    """The values of the form; ``urls`` as typed, one or more per line."""

    mode: Mode = "statement"
    statement: str = ""
    title: str = ""
    content: str = ""
    text: str = ""
    urls: str = ""
    max_results: int = 10

    @property
    def is_blank(self) -> bool:
        return not join_texts(self).strip()


def find_job_kind(draft: Draft) -> Kind:
    """Returns the kind of job of a draft."""
    return "extraction" if draft.mode == "entities" else "sources"


def build_request_body(draft: Draft) -> dict[str, Any]:
    """Builds the JSON body of a submission."""
    if draft.mode == "entities":
        return {"text": draft.text}
    texts: dict[str, str] = (
        {"statement": draft.statement}
        if draft.mode == "statement"
        else {
            name: value
            for name, value in (("title", draft.title), ("content", draft.content))
            if value.strip()
        }
    )
    return {**texts, "source_urls": draft.urls.split(), "max_results": draft.max_results}


def join_texts(draft: Draft) -> str:
    """Joins the texts of a draft."""
    if draft.mode == "entities":
        return draft.text
    if draft.mode == "statement":
        return draft.statement
    return "\n\n".join(part for part in (draft.title, draft.content) if part.strip())


def is_job_id(text: str) -> bool:
    """True if ``text`` is a UUID, in lower or upper case."""
    return _JOB_ID.fullmatch(text.lower()) is not None


def find_state(
    job: Mapping[str, Any],
    steps: Sequence[Mapping[str, Any]],
    now: datetime,
    waiting: Mapping[str, Any] | None = None,
) -> State:
    """Finds the state of a job. Only elapsed time shows that no worker handles it.

    ``waiting`` describes the queue before a pending job: if other jobs are running, it is only waiting.
    """
    status = job["status"]
    if status == "completed" or status == "failed":
        return "completed" if status == "completed" else "failed"
    if status == "pending":
        if waiting is not None and waiting["jobs_running"]:
            return "waiting"
        return "unattended" if _count_seconds(job["created_at"], now) >= UNATTENDED_SECONDS else "waiting"
    timestamps = [job["started_at"] or job["created_at"]]
    for step in steps:
        timestamps += [time for time in (step["started_at"], step["finished_at"]) if time]
    return "quiet" if _count_seconds(max(timestamps), now) >= QUIET_SECONDS else "running"


def compute_duration_seconds(job: Mapping[str, Any], now: datetime) -> float:
    """Computes the seconds from submission to end, or until now."""
    end = job["completed_at"]
    until = datetime.fromisoformat(end) if end else now
    return max(0.0, (until - datetime.fromisoformat(job["created_at"])).total_seconds())


def parse_failure(message: str | None) -> tuple[Failure, dict[str, str]]:
    """Parses the error message of a failed job to a code and values for translation."""
    text = message or ""
    if text == _CANCELLED:
        return "cancelled", {}
    if overdue := _OVERDUE.fullmatch(text):
        return "overdue", {"n": overdue[1]}
    if text.startswith(_NOT_STARTED):
        return "untouched", {}
    return ("fault", {}) if text.startswith(_INTERNAL_ERROR) else ("other", {})


class StepLine(NamedTuple):
    """A step of a job: ``round`` is 0 if the step has only one round."""

    code: str
    round: int
    done: bool
    seconds: float
    detail: Mapping[str, Any]


STEP_CODES = ("claims", "queries", "search", "read", "weigh", "assess")


def build_step_lines(steps: Iterable[Mapping[str, Any]], now: datetime) -> list[StepLine]:
    """Builds the lines of steps; an unknown step has its name as ``code``."""
    lines = []
    for step in steps:
        word, _, number = step["name"].partition(" ")
        is_known_step = word in STEP_CODES and (number.isdecimal() or not number)
        end = step["finished_at"]
        until = datetime.fromisoformat(end) if end else now
        started = datetime.fromisoformat(step["started_at"])
        lines.append(
            StepLine(
                code=word if is_known_step else step["name"],
                round=int(number) if is_known_step and number else 0,
                done=end is not None,
                seconds=max(0.0, (until - started).total_seconds()),
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


def merge_history(
    sources: Iterable[Mapping[str, Any]], extractions: Iterable[Mapping[str, Any]]
) -> list[Entry]:
    """Merges jobs of both kinds, newest first."""
    jobs_with_kind: list[tuple[Kind, Mapping[str, Any]]] = [("sources", job) for job in sources]
    jobs_with_kind += [("extraction", job) for job in extractions]
    listed = [
        Entry(
            job["id"],
            kind,
            job["status"],
            " ".join(job["title"].split()),
            datetime.fromisoformat(job["created_at"]),
        )
        for kind, job in jobs_with_kind
    ]
    return sorted(listed, key=lambda entry: (entry.created_at, entry.id), reverse=True)


def compute_meter_bar(probability: Decimal | float) -> tuple[float, float]:
    """Computes start and length of the meter's bar in percent: from one half to the probability."""
    percent = min(max(float(probability), 0.0), 1.0) * 100
    return min(percent, 50.0), abs(percent - 50.0)


def find_site_url(domains: Sequence[str]) -> str | None:
    """Returns the URL of the first valid domain."""
    return next((f"https://{name}" for name in domains if _HOSTNAME.fullmatch(name.lower())), None)


def find_x_account(accounts: Sequence[str]) -> str | None:
    """Returns the first valid account name, without ``@``."""
    return next((match[1] for name in accounts if (match := _X_ACCOUNT.fullmatch(name))), None)


def _count_seconds(timestamp: str, now: datetime) -> float:
    return (now.astimezone(UTC) - datetime.fromisoformat(timestamp)).total_seconds()
