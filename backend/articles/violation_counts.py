"""How many violations a selection holds, by each of their traits and by day.

Whole days are read from the counts that are kept of each; only the parts of days at the ends of a
selection, and what is asked of a single article, are counted row by row.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.articles.schemas import Count, ViolationSummary
from backend.articles.tables import violation_days, violations
from backend.articles.violation_store import KIND, ViolationFilter, conditions
from backend.store.database import Database

MAX_GROUPS_PER_TRAIT = 100
MAX_DAYS = 1000
DAY = timedelta(days=1)


def summary(database: Database, wanted: ViolationFilter) -> ViolationSummary:
    """At most ``MOST_KEYS`` rules and entities, most first, and the last ``MOST_DAYS`` days."""
    with database.read() as connection:
        counted = _counted(connection, wanted)
        total = sa.select(sa.func.coalesce(sa.func.sum(counted.c.count), 0))
        return {
            "total": int(connection.execute(total).scalar_one()),
            "rules": _by(connection, counted, "rule_id"),
            "entities": _by(connection, counted, "entity_id"),
            "severities": _by(connection, counted, "severity"),
            "types": _by(connection, counted, "violation_type"),
            "languages": _by(connection, counted, "language"),
            "days": _by_day(connection, counted),
        }


@dataclass(frozen=True, slots=True)
class Split:
    """A selection as whole days and the parts of days before and after them."""

    whole: ViolationFilter | None
    edges: tuple[ViolationFilter, ...]


def split(wanted: ViolationFilter) -> Split:
    """Cut the selection's time at midnights in UTC; what lies within one day is an edge alone."""
    first, last = wanted.from_, wanted.to
    start = None if first is None else _midnight_from(first)
    end = None if last is None else _midnight_until(last)
    if start is not None and end is not None and start > end:
        return Split(None, (wanted,))
    edges = []
    if start != first:
        edges.append(replace(wanted, to=start))
    if end != last:
        edges.append(replace(wanted, from_=end))
    return Split(replace(wanted, from_=start, to=end), tuple(edges))


def _counted(connection: Connection, wanted: ViolationFilter) -> sa.Subquery:
    """Rows of a day, a kind and a count, which add up to the selection."""
    if wanted.is_empty:
        return _row_by_row(connection, ViolationFilter()).where(sa.false()).subquery()
    if wanted.article_id is not None:
        return _row_by_row(connection, wanted).subquery()
    parts = split(wanted)
    rows = [_row_by_row(connection, edge) for edge in parts.edges]
    whole = [] if parts.whole is None else [_whole_days(parts.whole)]
    return sa.union_all(*whole, *rows).subquery()


def _whole_days(wanted: ViolationFilter) -> sa.Select[tuple[object, ...]]:
    columns = [violation_days.c[name] for name in ("day", *KIND, "count")]
    asked = [violation_days.c[name] == value for name, value in wanted.by_kind.items()]
    if wanted.from_ is not None:
        asked.append(violation_days.c.day >= wanted.from_.date().isoformat())
    if wanted.to is not None:
        asked.append(violation_days.c.day < wanted.to.date().isoformat())
    return sa.select(*columns).where(*asked)


def _row_by_row(connection: Connection, wanted: ViolationFilter) -> sa.Select[tuple[object, ...]]:
    if connection.dialect.name == "sqlite":
        day: sa.ColumnElement[str] = sa.func.substr(violations.c.stored_at, 1, 10, type_=sa.String)
    else:
        day = sa.func.to_char(sa.func.timezone("UTC", violations.c.stored_at), "YYYY-MM-DD", type_=sa.String)
    kind = [sa.func.coalesce(violations.c[name], "").label(name) for name in KIND]
    columns = [day.label("day"), *kind, sa.literal(1, sa.BigInteger).label("count")]
    return sa.select(*columns).where(*conditions(wanted))


def _by(connection: Connection, counted: sa.Subquery, trait: str) -> list[Count]:
    key, many = counted.c[trait], sa.func.sum(counted.c.count)
    query = sa.select(key, many).group_by(key).order_by(many.desc(), key).limit(MAX_GROUPS_PER_TRAIT)
    return [{"key": name or None, "count": int(count)} for name, count in connection.execute(query)]


def _by_day(connection: Connection, counted: sa.Subquery) -> list[Count]:
    day = counted.c.day
    query = sa.select(day, sa.func.sum(counted.c.count)).group_by(day).order_by(day.desc()).limit(MAX_DAYS)
    return [{"key": name, "count": int(count)} for name, count in reversed(connection.execute(query).all())]


def _midnight_until(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _midnight_from(moment: datetime) -> datetime:
    """The first midnight that is not before ``moment``; on the calendar's last day its end."""
    before = _midnight_until(moment)
    if before == moment:
        return before
    try:
        return before + DAY
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)
