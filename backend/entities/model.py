"""One entity of the catalogue, as its YAML packs write it and as everything else reads it.

The catalogue is one file of facts with two users: article rules are derived from its names, and
entity extraction resolves every name in it to one entity.
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
"""``term`` is a word of the field (DeFi, 暗号資産): articles have rules for it, extraction leaves it out."""

DOMAIN_ENTITY_TYPES: frozenset[EntityType] = frozenset(
    ("asset", "stablecoin", "protocol", "exchange", "data_provider", "term")
)
"""Types of which most are named in texts about the field alone. Banks, ministers and newspapers are not."""

Case = Literal["exact", "any", "title-at-sentence-start"]
"""How a name in Latin script may be written. ``exact``: as given, or all in capitals where its line
is. ``any``: every way is right. ``title-at-sentence-start``: as given, and with a first capital at the
start of a sentence or in a title."""

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:[.-][a-z0-9]+)*$", max_length=100)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^\S(?:.*\S)?$")]
Neighbour = Annotated[str, StringConstraints(min_length=1, max_length=100)]
PartialDate = Annotated[str, StringConstraints(pattern=r"^\d{4}(?:-\d{2}(?:-\d{2})?)?$")]


class Fact(BaseModel):
    """Strict and immutable; a word that is not known is refused, since it is most likely a slip."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class FormerName(Fact):
    """A name that was right until a day; writing it is a matter of judgement, so never auto-fixed."""

    name: Name
    until: PartialDate | None = None
    """Year, month or day of the change; null for a style that fell out of use."""


class NameCondition(Fact):
    """Where one of an entity's names is part of another word: 币安 in 人民币安全."""

    name: Name
    """One of the entity's names or former names, as it is written there. Its wrong forms have the same
    conditions."""
    not_before: tuple[Neighbour, ...] = ()
    """The name does not count where one of these follows it."""
    not_after: tuple[Neighbour, ...] = ()
    """Nor where one of these precedes it."""
    boundary: Literal["katakana-run"] | None = None
    """``katakana-run``: no katakana may stand beside it, however long it is. So it is anyway with a name in
    katakana that is an ordinary word."""


class Entity(Fact):
    """Somebody or something with one canonical name per language."""

    id: Slug
    type: EntityType
    names: dict[Language, Name] = Field(min_length=1)
    """The canonical name in each language; where one is absent, the English one stands."""
    also: dict[Language, tuple[Name, ...]] = Field(default_factory=dict)
    """Other right names: a match, never a violation, and a shield for what they contain."""
    symbols: tuple[Name, ...] = ()
    """Tickers, in their exact capitals."""
    symbols_need_context: bool = True
    """False for tickers that mean nothing else (BTC, ETH). A cashtag never needs context."""
    case: Case = "exact"
    context: bool | tuple[Name, ...] = False
    """Which names are ordinary words too and count only in their exact capitals near a word of the field
    or another, unambiguous entity of it in the same paragraph. True: all names of one word."""
    evidence: bool | None = None
    """Whether its names tell that a text speaks of the field, so that ordinary words near them count as
    names. Null: as its type has it: assets, stablecoins, protocols, exchanges, data providers and terms do,
    and so do the trade press and whoever speaks for a project."""
    former: tuple[FormerName, ...] = ()
    conditions: tuple[NameCondition, ...] = ()
    """What may not stand beside its names, since they would be parts of other words there."""
    asset: Slug | None = None
    """Id in the market's list of assets, where there is one."""
    official_domains: tuple[str, ...] = ()
    official_x_accounts: tuple[str, ...] = ()
    authority: str | None = None
    """What their own statements count as: regulator, official_project, exchange, press and so on."""
    status: Literal["active", "defunct", "merged"] = "active"
    checked: PartialDate | None = None
    """When domains and accounts were last looked at."""
    note: str | None = None

    @model_validator(mode="after")
    def _conditions_are_of_own_names(self) -> Self:
        own = {*self.names.values(), *(name for names in self.also.values() for name in names)}
        own |= {former.name for former in self.former}
        for condition in self.conditions:
            if condition.name not in own:
                raise ValueError(f"'conditions' names '{condition.name}', which is none of its names.")
        return self

    @property
    def is_domain_evidence(self) -> bool:
        """Whether its unambiguous names are evidence."""
        if self.evidence is not None:
            return self.evidence
        return self.type in DOMAIN_ENTITY_TYPES or self.authority in ("trade_press", "official_project")

    def condition(self, name: str) -> NameCondition | None:
        """What may not stand beside ``name``; None where it counts everywhere."""
        return next((condition for condition in self.conditions if condition.name == name), None)

    @property
    def market_asset(self) -> str | None:
        """The market's id of an entity that is an asset: its own where none is named."""
        return self.asset or (self.id if self.type in ("asset", "stablecoin") else None)

    def name(self, language: Language) -> str:
        """The canonical name for an article in ``language``."""
        return self.names.get(language) or self.names.get("en") or next(iter(self.names.values()))
