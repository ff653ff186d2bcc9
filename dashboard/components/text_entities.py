"""Asks the service which entities texts name, by its own rules."""

from collections.abc import Sequence
from typing import NamedTuple

from dashboard.client import articles
from dashboard.client.article_schemas import Article
from dashboard.components import text_marks
from dashboard.components.text_marks import Mark


class EntityScan(NamedTuple):
    """``marks`` are those of each article, field by field; null when the service cannot be asked."""

    marks: list[list[Mark]] | None
    rules_version: str = ""
    """Of the rules by which the articles were read; empty when they were not."""


def scan_entities(sent: Sequence[Article], fields: Sequence[str]) -> EntityScan:
    """Find every place in ``fields`` of each article that names an entity."""
    answer = articles.scan(sent, persist=False)
    if answer.error is not None or answer.data is None:
        return EntityScan(None)
    version = articles.get_rules_version(answer)
    book = articles.fetch_rules(version).data
    if book is None:
        return EntityScan(None, version)
    entities = book["entities"]
    marks = [
        [mark for field in fields for mark in text_marks.entity_marks(result["matches"], entities, field)]
        for result in answer.data
    ]
    return EntityScan(marks, version)
