"""Which stored translations still say what their original says, when a topic is written anew."""

from collections.abc import Mapping

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.entities.model import Language
from backend.topics.model import TopicText
from backend.topics.store.generation_records import digest_of
from backend.topics.tables import topic_texts, written_texts

_AT_ONCE = 500


def standing(
    connection: Connection, given: Mapping[int, Mapping[Language, TopicText]], *, replace: bool
) -> dict[tuple[int, str], bool]:
    """Whether each stored translation of the topics stays, by topic and language.

    ``given`` are the texts that topics now get, by id; with ``replace`` they have no others. A translation
    goes with the text that it was made from, and when that text changes.
    """
    found: dict[tuple[int, str], bool] = {}
    ids = sorted(given)
    for at in range(0, len(ids), _AT_ONCE):
        for row in connection.execute(_OF_TOPICS.where(topic_texts.c.topic_id.in_(ids[at : at + _AT_ONCE]))):
            source = given[row.topic_id].get(row.from_language)
            same = not replace if source is None else digest_of(source) == row.inputs
            found[row.topic_id, row.language] = same
    return found


_OF_TOPICS = (
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
