"""Finds the entities that a text names, in any of the three languages.

The catalogue and the naming rules are one automaton, which both scans articles and extracts entities. A wrong
spelling, a former name and a symbol name the same entity as its right name. Terms (DeFi, 暗号資産) are not
extracted.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from backend.articles.engine import RuleSet, mentions
from backend.entities.mention import Mention
from backend.extraction.person_names import find_persons, is_other_person
from backend.extraction.schemas import EntityOut

_START = attrgetter("start")


@dataclass(frozen=True, slots=True)
class SeenName:
    """An entity and its name as the texts write it first."""

    entity_id: str
    name: str


def find_mentions(rules: RuleSet, text: str) -> list[Mention]:
    """Find every mention of an entity in ``text``, in order, without overlaps."""
    named_mentions = [
        Mention(entity, start, end, text[start:end])
        for start, end, entity in mentions(rules, text)
        if rules.entities[entity].type != "term"
    ]
    named_mentions = [mention for mention in named_mentions if not is_other_person(rules, text, mention)]
    return sorted([*named_mentions, *find_persons(rules, text, named_mentions)], key=_START)


def list_entities(rules: RuleSet, texts: Iterable[str]) -> list[SeenName]:
    """List each entity that the texts name once, in order of first mention."""
    return list_distinct(mention for text in texts for mention in find_mentions(rules, text))


def list_distinct(all_mentions: Iterable[Mention]) -> list[SeenName]:
    """List the distinct entities of ``all_mentions``, in order of first mention."""
    first: dict[str, str] = {}
    for mention in all_mentions:
        first.setdefault(mention.entity_id, mention.text)
    return [SeenName(entity_id, name) for entity_id, name in first.items()]


def build_entity_results(rules: RuleSet, seen_names: Sequence[SeenName]) -> list[EntityOut]:
    """Build the entities of a response. Entities no longer in the catalogue are omitted."""
    return [
        {
            "name": seen_name.name,
            "canonical_name": entity.name("en"),
            "type": entity.type,
            "official_domains": list(entity.official_domains),
            "official_x_accounts": list(entity.official_x_accounts),
        }
        for seen_name in seen_names
        if (entity := rules.entities.get(seen_name.entity_id)) is not None and entity.type != "term"
    ]
