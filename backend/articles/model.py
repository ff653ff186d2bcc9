"""Defines the YAML format of rule packs. The published JSON Schema is generated from these classes."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from backend.entities.model import LANGUAGES, Entity, FrozenModel, Language, Name, PartialDate, Slug

ViolationType = Literal[
    "forbidden_variant",
    "wrong_case",
    "wrong_spacing",
    "wrong_script",
    "former_name",
    "missing_symbol",
    "ambiguous",
    "unlisted_slip",
    "inconsistent",
]
Severity = Literal["error", "warning", "info"]
FieldName = Literal["title", "summary", "content", "tags"]
FIELDS: tuple[FieldName, ...] = ("title", "summary", "content", "tags")

Boundary = Literal["auto", "word", "none", "katakana-run"]
"""Which characters may stand next to a match.

- ``word``: no letter or digit of a script that separates words.
- ``katakana-run``: no other katakana.
- ``none``: any character.
- ``auto``: ``katakana-run`` for names of at most four katakana, ``word`` for Latin letters and digits, else
  ``none``.
"""

Surface = Annotated[str, StringConstraints(min_length=1, max_length=100)]


class Pattern(FrozenModel):
    """A text to match. Conditions that are not set are those of the rule."""

    text: Surface
    not_before: tuple[Surface, ...] = ()
    """No match if one of these texts follows (以太访 before 客)."""
    not_after: tuple[Surface, ...] = ()
    """No match if one of these texts precedes."""
    boundary: Boundary | None = None
    case: Literal["exact", "any"] | None = None


class RuleExample(FrozenModel):
    """A test case of a rule, run whenever the rules are loaded.

    All corrections of the complete rule set together must turn ``from`` into ``to``. If ``finds`` is set, it
    states whether this rule reports a violation in ``from``, which also tests rules without a correction.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    from_: str = Field(alias="from")
    to: str
    language: Language | None = None
    """Language of the article; by default the rule's first language."""
    field: FieldName = "content"
    finds: bool | None = None


class Rule(FrozenModel):
    """A naming rule: texts that are wrong, and what to write instead."""

    id: Slug
    entity: Slug | None = None
    """The entity whose name the rule corrects; required for ``suggest: auto``."""
    type: ViolationType
    languages: tuple[Language, ...] = Field(default=LANGUAGES, min_length=1)
    """The rule applies to articles in these languages."""
    match: tuple[Surface | Pattern, ...] = ()
    first_mention: dict[Language, Name] | None = None
    """Instead of ``match``: how to write the entity where a field of the article first mentions it.

    ``{name}`` and ``{symbol}`` are replaced by the entity's own, as in "{name} ({symbol})".
    """
    suggest: Literal["auto"] | Name | dict[Language, Name] | tuple[Name, ...] = "auto"
    """``auto`` suggests the entity's name in the article's language. A list offers several names, and nothing
    is corrected automatically."""
    auto_fix: bool = False
    severity: Severity = "warning"
    case: Literal["exact", "any"] = "any"
    """Whether upper and lower case must match exactly."""
    context: bool = False
    """Match only near a word of the crypto domain or an unambiguous entity, in the same paragraph."""
    boundary: Boundary = "auto"
    fields: tuple[FieldName, ...] = Field(default=FIELDS, min_length=1)
    enabled: bool = True
    until: PartialDate | None = None
    """For former names: the year, month or day until which the matched name was right."""
    note: str | Annotated[dict[Language, str], Field(min_length=1)] | None = None
    """The reason that editors see: one text, or one for each language of the interface."""
    source: str | None = None
    """The origin of the rule, such as the URL of a style guide."""
    specs: tuple[RuleExample, ...] = Field(min_length=1)

    def reason(self, language: Language) -> str | None:
        """Return the note in ``language``, else in English, else in any language."""
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
    """Words of the crypto domain. Near them, in the same paragraph, ambiguous words count as names."""
    disable: tuple[Slug, ...] = ()
    """Ids of rules or entities of earlier packs to switch off."""
    enable: tuple[Slug, ...] = ()
    """Ids of rules of earlier packs to switch on; some rules are off by default."""
