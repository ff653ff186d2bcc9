"""Surfaces that are doubtful by themselves."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from backend.articles.lint.lint_context import LintContext, LintIssue, RulePattern, right_names
from backend.articles.rules.yaml_reader import read_document
from backend.entities.model import Entity

COMMON_WORDS = Path(__file__).parents[1] / "data" / "common_words.yaml"
SHORT = 3
"""Characters from which a surface is long enough to be corrected without a further condition."""


@cache
def common_words() -> Mapping[str, frozenset[str]]:
    """Words of ordinary sentences, in lower case, by language."""
    data = read_document(COMMON_WORDS).data
    return {language: frozenset(words.split()) for language, words in data.items()}


def doubtful_surfaces(ground: LintContext) -> Iterator[LintIssue]:
    for surface in ground.surfaces:
        if surface.rule.auto_fix and not surface.conditional:
            yield from _corrected_blindly(surface)
    for entity in ground.pack.entities:
        yield from _ordinary_names(entity)


def _corrected_blindly(surface: RulePattern) -> Iterator[LintIssue]:
    advice = "Remove 'auto_fix', or add 'context', 'not_before' or 'not_after'."
    language = next((lang for lang, words in common_words().items() if surface.folded in words), None)
    # A rule that tells capitals apart leaves the ordinary word alone, unless it is meant by it.
    if language is not None and not (surface.exact and surface.text != surface.text.lower()):
        yield LintIssue(
            "common_word",
            surface.rule.id,
            "error",
            f"'{surface.text}' is an ordinary word ({language}), and would be corrected without approval.",
            advice,
            surface.where,
        )
    elif len(surface.folded) < SHORT:
        yield LintIssue(
            "short",
            surface.rule.id,
            "warning",
            f"'{surface.text}' has fewer than {SHORT} characters, and would be corrected without approval.",
            advice,
            surface.where,
        )


def _ordinary_names(entity: Entity) -> Iterator[LintIssue]:
    """Names whose other capitals are ordinary words, and that count everywhere."""
    if entity.context is True or entity.case == "any":
        return
    for name, language, where in right_names(entity):
        is_word = name.lower() in common_words()["en"] and name != name.upper()
        if is_word and not (isinstance(entity.context, tuple) and name in entity.context):
            yield LintIssue(
                "common_name",
                entity.id,
                "warning",
                f"its name '{name}' ({language}) is an ordinary word, and counts without evidence.",
                "Add it to 'context', so that it counts only beside words of the field.",
                where,
                "entities",
            )
