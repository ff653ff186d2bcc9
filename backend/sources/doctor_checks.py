"""Checks jobs, documents and search providers for ``chainproof doctor``."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

import sqlalchemy as sa

from backend.documents.store import DocumentStore
from backend.formats.plurals import format_count
from backend.jobs.tables import jobs
from backend.runtime.check_result import CheckResult
from backend.settings import Settings
from backend.sources import providers
from backend.sources.providers.protocols import SearchFailed
from backend.store.database import Database

MAX_PENDING_TIME = timedelta(seconds=30)
"""A job that waits longer shows that there are no workers, or too few."""

NOUNS: Mapping[str, tuple[str, ...]] = {
    "landmark": ("archived event",),
    "page": ("page that was read", "pages that were read"),
    "article": ("article",),
    "topic": ("topic",),
    "user": ("document of your own", "documents of your own"),
}
"""Singular and plural by kind of document."""


def check_jobs(database: Database, now: datetime) -> CheckResult:
    """Report the number of pending jobs, and the oldest if it waits longer than :data:`MAX_PENDING_TIME`."""
    pending = sa.select(sa.func.count(), sa.func.min(jobs.c.created_at)).where(jobs.c.status == "pending")
    with database.read() as connection:
        count, oldest = connection.execute(pending).one()
    if not count:
        return CheckResult("Jobs", "ok", "no pending jobs.")
    pending_jobs = format_count(count, "pending job")
    if now - oldest < MAX_PENDING_TIME:
        return CheckResult("Jobs", "ok", f"{pending_jobs}.")
    since = f"{oldest:%Y-%m-%d %H:%M} UTC"
    advice = "Start another 'chainproof worker' to run them sooner."
    return CheckResult("Jobs", "note", f"{pending_jobs}, the oldest since {since}. {advice}")


def check_documents(database: Database) -> CheckResult:
    """Report the number of stored documents by kind."""
    counts = DocumentStore(database).count()
    if not counts:
        return CheckResult("Documents", "note", "None yet; the first start of a worker imports the archive.")
    kinds = ", ".join(format_count(count, *NOUNS[kind]) for kind, count in sorted(counts.items()))
    return CheckResult("Documents", "ok", f"{kinds}.")


def check_search_providers(settings: Settings) -> Iterator[CheckResult]:
    """Search once with each provider; none is asked outside live mode."""
    configured = providers.build_providers(settings)
    if not configured:
        why = (
            f"no provider is asked in {settings.mode} mode"
            if settings.is_offline
            else "no provider is configured"
        )
        yield CheckResult("Search engines", "ok", f"{why}; source finding searches only the store.")
    for provider in configured:
        try:
            urls = provider.search("bitcoin", limit=1)
            yield CheckResult(
                provider.name, "ok", "answers." if urls else "answers, but finds nothing for bitcoin."
            )
        except SearchFailed as failure:
            yield CheckResult(provider.name, "fault", failure.message.removeprefix(f"{provider.name}: "))
        finally:
            provider.close()
