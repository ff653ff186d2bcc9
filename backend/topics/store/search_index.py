"""By which words and entities topics are found: a full-text index over their texts, as they stand.

It holds the terms that documents are searched by (:mod:`backend.documents.tokenizer`), so that a Chinese
word is found within its sentence and an English one in another form. The entities of a topic are terms of its
texts too. Topics are found or not, and never ranked by how well: hence one condition over
the index, and the order and totals of :mod:`backend.topics.queries.pagination`.
"""

from collections.abc import Collection, Sequence
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.documents.tokenizer import VERSION, document_terms, query_terms
from backend.entities.model import LANGUAGES, Language
from backend.topics.model import Topic, TopicText
from backend.topics.tables import topic_texts

ENTITY = "entity:"
"""No term of a text holds a colon."""
MOST_ASKED = 40
"""Different terms of a search that count."""
_PER_TOPIC = 4
"""SQLite numbers a text by its topic times four, and the place of its language."""


def write(connection: Connection, topics: Sequence[Topic]) -> None:
    """Index the texts of stored topics, in place of what was indexed for them. What is deleted of the texts
    leaves the index by itself."""
    held: list[dict[str, Any]] = [
        {
            "topic_id": topic.id,
            "language": language,
            "number": (topic.id or 0) * _PER_TOPIC + LANGUAGES.index(language),
            "terms": _terms(topic, text),
        }
        for topic in topics
        for language, text in topic.texts.items()
    ]
    if not held:
        return
    if connection.dialect.name == "sqlite":
        statement = "INSERT OR REPLACE INTO topic_search (rowid, terms) VALUES (:number, :terms)"
        held = [{**one, "terms": " ".join(one["terms"])} for one in held]
    else:
        statement = (
            "INSERT INTO topic_search (topic_id, language, terms)"
            " VALUES (:topic_id, :language, array_to_tsvector(CAST(:terms AS text[])))"
            " ON CONFLICT (topic_id, language) DO UPDATE SET terms = excluded.terms"
        )
    connection.execute(sa.text(statement), held)
    marked = sa.update(topic_texts).where(topic_texts.c.topic_id.in_([topic.id for topic in topics]))
    connection.execute(marked.values(indexed=VERSION))


def lacking(connection: Connection, *, many: int) -> list[int]:
    """Ids of topics with a text that these rules have not cut into terms."""
    outdated = sa.or_(topic_texts.c.indexed.is_(None), topic_texts.c.indexed < VERSION)
    look = sa.select(topic_texts.c.topic_id).where(outdated).limit(many)
    return list(dict.fromkeys(connection.execute(look).scalars()))


def matching(
    connection: Connection, language: Language, find: str, entities: Collection[str]
) -> sa.Subquery | None:
    """The column ``topic_id`` of the topics whose text in ``language`` holds every word of ``find`` and that
    tell of one of ``entities``, where any are given. None where neither says anything to look for.

    A single Chinese or Japanese character is found where a word begins with it.
    """
    words = query_terms([find])[:MOST_ASKED]
    if not words and (find.strip() or not entities):
        return None
    groups = [[word] for word in words]
    if entities:
        groups.append([ENTITY + entity for entity in sorted(entities)])
    if connection.dialect.name == "sqlite":
        look = sa.text(
            "SELECT rowid / 4 AS topic_id FROM topic_search"
            " WHERE topic_search MATCH :asked AND rowid % 4 = :language"
        ).bindparams(language=LANGUAGES.index(language))
        asked = _asked(groups, " AND ", " OR ", '"{}"', '"{}"*')
    else:
        look = sa.text(
            "SELECT topic_id FROM topic_search"
            " WHERE terms @@ CAST(:asked AS tsquery) AND language = :language"
        ).bindparams(language=language)
        asked = _asked(groups, " & ", " | ", "'{}'", "'{}':*")
    return look.bindparams(asked=asked).columns(topic_id=sa.BigInteger).subquery("matching")


def _asked(groups: Sequence[Sequence[str]], every: str, some: str, whole: str, beginning: str) -> str:
    """The condition in a database's own words. Terms hold nothing that needs quoting."""
    told = (
        some.join((beginning if _is_part(term) else whole).format(term) for term in group) for group in groups
    )
    return every.join(f"({group})" for group in told)


def _is_part(term: str) -> bool:
    """Whether a term is one character of a script that is indexed by pairs."""
    return len(term) == 1 and not term.isascii()


def _terms(topic: Topic, text: TopicText) -> list[str]:
    """The different terms of a text, of who tells it, and of whom it is about."""
    host = (urlsplit(topic.url).hostname or "").removeprefix("www.")
    outlets = dict.fromkeys(item.site_name for item in topic.media if item.site_name)
    found = document_terms(text.title, *said(text), host, *outlets)
    named = [ENTITY + entity for entity in topic.entities]
    return list(dict.fromkeys([*found, *named]))


def said(text: TopicText) -> list[str]:
    """What a text says below its title, each sentence of it once."""
    told = [text.subtitle, text.summary]
    bullets = [one for group in text.bullets for one in group]
    return [one for one in (*told, *(one for one in bullets if one not in text.summary)) if one]
