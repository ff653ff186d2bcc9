"""Naming rules as their YAML packs write them. The published JSON Schema is made from these classes."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from backend.entities.model import LANGUAGES, Entity, Fact, Language, Name, Slug

ViolationType = Literal[
    "forbidden_variant",
    "wrong_case",
    "wrong_spacing",
    "wrong_script",
    "former_name",
    "missing_symbol",
    "ambiguous",
]
Severity = Literal["error", "warning", "info"]
FieldName = Literal["title", "summary", "content", "tags"]
FIELDS: tuple[FieldName, ...] = ("title", "summary", "content", "tags")

Boundary = Literal["auto", "word", "none", "katakana-run"]
"""``auto``: word boundaries for Latin letters and digits; for names of at most four katakana no katakana
beside; else none. ``word``, ``none``, ``katakana-run`` say so outright."""

Surface = Annotated[str, StringConstraints(min_length=1, max_length=100)]


class Pattern(Fact):
    """One surface with conditions of its own; those not given are the rule's."""

    text: Surface
    not_before: tuple[Surface, ...] = ()
    """The pattern does not count where one of these follows it (以太访 before 客)."""
    not_after: tuple[Surface, ...] = ()
    """Nor where one of these precedes it."""
    boundary: Boundary | None = None
    case: Literal["exact", "any"] | None = None


class Spec(Fact):
    """An example that must hold when the rules are loaded.

    With every correction of the whole set made, ``from`` becomes ``to``. ``finds`` says that this very
    rule reports something in ``from`` (for rules without a correction), or that it does not.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    from_: str = Field(alias="from")
    to: str
    language: Language | None = None
    """Of the article; by default the rule's first language."""
    field: FieldName = "content"
    finds: bool | None = None


class Rule(Fact):
    """A set of surfaces that should be written otherwise."""

    id: Slug
    entity: Slug | None = None
    """Whose name this is about; needed for ``suggest: auto``."""
    type: ViolationType
    languages: tuple[Language, ...] = Field(default=LANGUAGES, min_length=1)
    """Languages of articles that the rule is for."""
    match: tuple[Surface | Pattern, ...] = ()
    first_mention: dict[Language, Name] | None = None
    """Instead of ``match``: how the entity is written where a field names it first; ``{name}`` and
    ``{symbol}`` stand for the entity's own (as "{name} ({symbol})")."""
    suggest: Literal["auto"] | Name | dict[Language, Name] | tuple[Name, ...] = "auto"
    """``auto`` is the entity's name in the article's language; a list is ambiguous: no correction."""
    auto_fix: bool = False
    severity: Severity = "warning"
    case: Literal["exact", "any"] = "any"
    """Whether the surfaces match in their exact capitals alone."""
    context: bool = False
    """Counts only near a word of the field or an unambiguous entity, in the same paragraph."""
    boundary: Boundary = "auto"
    fields: tuple[FieldName, ...] = Field(default=FIELDS, min_length=1)
    enabled: bool = True
    note: str | Annotated[dict[Language, str], Field(min_length=1)] | None = None
    """Why, for the editor who sees it: one text, or one for each language that editors read."""
    source: str | None = None
    """Where the rule comes from, for who asks."""
    specs: tuple[Spec, ...] = Field(min_length=1)

    def reason(self, language: Language) -> str | None:
        """The note in ``language``; where there is none, the English one or whichever there is."""
        if not isinstance(self.note, dict):
            return self.note
        return self.note.get(language) or self.note.get("en") or next(iter(self.note.values()))


class Pack(BaseModel):
    """One YAML file: entities, rules, or both."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Literal[1]
    name: str | None = None
    description: str | None = None
    entities: tuple[Entity, ...] = ()
    rules: tuple[Rule, ...] = ()
    context_words: dict[Language, tuple[Name, ...]] = Field(default_factory=dict)
    """Words of the field that let ordinary words near them, in the same paragraph, count as names."""
    disable: tuple[Slug, ...] = ()
    """Ids of rules or entities of earlier packs that are switched off."""
    enable: tuple[Slug, ...] = ()
    """Ids of rules of earlier packs that are switched on (some are off by default)."""
