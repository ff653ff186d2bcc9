"""The first mention of an entity in a field, which house style may want in a form of its own."""

import re

from backend.articles.matching.author_intent import AuthorIntent
from backend.articles.matching.explicit_rules import FirstMention
from backend.articles.matching.field_matcher import FieldMatcher
from backend.articles.matching.fixes import Fix
from backend.articles.matching.former_names import Occurrence
from backend.articles.matching.meanings import Kind

_OPENS = re.compile(r"\s?[(（]\s?")
_CLOSES = re.compile(r"\s?[)）]")


def find_missing_forms(matcher: FieldMatcher, fixes: list[Fix]) -> list[Fix]:
    """Find the corrections of first mentions that lack their form; ``fixes`` are the field's fixes so far.

    Where the first mention is a wrong form that has a correction, that one is replaced in ``fixes`` by
    one that gives the form at once: else the corrected text would be wrong anew.
    """
    missing: list[Fix] = []
    for mention in matcher.rules.mentions:
        if not mention.scope & matcher.bit:
            continue
        index = _find_first(matcher.found, mention)
        if index is None or matcher.found[index][2].kind is Kind.FIRST_MENTION:
            continue
        fix = _build_fix(matcher, index, mention)
        if fix is not None and AuthorIntent(matcher.text).is_disabled(fix.start, fix.rule, fix.rule.entity):
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


def _build_fix(matcher: FieldMatcher, index: int, mention: FirstMention) -> Fix | None:
    start, end, _, right = matcher.found[index]
    text = matcher.text
    form = mention.form
    if text[start:end].isupper() and matcher.lines.in_capitals(start):
        form = form.upper()
    if right is not None and form.startswith(right) and text.startswith(form[len(right) :], end):
        return None
    return Fix(start, _find_end_with_brackets(matcher, index), form, mention.rule, mention.rule.auto_fix)


def _find_end_with_brackets(matcher: FieldMatcher, index: int) -> int:
    """Return the end of the mention, after a bracket that contains only another of its right names."""
    _, end, meaning, _ = matcher.found[index]
    if index + 1 == len(matcher.found):
        return end
    start, inner_end, inner, _ = matcher.found[index + 1]
    opens = _OPENS.fullmatch(matcher.text, end, start)
    closes = _CLOSES.match(matcher.text, inner_end)
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
