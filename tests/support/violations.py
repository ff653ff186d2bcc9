"""Violations as a scan gives them, for tests of what is stored."""

from datetime import UTC, datetime
from typing import Any, cast

from backend.articles import violation_store
from backend.articles.schemas import Violation
from backend.store.database import Database

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
VERSION = "a" * 16


def violation(**more: Any) -> Violation:
    """A typing error in an English article, but for what is given."""
    usual: Violation = {
        "article_id": "a1",
        "entity_id": "ethereum",
        "rule_id": "ethereum-typo-en",
        "field": "content",
        "matched_text": "Etherium",
        "suggested_name": "Ethereum",
        "language": "en",
        "violation_type": "forbidden_variant",
        "severity": "error",
        "start_offset": 4,
        "end_offset": 12,
        "auto_fixable": True,
    }
    return cast(Violation, {**usual, **more})


def store(database: Database, *found: Violation, at: datetime = NOON, version: str = VERSION) -> str:
    """Store what one scan found; gives the scan's id."""
    with database.write() as connection:
        return violation_store.record(connection, found, rules_version=version, now=at)
