"""Reading runs: by the drivers' own cursors, since an answer may hold a hundred thousand of them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Dialect
from sqlalchemy.sql.compiler import SQLCompiler

from backend.timelines.model import Profile, Realm
from backend.timelines.selection import Wanted
from backend.timelines.tables import BY_CASE, timeline_runs, timeline_series
from backend.timelines.validation.run_validation import case_key


class Row(NamedTuple):
    """A run as it is stored."""

    instant: int
    run_id: str
    entry: bytes
    rest: bytes | None
    series_id: int


class FoundRun(NamedTuple):
    """A run and the series that it belongs to."""

    entry: bytes
    rest: bytes | None
    series_id: int
    profile: str


def entries(connection: Connection, wanted: Wanted) -> list[bytes]:
    """The entries that are wanted, oldest first by instant, then by run id."""
    if len(wanted.series) == 1:
        found = _newest(connection, "entry", wanted.series[0], wanted)
        return [row[0] for row in reversed(found)]
    merged = [
        row
        for number in wanted.series
        for row in _newest(connection, "instant, run_id, entry", number, wanted)
    ]
    merged.sort(key=_place)
    return [row[2] for row in merged[-wanted.limit :]]


def whole_rows(connection: Connection, wanted: Wanted) -> list[Row]:
    """What :func:`entries` gives, and what is stored beside."""
    columns = "instant, run_id, entry, rest, series_id"
    merged = [
        row for number in wanted.series for row in reversed(_newest(connection, columns, number, wanted))
    ]
    if len(wanted.series) > 1:
        merged.sort(key=_place)
    return [Row._make(row) for row in merged[-wanted.limit :]]


def find(connection: Connection, realms: Sequence[Realm], run_id: str) -> FoundRun | None:
    """The run with this id; of the first of ``realms`` that has one."""
    columns = (timeline_runs.c.entry, timeline_runs.c.rest, timeline_runs.c.series_id)
    for realm in realms:
        look = (
            sa.select(*columns, timeline_series.c.profile)
            .join(timeline_series, timeline_series.c.id == timeline_runs.c.series_id)
            .where(timeline_runs.c.realm == realm, timeline_runs.c.run_id == run_id)
        )
        row = connection.execute(look).one_or_none()
        if row is not None:
            return FoundRun(*row)
    return None


def made_with(connection: Connection, series_id: int) -> Profile:
    """What the runs of a series were made with, as far as it was known when they were added."""
    table = timeline_series.c
    columns = (table.provider, table.model, table.model_vendor, table.inference_provider)
    return Profile(*connection.execute(sa.select(*columns).where(table.id == series_id)).one())


def _place(row: Any) -> tuple[int, str]:
    return row[0], row[1]


def _newest(connection: Connection, columns: str, series: int, wanted: Wanted) -> list[Any]:
    """Newest first."""
    given: dict[str, object] = {
        "series": series,
        "version": wanted.timeline.version,
        "limit": wanted.limit,
    }
    if wanted.case_id is not None:
        given |= {"case_key": case_key(wanted.case_id), "case_id": wanted.case_id}
    dialect = connection.dialect
    statement = _statement(dialect, columns, by_case=wanted.case_id is not None)
    named = statement.construct_params(given)
    order = statement.positiontup
    parameters: Any = named if order is None else [named[name] for name in order]
    # PostgreSQL's driver else has every byte of an entry spelled out in two letters.
    options = {} if dialect.name == "sqlite" else {"binary": True}
    cursor = connection.connection.cursor(**options)
    try:
        cursor.execute(str(statement), parameters)
        return list(cursor.fetchall())
    finally:
        cursor.close()


_STATEMENTS: dict[tuple[str, str, bool], SQLCompiler] = {}


def _statement(dialect: Dialect, columns: str, *, by_case: bool) -> SQLCompiler:
    key = (dialect.name, columns, by_case)
    if key not in _STATEMENTS:
        _STATEMENTS[key] = _compiled(dialect, columns, by_case=by_case)
    return _STATEMENTS[key]


def _compiled(dialect: Dialect, columns: str, *, by_case: bool) -> SQLCompiler:
    table = timeline_runs.c
    asked = [table.series_id == sa.bindparam("series"), table.version <= sa.bindparam("version")]
    if by_case:
        asked += [table.case_key == sa.bindparam("case_key"), table.case_id == sa.bindparam("case_id")]
    look = (
        sa.select(*(table[name] for name in columns.split(", ")))
        .where(*asked)
        .order_by(table.instant.desc(), table.run_id.desc())
        .limit(sa.bindparam("limit"))
    )
    compiled = look.compile(dialect=dialect)
    if not isinstance(compiled, SQLCompiler):
        raise TypeError("a dialect without SQL")
    if by_case and dialect.name == "sqlite":
        # It would look through every run of the series: it knows nothing of how many a case has.
        runs = f"FROM {timeline_runs.name}"
        compiled.string = compiled.string.replace(runs, f"{runs} INDEXED BY {BY_CASE}")
    return compiled
