"""Builds corrections for first mentions of entities that lack the form that the house style requires."""

import re

from backend.articles.matching.author_intent import AuthorIntent
from backend.articles.matching.explicit_rules import FirstMention
from backend.articles.matching.fixes import Fix
from backend.articles.matching.former_names import Occurrence
from backend.articles.matching.matched_field import MatchedField
from backend.articles.matching.meanings import Kind

_OPENS = re.compile(r"\s?[(（]\s?")
_CLOSES = re.compile(r"\s?[)）]")


def find_missing_forms(matched_field: MatchedField, fixes: list[Fix]) -> list[Fix]:
    """Find the corrections of first mentions that lack their form; ``fixes`` are the field's fixes so far.

    If the first mention is a wrong form with a correction, this function replaces that correction in
    ``fixes``. Otherwise the corrected text would still lack the required form.
    """
    missing: list[Fix] = []
    for mention in matched_field.rules.mentions:
        if not mention.scope & matched_field.scope_bit:
            continue
        index = _find_first(matched_field.occurrences, mention)
        if index is None or matched_field.occurrences[index][2].kind is Kind.FIRST_MENTION:
            continue
        fix = _build_fix(matched_field, index, mention)
        if fix is not None and AuthorIntent(matched_field.visible_text).is_disabled(
            fix.start, fix.rule, fix.rule.entity
        ):
            continue
        if fix is None or any(
            fix.start < other_fix.end and other_fix.start < fix.end for other_fix in missing
        ):
            continue
        missing.append(fix)
        _merge_fix(fixes, fix)
    return missing


def _find_first(occurrences: list[Occurrence], mention: FirstMention) -> int | None:
    for index, (_, _, meaning, right) in enumerate(occurrences):
        if meaning.entity == mention.entity and (meaning.rule is None or right is not None):
            return index
    return None


def _build_fix(matched_field: MatchedField, index: int, mention: FirstMention) -> Fix | None:
    start, end, _, right = matched_field.occurrences[index]
    text = matched_field.visible_text
    form = mention.form
    if text[start:end].isupper() and matched_field.capitalization.in_capitals(start):
        form = form.upper()
    if right is not None and form.startswith(right) and text.startswith(form[len(right) :], end):
        return None
    return Fix(
        start, _find_end_with_brackets(matched_field, index), form, mention.rule, mention.rule.auto_fix
    )


def _find_end_with_brackets(matched_field: MatchedField, index: int) -> int:
    """Return the end of the mention, after a bracket that contains only another of its right names."""
    _, end, meaning, _ = matched_field.occurrences[index]
    if index + 1 == len(matched_field.occurrences):
        return end
    start, inner_end, inner, _ = matched_field.occurrences[index + 1]
    opens = _OPENS.fullmatch(matched_field.visible_text, end, start)
    closes = _CLOSES.match(matched_field.visible_text, inner_end)
    if opens and closes and inner.entity == meaning.entity and inner.rule is None:
        return closes.end()
    return end


def _merge_fix(fixes: list[Fix], form: Fix) -> None:
    for index, fix in enumerate(fixes):
        if fix.start == form.start:
            fixes[index] = Fix(form.start, form.end, form.text, fix.rule, fix.auto and form.auto)
            return
    fixes.append(form)
    fixes.sort(key=lambda fix: fix.start)
