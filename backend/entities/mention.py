"""Defines a mention: a place where a text names an entity of the catalogue."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention. Offsets count code points, end exclusive; ``text`` is the mentioned text."""

    entity_id: str
    start: int
    end: int
    text: str
