"""Whom the topics that programs send are about, where they do not say so themselves."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sqlalchemy.engine import Connection

from backend.articles.engine import RuleSet
from backend.extraction import mentions
from backend.topics.model import Topic
from backend.topics.store import topic_rows, topic_store
from backend.topics.store.search_index import said

MOST = 12


def named(rules: RuleSet, given: Sequence[Topic], stored: Mapping[str, Topic]) -> list[Topic]:
    """``given``, each with the entities of the catalogue that its texts name; those that have some stay.

    ``stored`` are the topics that some will be updates of, by external id: their texts in languages that are
    not given stay, and count. Whom a title names comes before others.
    """
    return [
        topic if topic.entities else replace(topic, entities=_about(rules, topic, stored)) for topic in given
    ]


def known(connection: Connection, given: Sequence[Topic]) -> dict[str, Topic]:
    """What is stored under the names of topics that programs sent."""
    names = [topic.external_id for topic in given if topic.external_id is not None]
    ids = topic_store.named(connection, "own", names)
    found = {topic.id: topic for topic in topic_rows.read_topics(connection, list(ids.values()))}
    return {name: found[number] for name, number in ids.items() if number in found}


def _about(rules: RuleSet, topic: Topic, stored: Mapping[str, Topic]) -> tuple[str, ...]:
    before = stored.get(topic.external_id or "")
    texts = [*({**before.texts, **topic.texts} if before else topic.texts).values()]
    titled = _named(rules, (text.title for text in texts))
    told = _named(rules, ("\n".join(said(text)) for text in texts))
    return tuple(dict.fromkeys([*titled, *told]))[:MOST]


def _named(rules: RuleSet, texts: Iterable[str]) -> list[str]:
    return [one.entity_id for one in mentions.entities_of(rules, texts)]
