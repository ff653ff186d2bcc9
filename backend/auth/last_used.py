"""Buffers the last uses of credentials in memory and writes them in batches."""

import threading
from collections.abc import Mapping
from datetime import UTC, datetime

import sqlalchemy as sa

from backend.store.database import Database


class LastUsedBuffer:
    """Buffers the last uses of the rows of a table with the columns ``id`` and ``last_used_at``."""

    def __init__(self, database: Database, table: sa.Table) -> None:
        self._database = database
        self._table = table
        self._used_at: dict[str, float] = {}
        self._lock = threading.Lock()

    def touch(self, row_id: str, at: float) -> None:
        """Record a use in memory; ``at`` is in seconds since the epoch."""
        with self._lock:
            self._used_at[row_id] = at

    def flush(self) -> None:
        """Write the recorded uses in one batch; keeps them for the next flush if the write fails.

        Does not bump the change counter: a use is no reason to reload credentials.
        """
        with self._lock:
            batch, self._used_at = self._used_at, {}
        if not batch:
            return
        try:
            self._write(batch)
        except BaseException:
            with self._lock:
                self._used_at = batch | self._used_at
            raise

    def _write(self, used_at: Mapping[str, float]) -> None:
        columns = self._table.c
        at = sa.bindparam("at", type_=columns.last_used_at.type)
        statement = (
            sa.update(self._table)
            .where(columns.id == sa.bindparam("row_id"))
            .where(sa.or_(columns.last_used_at.is_(None), columns.last_used_at < at))
            .values(last_used_at=at)
        )
        # Sorted, since two processes that lock the same rows in different orders would deadlock.
        rows = [
            {"row_id": row_id, "at": datetime.fromtimestamp(used_at[row_id], UTC)}
            for row_id in sorted(used_at)
        ]
        with self._database.write() as connection:
            connection.execute(statement, rows)
