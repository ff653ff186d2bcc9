"""Plans the search for a claim: its query, entity names in other languages, and official sites."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backend.entities.model import LANGUAGES, Entity
from backend.sources.claims.model import ParsedStatement

MAX_SITES = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """``refined`` is the query for the search providers. ``names`` are the claim's entities in the other
    languages, for the store's index. ``sites`` are official domains to search one by one."""

    refined: str
    names: tuple[str, ...]
    sites: tuple[str, ...]


def build_plan(claim: ParsedStatement, entities: Mapping[str, Entity]) -> Plan:
    """Build the plan for ``claim``. Deterministic."""
    named = [
        entities[entity_id]
        for entity_id in dict.fromkeys(mention.entity_id for mention in claim.mentions)
        if entity_id in entities
    ]
    return Plan(build_query(claim, named), _list_names_in_other_languages(claim, named), _list_sites(named))


def build_query(claim: ParsedStatement, named: Sequence[Entity]) -> str:
    """Join the names, dates, figures and actions of the claim, without its other words."""
    slots = [(claim.text.find(word), word) for word in claim.names]
    slots += [(mention.start, mention.text) for mention in claim.mentions]
    for spans in (claim.dates, claim.quantities, claim.actions):
        slots += [(slot.start, slot.text) for slot in spans]
    parts = [text for _, text in sorted(slots)]
    if len(parts) < 2:
        return claim.text.strip()
    names = [entity.name("en") for entity in named if claim.language != "en"]
    return " ".join(dict.fromkeys([*parts, *names]))


def _list_names_in_other_languages(claim: ParsedStatement, named: Sequence[Entity]) -> tuple[str, ...]:
    others = [language for language in LANGUAGES if language != claim.language]
    names = (entity.names[language] for entity in named for language in others if language in entity.names)
    return tuple(dict.fromkeys(names))


def _list_sites(named: Sequence[Entity]) -> tuple[str, ...]:
    domains = (entity.official_domains[0] for entity in named if entity.official_domains)
    return tuple(dict.fromkeys(domains))[:MAX_SITES]
