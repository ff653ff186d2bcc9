"""Defines a meaning of a surface, and the conditions under which it applies."""

from collections.abc import Callable
from dataclasses import dataclass

from backend.articles.model import Pattern, Rule
from backend.entities.model import Entity
from tests.backend.articles.reference.spans import TextSpan, has_boundaries, is_half_width, normalise

Condition = Callable[[TextSpan], bool]


@dataclass(frozen=True)
class Meaning:
    """One meaning of a surface. If several apply to one span, the one with the smallest ``rank`` wins."""

    rank: tuple[object, ...]
    surface: str
    entity: str | None
    rule: str | None
    auto_fix: bool
    suggestion: str | None
    matches: Condition
    needs_context: bool = False
    is_evidence: Condition | None = None
    name: str = ""
    evidence_chars: int = 200
    """Maximum distance between the starts of the match and its evidence, in characters."""
    is_match: bool = True
    """False for words that only are evidence for others."""


def list_names(entity: Entity) -> list[str]:
    return list(
        dict.fromkeys([*entity.names.values(), *(n for names in entity.also.values() for n in names)])
    )


def needs_context(entity: Entity, name: str) -> bool:
    if isinstance(entity.context, tuple):
        return name in entity.context
    return entity.context and " " not in name


def is_unconditional_evidence(entity: Entity) -> bool:
    """True for an entity of the crypto domain whose names are unambiguous."""
    return is_domain_entity(entity) and not any(needs_context(entity, name) for name in entity.names.values())


def is_domain_entity(entity: Entity) -> bool:
    if entity.evidence is not None:
        return entity.evidence
    domain_types = ("asset", "stablecoin", "protocol", "exchange", "data_provider", "term")
    return entity.type in domain_types or entity.authority in ("trade_press", "official_project")


def list_patterns(rule: Rule) -> list[Pattern]:
    return [given if isinstance(given, Pattern) else Pattern(text=given) for given in rule.match]


def match_boundaries(name: str, *, ordinary: bool = False) -> Condition:
    return lambda span: has_boundaries(span, name, "auto", ordinary=ordinary)


def matches_exactly(text: str, boundary: str, *, ordinary: bool = False) -> Condition:
    return lambda span: (
        has_boundaries(span, text, boundary, ordinary=ordinary)
        and not is_half_width(span.matched)
        and normalise(span.matched) == normalise(text)
    )
