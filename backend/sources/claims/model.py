"""The slots of a claim. Offsets count code points in the text they were read from, end exclusive."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from backend.entities.model import Language

Precision = Literal["year", "quarter", "month", "day"]


@dataclass(frozen=True, slots=True)
class Mention:
    """A place where a text names an entity of the catalogue."""

    entity_id: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure with its unit: an ISO 4217 code, an asset's symbol, ``%``, or a counted noun in English
    ("block", "day"); None where the text gives none. ``approximate`` where the text says about, over, 約."""

    value: Decimal
    unit: str | None
    start: int
    end: int
    text: str
    approximate: bool = False


@dataclass(frozen=True, slots=True)
class DateSpan:
    """The days that a date may mean, first and last included; one day where ``precision`` is day."""

    first: date
    last: date
    precision: Precision
    start: int
    end: int
    text: str


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


Slot = Literal["date", "figure", "agent", "polarity"]


@dataclass(frozen=True, slots=True)
class Difference:
    """A slot in which a claim and a source say two things; both as they stand in their texts."""

    slot: Slot
    claimed: str
    found: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """A claim held against one passage: what agrees (by slot, how many) and what does not."""

    shared_entities: int
    same_dates: int
    same_figures: int
    same_actions: int
    differences: tuple[Difference, ...]
