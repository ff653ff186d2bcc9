"""Counts stored violations by rule, entity, severity, type, language and day.

Complete days are read from the stored daily counts. Only partial days at the ends of a range, and the
violations of a single article, are counted row by row.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.articles.schemas import Count, ViolationSummary
from backend.articles.tables import violation_daily_counts, violation_daily_counts_by_owner, violations
from backend.articles.violation_store import KIND, ViolationFilter, conditions
from backend.store.database import Database

MAX_GROUPS_PER_TRAIT = 100
MAX_DAYS = 1000
DAY = timedelta(days=1)


def load_summary(database: Database, filters: ViolationFilter) -> ViolationSummary:
    """Load the counts: at most :data:`MAX_GROUPS_PER_TRAIT` groups, most frequent first, and the last
    :data:`MAX_DAYS` days."""
    with database.read() as connection:
        counts = _select_counts(connection, filters)
        total = sa.select(sa.func.coalesce(sa.func.sum(counts.c.count), 0))
        return {
            "total": int(connection.execute(total).scalar_one()),
            "rules": _group_by(connection, counts, "rule_id"),
            "entities": _group_by(connection, counts, "entity_id"),
            "severities": _group_by(connection, counts, "severity"),
            "types": _group_by(connection, counts, "violation_type"),
            "languages": _group_by(connection, counts, "language"),
            "days": _group_by_day(connection, counts),
        }


@dataclass(frozen=True, slots=True)
class SplitRange:
    """A filter, split into complete days and the partial days before and after them."""

    complete_days: ViolationFilter | None
    partial_days: tuple[ViolationFilter, ...]


def split(filters: ViolationFilter) -> SplitRange:
    """Split the time range at UTC midnights. A range within one day is a partial day."""
    first, last = filters.from_, filters.to
    start = None if first is None else _next_midnight(first)
    end = None if last is None else _previous_midnight(last)
    if start is not None and end is not None and start > end:
        return SplitRange(None, (filters,))
    partial_days = []
    if start != first:
        partial_days.append(replace(filters, to=start))
    if end != last:
        partial_days.append(replace(filters, from_=end))
    return SplitRange(replace(filters, from_=start, to=end), tuple(partial_days))


def _select_counts(connection: Connection, filters: ViolationFilter) -> sa.Subquery:
    """Select rows of day, kind and count whose counts add up to the result."""
    if filters.matches_nothing:
        return _count_rows(connection, ViolationFilter()).where(sa.false()).subquery()
    if filters.article_id is not None:
        return _count_rows(connection, filters).subquery()
    parts = split(filters)
    rows = [_count_rows(connection, partial) for partial in parts.partial_days]
    complete = [] if parts.complete_days is None else [_count_complete_days(parts.complete_days)]
    return sa.union_all(*complete, *rows).subquery()


def _count_complete_days(filters: ViolationFilter) -> sa.Select[tuple[object, ...]]:
    days = violation_daily_counts if filters.owner is None else violation_daily_counts_by_owner
    columns = [days.c[name] for name in ("day", *KIND, "count")]
    clauses = [days.c[name] == value for name, value in filters.by_kind.items()]
    if filters.owner is not None:
        clauses.append(days.c.owner == filters.owner)
    if filters.from_ is not None:
        clauses.append(days.c.day >= filters.from_.date().isoformat())
    if filters.to is not None:
        clauses.append(days.c.day < filters.to.date().isoformat())
    return sa.select(*columns).where(*clauses)


def _count_rows(connection: Connection, filters: ViolationFilter) -> sa.Select[tuple[object, ...]]:
    if connection.dialect.name == "sqlite":
        day: sa.ColumnElement[str] = sa.func.substr(violations.c.stored_at, 1, 10, type_=sa.String)
    else:
        day = sa.func.to_char(sa.func.timezone("UTC", violations.c.stored_at), "YYYY-MM-DD", type_=sa.String)
    kind = [sa.func.coalesce(violations.c[name], "").label(name) for name in KIND]
    columns = [day.label("day"), *kind, sa.literal(1, sa.BigInteger).label("count")]
    return sa.select(*columns).where(*conditions(filters))


def _group_by(connection: Connection, counts: sa.Subquery, trait: str) -> list[Count]:
    key, count = counts.c[trait], sa.func.sum(counts.c.count)
    query = sa.select(key, count).group_by(key).order_by(count.desc(), key).limit(MAX_GROUPS_PER_TRAIT)
    return [{"key": name or None, "count": int(total)} for name, total in connection.execute(query)]


def _group_by_day(connection: Connection, counts: sa.Subquery) -> list[Count]:
    day = counts.c.day
    query = sa.select(day, sa.func.sum(counts.c.count)).group_by(day).order_by(day.desc()).limit(MAX_DAYS)
    return [{"key": name, "count": int(count)} for name, count in reversed(connection.execute(query).all())]


def _previous_midnight(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _next_midnight(moment: datetime) -> datetime:
    """Return ``moment`` if it is midnight, else the next midnight, or the end of the last possible day."""
    before = _previous_midnight(moment)
    if before == moment:
        return before
    try:
        return before + DAY
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)
