"""Builds scan results in the service's format, for tests without the engine."""

from collections.abc import Sequence
from typing import Any, cast

from backend.articles.schemas import Correction, ScanResult, Violation
from dashboard.app_pages.corrections.article_edits import list_texts
from dashboard.client.article_schemas import Article, build_blank_article


def article(**fields: Any) -> Article:
    return cast(Article, {**build_blank_article(), **fields})


def build_violations(
    text: Article,
    word: str,
    suggestion: str | None,
    *,
    rule: str = "rule",
    severity: Any = "error",
    auto: bool = True,
    kind: Any = "forbidden_variant",
    entity: str | None = "ethereum",
    language: Any = "en",
) -> tuple[list[Violation], list[Correction]]:
    """Build a violation for each occurrence of ``word``, and a correction if there is a suggestion."""
    violations: list[Violation] = []
    corrections: list[Correction] = []
    for field, value in list_texts(text).items():
        start = value.find(word)
        while start >= 0:
            end = start + len(word)
            violations.append(
                {
                    "article_id": text["id"],
                    "entity_id": entity,
                    "rule_id": rule,
                    "field": field,
                    "matched_text": word,
                    "suggested_name": suggestion,
                    "language": language,
                    "violation_type": kind,
                    "severity": severity,
                    "start_offset": start,
                    "end_offset": end,
                    "auto_fixable": auto and suggestion is not None,
                }
            )
            if suggestion is not None:
                corrections.append(
                    {
                        "article_id": text["id"],
                        "entity_id": entity,
                        "rule_id": rule,
                        "field": field,
                        "original_text": word,
                        "corrected_text": suggestion,
                        "language": language,
                        "start_offset": start,
                        "end_offset": end,
                        "auto_fixable": auto,
                        "requires_approval": not auto,
                    }
                )
            start = value.find(word, end)
    return violations, corrections


def build_scan_result(text: Article, *parts: tuple[Sequence[Violation], Sequence[Correction]]) -> ScanResult:
    return {
        "article_id": text["id"],
        "matches": [],
        "violations": [violation for violations, _ in parts for violation in violations],
        "corrections": [correction for _, corrections in parts for correction in corrections],
        "corrected_article": text,
    }
