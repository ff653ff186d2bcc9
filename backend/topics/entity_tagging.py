"""Finds the entities of topics that API clients send without entities."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sqlalchemy.engine import Connection

from backend.articles.engine import RuleSet
from backend.extraction import mentions
from backend.topics.model import Topic
from backend.topics.store import topic_rows, topic_store
from backend.topics.store.search_index import list_body_texts

MAX_ENTITIES = 12


def tag_entities(rules: RuleSet, topics: Sequence[Topic], stored: Mapping[str, Topic]) -> list[Topic]:
    """Return ``topics``, each with the catalogue entities that its texts name. Existing entities stay.

    ``stored`` holds the topics that some of ``topics`` update, by external id. Their texts in other languages
    remain and count as well. Entities named in a title come first.
    """
    return [
        topic if topic.entities else replace(topic, entities=_find_entities(rules, topic, stored))
        for topic in topics
    ]


def load_stored(connection: Connection, topics: Sequence[Topic]) -> dict[str, Topic]:
    """Load the stored topics that ``topics`` update, by external id."""
    names = [topic.external_id for topic in topics if topic.external_id is not None]
    ids = topic_store.find_ids_by_name(connection, "own", names)
    topics_by_id = {topic.id: topic for topic in topic_rows.read_topics(connection, list(ids.values()))}
    return {name: topics_by_id[number] for name, number in ids.items() if number in topics_by_id}


def _find_entities(rules: RuleSet, topic: Topic, stored: Mapping[str, Topic]) -> tuple[str, ...]:
    stored_topic = stored.get(topic.external_id or "")
    texts = [*({**stored_topic.texts, **topic.texts} if stored_topic else topic.texts).values()]
    in_titles = _find_entity_ids(rules, (text.title for text in texts))
    in_bodies = _find_entity_ids(rules, ("\n".join(list_body_texts(text)) for text in texts))
    return tuple(dict.fromkeys([*in_titles, *in_bodies]))[:MAX_ENTITIES]


def _find_entity_ids(rules: RuleSet, texts: Iterable[str]) -> list[str]:
    return [mention.entity_id for mention in mentions.list_entities(rules, texts)]
