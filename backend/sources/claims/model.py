"""The slots of a claim. Offsets count code points in the text they were read from, end exclusive."""

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
    ("block", "day"); None where the text gives none. ``approximate`` where the text says about, over, 約;
    ``bound`` tells a figure that is the least (over, 超) or the most (under, 未満) of what is meant."""

    value: Decimal
    unit: str | None
    start: int
    end: int
    text: str
    approximate: bool = False
    bound: Literal["least", "most"] | None = None
    role: Role | None = field(default=None, compare=False)
    """Where a change began or ended, or what was only asked for; it is no part of the figure itself."""


@dataclass(frozen=True, slots=True)
class DateSpan:
    """The days that a date may mean, first and last included; one day where ``precision`` is day.

    ``other`` is the second day that it may mean instead: of 04/05/2024, or of an instant near midnight
    between the zones of its readers. ``yearless``: the text gives no year and nothing else does;
    ``first`` and ``last`` then stand for their month and day alone, in the year 2000.
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
    """What a claim says was done, as a verb of a small list (``approve``, ``ban``, ``hack``), and whether
    it is affirmed. ``opposites`` are told by the list, not here."""

    verb: str
    affirmed: bool
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Claim:
    """One checkable statement and its slots, each sorted by place."""

    text: str
    language: Language
    mentions: tuple[Mention, ...] = ()
    dates: tuple[DateSpan, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    actions: tuple[Action, ...] = ()
    words: frozenset[str] = frozenset()
    """Stems and pairs of characters that tell what the claim is about, outside all its slots."""
    matter: frozenset[str] = frozenset()
    """Those of ``words`` that stand outside the acts and names too: what is done to what, and how."""
    denied: frozenset[str] = frozenset()
    """Stems and pairs outside the acts that stand beside a negation: what was not replaced, not insured."""
    names: tuple[str, ...] = ()
    """What looks like a name and is none of the catalogue: capitalised words, words in katakana."""
    subject: Subject | None = None
    """Who acts, by a name that the catalogue lacks."""
    places: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Countries by their English names, each as the text names it."""
    clauses: tuple[Clause, ...] = ()


Slot = Literal["date", "figure", "agent", "roles", "polarity"]


@dataclass(frozen=True, slots=True)
class Difference:
    """What a claim and a source say in one slot, as it stands in their texts: two things, or (among a
    comparison's ``agreed``) the same in two notations."""

    slot: Slot
    claimed: str
    found: str


ElementKind = Literal["figure", "name", "place", "act", "qualifier", "modality", "negation", "clause"]


@dataclass(frozen=True, slots=True)
class MissingElement:
    """An element of a claim that a passage does not tell. ``text`` is the claim's own wording."""

    kind: ElementKind
    text: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """A claim held against one passage: what agrees (by slot, how many) and what does not."""

    shared_entities: int
    same_dates: int
    same_figures: int
    same_actions: int
    differences: tuple[Difference, ...]
    agreed: tuple[Difference, ...] = ()
    closeness: float = 0.0
    """How much more speaks for one event than against it, as a logit: above 0 where they are one."""
    is_sufficient: bool = True
    """Whether who, what and which one are shared, so that the claim can be called true or false by it."""
    same_event: bool = True
    """Whether the passage tells what the claim is about; where not, nothing else agrees or differs."""
    missing: frozenset[MissingElement] = frozenset()
    """Elements of the claim that the passage does not tell."""
    is_same_language: bool = True
