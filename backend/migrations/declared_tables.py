"""Tells declared tables from full-text search tables, which revisions create for each database."""

from backend.documents.tables import SEARCH_TABLE as DOCUMENT_SEARCH
from backend.topics.tables import SEARCH_TABLE as TOPIC_SEARCH


def is_declared(name: str | None) -> bool:
    """Whether the table ``name`` is declared in the metadata and is not part of a full-text index."""
    return not (name or "").startswith((DOCUMENT_SEARCH, TOPIC_SEARCH))
