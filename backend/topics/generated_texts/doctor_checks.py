"""What an operator should know of the texts that a model words, in sentences."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

import sqlalchemy as sa

from backend.settings import Settings
from backend.store.database import Database
from backend.topics.tables import written_texts

LATELY = timedelta(hours=24)


class Noted(NamedTuple):
    subject: str
    state: Literal["ok", "note", "fault"]
    sentence: str


def checkup(settings: Settings, database: Database, *, now: datetime) -> Iterator[Noted]:
    """How many texts a model worded lately, and why others were dropped; nothing where none words any."""
    if settings.is_offline or settings.model_base_url is None or settings.model_name is None:
        return
    if not settings.model_topics:
        yield Noted(
            "Model's texts", "ok", "CHAINPROOF_MODEL_TOPICS is empty, so topics keep their templates."
        )
        return
    look = sa.select(written_texts.c.outcome, sa.func.count()).where(written_texts.c.made_at >= now - LATELY)
    with database.read() as connection:
        counted = {row[0]: row[1] for row in connection.execute(look.group_by(written_texts.c.outcome))}
    good, partly = counted.get("written", 0), counted.get("partly", 0)
    bad = counted.get("dropped", 0) + counted.get("unusable", 0)
    told = (
        f"{good + partly} written in 24 hours, {partly} of them in part; {bad} failed the check or the shape"
    )
    why = f", most often since {_reason(database, now)}" if bad or partly else ""
    many = bad > good + partly and bad >= 10
    yield Noted("Model's texts", "note" if many else "ok", f"{told}{why}.")


def _reason(database: Database, now: datetime) -> str:
    """The commonest reason, without the figures and names in it."""
    look = sa.select(written_texts.c.reason).where(
        written_texts.c.made_at >= now - LATELY,
        written_texts.c.outcome.in_(("partly", "dropped", "unusable")),
    )
    with database.read() as connection:
        reasons = Counter(_kind(reason) for (reason,) in connection.execute(look.limit(2_000)))
    return reasons.most_common(1)[0][0]


def _kind(reason: str) -> str:
    first = reason.split("; ", 1)[0].split(": ", 1)[-1].rstrip(".")
    for name in ("figure", "day", "time", "name", "word", "address"):
        if first.startswith(f"the {name} "):
            return f"a {name} is not in the inputs"
    return first
