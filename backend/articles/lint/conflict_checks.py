"""Checks for rules and entities that contradict each other."""

from collections import defaultdict
from collections.abc import Iterator

from backend.articles.lint.lint_context import LintContext, LintIssue, RulePattern, list_correct_names
from backend.articles.text.folding import fold
from backend.entities.model import Entity


def check_conflicts(context: LintContext) -> Iterator[LintIssue]:
    yield from _check_same_pattern(context)
    yield from _check_correct_names(context)
    yield from _check_shared_symbols(context)


def _check_same_pattern(context: LintContext) -> Iterator[LintIssue]:
    by_fold: dict[str, list[RulePattern]] = defaultdict(list)
    for pattern in context.patterns:
        for earlier in by_fold[pattern.folded]:
            if not pattern.overlaps(earlier) or pattern.conditional or earlier.conditional:
                continue
            if earlier.rule.id == pattern.rule.id:
                yield LintIssue(
                    "repeated",
                    pattern.rule.id,
                    "warning",
                    f"'{pattern.text}' matches only what '{earlier.text}' of the same rule also matches.",
                    "Remove one of them.",
                    pattern.where,
                )
            else:
                yield LintIssue(
                    "two_rules",
                    pattern.rule.id,
                    "error",
                    f"'{pattern.text}' is also a pattern of rule '{earlier.rule.id}'; only one can apply.",
                    "Remove it from one of them, or separate the rules by 'languages', 'fields' or 'case'.",
                    pattern.where,
                )
            break
        by_fold[pattern.folded].append(pattern)


def _check_correct_names(context: LintContext) -> Iterator[LintIssue]:
    right: dict[str, list[tuple[str, Entity]]] = defaultdict(list)
    for entity in context.pack.entities:
        for name, _, _ in list_correct_names(entity):
            right[fold(name).text].append((name, entity))
    for pattern in context.patterns:
        for name, entity in right.get(pattern.folded, ()):
            # A rule about the entity itself may override one of its names: a house style chooses that way.
            if entity.id == pattern.rule.entity or (pattern.exact and pattern.text != name):
                continue
            if pattern.rule.context or entity.context:
                continue
            precedence = "which takes precedence" if pattern.rule.entity else "which the rule overrides"
            yield LintIssue(
                "right_is_wrong",
                pattern.rule.id,
                "error" if pattern.rule.entity else "warning",
                f"'{pattern.text}' is wrong here, "
                f"but '{name}' is a correct name of '{entity.id}', {precedence}.",
                f"Remove it here or from the entity's names, or set the rule's 'entity' to '{entity.id}'.",
                pattern.where,
            )
            break


def _check_shared_symbols(context: LintContext) -> Iterator[LintIssue]:
    owners: dict[str, list[Entity]] = defaultdict(list)
    for entity in context.pack.entities:
        for symbol in entity.symbols:
            owners[symbol].append(entity)
    for symbol, entities in owners.items():
        unconditional = [entity for entity in entities if not entity.symbols_need_context]
        if len(entities) < 2 or not unconditional:
            continue
        for entity in unconditional:
            others = ", ".join(f"'{other.id}'" for other in entities if other is not entity)
            yield LintIssue(
                "shared_symbol",
                entity.id,
                "error",
                f"its symbol {symbol} is also that of {others}, and matches without context.",
                "Set 'symbols_need_context: true', or remove the symbol from one of them.",
                ("symbols", entity.symbols.index(symbol)),
                "entities",
            )
