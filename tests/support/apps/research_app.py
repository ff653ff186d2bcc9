"""Runs the service with jobs, and runs jobs when the test asks for it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import sqlalchemy as sa

from backend import migrations
from backend.app import create_app
from backend.articles.rules.active_rules import ActiveRules
from backend.auth.service import create_key, ensure_local_key
from backend.extraction.tasks import extraction_jobs
from backend.jobs import job_store, transitions
from backend.jobs.job_kinds import JobKind
from backend.jobs.runner import JobContext, JobType
from backend.jobs.tables import jobs
from backend.settings import Settings
from backend.sources.tasks import build_source_jobs
from backend.store.database import Database
from tests.support.http.uvicorn_thread import serve_app

TIMEOUT = timedelta(seconds=120)


@dataclass(frozen=True)
class Research:
    """A listening service with its key and a read-only key."""

    url: str
    key: str
    read_key: str
    database: Database
    types: dict[JobKind, JobType]

    def start_all(self) -> list[str]:
        """Start every waiting job without running it."""
        now = datetime.now(UTC)
        ids = [
            job_id
            for job_type in self.types.values()
            for job_id in transitions.claim(self.database, job_type.kind, limit=100, now=now)
        ]
        return [job_id for job_id in ids if transitions.start(self.database, job_id, now=now)]

    def work(self) -> None:
        """Run every waiting job with the worker's handlers."""
        for job_id in self.start_all():
            self.finish(job_id)

    def finish(self, job_id: str) -> None:
        found = (job_store.read(self.database, kind, job_id, owner=None) for kind in self.types)
        job = next(filter(None, found))
        assert job.status == "running"
        kind = self.types[job.kind]
        context = JobContext(
            job, self.database, timeout=TIMEOUT, clock=lambda: datetime.now(UTC), durable=False
        )
        result = kind.handle(context)
        assert transitions.complete(self.database, job, result, kind.publish, now=datetime.now(UTC))

    def count(self) -> int:
        """Count the jobs of any state."""
        with self.database.read() as connection:
            return connection.execute(sa.select(sa.func.count()).select_from(jobs)).scalar_one()

    def move_back(self, **earlier: float) -> None:
        """Move the times of submission and start of every job back."""
        by = timedelta(**earlier)
        with self.database.write() as connection:
            for row in connection.execute(sa.select(jobs.c.id, jobs.c.created_at, jobs.c.started_at)).all():
                started = row.started_at and row.started_at - by
                values = {"created_at": row.created_at - by, "started_at": started}
                connection.execute(sa.update(jobs).where(jobs.c.id == row.id).values(values))


@contextmanager
def research_app(home: Path) -> Iterator[Research]:
    settings = Settings(home=home, log_level="error")
    migrations.upgrade(settings.app_database_url)
    database = Database(settings.app_database_url)
    rules = ActiveRules(settings)
    now = datetime.now(UTC)
    ensure_local_key(database, settings.local_key_file, now)
    read_key = create_key(database, name="reader", scopes=("read", "admin"), now=now).key
    types = {
        job_type.kind: job_type
        for job_type in (build_source_jobs(settings, database, rules), extraction_jobs(settings, rules))
    }
    with serve_app(create_app(settings)) as url:
        yield Research(url, settings.local_key_file.read_text().strip(), read_key, database, types)
    database.dispose()
