"""Loads runs with the drivers' own cursors, because a response may hold a hundred thousand of them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Dialect
from sqlalchemy.sql.compiler import SQLCompiler

from backend.timelines.model import Profile, Realm
from backend.timelines.selection import RunQuery
from backend.timelines.tables import CASE_INDEX, timeline_runs, timeline_series
from backend.timelines.validation.run_preparation import hash_case_id


class Row(NamedTuple):
    """A stored run. ``started_us`` is in microseconds since 1970."""

    started_us: int
    run_id: str
    response_json: bytes
    additional_json: bytes | None
    series_id: int


class FoundRun(NamedTuple):
    """A run and its series."""

    response_json: bytes
    additional_json: bytes | None
    series_id: int
    profile: str


def load_run_responses(connection: Connection, query: RunQuery) -> list[bytes]:
    """Load the runs of a query as JSON of a response, oldest first, then by run id."""
    if len(query.series) == 1:
        newest_rows = _load_newest(connection, "entry", query.series[0], query)
        return [row[0] for row in reversed(newest_rows)]
    merged = [
        row
        for number in query.series
        for row in _load_newest(connection, "instant, run_id, entry", number, query)
    ]
    merged.sort(key=_get_order)
    return [row[2] for row in merged[-query.limit :]]


def load_rows(connection: Connection, query: RunQuery) -> list[Row]:
    """Load the rows of a query in the order of :func:`load_run_responses`."""
    columns = "instant, run_id, entry, rest, series_id"
    merged = [
        row for number in query.series for row in reversed(_load_newest(connection, columns, number, query))
    ]
    if len(query.series) > 1:
        merged.sort(key=_get_order)
    return [Row._make(row) for row in merged[-query.limit :]]


def find_run(connection: Connection, realms: Sequence[Realm], run_id: str) -> FoundRun | None:
    """Find the run with this id in the first of ``realms`` that has one."""
    columns = (timeline_runs.c.entry, timeline_runs.c.rest, timeline_runs.c.series_id)
    for realm in realms:
        query = (
            sa.select(*columns, timeline_series.c.profile)
            .join(timeline_series, timeline_series.c.id == timeline_runs.c.series_id)
            .where(timeline_runs.c.realm == realm, timeline_runs.c.run_id == run_id)
        )
        row = connection.execute(query).one_or_none()
        if row is not None:
            return FoundRun(*row)
    return None


def load_series_profile(connection: Connection, series_id: int) -> Profile:
    """Load the provider and model of a series, as known when its runs were added."""
    table = timeline_series.c
    columns = (table.provider, table.model, table.model_vendor, table.inference_provider)
    return Profile(*connection.execute(sa.select(*columns).where(table.id == series_id)).one())


def _get_order(row: Any) -> tuple[int, str]:
    return row[0], row[1]


def _load_newest(connection: Connection, columns: str, series: int, query: RunQuery) -> list[Any]:
    """Load columns of the newest runs of a series, newest first."""
    values: dict[str, object] = {
        "series": series,
        "version": query.timeline.version,
        "limit": query.limit,
    }
    if query.case_id is not None:
        values |= {"case_key": hash_case_id(query.case_id), "case_id": query.case_id}
    dialect = connection.dialect
    statement = _get_statement(dialect, columns, by_case=query.case_id is not None)
    parameters_by_name = statement.construct_params(values)
    order = statement.positiontup
    parameters: Any = parameters_by_name if order is None else [parameters_by_name[name] for name in order]
    # Otherwise PostgreSQL's driver transfers bytes as hexadecimal text.
    options = {} if dialect.name == "sqlite" else {"binary": True}
    cursor = connection.connection.cursor(**options)
    try:
        cursor.execute(str(statement), parameters)
        return list(cursor.fetchall())
    finally:
        cursor.close()


_STATEMENTS: dict[tuple[str, str, bool], SQLCompiler] = {}


def _get_statement(dialect: Dialect, columns: str, *, by_case: bool) -> SQLCompiler:
    key = (dialect.name, columns, by_case)
    if key not in _STATEMENTS:
        _STATEMENTS[key] = _compile_statement(dialect, columns, by_case=by_case)
    return _STATEMENTS[key]


def _compile_statement(dialect: Dialect, columns: str, *, by_case: bool) -> SQLCompiler:
    table = timeline_runs.c
    conditions = [table.series_id == sa.bindparam("series"), table.version <= sa.bindparam("version")]
    if by_case:
        conditions += [table.case_key == sa.bindparam("case_key"), table.case_id == sa.bindparam("case_id")]
    query = (
        sa.select(*(table[name] for name in columns.split(", ")))
        .where(*conditions)
        .order_by(table.instant.desc(), table.run_id.desc())
        .limit(sa.bindparam("limit"))
    )
    compiled = query.compile(dialect=dialect)
    if not isinstance(compiled, SQLCompiler):
        raise TypeError("a dialect without SQL")
    if by_case and dialect.name == "sqlite":
        # Without statistics on cases, SQLite would scan every run of the series.
        runs = f"FROM {timeline_runs.name}"
        compiled.string = compiled.string.replace(runs, f"{runs} INDEXED BY {CASE_INDEX}")
    return compiled
