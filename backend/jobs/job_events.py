"""Gives followers of jobs each new state of their progress."""

import time
from collections.abc import Mapping

from backend.http.events import Event
from backend.http.prepared_responses import Prepared
from backend.jobs import job_store
from backend.jobs.job_store import JobProgress
from backend.jobs.response_bodies import build_progress_body
from backend.store.database import Database

MAX_QUEUE_POSITIONS = 20
"""Pending jobs whose position in the queue is counted in one load; the others have their turn later."""
QUEUE_POSITION_SECONDS = 1.0
"""How long a counted position counts as new."""


class JobEvents:
    """An :class:`~backend.http.events.EventSource` of jobs by id.

    One query finds which of the followed jobs have changed; only these are read.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def load(self, known: Mapping[str, Event | None]) -> Mapping[str, Event]:
        progress = job_store.list_progress(self._database, list(known))
        states = {
            job_id: event
            for job_id, event in known.items()
            if job_id in progress and event is not None and event.version == progress[job_id]
        }
        counted_before = time.monotonic() - QUEUE_POSITION_SECONDS
        outdated = [
            job_id
            for job_id, event in states.items()
            if progress[job_id].job.status == "pending" and event.loaded_at <= counted_before
        ]
        outdated.sort(key=lambda job_id: states[job_id].loaded_at)
        changed = [job_id for job_id in known if job_id in progress and job_id not in states]
        for job_id in [*changed, *outdated[:MAX_QUEUE_POSITIONS]]:
            states[job_id] = self._build_event(progress[job_id])
        return states

    def _build_event(self, progress: JobProgress) -> Event:
        # The status was read before the steps, so that an ended job shows all its steps.
        job = progress.job
        waiting = job_store.count_waiting(self._database, job) if job.status == "pending" else None
        steps = job_store.list_steps(self._database, job.id)
        body = build_progress_body(job.status, waiting, steps)
        has_ended = job.status not in job_store.UNFINISHED
        return Event(Prepared(body, negotiated=True).digest, body, is_last=has_ended, version=progress)
