"""Indexes the texts and entities of topics for full-text search.

The index holds the terms of :mod:`backend.documents.tokenizer`, so that a Chinese word is found within a
sentence and an English word in another form. The entities of a topic are indexed as terms of its texts. A
search filters topics and does not rank them by relevance. It is therefore one condition on the index,
combined with the order and totals of :mod:`backend.topics.queries.pagination`.
"""

from collections.abc import Collection, Sequence
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.documents.tokenizer import VERSION, document_terms, query_terms
from backend.entities.model import LANGUAGES, Language
from backend.entity_names.name_index import NamedEntities
from backend.topics.model import Topic, TopicText
from backend.topics.tables import topic_texts

ENTITY_PREFIX = "entity:"
"""Marks entity terms; no term of a text contains a colon."""
MAX_QUERY_TERMS = 40
"""Distinct terms of a query that are used."""
_ROWIDS_PER_TOPIC = 4
"""The SQLite rowid of a text is its topic id times four plus the index of its language."""


def index_texts(connection: Connection, topics: Sequence[Topic]) -> None:
    """Index the texts of stored topics and replace their previous entries. Deleting a text also deletes its
    entry."""
    rows: list[dict[str, Any]] = [
        {
            "topic_id": topic.id,
            "language": language,
            "number": (topic.id or 0) * _ROWIDS_PER_TOPIC + LANGUAGES.index(language),
            "terms": _build_terms(topic, text),
        }
        for topic in topics
        for language, text in topic.texts.items()
    ]
    if not rows:
        return
    if connection.dialect.name == "sqlite":
        statement = "INSERT OR REPLACE INTO topic_search (rowid, terms) VALUES (:number, :terms)"
        rows = [{**row, "terms": " ".join(row["terms"])} for row in rows]
    else:
        statement = (
            "INSERT INTO topic_search (topic_id, language, terms)"
            " VALUES (:topic_id, :language, array_to_tsvector(CAST(:terms AS text[])))"
            " ON CONFLICT (topic_id, language) DO UPDATE SET terms = excluded.terms"
        )
    connection.execute(sa.text(statement), rows)
    indexed = sa.update(topic_texts).where(topic_texts.c.topic_id.in_([topic.id for topic in topics]))
    connection.execute(indexed.values(indexed=VERSION))


def find_outdated(connection: Connection, *, limit: int) -> list[int]:
    """Return ids of topics with a text that this tokenizer version has not indexed."""
    outdated = sa.or_(topic_texts.c.indexed.is_(None), topic_texts.c.indexed < VERSION)
    selected = sa.select(topic_texts.c.topic_id).where(outdated).limit(limit)
    return list(dict.fromkeys(connection.execute(selected).scalars()))


def build_match(
    connection: Connection,
    language: Language,
    find: str,
    entities: Collection[str],
    names: Sequence[NamedEntities] = (),
) -> sa.Subquery | None:
    """Build a subquery with the ``topic_id`` of topics whose text in ``language`` contains every word of
    ``find``.

    If ``entities`` are given, the topic must also be about one of them. For each of ``names``, the text must
    contain the words of the name, or the topic must be about an entity with this name. Returns None without
    any search term. A single Chinese or Japanese character matches words that begin with it.
    """
    words = query_terms([find])[:MAX_QUERY_TERMS]
    if not words and (find.strip() or not (entities or names)):
        return None
    groups = [[[word]] for word in words]
    if entities:
        groups.append([[ENTITY_PREFIX + entity] for entity in sorted(entities)])
    for name in names:
        name_words = query_terms([name.text])[:MAX_QUERY_TERMS]
        groups.append([name_words, *([ENTITY_PREFIX + entity] for entity in name.entities)])
    if connection.dialect.name == "sqlite":
        selected = sa.text(
            "SELECT rowid / 4 AS topic_id FROM topic_search"
            " WHERE topic_search MATCH :asked AND rowid % 4 = :language"
        ).bindparams(language=LANGUAGES.index(language))
        expression = _build_expression(groups, " AND ", " OR ", '"{}"', '"{}"*')
    else:
        selected = sa.text(
            "SELECT topic_id FROM topic_search"
            " WHERE terms @@ CAST(:asked AS tsquery) AND language = :language"
        ).bindparams(language=language)
        expression = _build_expression(groups, " & ", " | ", "'{}'", "'{}':*")
    return selected.bindparams(asked=expression).columns(topic_id=sa.BigInteger).subquery("matching")


def _build_expression(
    groups: Sequence[Sequence[Sequence[str]]], conjunction: str, disjunction: str, exact: str, prefix: str
) -> str:
    """Build the match expression in the database's syntax: of each group, all terms of one alternative.

    Terms contain nothing that needs quoting.
    """

    def build_alternative(terms: Sequence[str]) -> str:
        quoted = ((prefix if _is_single_cjk(term) else exact).format(term) for term in terms)
        return f"({conjunction.join(quoted)})"

    clauses = (disjunction.join(build_alternative(terms) for terms in group if terms) for group in groups)
    return conjunction.join(f"({clause})" for clause in clauses)


def _is_single_cjk(term: str) -> bool:
    """True if a term is one character of a script that is indexed by pairs."""
    return len(term) == 1 and not term.isascii()


def _build_terms(topic: Topic, text: TopicText) -> list[str]:
    """Return the distinct terms of a text, its outlets and its entities."""
    host = (urlsplit(topic.url).hostname or "").removeprefix("www.")
    outlets = dict.fromkeys(item.site_name for item in topic.media if item.site_name)
    terms = document_terms(text.title, *list_body_texts(text), host, *outlets)
    entity_terms = [ENTITY_PREFIX + entity for entity in topic.entities]
    return list(dict.fromkeys([*terms, *entity_terms]))


def list_body_texts(text: TopicText) -> list[str]:
    """List the subtitle, the summary, and the bullets that the summary does not contain."""
    leading = [text.subtitle, text.summary]
    bullets = [line for group in text.bullets for line in group]
    return [line for line in (*leading, *(line for line in bullets if line not in text.summary)) if line]
