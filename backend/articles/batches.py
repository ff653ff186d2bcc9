"""Scans or corrects articles one after another and encodes each result as JSON."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import orjson

from backend.articles.engine import apply, scan
from backend.articles.matching.rule_set import RuleSet
from backend.articles.schemas import Article, Violation

BatchOperation = Literal["scan", "apply"]


@dataclass(frozen=True, slots=True)
class BatchResult:
    """Results in the order of the articles: comma-separated JSON objects, and the violations of a scan."""

    results: bytes
    violations: list[Violation]


@dataclass(frozen=True, slots=True)
class JsonResults:
    """A JSON array of results, and the version of the rules that gave them."""

    body: bytes
    rules_version: str


def run_batch(operation: BatchOperation, rules: RuleSet, articles: Iterable[Article]) -> BatchResult:
    """Run ``operation`` on ``articles``. Only one result at a time is held as objects."""
    results, violations = _BATCH_FUNCTIONS[operation](rules, articles)
    return BatchResult(b",".join(results), violations)


def _scan(rules: RuleSet, articles: Iterable[Article]) -> tuple[list[bytes], list[Violation]]:
    results, violations = [], []
    for article in articles:
        result = scan(rules, article)
        results.append(orjson.dumps(result))
        violations += result["violations"]
    return results, violations


def _apply(rules: RuleSet, articles: Iterable[Article]) -> tuple[list[bytes], list[Violation]]:
    return [orjson.dumps(apply(rules, article)) for article in articles], []


_BATCH_FUNCTIONS: Mapping[
    BatchOperation, Callable[[RuleSet, Iterable[Article]], tuple[list[bytes], list[Violation]]]
] = {
    "scan": _scan,
    "apply": _apply,
}


def text_size(article: Article) -> int:
    """Return the number of characters in all texts of ``article``."""
    texts = (article.title, article.summary, article.content, *article.tags)
    return sum(len(text) for text in texts if text)
