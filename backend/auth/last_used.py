"""Last uses of credentials, noted in memory and written in batches."""

import threading
from collections.abc import Mapping
from datetime import UTC, datetime

import sqlalchemy as sa

from backend.store.database import Database


class LastUses:
    """Of the rows of one table, which has the columns ``id`` and ``last_used_at``."""

    def __init__(self, database: Database, table: sa.Table) -> None:
        self._database = database
        self._table = table
        self._used: dict[str, float] = {}
        self._using = threading.Lock()

    def touch(self, row_id: str, at: float) -> None:
        """Note a use, in seconds since the epoch; nothing is written yet."""
        with self._using:
            self._used[row_id] = at

    def flush(self) -> None:
        """Write the last uses in one batch; nothing is lost when the database refuses.

        The change counter is left alone: nobody need reload credentials because they were used.
        """
        with self._using:
            used, self._used = self._used, {}
        if not used:
            return
        try:
            self._write(used)
        except BaseException:
            with self._using:
                self._used = used | self._used
            raise

    def _write(self, used: Mapping[str, float]) -> None:
        columns = self._table.c
        at = sa.bindparam("at", type_=columns.last_used_at.type)
        statement = (
            sa.update(self._table)
            .where(columns.id == sa.bindparam("row_id"))
            .where(sa.or_(columns.last_used_at.is_(None), columns.last_used_at < at))
            .values(last_used_at=at)
        )
        # In one order everywhere: two processes that lock the same rows crosswise would deadlock.
        rows = [
            {"row_id": row_id, "at": datetime.fromtimestamp(used[row_id], UTC)} for row_id in sorted(used)
        ]
        with self._database.write() as connection:
            connection.execute(statement, rows)
