"""Stores violations, loads them in pages, and deletes old ones."""

import hashlib
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import Connection, Row

from backend.articles.schemas import StoredViolation, Violation, ViolationPage
from backend.articles.tables import violation_daily_counts, violation_daily_counts_by_owner, violations
from backend.errors import BadRequest, FieldError
from backend.formats.timestamps import write_instant
from backend.store.database import Database

NUL = "\0"
"""The only character that PostgreSQL cannot store in a text."""
KIND = ("rule_id", "entity_id", "violation_type", "language", "severity")
"""Columns that ``violation_daily_counts`` groups by, beside the day; the one with most values is first."""
DELETE_BATCH_SIZE = 2000
"""Rows deleted in one transaction. Short transactions block other writers less."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_POSITION = struct.Struct(">Bqq")
_CURSOR_VERSION = 1


@dataclass(frozen=True, slots=True)
class ViolationFilter:
    """Conditions for violations; None means any value, also of ``owner``. ``to`` is exclusive."""

    article_id: str | None = None
    entity_id: str | None = None
    rule_id: str | None = None
    severity: str | None = None
    language: str | None = None
    violation_type: str | None = None
    from_: datetime | None = None
    to: datetime | None = None
    owner: str | None = None

    @property
    def by_kind(self) -> dict[str, str]:
        """Return the filters for which both tables have columns."""
        return {name: value for name in KIND if (value := getattr(self, name)) is not None}

    @property
    def matches_nothing(self) -> bool:
        """True if a filter contains a text that cannot have been stored."""
        return NUL in (self.article_id or "") or any(NUL in value for value in self.by_kind.values())


@dataclass(frozen=True, slots=True)
class Position:
    """The position of a page's last violation."""

    stored_at: datetime
    id: int

    def to_cursor(self) -> str:
        micros = (self.stored_at - _EPOCH) // timedelta(microseconds=1)
        packed = _POSITION.pack(_CURSOR_VERSION, micros, self.id)
        return urlsafe_b64encode(packed).rstrip(b"=").decode()

    @classmethod
    def from_cursor(cls, cursor: str) -> "Position":
        """Parse a cursor. Raises :class:`BadRequest` unless :meth:`to_cursor` created it."""
        try:
            packed = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
            version, micros, row_id = _POSITION.unpack(packed)
            position = cls(_EPOCH + timedelta(microseconds=micros), row_id)
        except (ValueError, OverflowError, struct.error):
            raise _bad_cursor() from None
        if version != _CURSOR_VERSION or row_id < 1 or position.to_cursor() != cursor:
            raise _bad_cursor()
        return position


def store(
    connection: Connection,
    found: Sequence[Violation],
    *,
    owner: str,
    scan_id: str,
    rules_version: str,
    now: datetime,
) -> None:
    """Store the violations of one scan within the caller's transaction."""
    common = {"owner": owner, "scan_id": scan_id, "stored_at": now, "rules_version": rules_version}
    rows = [
        {
            **{name: value for name, value in violation.items() if name != "reasons"},
            **common,
            "article_key": article_key(violation["article_id"]),
        }
        for violation in found
    ]
    if not rows:
        return
    connection.execute(sa.insert(violations), rows)
    counts = Counter(tuple(row[name] or "" for name in KIND) for row in rows)
    # All scans update in the same order. Otherwise two concurrent scans could deadlock.
    ordered = [
        {"day": _day_of(now), **dict(zip(KIND, kind, strict=True)), "count": count}
        for kind, count in sorted(counts.items())
    ]
    _add_counts(connection, violation_daily_counts, ordered)
    _add_counts(connection, violation_daily_counts_by_owner, [{"owner": owner, **row} for row in ordered])


def _add_counts(connection: Connection, table: sa.Table, rows: Sequence[dict[str, Any]]) -> None:
    insert = sqlite_insert if connection.dialect.name == "sqlite" else pg_insert
    statement = insert(table)
    statement = statement.on_conflict_do_update(
        index_elements=[column.name for column in table.primary_key],
        set_={"count": table.c.count + statement.excluded.count},
    )
    connection.execute(statement, rows)


