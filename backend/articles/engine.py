"""Scans articles for entity names and violations of naming rules, and corrects them.

All functions are deterministic: the same rules and article always give the same result.
"""

from dataclasses import dataclass

from backend.articles.matching.context_votes import ContextVotes
from backend.articles.matching.fixes import Fix
from backend.articles.matching.fixpoint import Fixes, find_fixpoint
from backend.articles.matching.matched_field import MatchedField
from backend.articles.matching.parsed_article import ParsedArticle, ParsedField
from backend.articles.matching.rule_set import RuleSet, compile_rules
from backend.articles.model import FieldName
from backend.articles.schemas import (
    ApplyResult,
    Article,
    ArticleOut,
    Correction,
    Match,
    ScanResult,
    Violation,
)
from backend.articles.text.language_detection import detect
from backend.entities.model import Language

__all__ = ["Corrected", "RuleSet", "apply", "apply_and_scan", "compile_rules", "correct", "mentions", "scan"]


@dataclass(frozen=True, slots=True)
class Corrected:
    """A text with all its deterministic corrections, and the violations found in it."""

    text: str
    violations: list[Violation]
    corrections: list[Correction]


def scan(rules: RuleSet, article: Article) -> ScanResult:
    """Find all entity names in ``article``, their violations, and every deterministic correction.

    ``corrected_article`` contains all corrections, including those that need approval. A correction that
    would cause a new violation always needs approval, even if its rule allows automatic fixes.
    """
    read = ParsedArticle(rules, article)
    auto, _ = find_fixpoint(read, _automatic_fixes(read))
    return _scan_result(read, auto)


def apply(rules: RuleSet, article: Article) -> ApplyResult:
    """Make the corrections of ``article`` that need no approval. Applying again changes nothing."""
    read = ParsedArticle(rules, article)
    auto, _ = find_fixpoint(read, _automatic_fixes(read))
    return _apply_result(read, auto)


def apply_and_scan(rules: RuleSet, article: Article) -> tuple[ApplyResult, ScanResult]:
    """Run :func:`apply`, and :func:`scan` on the corrected article, in less time than both calls."""
    read = ParsedArticle(rules, article)
    auto, corrected = find_fixpoint(read, _automatic_fixes(read))
    # Corrections that remain were held back, and a second run would hold them back again.
    return _apply_result(read, auto), _scan_result(corrected, {})


def _scan_result(read: ParsedArticle, auto: Fixes) -> ScanResult:
    """Build the result of a scan. ``auto`` contains the corrections that need no approval."""
    all_fixes = _all_fixes(read)
    article_id = read.article.id
    result: ScanResult = {
        "article_id": article_id,
        "matches": [match for field in read.fields for match in _matches(article_id, field)],
        "violations": [violation for field in read.fields for violation in _violations(read, field, auto)],
        "corrections": [
            correction for field in read.fields for correction in _corrections(read, field, all_fixes, auto)
        ],
        "corrected_article": build_article_out(read.corrected(all_fixes)),
    }
    if read.judging_date is not None:
        (day,) = read.judging_date
        result["article_date"] = day.isoformat() if day else None
    return result


def _apply_result(read: ParsedArticle, auto: Fixes) -> ApplyResult:
    applied = [correction for field in read.fields for correction in _corrections(read, field, auto, auto)]
    return {
        "article_id": read.article.id,
        "applied_count": len(applied),
        "applied": applied,
        "corrected_article": build_article_out(read.corrected(auto)),
    }


def correct(rules: RuleSet, text: str, *, language: Language, field: FieldName = "content") -> Corrected:
    """Make all deterministic corrections of a single text, read as ``field`` of an article."""
    value = [text] if field == "tags" else text
    read = ParsedArticle(rules, Article.model_validate({field: value, "language": language}))
    if not read.fields:
        return Corrected(text, [], [])
    all_fixes = _all_fixes(read)
    auto, _ = find_fixpoint(read, _automatic_fixes(read))
    parsed_field = read.fields[0]
    corrected = read.corrected(all_fixes)
    return Corrected(
        text=corrected.tags[0] if field == "tags" else getattr(corrected, field),
        violations=_violations(read, parsed_field, auto),
        corrections=_corrections(read, parsed_field, all_fixes, auto),
    )


