"""Defines parsed statements, their slots and comparisons. Offsets count code points in the source text, end
exclusive."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Literal

from backend.entities.mention import Mention
from backend.entities.model import Language
from backend.sources.claims.clauses import Clause
from backend.sources.claims.figure_roles import Role
from backend.sources.claims.subjects import Subject

Precision = Literal["year", "quarter", "month", "day"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure with its unit: an ISO 4217 code, an asset's symbol, ``%``, or a counted noun in English
    ("block", "day"); None without a unit. ``approximate``: the text says about, over, 約. ``bound``: the
    figure is a minimum (over, 超) or a maximum (under, 未満)."""

    value: Decimal
    unit: str | None
    start: int
    end: int
    text: str
    approximate: bool = False
    bound: Literal["least", "most"] | None = None
    role: Role | None = field(default=None, compare=False)
    """The start or end of a change, or a figure only asked for; not part of the figure itself."""


@dataclass(frozen=True, slots=True)
class DateSpan:
    """The days that a date may mean, first and last included; one day if ``precision`` is day.

    ``other`` is a second possible day: of 04/05/2024, or of a time near midnight in the zones of its readers.
    ``yearless``: the year is unknown; ``first`` and ``last`` then give month and day alone, in the year 2000.
    """

    first: date
    last: date
    precision: Precision
    start: int
    end: int
    text: str
    other: date | None = None
    yearless: bool = False


@dataclass(frozen=True, slots=True)
class Action:
    """An act that a claim states, as a verb of a small list (``approve``, ``ban``, ``hack``), and whether it
    is affirmed. The list holds the opposites."""

    verb: str
    affirmed: bool
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class ParsedStatement:
    """A claim, or a passage of a source, with its slots, each sorted by position."""

    text: str
    """The statement; in Chinese with Simplified characters, so that texts in both scripts compare."""
    language: Language
    mentions: tuple[Mention, ...] = ()
    dates: tuple[DateSpan, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    actions: tuple[Action, ...] = ()
    words: frozenset[str] = frozenset()
    """Word stems and character pairs outside all slots."""
    content_terms: frozenset[str] = frozenset()
    """The ``words`` that are also outside the acts and names: objects and circumstances."""
    negated_terms: frozenset[str] = frozenset()
    """Stems and pairs outside the acts that are negated (not replaced, not insured)."""
    names: tuple[str, ...] = ()
    """Words that look like names but are not in the catalogue: capitalised words, words in katakana."""
    subject: Subject | None = None
    """The agent, if its name is not in the catalogue."""
    places: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Countries by their English names, each with its wording in the text."""
    clauses: tuple[Clause, ...] = ()
    original: str = field(default="", compare=False)
    """The statement as it was written, if that differs from ``text``; offsets are the same."""

    @property
    def wording(self) -> str:
        """The statement as it was written."""
        return self.original or self.text

    def restore(self, excerpt: str) -> str:
        """Return a part of ``text`` as it was written."""
        start = self.text.find(excerpt) if self.original else -1
        return excerpt if start < 0 else self.original[start : start + len(excerpt)]


Slot = Literal["date", "figure", "agent", "roles", "polarity"]


@dataclass(frozen=True, slots=True)
class ComparedValue:
    """The wordings of a claim and a source in one slot.

    In ``differences`` of a comparison they are two different values, and in ``agreed`` one value in two
    notations.
    """

    slot: Slot
    claimed: str
    found: str


ElementKind = Literal["figure", "name", "place", "act", "qualifier", "modality", "negation", "clause"]


@dataclass(frozen=True, slots=True)
class MissingElement:
    """An element of a claim that a passage does not contain. ``text`` is the claim's own wording."""

    kind: ElementKind
    text: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of a claim with one passage: numbers of agreeing slots, and the differences."""

    shared_entities: int
    same_dates: int
    same_figures: int
    same_actions: int
    differences: tuple[ComparedValue, ...]
    agreed: tuple[ComparedValue, ...] = ()
    closeness: float = 0.0
    """The logit that both are about one event: above 0 if they probably are."""
    is_sufficient: bool = True
    """True if agent, act and event agree sufficiently to call the claim true or false."""
    same_event: bool = True
    """True if the passage is about the claim's event; if not, no other field is set."""
    missing: frozenset[MissingElement] = frozenset()
    """Elements of the claim that the passage does not contain."""
    is_same_language: bool = True
    told_share: float = 1.0
    """The share of the claim's content terms that the passage contains; 1 without such terms."""
