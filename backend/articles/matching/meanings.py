"""What one surface may mean: a right name, a ticker, a wrong form, a former name, a shield.

Meanings of a surface are kept in the order in which they count: the first whose conditions hold is it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import NamedTuple, TypeAlias

from backend.articles.model import FIELDS, FieldName, Rule, Severity, ViolationType
from backend.entities.model import LANGUAGES, Language

EVERYWHERE = (1 << len(LANGUAGES) * len(FIELDS)) - 1
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


def scope_bit(language: Language, field: FieldName) -> int:
    """One bit for each pair of an article's language and a field."""
    return 1 << LANGUAGES.index(language) * len(FIELDS) + FIELDS.index(field)


class Kind(IntEnum):
    """What a surface is, those first that win over the rest at the same span."""

    OVERRULED = 0  # a right name in the very form that a rule forbids
    FIRST_MENTION = 1  # a name in the form that its first mention should have
    NAME = 2
    SYMBOL = 3
    WRONG = 4
    HALF_WIDTH = 5
    ANY_CASE = 6  # a right name whose case is free
    FORMER = 7
    OTHER_CASE = 8
    SHIELD = 9  # the suggestion of a rule: the rule finds nothing inside it
    EVIDENCE = 10  # a word of the field: no name, but it tells that others are


class Form(IntEnum):
    """How a piece of text must be written to have a meaning."""

    ANY = 0
    ANY_FULL_WIDTH = 1  # in any case, but not with half-width kana
    EXACT = 2
    EXACT_ANY_WIDTH = 3
    CAPITALS = 4  # in a line without small letters
    OPENING = 5  # with its first capital at the start of a sentence or in a title
    HALF_WIDTH = 6
    UNKNOWN = 7  # in none of the forms that are known for the surface


ONE_CASE = (Form.EXACT, Form.EXACT_ANY_WIDTH)


@dataclass(frozen=True, slots=True, eq=False)
class CompiledRule:
    """A rule that is in force; ``derived`` says that it comes from an entity's names."""

    id: str
    entity: str | None
    type: ViolationType
    severity: Severity
    auto_fix: bool
    derived: bool
    rule: Rule
    reasons: Mapping[Language, str] | None = None
    """Why a single finding was made, where that differs from finding to finding of the rule."""


class Meaning(NamedTuple):
    """One meaning of one folded surface, with all that decides whether it holds at a place."""

    kind: Kind
    entity: str | None
    rule: CompiledRule | None = None
    form: Form = Form.ANY
    exact: str = ""
    """For the exact forms: the text after :func:`~backend.articles.text.folding.plain`."""
    known: frozenset[str] = frozenset()
    """For :attr:`Form.UNKNOWN`: the forms that are something else."""
    scope: int = EVERYWHERE
    left: int = 0
    right: int = 0
    not_before: tuple[str, ...] = ()
    not_after: tuple[str, ...] = ()
    context: bool = False
    needs_cue: bool = False
    """Whether evidence alone is not enough context."""
    evidence: bool = False
    """Whether it is evidence of the subject, so that ordinary words near it count as names."""
    suggestions: tuple[str | None, ...] | None = None
    """For wrong forms: the correct form by language; None if there is no single one."""
    raw: str = ""
    """For explicit rules: the surface as the rule has it."""
    order: int = 0
    """Among meanings of one kind: the canonical name before the others."""

    def rank(self) -> tuple[int, bool, int, int, str, str]:
        """Where among the meanings of a surface this one stands."""
        severity = SEVERITIES.index(self.rule.severity) if self.rule else 0
        name = self.rule.id if self.rule else self.entity or ""
        return self.kind, not self.context, severity, self.order, name, self.exact


class Unresolved(Enum):
    """Why the meaning of a surface is unresolved: it was not seen yet, or it depends on the position."""

    UNSEEN = 0
    POSITION_DEPENDENT = 1


ResolvedMeaning: TypeAlias = tuple[Meaning, str | None]
"""The meaning of a surface at a position, and its correction.

The correction is None if the surface is right or if the choice is left to the editor."""
