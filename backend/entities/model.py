"""Defines an entity of the catalogue, in YAML packs and in code.

The catalogue is used twice: article rules are derived from its names, and entity extraction resolves every
name in it to one entity.
"""

from typing import Annotated, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

Language = Literal["en", "ja", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

EntityType = Literal[
    "asset",
    "stablecoin",
    "protocol",
    "exchange",
    "company",
    "regulator",
    "organization",
    "media",
    "data_provider",
    "person",
    "term",
]
"""``term`` is a term of the field (DeFi, 暗号資産): articles have rules for it, extraction omits it."""

DOMAIN_ENTITY_TYPES: frozenset[EntityType] = frozenset(
    ("asset", "stablecoin", "protocol", "exchange", "data_provider", "term")
)
"""Types whose entities occur mostly in texts about the field. Banks, ministers and newspapers do not."""

Case = Literal["exact", "any", "any-near-evidence", "title-at-sentence-start"]
"""How a name in Latin script may be written.

``exact``: as given, or in capitals if its line is in capitals. ``any``: in any case.
``any-near-evidence``: as given, or in any case near evidence of the field (a tether is also a rope).
``title-at-sentence-start``: as given, or with an initial capital at the start of a sentence or in a title.
"""

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:[.-][a-z0-9]+)*$", max_length=100)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^\S(?:.*\S)?$")]
Neighbour = Annotated[str, StringConstraints(min_length=1, max_length=100)]
PartialDate = Annotated[str, StringConstraints(pattern=r"^\d{4}(?:-\d{2}(?:-\d{2})?)?$")]


class FrozenModel(BaseModel):
    """Strict and immutable base model. Unknown fields are refused, since they are probably typing errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class FormerName(FrozenModel):
    """A name that was right until a date. Using it is a judgement, so it is never fixed automatically."""

    name: Name
    until: PartialDate | None = None
    """Year, month or day of the change; null for a style that is no longer used."""


class NameCondition(FrozenModel):
    """A condition: the name does not count if it is part of another word, as 币安 in 人民币安全."""

    name: Name
    """One of the entity's names or former names, as written there. Its wrong forms share the condition."""
    not_before: tuple[Neighbour, ...] = ()
    """The name does not count if one of these follows it."""
    not_after: tuple[Neighbour, ...] = ()
    """The name does not count if one of these precedes it."""
    boundary: Literal["katakana-run"] | None = None
    """``katakana-run``: the name does not count next to katakana, regardless of its length.

    Katakana names that are ordinary words always have this condition.
    """


class Entity(FrozenModel):
    """A person, organisation, asset or term with one canonical name per language."""

    id: Slug
    type: EntityType
    names: dict[Language, Name] = Field(min_length=1)
    """The canonical name in each language; without one, the English name is used."""
    also: dict[Language, tuple[Name, ...]] = Field(default_factory=dict)
    """Other right names: they match, are no violation, and protect the text within them."""
    symbols: tuple[Name, ...] = ()
    """Tickers in their exact capitals."""
    symbols_need_context: bool = True
    """False for unambiguous tickers (BTC, ETH). A cashtag never needs context."""
    case: Case = "exact"
    context: bool | tuple[Name, ...] = False
    """Names that are also ordinary words. True: all names of one word.

    They count only in their exact capitals, near a term of the field or another, unambiguous entity in the
    same paragraph.
    """
    need_cues: tuple[Name, ...] = ()
    """Names in ``context`` that are words of the field too (Bridge): near evidence alone they do not count.

    A verb, an office or another name beside them must show that they are names.
    """
    evidence: bool | None = None
    """Whether its names show that a text is about the field, so that ordinary words near them count as names.

    Null: decided by type. Assets, stablecoins, protocols, exchanges, data providers and terms count as
    evidence, and so do the trade press and official projects.
    """
    former: tuple[FormerName, ...] = ()
    alternatives: tuple[tuple[Name, ...], ...] = ()
    """Groups of its names of which one article should use only one (暗号資産, 仮想通貨)."""
    conditions: tuple[NameCondition, ...] = ()
    """Conditions under which its names are parts of other words."""
    asset: Slug | None = None
    """Id of the asset in the market configuration, if there is one."""
    official_domains: tuple[str, ...] = ()
    official_x_accounts: tuple[str, ...] = ()
    authority: str | None = None
    """Authority of its own statements: regulator, official_project, exchange, press and so on."""
    status: Literal["active", "defunct", "merged"] = "active"
    checked: PartialDate | None = None
    """Date of the last check of domains and accounts."""
    note: str | None = None

    @model_validator(mode="after")
    def _conditions_are_of_own_names(self) -> Self:
        own_names = {*self.names.values(), *(name for names in self.also.values() for name in names)}
        own_names |= {former.name for former in self.former}
        for condition in self.conditions:
            if condition.name not in own_names:
                raise ValueError(f"'conditions' names '{condition.name}', which is not one of its names.")
        return self

    @property
    def is_domain_evidence(self) -> bool:
        """Whether its unambiguous names are evidence that a text is about the field."""
        if self.evidence is not None:
            return self.evidence
        return self.type in DOMAIN_ENTITY_TYPES or self.authority in ("trade_press", "official_project")

    def condition(self, name: str) -> NameCondition | None:
        """The condition of ``name``; None if it always counts."""
        return next((condition for condition in self.conditions if condition.name == name), None)

    @property
    def market_asset(self) -> str | None:
        """Asset id in the market of an entity that is an asset; by default its own id."""
        return self.asset or (self.id if self.type in ("asset", "stablecoin") else None)

    def name(self, language: Language) -> str:
        """The canonical name for an article in ``language``."""
        return self.names.get(language) or self.names.get("en") or next(iter(self.names.values()))
