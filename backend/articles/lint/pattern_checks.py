"""Checks single patterns and names: short or ordinary words that would be corrected without context."""

from collections.abc import Iterator

from backend.articles.lint.lint_context import LintContext, LintIssue, RulePattern, list_correct_names
from backend.articles.text.common_words import MIN_UNCONDITIONAL_CHARS, load_common_words
from backend.entities.model import Entity


def check_patterns(context: LintContext) -> Iterator[LintIssue]:
    for pattern in context.patterns:
        if pattern.rule.auto_fix and not pattern.conditional:
            yield from _check_automatic_fix(pattern)
    for entity in context.pack.entities:
        yield from _check_entity_names(entity)


def _check_automatic_fix(pattern: RulePattern) -> Iterator[LintIssue]:
    advice = "Remove 'auto_fix', or add 'context', 'not_before' or 'not_after'."
    language = next((lang for lang, words in load_common_words().items() if pattern.folded in words), None)
    # A case-sensitive rule does not match the ordinary word, unless it is written in lower case.
    if language is not None and not (pattern.exact and pattern.text != pattern.text.lower()):
        yield LintIssue(
            "common_word",
            pattern.rule.id,
            "error",
            f"'{pattern.text}' is an ordinary word ({language}), and would be corrected without approval.",
            advice,
            pattern.where,
        )
    elif len(pattern.folded) < MIN_UNCONDITIONAL_CHARS:
        yield LintIssue(
            "short",
            pattern.rule.id,
            "warning",
            f"'{pattern.text}' has fewer than {MIN_UNCONDITIONAL_CHARS} characters, "
            "and would be corrected without approval.",
            advice,
            pattern.where,
        )


def _check_entity_names(entity: Entity) -> Iterator[LintIssue]:
    """Generate issues of names that are ordinary words in another case and match without context."""
    if entity.context is True or entity.case == "any":
        return
    for name, language, where in list_correct_names(entity):
        is_word = name.lower() in load_common_words()["en"] and name != name.upper()
        if is_word and not (isinstance(entity.context, tuple) and name in entity.context):
            yield LintIssue(
                "common_name",
                entity.id,
                "warning",
                f"its name '{name}' ({language}) is an ordinary word, and matches without context.",
                "Add it to 'context', so that it matches only near words of the crypto domain.",
                where,
                "entities",
            )
