"""Stores which entities completed source-finding jobs named, and counts the jobs per entity."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.articles.engine import RuleSet
from backend.extraction.mentions import SeenName, build_entity_results
from backend.extraction.schemas import SeenEntity
from backend.extraction.tables import entity_sightings
from backend.jobs.tables import jobs
from backend.store.database import Database, upsert


def record_sightings(
    connection: Connection, job_id: str, seen_names: Sequence[SeenName], *, at: datetime
) -> None:
    """Record the entities that a job named, in the transaction that completes the job."""
    rows = [
        {"job_id": job_id, "entity_id": seen_name.entity_id, "name": seen_name.name, "seen_at": at}
        for seen_name in seen_names
    ]
    upsert(connection, entity_sightings, rows)


def delete_sightings(connection: Connection, job_ids: Sequence[str]) -> None:
    """Delete the sightings of jobs, in the transaction that deletes the jobs."""
    connection.execute(sa.delete(entity_sightings).where(entity_sightings.c.job_id.in_(job_ids)))


def list_seen_entities(
    database: Database, rules: RuleSet, start: datetime, end: datetime, *, owner: str | None
) -> list[SeenEntity]:
    """List the entities seen in jobs completed in [``start``, ``end``), by count, then by name.

    Each has the name that most jobs used. With ``owner`` null the jobs of all owners count.
    """
    name, entity_id = entity_sightings.c.name, entity_sightings.c.entity_id
    query = (
        sa.select(entity_id, name, sa.func.count().label("jobs"))
        .where(entity_sightings.c.seen_at >= start, entity_sightings.c.seen_at < end)
        .group_by(entity_id, name)
    )
    if owner is not None:
        query = query.join(jobs, jobs.c.id == entity_sightings.c.job_id).where(jobs.c.submitted_by == owner)
    counts_by_name: dict[str, list[tuple[int, str]]] = defaultdict(list)
    with database.read() as connection:
        for row in connection.execute(query):
            counts_by_name[row.entity_id].append((-row.jobs, row.name))
    counts = {entity: -sum(jobs for jobs, _ in names) for entity, names in counts_by_name.items()}
    seen_names = [
        SeenName(entity, min(names)[1])
        for entity, names in counts_by_name.items()
        if entity in rules.entities
    ]
    listed: list[SeenEntity] = [
        {**entity, "count": counts[seen_name.entity_id]}
        for seen_name in seen_names
        for entity in build_entity_results(rules, [seen_name])
    ]
    return sorted(listed, key=lambda entity: (-entity["count"], entity["name"]))
