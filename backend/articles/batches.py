"""Articles read as the answers hold them: JSON, and beside it the violations for the store."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import orjson

from backend.articles.engine import apply, scan
from backend.articles.matching.rule_set import RuleSet
from backend.articles.schemas import Article, Violation

Work = Literal["scan", "apply"]


@dataclass(frozen=True, slots=True)
class Done:
    """The results of some articles in their order: JSON objects with commas between them, and what a
    scan of them found."""

    results: bytes
    violations: list[Violation]


def work_on(work: Work, rules: RuleSet, articles: Iterable[Article]) -> Done:
    """Each article's result is encoded at once, so that no more than one is held as objects."""
    results, found = WORKS[work](rules, articles)
    return Done(b",".join(results), found)


def _scan(rules: RuleSet, articles: Iterable[Article]) -> tuple[list[bytes], list[Violation]]:
    results, found = [], []
    for article in articles:
        result = scan(rules, article)
        results.append(orjson.dumps(result))
        found += result["violations"]
    return results, found


def _apply(rules: RuleSet, articles: Iterable[Article]) -> tuple[list[bytes], list[Violation]]:
    return [orjson.dumps(apply(rules, article)) for article in articles], []


WORKS: Mapping[Work, Callable[[RuleSet, Iterable[Article]], tuple[list[bytes], list[Violation]]]] = {
    "scan": _scan,
    "apply": _apply,
}


def text_size(article: Article) -> int:
    """Characters that are to be read."""
    texts = (article.title, article.summary, article.content, *article.tags)
    return sum(len(text) for text in texts if text)
