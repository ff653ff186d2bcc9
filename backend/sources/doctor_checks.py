"""What an operator should know of jobs and source finding, in sentences."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

import sqlalchemy as sa

from backend.documents.store import DocumentStore
from backend.formats.plurals import counted
from backend.jobs.tables import jobs
from backend.settings import Settings
from backend.sources import providers
from backend.sources.providers.protocols import SearchFailed
from backend.store.database import Database

WAITS_LONG = timedelta(seconds=30)
"""A job that waits longer shows that no worker works, or too few do."""

NOUNS: Mapping[str, tuple[str, ...]] = {
    "landmark": ("archived event",),
    "page": ("page that was read", "pages that were read"),
    "article": ("article",),
    "topic": ("topic",),
    "user": ("document of your own", "documents of your own"),
}
"""Singular and plural by kind of document."""


class Noted(NamedTuple):
    subject: str
    state: Literal["ok", "note", "fault"]
    sentence: str


def checkup(settings: Settings, database: Database, *, now: datetime) -> Iterator[Noted]:
    """Jobs that wait, documents, and search engines, each asked once in live mode."""
    yield check_jobs(database, now)
    yield check_documents(database)
    yield from check_engines(settings)


def check_jobs(database: Database, now: datetime) -> Noted:
    waiting = sa.select(sa.func.count(), sa.func.min(jobs.c.created_at)).where(jobs.c.status == "pending")
    with database.read() as connection:
        count, oldest = connection.execute(waiting).one()
    if not count:
        return Noted("Jobs", "ok", "no job waits.")
    waiting_jobs = "1 job waits" if count == 1 else f"{count:,} jobs wait"
    if now - oldest < WAITS_LONG:
        return Noted("Jobs", "ok", f"{waiting_jobs}.")
    since = f"{oldest:%Y-%m-%d %H:%M} UTC"
    more = "Another 'chainproof worker' takes them up sooner."
    return Noted("Jobs", "note", f"{waiting_jobs}, the oldest since {since}. {more}")


def check_documents(database: Database) -> Noted:
    counts = DocumentStore(database).count()
    if not counts:
        return Noted("Documents", "note", "None yet; the first start of a worker brings the archive in.")
    kinds = ", ".join(counted(count, *NOUNS[kind]) for kind, count in sorted(counts.items()))
    return Noted("Documents", "ok", f"{kinds}.")


def check_engines(settings: Settings) -> Iterator[Noted]:
    engines = providers.configured(settings)
    if not engines:
        why = f"{settings.mode} mode asks none" if settings.is_offline else "none is configured"
        yield Noted("Search engines", "ok", f"{why}; source finding uses what the store holds.")
    for engine in engines:
        try:
            found = engine.search("bitcoin", limit=1)
            yield Noted(engine.name, "ok", "answers." if found else "answers, but finds nothing for bitcoin.")
        except SearchFailed as failure:
            yield Noted(engine.name, "fault", failure.message.removeprefix(f"{engine.name}: "))
        finally:
            engine.close()