def mentions(rules: RuleSet, text: str) -> list[tuple[int, int, str]]:
    """List start, end and entity of all names in ``text``, correct or not, sorted and without overlaps.

    The result equals the matches of :func:`scan` in an article's content, and is computed faster.
    """
    matched_field = MatchedField(rules, text, "content", "content", detect([text]))
    matched_field.find_occurrences(ContextVotes(matched_field).has_context)
    return [
        (*matched_field.to_source_span(start, end), meaning.entity)
        for start, end, meaning, _ in matched_field.occurrences
        if meaning.entity
    ]


def _all_fixes(read: ParsedArticle) -> Fixes:
    return {field.matched_field.field_path: field.fixes for field in read.fields if field.fixes}


def _automatic_fixes(read: ParsedArticle) -> Fixes:
    """Select the corrections that need no approval."""
    automatic = {path: [fix for fix in fixes if fix.auto] for path, fixes in _all_fixes(read).items()}
    return {path: fixes for path, fixes in automatic.items() if fixes}


def _matches(article_id: str | None, field: ParsedField) -> list[Match]:
    path, text = field.matched_field.field_path, field.text
    return [
        {
            "article_id": article_id,
            "entity_id": meaning.entity,
            "field": path,
            "matched_text": text[start:end],
            "start_offset": start,
            "end_offset": end,
        }
        for start, end, meaning, _ in field.found
        if meaning.entity is not None
    ]


def _violations(read: ParsedArticle, field: ParsedField, auto: Fixes) -> list[Violation]:
    path, text = field.matched_field.field_path, field.text
    fixed = {fix.start for fix in auto.get(path, ())}
    violations: list[Violation] = []
    for start, end, meaning, right in field.found:
        if meaning.rule is None:
            continue
        violation: Violation = {
            "article_id": read.article.id,
            "entity_id": meaning.entity,
            "rule_id": meaning.rule.id,
            "field": path,
            "matched_text": text[start:end],
            "suggested_name": right,
            "language": read.language,
            "violation_type": meaning.rule.type,
            "severity": meaning.rule.severity,
            "start_offset": start,
            "end_offset": end,
            "auto_fixable": start in fixed,
        }
        if meaning.rule.reasons:
            violation["reasons"] = dict(meaning.rule.reasons)
        violations.append(violation)
    if field.missing:
        violations += [
            _first_mention_violation(read, path, text, fix, fix.start in fixed) for fix in field.missing
        ]
        violations.sort(key=lambda violation: (violation["start_offset"], violation["end_offset"]))
    return violations


def _first_mention_violation(
    read: ParsedArticle, path: str, text: str, fix: Fix, auto_fixable: bool
) -> Violation:
    return {
        "article_id": read.article.id,
        "entity_id": fix.rule.entity,
        "rule_id": fix.rule.id,
        "field": path,
        "matched_text": text[fix.start : fix.end],
        "suggested_name": fix.text,
        "language": read.language,
        "violation_type": fix.rule.type,
        "severity": fix.rule.severity,
        "start_offset": fix.start,
        "end_offset": fix.end,
        "auto_fixable": auto_fixable,
    }


def _corrections(read: ParsedArticle, field: ParsedField, made: Fixes, auto: Fixes) -> list[Correction]:
    path, text = field.matched_field.field_path, field.text
    fixed = {fix.start for fix in auto.get(path, ())}
    return [
        {
            "article_id": read.article.id,
            "entity_id": fix.rule.entity,
            "rule_id": fix.rule.id,
            "field": path,
            "original_text": text[fix.start : fix.end],
            "corrected_text": fix.text,
            "language": read.language,
            "start_offset": fix.start,
            "end_offset": fix.end,
            "auto_fixable": fix.start in fixed,
            "requires_approval": fix.start not in fixed,
        }
        for fix in made.get(path, ())
    ]


def build_article_out(article: Article) -> ArticleOut:
    return {
        "id": article.id,
        "title": article.title,
        "summary": article.summary,
        "content": article.content,
        "tags": article.tags,
        "source": article.source,
        "language": article.language,
    }
