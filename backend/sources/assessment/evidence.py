"""Defines the evidence for and against a claim. No I/O."""

from dataclasses import dataclass

from backend.sources.claims.model import Comparison


@dataclass(frozen=True, slots=True)
class Evidence:
    """Comparison of one passage with the claim, and its weight.

    ``authority`` and ``relevance`` lie in 0..1. ``text_digest`` is the passage's SimHash, which identifies
    copies (0: unknown). ``is_record``: the passage is a record of the shipped archive, which cites ``url``.
    """

    comparison: Comparison
    authority: float
    relevance: float
    source_name: str
    url: str
    text_digest: int = 0
    is_record: bool = False
