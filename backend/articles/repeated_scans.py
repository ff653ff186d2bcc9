"""Keeps the answers of stored scans for repeated requests, without the texts of the articles.

A request that is repeated with its ``Idempotency-Key`` gets the first answer, also if the rules changed in
between. The corrected articles are made again from the articles that the request repeats.
"""

import gzip
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import orjson

from backend.articles.batches import JsonResults
from backend.articles.engine import build_article_out
from backend.articles.schemas import Article, ArticleOut, Correction
from backend.jobs.idempotency import compute_digest


def compute_scan_digest(articles: Sequence[Article]) -> str:
    """Hash the articles of a request, with what they accept."""
    return compute_digest("scan", [article.model_dump() for article in articles])


def pack_answer(results: JsonResults) -> bytes:
    """Compress the results of a scan without the corrected articles."""
    found = orjson.loads(results.body)
    for result in found:
        result["corrected_article"] = None
    packed = {"rules_version": results.rules_version, "results": found}
    return gzip.compress(orjson.dumps(packed), compresslevel=1, mtime=0)


def unpack_answer(packed: bytes, articles: Sequence[Article]) -> JsonResults:
    """Restore the results of :func:`pack_answer`, byte for byte, from the articles of that scan."""
    answer: dict[str, Any] = orjson.loads(gzip.decompress(packed))
    for result, article in zip(answer["results"], articles, strict=True):
        result["corrected_article"] = _correct(article, result["corrections"])
    return JsonResults(orjson.dumps(answer["results"]), answer["rules_version"])


def _correct(article: Article, corrections: Sequence[Correction]) -> ArticleOut:
    by_field: defaultdict[str, list[Correction]] = defaultdict(list)
    for correction in corrections:
        by_field[correction["field"]].append(correction)
    changes: dict[str, Any] = {"tags": list(article.tags)}
    for field, made in by_field.items():
        if field.startswith("tags"):
            index = int(field[len("tags[") : -1])
            changes["tags"][index] = _apply(article.tags[index], made)
        else:
            changes[field] = _apply(getattr(article, field), made)
    return build_article_out(article.model_copy(update=changes))


def _apply(text: str, corrections: Sequence[Correction]) -> str:
    """Apply corrections of one text, which are sorted and disjoint."""
    parts, position = [], 0
    for correction in corrections:
        parts += [text[position : correction["start_offset"]], correction["corrected_text"]]
        position = correction["end_offset"]
    return "".join([*parts, text[position:]])
