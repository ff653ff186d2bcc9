"""Defines the tables of submitted jobs, their steps, idempotency keys and worker heartbeats."""

import sqlalchemy as sa

from backend.store.database import UtcTime, metadata

jobs = sa.Table(
    "jobs",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("input", sa.Text, nullable=False),
    sa.Column("submitted_by", sa.String(64), nullable=False),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("enqueued_at", UtcTime),
    sa.Column("started_at", UtcTime),
    sa.Column("attempt_at", UtcTime),
    sa.Column("completed_at", UtcTime),
    sa.Column("error", sa.Text),
    sa.Column("result", sa.Text),
    sa.Index(None, "kind", "created_at", "id"),
    sa.Index(None, "submitted_by", "kind", "created_at", "id"),
    sa.Index(None, "status", "enqueued_at"),
    sa.Index(None, "completed_at"),
)
"""``status`` is pending, running, completed or failed; ``input`` and ``result`` are JSON.

``submitted_by`` is the owner (:attr:`backend.auth.principal.Principal.owner`). Jobs that an earlier version
accepted with an access token have the id of its grant there: only callers with the scope ``admin`` see them.

``enqueued_at`` is when a worker claimed the pending job, and null until then. ``started_at`` is the first
start. ``attempt_at`` is the last start, later than the first if a process died; the timeout counts from it.
"""

job_steps = sa.Table(
    "job_steps",
    metadata,
    sa.Column("job_id", sa.String(36), primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("started_at", UtcTime, nullable=False),
    sa.Column("finished_at", UtcTime),
    sa.Column("detail", sa.Text, nullable=False),
)
"""The progress of jobs for their callers; ``detail`` is a JSON object of counts and labels."""

submissions = sa.Table(
    "submissions",
    metadata,
    sa.Column("submitted_by", sa.String(64), primary_key=True),
    sa.Column("idempotency_key", sa.String(255), primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("job_id", sa.String(36), nullable=False),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("answer", sa.LargeBinary),
    sa.Index(None, "created_at"),
)
"""Idempotency keys of owners, by which a repeated submission finds the first one.

``digest`` is the digest of the kind and the body. ``job_id`` is the id of the job or of the stored scan.
``answer`` is what the first request returned, null for jobs.
"""

workers = sa.Table(
    "workers",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("host", sa.String(255), nullable=False),
    sa.Column("pid", sa.Integer, nullable=False),
    sa.Column("started_at", UtcTime, nullable=False),
    sa.Column("seen_at", UtcTime),
    sa.Column("ticked_at", UtcTime),
    sa.Column("stopped_at", UtcTime),
)
"""One row for each start of a worker process in the last day.

``seen_at`` is the last heartbeat, null until the worker first looks for jobs. ``ticked_at`` is when it last
ran a schedule. ``stopped_at`` is set only by an orderly stop.
"""
