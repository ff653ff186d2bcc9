"""Defines the database tables of evaluation timelines.

Runs are append-only. Each row holds the number of the change that added it, so readers can read the state of
an earlier change while writers continue. A response therefore matches its entity tag exactly.
"""

import sqlalchemy as sa

from backend.store.database import BIG_ID, UtcTime, metadata

SORTED_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
"""Text sorted by code point on every database, as in Python."""

timeline_profiles = sa.Table(
    "timeline_profiles",
    metadata,
    sa.Column("name", SORTED_TEXT, primary_key=True),
    sa.Column("provider", sa.Text),
    sa.Column("model", sa.Text),
    sa.Column("model_vendor", sa.Text),
    sa.Column("inference_provider", sa.Text),
    sa.Column("added_at", UtcTime, nullable=False),
)
"""Profiles added by a command; others are in files (see ``profiles/configured_profiles.py``)."""

timeline_versions = sa.Table(
    "timeline_versions",
    metadata,
    sa.Column("realm", sa.String(8), primary_key=True),
    sa.Column("profile", SORTED_TEXT, primary_key=True),
    sa.Column("version", sa.BigInteger, nullable=False),
    sa.Column("runs", sa.BigInteger, nullable=False),
)
"""The number of the last change that added runs to a profile, and its number of runs."""

timeline_series = sa.Table(
    "timeline_series",
    metadata,
    sa.Column("id", BIG_ID, primary_key=True, autoincrement=True),
    sa.Column("key", sa.String(64), nullable=False),
    sa.Column("realm", sa.String(8), nullable=False),
    sa.Column("profile", SORTED_TEXT, nullable=False),
    sa.Column("provider", sa.Text),
    sa.Column("model", sa.Text),
    sa.Column("model_vendor", sa.Text),
    sa.Column("inference_provider", sa.Text),
    sa.UniqueConstraint("key"),
    sa.Index(None, "realm", "profile"),
)
"""Groups of a profile's runs with the same provider and model. ``key`` is a digest of all other columns,
because a unique constraint does not treat nulls as equal."""

CASE_INDEX = "ix_timeline_runs_case"
"""The index that finds the runs of one case."""

timeline_runs = sa.Table(
    "timeline_runs",
    metadata,
    sa.Column("series_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("instant", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("run_id", SORTED_TEXT, primary_key=True),
    sa.Column("realm", sa.String(8), nullable=False),
    sa.Column("case_key", sa.BigInteger, nullable=False),
    sa.Column("case_id", sa.Text, nullable=False),
    sa.Column("version", sa.BigInteger, nullable=False),
    sa.Column("entry", sa.LargeBinary, nullable=False),
    sa.Column("rest", sa.LargeBinary),
    sa.UniqueConstraint("realm", "run_id"),
    sa.Index(CASE_INDEX, "series_id", "case_key", "instant", "run_id"),
    sqlite_with_rowid=False,
)
"""``instant`` is the run's timestamp in microseconds since 1970. ``entry`` is the timeline entry as
returned, in JSON; ``rest`` is a JSON object of the additional fields. ``case_key`` is a digest of
``case_id``: two long names would not fit into one index entry of PostgreSQL."""

timeline_evaluations = sa.Table(
    "timeline_evaluations",
    metadata,
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("realm", sa.String(8), nullable=False),
    sa.Column("profile", SORTED_TEXT, nullable=False),
    sa.Column("evaluation_id", sa.Text, nullable=False),
    sa.Column("suite", sa.Text),
    sa.Column("revision", sa.Text),
    sa.Column("config_digest", sa.Text),
    sa.Column("source", sa.Text),
    sa.Column("started", sa.BigInteger, nullable=False),
    sa.Column("finished", sa.BigInteger),
    sa.Column("runs", sa.BigInteger, nullable=False),
    sa.Index(None, "realm", "profile", "started"),
)
"""Runs of a profile that were made together. ``key`` is a digest of realm, profile and evaluation id, because
two long names would not fit into one index entry of PostgreSQL. ``source`` is the name of the file or log.
Times are microseconds since 1970."""

timeline_run_texts = sa.Table(
    "timeline_run_texts",
    metadata,
    sa.Column("realm", sa.String(8), primary_key=True),
    sa.Column("run_id", SORTED_TEXT, primary_key=True),
    sa.Column("profile", SORTED_TEXT, nullable=False),
    sa.Column("texts", sa.Text, nullable=False),
    sa.Index(None, "realm", "profile"),
)
"""The question, the answer and the words of the graders of a run, as JSON, if an import asked for them."""
