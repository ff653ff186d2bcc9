"""The first mention of an entity in a field, which house style may want in a form of its own."""

import re

from backend.articles.matching.explicit_rules import FirstMention
from backend.articles.matching.field_matcher import FieldMatcher
from backend.articles.matching.fixes import Fix
from backend.articles.matching.former_names import Found
from backend.articles.matching.meanings import Kind

_OPENS = re.compile(r"\s?[(（]\s?")
_CLOSES = re.compile(r"\s?[)）]")


def missing_forms(reading: FieldMatcher, fixes: list[Fix]) -> list[Fix]:
    """Corrections of first mentions that lack their form; ``fixes`` are those of the field so far.

    Where the first mention is a wrong form that has a correction, that one is replaced in ``fixes`` by
    one that gives the form at once: else the corrected text would be wrong anew.
    """
    missing: list[Fix] = []
    for mention in reading.rules.mentions:
        if not mention.scope & reading.bit:
            continue
        k = _first(reading.found, mention)
        if k is None or reading.found[k][2].kind is Kind.FIRST_MENTION:
            continue
        fix = _missing(reading, k, mention)
        if fix is None or any(fix.start < other.end and other.start < fix.end for other in missing):
            continue
        missing.append(fix)
        _merge(fixes, fix)
    return missing


def _first(found: list[Found], mention: FirstMention) -> int | None:
    for k, (_, _, meaning, right) in enumerate(found):
        if meaning.entity == mention.entity and (meaning.rule is None or right is not None):
            return k
    return None


def _missing(reading: FieldMatcher, k: int, mention: FirstMention) -> Fix | None:
    start, end, _, right = reading.found[k]
    text = reading.text
    form = mention.form
    if text[start:end].isupper() and reading.lines.in_capitals(start):
        form = form.upper()
    if right is not None and form.startswith(right) and text.startswith(form[len(right) :], end):
        return None
    return Fix(start, _with_brackets(reading, k), form, mention.rule, mention.rule.auto_fix)


def _with_brackets(reading: FieldMatcher, k: int) -> int:
    """The end of the mention, behind a bracket that holds nothing but another of its right names."""
    _, end, meaning, _ = reading.found[k]
    if k + 1 == len(reading.found):
        return end
    start, inner_end, inner, _ = reading.found[k + 1]
    opens = _OPENS.fullmatch(reading.text, end, start)
    closes = _CLOSES.match(reading.text, inner_end)
    if opens and closes and inner.entity == meaning.entity and inner.rule is None:
        return closes.end()
    return end


def _merge(fixes: list[Fix], form: Fix) -> None:
    for k, fix in enumerate(fixes):
        if fix.start == form.start:
            fixes[k] = Fix(form.start, form.end, form.text, fix.rule, fix.auto and form.auto)
            return
    fixes.append(form)
    fixes.sort(key=lambda fix: fix.start)
