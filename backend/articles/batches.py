"""Articles read as the answers hold them: JSON, and beside it the violations for the store."""

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
    """The results of some articles in their order: JSON objects with commas between them, and what a
    scan of them found."""

    results: bytes
    violations: list[Violation]


def run_batch(work: BatchOperation, rules: RuleSet, articles: Iterable[Article]) -> BatchResult:
    """Each article's result is encoded at once, so that no more than one is held as objects."""
    results, found = _BATCH_FUNCTIONS[work](rules, articles)
    return BatchResult(b",".join(results), found)


def _scan(rules: RuleSet, articles: Iterable[Article]) -> tuple[list[bytes], list[Violation]]:
    results, found = [], []
    for article in articles:
        result = scan(rules, article)
        results.append(orjson.dumps(result))
        found += result["violations"]
    return results, found


def _apply(rules: RuleSet, articles: Iterable[Article]) -> tuple[list[bytes], list[Violation]]:
    return [orjson.dumps(apply(rules, article)) for article in articles], []


_BATCH_FUNCTIONS: Mapping[
    BatchOperation, Callable[[RuleSet, Iterable[Article]], tuple[list[bytes], list[Violation]]]
] = {
    "scan": _scan,
    "apply": _apply,
}


def text_size(article: Article) -> int:
    """Characters that are to be read."""
    texts = (article.title, article.summary, article.content, *article.tags)
    return sum(len(text) for text in texts if text)
