"""A claim and a passage side by side, with what is known of the record that the passage is of."""

from collections.abc import Mapping
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
"""Which entities can stand for each other in a statement, by their types; media and data providers, who
tell what others did, are in no kind."""


@dataclass(frozen=True, slots=True)
class Held:
    """A claim and a passage with what both share, found once."""

    claim: Claim
    passage: Claim
    facts: list[Quantity]
    types: Mapping[str, str]
    happened: DateSpan | None
    published: date | None
    record_ids: frozenset[str]
    listed: frozenset[str]
    """The entities that the record itself lists, without those that its text was found to name."""

    def kinds(self, entity_id: str) -> frozenset[str]:
        return KINDS.get(self.types.get(entity_id, ""), frozenset())
