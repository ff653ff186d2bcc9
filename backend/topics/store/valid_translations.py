"""Finds the stored translations that still match their source text when a topic is updated."""

from collections.abc import Mapping

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.entities.model import Language
from backend.topics.model import TopicText
from backend.topics.store.generation_records import hash_text
from backend.topics.tables import topic_texts, written_texts

BATCH_SIZE = 500


def find_valid(
    connection: Connection, new_texts: Mapping[int, Mapping[Language, TopicText]], *, replace: bool
) -> dict[tuple[int, str], bool]:
    """Return for each stored translation, by topic and language, whether it stays.

    ``new_texts`` holds the new texts of topics by id; with ``replace`` the topics have no others. A
    translation becomes invalid when its source text is deleted or changes.
    """
    validity: dict[tuple[int, str], bool] = {}
    ids = sorted(new_texts)
    for at in range(0, len(ids), BATCH_SIZE):
        for row in connection.execute(
            _SELECT_TRANSLATIONS.where(topic_texts.c.topic_id.in_(ids[at : at + BATCH_SIZE]))
        ):
            source = new_texts[row.topic_id].get(row.from_language)
            is_valid = not replace if source is None else hash_text(source) == row.inputs
            validity[row.topic_id, row.language] = is_valid
    return validity


_SELECT_TRANSLATIONS = (
    sa.select(
        topic_texts.c.topic_id, topic_texts.c.language, written_texts.c.from_language, written_texts.c.inputs
    )
    .join(
        written_texts,
        sa.and_(
            written_texts.c.topic_id == topic_texts.c.topic_id,
            written_texts.c.language == topic_texts.c.language,
            written_texts.c.kind == "translation",
        ),
    )
    .where(topic_texts.c.origin == "model")
)
