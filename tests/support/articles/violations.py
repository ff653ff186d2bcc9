"""Builds and stores violations, for tests of the violation store."""

from datetime import UTC, datetime
from typing import Any, cast
from uuid import uuid4

from backend.articles import violation_store
from backend.articles.schemas import Violation
from backend.store.database import Database

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
VERSION = "a" * 16


def violation(**more: Any) -> Violation:
    """Build a violation for a typo in an English article, with changes."""
    defaults: Violation = {
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
    return cast(Violation, {**defaults, **more})


def store(
    database: Database,
    *found: Violation,
    owner: str = "a-key",
    at: datetime = NOON,
    version: str = VERSION,
) -> str:
    """Store the violations of one scan; returns the scan's id."""
    scan_id = str(uuid4())
    with database.write() as connection:
        violation_store.store(connection, found, owner=owner, scan_id=scan_id, rules_version=version, now=at)
    return scan_id
