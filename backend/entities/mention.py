"""A place where a text names an entity of the catalogue."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mention:
    """Offsets count code points in the text, end exclusive; ``text`` is what stands there."""

    entity_id: str
    start: int
    end: int
    text: str
