"""Stores, loads, redacts and deletes the texts of runs."""

import re
from collections.abc import Collection, Mapping, Sequence

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import Connection

from backend.store.database import Database
from backend.timelines.model import REDACTED, GraderWords, Realm, RunTexts
from backend.timelines.tables import timeline_run_texts

_BATCH_SIZE = 500
_TEXTS = msgspec.json.Decoder(RunTexts)


def add_texts(database: Database, realm: Realm, texts: Mapping[tuple[str, str], RunTexts]) -> None:
    """Store texts by profile and run id; the first texts of a run stay."""
    if not texts:
        return
    rows = [
        {"realm": realm, "run_id": run_id, "profile": profile, "texts": _encode(value)}
        for (profile, run_id), value in sorted(texts.items())
    ]
    with database.write() as connection:
        insert = sqlite_insert if connection.dialect.name == "sqlite" else pg_insert
        statement = insert(timeline_run_texts)
        connection.execute(statement.on_conflict_do_nothing(index_elements=["realm", "run_id"]), rows)


def load_texts(connection: Connection, realm: Realm, run_ids: Collection[str]) -> dict[str, RunTexts]:
    """Load the texts of those runs that have any, by run id."""
    columns, ids = timeline_run_texts.c, sorted(run_ids)
    found: dict[str, RunTexts] = {}
    for start in range(0, len(ids), _BATCH_SIZE):
        query = sa.select(columns.run_id, columns.texts).where(
            columns.realm == realm, columns.run_id.in_(ids[start : start + _BATCH_SIZE])
        )
        found |= {run_id: _TEXTS.decode(text) for run_id, text in connection.execute(query)}
    return found


def delete_texts(database: Database, realm: Realm, profiles: Collection[str]) -> int:
    """Delete the texts of ``profiles`` and return the number of runs that had any."""
    deleted = 0
    with database.write() as connection:
        for profile in profiles:
            columns = timeline_run_texts.c
            statement = sa.delete(timeline_run_texts).where(
                columns.realm == realm, columns.profile == profile
            )
            deleted += connection.execute(statement).rowcount
    return deleted


def redact_texts(
    database: Database, realm: Realm, profiles: Collection[str], patterns: Sequence[re.Pattern[str]]
) -> int:
    """Replace all matches in the texts of ``profiles``, and return the number of changed runs."""
    columns, changed = timeline_run_texts.c, 0
    with database.write() as connection:
        for profile in profiles:
            query = sa.select(columns.run_id, columns.texts).where(
                columns.realm == realm, columns.profile == profile
            )
            for run_id, text in connection.execute(query).all():
                redacted = _encode(redact(_TEXTS.decode(text), patterns))
                if redacted != text:
                    chosen = sa.and_(columns.realm == realm, columns.run_id == run_id)
                    connection.execute(sa.update(timeline_run_texts).where(chosen).values(texts=redacted))
                    changed += 1
    return changed


def redact(texts: RunTexts, patterns: Sequence[re.Pattern[str]]) -> RunTexts:
    """Replace all matches of ``patterns`` by :data:`~backend.timelines.model.REDACTED`."""

    def replace(text: str) -> str:
        for pattern in patterns:
            text = pattern.sub(REDACTED, text)
        return text

    return RunTexts(
        None if texts.question is None else replace(texts.question),
        None if texts.answer is None else replace(texts.answer),
        tuple(GraderWords(replace(grader.name), replace(grader.words)) for grader in texts.graders),
    )


def _encode(texts: RunTexts) -> str:
    return msgspec.json.encode(texts).decode()
