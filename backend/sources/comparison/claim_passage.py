"""Defines the pair of a claim and a passage, with the data of the passage's record."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date

from backend.sources.claims.model import Claim, DateSpan, Quantity

KINDS: Mapping[str, frozenset[str]] = {
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

    claim: Claim
    passage: Claim
    facts: list[Quantity]
    types: Mapping[str, str]
    event_date: DateSpan | None
    published: date | None
    record_ids: frozenset[str]
    listed_entities: frozenset[str]
    """The entities that the record itself lists, without those found in its text."""

    names: Collection[str] = ()
    """All names of the record's entities, in all languages."""

    def list_kinds(self, entity_id: str) -> frozenset[str]:
        return KINDS.get(self.types.get(entity_id, ""), frozenset())
