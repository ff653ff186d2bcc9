"""Provides the data for rule checks: the merged pack, its compiled rules and their patterns."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from backend.articles.matching.rule_set import RuleSet
from backend.articles.model import FieldName, Pack, Pattern, Rule
from backend.articles.text.folding import fold
from backend.entities.model import Entity, Language


@dataclass(frozen=True, slots=True)
class LintIssue:
    """An issue of a rule or entity. The linter adds its file and line."""

    kind: str
    owner: str
    severity: Literal["error", "warning"]
    sentence: str
    advice: str
    where: tuple[str | int, ...] = ()
    """Path within the rule or entity."""
    owner_kind: Literal["rules", "entities"] = "rules"


@dataclass(frozen=True, slots=True)
class RulePattern:
    """One pattern of a rule, with its effective conditions."""

    rule: Rule
    number: int
    pattern: Pattern
    folded: str

    @property
    def text(self) -> str:
        return self.pattern.text

    @property
    def exact(self) -> bool:
        return (self.pattern.case or self.rule.case) == "exact"

    @property
    def conditional(self) -> bool:
        """True if the pattern depends on the text beside it."""
        return bool(self.rule.context or self.pattern.not_before or self.pattern.not_after)

    @property
    def where(self) -> tuple[str | int, ...]:
        return ("match", self.number)

    def overlaps(self, other: "RulePattern") -> bool:
        """True if both patterns can match the same text of an article. Conditions are ignored."""
        same = self.text == other.text if self.exact and other.exact else self.folded == other.folded
        return (
            same
            and bool(set(self.rule.languages) & set(other.rule.languages))
            and bool(set(self.rule.fields) & set(other.rule.fields))
        )


@dataclass(frozen=True)
class LintContext:
    """A merged pack and its compiled rules."""

    pack: Pack
    compiled: RuleSet

    @cached_property
    def rules(self) -> list[Rule]:
        """The enabled rules."""
        return [rule for rule in self.pack.rules if rule.enabled]

    @cached_property
    def entities(self) -> Mapping[str, Entity]:
        return {entity.id: entity for entity in self.pack.entities}

    @cached_property
    def patterns(self) -> list[RulePattern]:
        return [
            RulePattern(rule, number, pattern, fold(pattern.text).text)
            for rule in self.rules
            for number, given in enumerate(rule.match)
            for pattern in [given if isinstance(given, Pattern) else Pattern(text=given)]
        ]

    def list_suggestions(self, rule: Rule) -> dict[Language, tuple[str, ...]]:
        """Return the suggestions of ``rule`` by language of the article."""
        found: dict[Language, tuple[str, ...]] = {}
        if rule.first_mention is not None:
            return found
        for language in rule.languages:
            if isinstance(rule.suggest, dict):
                found[language] = (rule.suggest[language],)
            elif isinstance(rule.suggest, tuple):
                found[language] = rule.suggest
            elif rule.suggest != "auto":
                found[language] = (rule.suggest,)
            elif rule.entity is not None:
                found[language] = (self.entities[rule.entity].name(language),)
        return found


def list_correct_names(entity: Entity) -> list[tuple[str, Language, tuple[str | int, ...]]]:
    """List each correct name of ``entity`` with its language and path."""
    names: list[tuple[str, Language, tuple[str | int, ...]]] = [
        (name, language, ("names", language)) for language, name in entity.names.items()
    ]
    for language, others in entity.also.items():
        names += [(name, language, ("also", language, number)) for number, name in enumerate(others)]
    return names


def get_first_field(rule: Rule) -> FieldName:
    return rule.fields[0]
