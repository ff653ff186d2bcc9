"""What to ask for a claim: its own words, its names in other languages, the sites of who it is about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backend.entities.model import LANGUAGES, Entity
from backend.sources.claims.model import Claim

MOST_SITES = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """``refined`` is the query that other engines get. ``names`` are the claim's entities in the other
    languages, for the index. ``sites`` are official domains to ask about by name."""

    refined: str
    names: tuple[str, ...]
    sites: tuple[str, ...]


def plan(claim: Claim, entities: Mapping[str, Entity]) -> Plan:
    """The queries for ``claim``; the same for the same claim."""
    named = [
        entities[entity_id]
        for entity_id in dict.fromkeys(mention.entity_id for mention in claim.mentions)
        if entity_id in entities
    ]
    return Plan(refined(claim, named), _other_names(claim, named), _sites(named))


def refined(claim: Claim, named: Sequence[Entity]) -> str:
    """Names, dates, figures and telling words of the claim, without what every sentence has."""
    slots = [(claim.text.find(word), word) for word in claim.names]
    slots += [(mention.start, mention.text) for mention in claim.mentions]
    for found in (claim.dates, claim.quantities, claim.actions):
        slots += [(slot.start, slot.text) for slot in found]
    parts = [text for _, text in sorted(slots)]
    if len(parts) < 2:
        return claim.text.strip()
    names = [entity.name("en") for entity in named if claim.language != "en"]
    return " ".join(dict.fromkeys([*parts, *names]))


def _other_names(claim: Claim, named: Sequence[Entity]) -> tuple[str, ...]:
    others = [language for language in LANGUAGES if language != claim.language]
    names = (entity.names[language] for entity in named for language in others if language in entity.names)
    return tuple(dict.fromkeys(names))


def _sites(named: Sequence[Entity]) -> tuple[str, ...]:
    domains = (entity.official_domains[0] for entity in named if entity.official_domains)
    return tuple(dict.fromkeys(domains))[:MOST_SITES]
