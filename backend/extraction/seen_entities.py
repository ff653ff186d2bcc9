"""Which entities were seen in completed source-finding jobs, and in how many."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.articles.engine import RuleSet
from backend.extraction.mentions import Seen, shown
from backend.extraction.schemas import SeenEntity
from backend.extraction.tables import entity_sightings
from backend.store.database import Database, upsert


def record(connection: Connection, job_id: str, seen: Sequence[Seen], *, at: datetime) -> None:
    """Note what a job saw, in the transaction that completes it."""
    rows = [{"job_id": job_id, "entity_id": one.entity_id, "name": one.name, "seen_at": at} for one in seen]
    upsert(connection, entity_sightings, rows)


def forget(connection: Connection, job_ids: Sequence[str]) -> None:
    """Delete what jobs saw, in the transaction that deletes them."""
    connection.execute(sa.delete(entity_sightings).where(entity_sightings.c.job_id.in_(job_ids)))


def seen_between(database: Database, rules: RuleSet, start: datetime, end: datetime) -> list[SeenEntity]:
    """The entities seen in jobs that completed in [``start``, ``end``), by count and then by name.

    Each is named as most jobs named it.
    """
    name, entity_id = entity_sightings.c.name, entity_sightings.c.entity_id
    wanted = (
        sa.select(entity_id, name, sa.func.count().label("jobs"))
        .where(entity_sightings.c.seen_at >= start, entity_sightings.c.seen_at < end)
        .group_by(entity_id, name)
    )
    forms: dict[str, list[tuple[int, str]]] = defaultdict(list)
    with database.read() as connection:
        for row in connection.execute(wanted):
            forms[row.entity_id].append((-row.jobs, row.name))
    counts = {entity: -sum(jobs for jobs, _ in told) for entity, told in forms.items()}
    seen = [Seen(entity, min(told)[1]) for entity, told in forms.items() if entity in rules.entities]
    listed: list[SeenEntity] = [
        {**entity, "count": counts[one.entity_id]} for one in seen for entity in shown(rules, [one])
    ]
    return sorted(listed, key=lambda entity: (-entity["count"], entity["name"]))
