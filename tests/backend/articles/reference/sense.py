"""What one surface may mean."""

from collections.abc import Callable
from dataclasses import dataclass

from backend.articles.model import Pattern, Rule
from backend.entities.model import Entity
from tests.backend.articles.reference.places import Place, bounded, even, is_half_width

Condition = Callable[[Place], bool]


@dataclass(frozen=True)
class Sense:
    """One meaning of one surface; the smallest ``rank`` wins where several hold at one span."""

    rank: tuple[object, ...]
    surface: str
    entity: str | None
    rule: str | None
    auto_fix: bool
    suggestion: str | None
    fits: Condition
    context: bool = False
    evidence: Condition | None = None
    raw: str = ""
    near: int = 200
    """How far from it evidence may begin, in characters."""
    counts: bool = True
    """False for words that are evidence only."""


def names_of(entity: Entity) -> list[str]:
    return list(
        dict.fromkeys([*entity.names.values(), *(n for names in entity.also.values() for n in names)])
    )


def needs_context(entity: Entity, name: str) -> bool:
    if isinstance(entity.context, tuple):
        return name in entity.context
    return entity.context and " " not in name


def is_telling(entity: Entity) -> bool:
    """Whether it is of the field, and its names mean it without words beside them."""
    return is_of_field(entity) and not any(needs_context(entity, name) for name in entity.names.values())


def is_of_field(entity: Entity) -> bool:
    if entity.evidence is not None:
        return entity.evidence
    of_field = ("asset", "stablecoin", "protocol", "exchange", "data_provider", "term")
    return entity.type in of_field or entity.authority in ("trade_press", "official_project")


def patterns_of(rule: Rule) -> list[Pattern]:
    return [given if isinstance(given, Pattern) else Pattern(text=given) for given in rule.match]


def boundary_of(name: str, *, ordinary: bool = False) -> Condition:
    return lambda place: bounded(place, name, "auto", ordinary=ordinary)


def exactly(text: str, boundary: str, *, ordinary: bool = False) -> Condition:
    return lambda place: (
        bounded(place, text, boundary, ordinary=ordinary)
        and not is_half_width(place.written)
        and even(place.written) == even(text)
    )
