"""Requests the entities in texts from the service."""

from collections.abc import Sequence
from typing import NamedTuple

from dashboard.client import articles
from dashboard.client.article_schemas import Article
from dashboard.components import text_marks
from dashboard.components.text_marks import Mark


class EntityScan(NamedTuple):
    """``marks`` by article, in order of the fields; None if the service is unavailable."""

    marks: list[list[Mark]] | None
    rules_version: str = ""
    """Version of the rules that found the marks; empty without a response."""


def scan_entities(texts: Sequence[Article], fields: Sequence[str]) -> EntityScan:
    """Find all mentions of entities in ``fields`` of each article."""
    response = articles.scan(texts, persist=False)
    if response.error is not None or response.data is None:
        return EntityScan(None)
    version = articles.get_rules_version(response)
    rule_set = articles.fetch_rules(version).data
    if rule_set is None:
        return EntityScan(None, version)
    entities_by_id = text_marks.index_entities(rule_set["entities"])
    marks = [
        [
            mark
            for field in fields
            for mark in text_marks.build_entity_marks(result["matches"], entities_by_id, field)
        ]
        for result in response.data
    ]
    return EntityScan(marks, version)
