"""Defines the pair of a claim and a passage, with the data of the passage's record."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date

from backend.sources.claims.model import DateSpan, ParsedStatement, Quantity

KINDS_BY_ENTITY_TYPE: Mapping[str, frozenset[str]] = {
    "exchange": frozenset({"firm"}),
    "company": frozenset({"firm"}),
    "organization": frozenset({"firm"}),
    "protocol": frozenset({"network", "firm"}),
    "asset": frozenset({"network"}),
    "stablecoin": frozenset({"network", "firm"}),
    "regulator": frozenset({"authority"}),
    "person": frozenset({"person"}),
}
"""Kinds of entities that can replace each other in a statement, by entity type. Media and data providers
report the acts of others and have no kind."""


@dataclass(frozen=True, slots=True)
class ClaimAndPassage:
    """A claim and a passage, with the values that several comparisons need."""

    claim: ParsedStatement
    passage: ParsedStatement
    facts: list[Quantity]
    entity_types: Mapping[str, str]
    event_date: DateSpan | None
    publication_date: date | None
    record_entity_ids: frozenset[str]
    """The entities of the passage and of its record."""

    listed_entity_ids: frozenset[str]
    """The entities that the record itself lists, without those found in its text."""

    record_names: Collection[str] = ()
    """All names of the record's entities, in all languages."""

    def list_entity_kinds(self, entity_id: str) -> frozenset[str]:
        return KINDS_BY_ENTITY_TYPE.get(self.entity_types.get(entity_id, ""), frozenset())
