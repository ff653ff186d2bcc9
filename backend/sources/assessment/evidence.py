"""Defines the evidence that a claim is assessed by; pure."""

from dataclasses import dataclass

from backend.sources.claims.model import Comparison


@dataclass(frozen=True, slots=True)
class Evidence:
    """One passage held against the claim. ``authority`` and ``relevance`` lie in 0..1; ``text_digest`` is
    the passage's ``fingerprint``, by which copies are known (0: unknown)."""

    comparison: Comparison
    authority: float
    relevance: float
    source_name: str
    url: str
    text_digest: int = 0