def load_page(
    database: Database, filters: ViolationFilter, *, limit: int, cursor: str | None
) -> ViolationPage:
    """Load the newest matching violations, or those after ``cursor``."""
    parts = _parts(filters, Position.from_cursor(cursor) if cursor is not None else None)
    if filters.matches_nothing:
        return {"data": [], "next_cursor": None}
    newest_first = (violations.c.stored_at.desc(), violations.c.id.desc())
    rows: list[Row[Any]] = []
    with database.read() as connection:
        for part in parts:
            query = sa.select(violations).where(*part).order_by(*newest_first)
            rows += connection.execute(query.limit(limit + 1 - len(rows)))
            if len(rows) > limit:
                break
    page = rows[:limit]
    next_cursor = Position(page[-1].stored_at, page[-1].id).to_cursor() if len(rows) > limit else None
    return {"data": [_as_json(row) for row in page], "next_cursor": next_cursor}


Conditions = list[sa.ColumnElement[bool]]


def _parts(filters: ViolationFilter, end: Position | None) -> list[Conditions]:
    """Build the conditions for violations after ``end``, as separate index ranges.

    SQLite cannot use an index range for a pair of columns with the row id, nor for two limits of the same
    kind.
    """
    if end is None:
        return [conditions(filters)]
    same_instant = [violations.c.stored_at == end.stored_at, violations.c.id < end.id]
    before = min(end.stored_at, filters.to or end.stored_at)
    return [[*same_instant, *conditions(filters)], conditions(replace(filters, to=before))]


def conditions(filters: ViolationFilter) -> Conditions:
    """Build the conditions for a row of ``violations``.

    Only the most selective filter uses its bare column. SQLite has no statistics about the values, and
    otherwise might choose the index of another filter.
    """
    clauses: Conditions = []
    if filters.article_id is not None:
        clauses.append(violations.c.article_key == article_key(filters.article_id))
        clauses.append(violations.c.article_id == filters.article_id)
    for name, value in filters.by_kind.items():
        column = violations.c[name]
        clauses.append((sa.func.coalesce(column, "") if clauses else column) == value)
    if filters.owner is not None:
        owner = violations.c.owner
        clauses.append((sa.func.coalesce(owner, "") if clauses else owner) == filters.owner)
    if filters.from_ is not None:
        clauses.append(violations.c.stored_at >= filters.from_)
    if filters.to is not None:
        clauses.append(violations.c.stored_at < filters.to)
    return clauses


def delete_old(database: Database, *, keep_days: int, now: datetime) -> int:
    """Delete violations stored more than ``keep_days`` complete days ago, and return their number."""
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if keep_days >= (today - datetime.min.replace(tzinfo=UTC)).days:
        return 0
    first = today - timedelta(days=keep_days)
    old = sa.select(violations.c.id).where(violations.c.stored_at < first).limit(DELETE_BATCH_SIZE)
    deleted = 0
    while True:
        with database.write() as connection:
            count = connection.execute(sa.delete(violations).where(violations.c.id.in_(old))).rowcount
        deleted += count
        if count < DELETE_BATCH_SIZE:
            break
    with database.write() as connection:
        for table in (violation_daily_counts, violation_daily_counts_by_owner):
            connection.execute(sa.delete(table).where(table.c.day < _day_of(first)))
    return deleted


def article_key(article_id: str | None) -> str | None:
    """Return a digest of fixed length, because an id may exceed the maximum size of an index entry."""
    if article_id is None:
        return None
    return hashlib.blake2b(article_id.encode(), digest_size=16).hexdigest()


def _day_of(moment: datetime) -> str:
    return moment.astimezone(UTC).date().isoformat()


def _as_json(row: Row[Any]) -> StoredViolation:
    return {
        "article_id": row.article_id,
        "entity_id": row.entity_id,
        "rule_id": row.rule_id,
        "field": row.field,
        "matched_text": row.matched_text,
        "suggested_name": row.suggested_name,
        "language": row.language,
        "violation_type": row.violation_type,
        "severity": row.severity,
        "start_offset": row.start_offset,
        "end_offset": row.end_offset,
        "auto_fixable": row.auto_fixable,
        "id": row.id,
        "scan_id": row.scan_id,
        "stored_at": write_instant(row.stored_at),
        "rules_version": row.rules_version,
    }


def _bad_cursor() -> BadRequest:
    message = "Must be the next_cursor of a previous response, unchanged"
    error: FieldError = {"loc": ["query", "cursor"], "msg": message, "type": "cursor_invalid"}
    return BadRequest(f"query.cursor: {message}.", errors=[error])
