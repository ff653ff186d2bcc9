"""Rules and facts that contradict each other."""

from collections import defaultdict
from collections.abc import Iterator

from backend.articles.lint.lint_context import LintContext, LintIssue, RulePattern, right_names
from backend.articles.text.folding import fold
from backend.entities.model import Entity


def conflicts(ground: LintContext) -> Iterator[LintIssue]:
    yield from _on_one_surface(ground)
    yield from _right_and_wrong(ground)
    yield from _shared_symbols(ground)


def _on_one_surface(ground: LintContext) -> Iterator[LintIssue]:
    by_fold: dict[str, list[RulePattern]] = defaultdict(list)
    for surface in ground.surfaces:
        for earlier in by_fold[surface.folded]:
            if not surface.meets(earlier) or surface.conditional or earlier.conditional:
                continue
            if earlier.rule.id == surface.rule.id:
                yield LintIssue(
                    "repeated",
                    surface.rule.id,
                    "warning",
                    f"'{surface.text}' matches nothing that '{earlier.text}' of the same rule does not.",
                    "Remove one of them.",
                    surface.where,
                )
            else:
                yield LintIssue(
                    "two_rules",
                    surface.rule.id,
                    "error",
                    f"'{surface.text}' is also a surface of rule '{earlier.rule.id}', and one alone can win.",
                    "Remove it from one of them, or part them by 'languages', 'fields' or 'case'.",
                    surface.where,
                )
            break
        by_fold[surface.folded].append(surface)


def _right_and_wrong(ground: LintContext) -> Iterator[LintIssue]:
    right: dict[str, list[tuple[str, Entity]]] = defaultdict(list)
    for entity in ground.pack.entities:
        for name, _, _ in right_names(entity):
            right[fold(name).text].append((name, entity))
    for surface in ground.surfaces:
        for name, entity in right.get(surface.folded, ()):
            # A rule about the entity itself may overrule one of its names: that is how styles choose.
            if entity.id == surface.rule.entity or (surface.exact and surface.text != name):
                continue
            if surface.rule.context or entity.context:
                continue
            before = "which goes before" if surface.rule.entity else "which it overrules"
            yield LintIssue(
                "right_is_wrong",
                surface.rule.id,
                "error" if surface.rule.entity else "warning",
                f"'{surface.text}' is wrong here, but '{name}' is a right name of '{entity.id}', {before}.",
                f"Remove it here or from the entity's names, or make the rule one about '{entity.id}'.",
                surface.where,
            )
            break


def _shared_symbols(ground: LintContext) -> Iterator[LintIssue]:
    owners: dict[str, list[Entity]] = defaultdict(list)
    for entity in ground.pack.entities:
        for symbol in entity.symbols:
            owners[symbol].append(entity)
    for symbol, entities in owners.items():
        free = [entity for entity in entities if not entity.symbols_need_context]
        if len(entities) < 2 or not free:
            continue
        for entity in free:
            others = ", ".join(f"'{other.id}'" for other in entities if other is not entity)
            yield LintIssue(
                "shared_symbol",
                entity.id,
                "error",
                f"its symbol {symbol} is also that of {others}, and counts without evidence.",
                "Set 'symbols_need_context: true', or remove the symbol from one of them.",
                ("symbols", entity.symbols.index(symbol)),
                "entities",
            )
