"""The entities that a text names, in any of the three languages.

The catalogue and the naming rules are one automaton with two users: what an editor's article is scanned
with also says whom a text speaks of. A wrong spelling, a former name and a symbol name the same entity
as its right name does. Words of the field (DeFi, 暗号資産) are no entities.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from backend.articles.engine import RuleSet, mentions
from backend.entities.mention import Mention
from backend.extraction.schemas import EntityOut


@dataclass(frozen=True, slots=True)
class Seen:
    """An entity and the form in which the texts named it first."""

    entity_id: str
    name: str


def find(rules: RuleSet, text: str) -> list[Mention]:
    """Every place in ``text`` that names an entity, by place; none overlap."""
    return [
        Mention(entity, start, end, text[start:end])
        for start, end, entity in mentions(rules, text)
        if rules.entities[entity].type != "term"
    ]


def entities_of(rules: RuleSet, texts: Iterable[str]) -> list[Seen]:
    """Each entity that the texts name, once, in the order in which they come."""
    return seen_in(mention for text in texts for mention in find(rules, text))


def seen_in(found: Iterable[Mention]) -> list[Seen]:
    """The same of mentions that were found already."""
    first: dict[str, str] = {}
    for mention in found:
        first.setdefault(mention.entity_id, mention.text)
    return [Seen(entity_id, name) for entity_id, name in first.items()]


def shown(rules: RuleSet, seen: Sequence[Seen]) -> list[EntityOut]:
    """As the interface has them; what is no longer in the catalogue is left out."""
    return [
        {
            "name": one.name,
            "canonical_name": entity.name("en"),
            "type": entity.type,
            "official_domains": list(entity.official_domains),
            "official_x_accounts": list(entity.official_x_accounts),
        }
        for one in seen
        if (entity := rules.entities.get(one.entity_id)) is not None and entity.type != "term"
    ]
