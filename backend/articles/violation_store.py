"""The violations that scans found, as they are stored, read back in pages, and forgotten."""

import hashlib
import struct
import uuid
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
from backend.articles.tables import violation_days, violations
from backend.errors import BadRequest, FieldError
from backend.formats.timestamps import write_instant
from backend.store.database import Database

NUL = "\0"
"""The one character that PostgreSQL's text cannot hold."""
KIND = ("rule_id", "entity_id", "violation_type", "language", "severity")
"""What ``violation_days`` counts by, beside the day; what has the most values comes first."""
BATCH = 2000
"""Rows that are deleted in one transaction: others wait for a short one."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_POSITION = struct.Struct(">Bqq")
_CURSOR_FORM = 1


@dataclass(frozen=True, slots=True)
class ViolationFilter:
    """Which violations are asked for; what is null does not matter. ``to`` is exclusive."""

    article_id: str | None = None
    entity_id: str | None = None
    rule_id: str | None = None
    severity: str | None = None
    language: str | None = None
    violation_type: str | None = None
    from_: datetime | None = None
    to: datetime | None = None

    @property
    def by_kind(self) -> dict[str, str]:
        """The filters that both tables have columns for."""
        return {name: value for name in KIND if (value := getattr(self, name)) is not None}

    @property
    def is_empty(self) -> bool:
        """Whether it asks for a text that cannot have been stored."""
        return NUL in (self.article_id or "") or any(NUL in value for value in self.by_kind.values())


@dataclass(frozen=True, slots=True)
class Position:
    """Where a page ends: after the violation of this instant and id."""

    stored_at: datetime
    id: int

    def cursor(self) -> str:
        micros = (self.stored_at - _EPOCH) // timedelta(microseconds=1)
        packed = _POSITION.pack(_CURSOR_FORM, micros, self.id)
        return urlsafe_b64encode(packed).rstrip(b"=").decode()

    @classmethod
    def of(cls, cursor: str) -> "Position":
        """Raises :class:`BadRequest` for what :meth:`cursor` has never made."""
        try:
            packed = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
            form, micros, row_id = _POSITION.unpack(packed)
            position = cls(_EPOCH + timedelta(microseconds=micros), row_id)
        except (ValueError, OverflowError, struct.error):
            raise _bad_cursor() from None
        if form != _CURSOR_FORM or row_id < 1 or position.cursor() != cursor:
            raise _bad_cursor()
        return position


def record(connection: Connection, found: Sequence[Violation], *, rules_version: str, now: datetime) -> str:
    """Store what one scan found, within the caller's transaction; gives the scan's id."""
    scan_id, day = str(uuid.uuid4()), _day_of(now)
    common = {"scan_id": scan_id, "stored_at": now, "rules_version": rules_version}
    rows = [
        {**violation, **common, "article_key": article_key(violation["article_id"])} for violation in found
    ]
    if not rows:
        return scan_id
    connection.execute(sa.insert(violations), rows)
    counts = Counter(tuple(row[name] or "" for name in KIND) for row in rows)
    insert = sqlite_insert if connection.dialect.name == "sqlite" else pg_insert
    statement = insert(violation_days)
    statement = statement.on_conflict_do_update(
        index_elements=[column.name for column in violation_days.primary_key],
        set_={"count": violation_days.c.count + statement.excluded.count},
    )
    # In one order for all, or two scans at once could each wait for a row that the other holds.
    ordered = sorted(counts.items())
    connection.execute(
        statement, [{"day": day, **dict(zip(KIND, kind, strict=True)), "count": n} for kind, n in ordered]
    )
    return scan_id


def page(database: Database, wanted: ViolationFilter, *, limit: int, cursor: str | None) -> ViolationPage:
    """The newest violations of a selection, or those that follow ``cursor``."""
    parts = _parts(wanted, Position.of(cursor) if cursor is not None else None)
    if wanted.is_empty:
        return {"data": [], "next_cursor": None}
    newest_first = (violations.c.stored_at.desc(), violations.c.id.desc())
    rows: list[Row[Any]] = []
    with database.read() as connection:
        for part in parts:
            query = sa.select(violations).where(*part).order_by(*newest_first)
            rows += connection.execute(query.limit(limit + 1 - len(rows)))
            if len(rows) > limit:
                break
    shown = rows[:limit]
    following = Position(shown[-1].stored_at, shown[-1].id).cursor() if len(rows) > limit else None
    return {"data": [_wire(row) for row in shown], "next_cursor": following}


Conditions = list[sa.ColumnElement[bool]]


def _parts(wanted: ViolationFilter, end: Position | None) -> list[Conditions]:
    """What is wanted and follows ``end``, as ranges of the indexes: SQLite finds no such range for a pair
    of columns of which one is the row's own id, nor from two limits of the same kind."""
    if end is None:
        return [conditions(wanted)]
    same_instant = [violations.c.stored_at == end.stored_at, violations.c.id < end.id]
    before = min(end.stored_at, wanted.to or end.stored_at)
    return [[*same_instant, *conditions(wanted)], conditions(replace(wanted, to=before))]


def conditions(wanted: ViolationFilter) -> Conditions:
    """What a row of ``violations`` must fulfil.

    The filter that leaves the least comes first and alone as its bare column: SQLite, which knows
    nothing of how common a value is, can then take no other filter's index.
    """
    asked: Conditions = []
    if wanted.article_id is not None:
        asked.append(violations.c.article_key == article_key(wanted.article_id))
        asked.append(violations.c.article_id == wanted.article_id)
    for name, value in wanted.by_kind.items():
        column = violations.c[name]
        asked.append((sa.func.coalesce(column, "") if asked else column) == value)
    if wanted.from_ is not None:
        asked.append(violations.c.stored_at >= wanted.from_)
    if wanted.to is not None:
        asked.append(violations.c.stored_at < wanted.to)
    return asked


def forget(database: Database, *, keep_days: int, now: datetime) -> int:
    """Delete what was stored more than ``keep_days`` whole days ago; gives how many violations went."""
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if keep_days >= (today - datetime.min.replace(tzinfo=UTC)).days:
        return 0
    first = today - timedelta(days=keep_days)
    old = sa.select(violations.c.id).where(violations.c.stored_at < first).limit(BATCH)
    gone = 0
    while True:
        with database.write() as connection:
            went = connection.execute(sa.delete(violations).where(violations.c.id.in_(old))).rowcount
        gone += went
        if went < BATCH:
            break
    with database.write() as connection:
        connection.execute(sa.delete(violation_days).where(violation_days.c.day < _day_of(first)))
    return gone


def article_key(article_id: str | None) -> str | None:
    """A digest of fixed length: an id may be longer than an index entry can be."""
    if article_id is None:
        return None
    return hashlib.blake2b(article_id.encode(), digest_size=16).hexdigest()


def _day_of(moment: datetime) -> str:
    return moment.astimezone(UTC).date().isoformat()


def _wire(row: Row[Any]) -> StoredViolation:
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
    message = "Is no cursor of this service: send next_cursor as it came"
    fault: FieldError = {"loc": ["query", "cursor"], "msg": message, "type": "cursor_invalid"}
    return BadRequest(f"query.cursor: {message}.", errors=[fault])
