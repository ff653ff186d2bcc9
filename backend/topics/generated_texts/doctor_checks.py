"""Checks the texts that a language model generates for topics, for ``chainproof doctor``."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta

import sqlalchemy as sa

from backend.runtime.check_result import CheckResult
from backend.settings import Settings
from backend.store.database import Database
from backend.topics.tables import written_texts

PERIOD = timedelta(hours=24)
MIN_FAILURES_TO_REPORT = 10
MAX_REASONS = 2_000


def check_generated_texts(settings: Settings, database: Database, *, now: datetime) -> Iterator[CheckResult]:
    """Report how many texts a model generated in :data:`PERIOD`, and why others were dropped.

    Reports nothing if no model is configured.
    """
    if settings.is_offline or settings.model_base_url is None or settings.model_name is None:
        return
    if not settings.model_topics:
        yield CheckResult(
            "Model's texts", "ok", "CHAINPROOF_MODEL_TOPICS is empty, so topics keep their templates."
        )
        return
    query = (
        sa.select(written_texts.c.outcome, sa.func.count())
        .where(written_texts.c.made_at >= now - PERIOD)
        .group_by(written_texts.c.outcome)
    )
    with database.read() as connection:
        counts = {row[0]: row[1] for row in connection.execute(query)}
    complete, partial = counts.get("written", 0), counts.get("partly", 0)
    failed = counts.get("dropped", 0) + counts.get("unusable", 0)
    written_count = complete + partial
    summary = (
        f"{written_count} written in 24 hours, {partial} of them in part; "
        f"{failed} failed the check or the format"
    )
    reason = f", most often because {_find_main_reason(database, now)}" if failed or partial else ""
    is_failing = failed > written_count and failed >= MIN_FAILURES_TO_REPORT
    yield CheckResult("Model's texts", "note" if is_failing else "ok", f"{summary}{reason}.")


def _find_main_reason(database: Database, now: datetime) -> str:
    """Find the most common reason, without the figures and names in it."""
    query = sa.select(written_texts.c.reason).where(
        written_texts.c.made_at >= now - PERIOD,
        written_texts.c.outcome.in_(("partly", "dropped", "unusable")),
    )
    with database.read() as connection:
        reasons = Counter(
            _generalize_reason(reason) for (reason,) in connection.execute(query.limit(MAX_REASONS))
        )
    return reasons.most_common(1)[0][0]


def _generalize_reason(reason: str) -> str:
    first = reason.split("; ", 1)[0].split(": ", 1)[-1].rstrip(".")
    for name in ("figure", "day", "time", "name", "word", "address"):
        if first.startswith(f"the {name} "):
            return f"a {name} is not in the inputs"
    return first
