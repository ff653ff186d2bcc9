"""Which tables are declared, and which a revision makes by hand in each database's own way."""

from backend.documents.tables import SEARCH_TABLE as DOCUMENT_SEARCH
from backend.topics.tables import SEARCH_TABLE as TOPIC_SEARCH


def is_declared(name: str | None) -> bool:
    """Whether a table of this name is declared rather than one of the parts of a full-text index."""
    return not (name or "").startswith((DOCUMENT_SEARCH, TOPIC_SEARCH))
