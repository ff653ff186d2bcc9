"""Quotes the clause of a claim that contains some of its words."""

from backend.sources.claims.clauses import Clause
from backend.sources.claims.model import ParsedStatement

MAX_WORDS_BESIDE_CHARS, MAX_CLAUSE_CHARS = 24, 60


def quote_clause(claim: ParsedStatement, start: int, end: int) -> str:
    """Return the clause of the words from ``start`` to ``end``; of a long one the words beside them."""
    whole = Clause(0, len(claim.text), frozenset())
    clause = next((clause for clause in claim.clauses if clause.start <= start < clause.end), whole)
    first, last = clause.start, max(clause.end, end)
    if last - first > MAX_CLAUSE_CHARS:
        first = max(first, start - MAX_WORDS_BESIDE_CHARS)
        last = min(last, end + MAX_WORDS_BESIDE_CHARS)
    before, after = claim.text[first:start], claim.text[end:last]
    if claim.language == "en":  # never from the middle of a word
        before = before.partition(" ")[2] if first > clause.start else before
        after = after.rpartition(" ")[0] if last < max(clause.end, end) else after
    elif first > clause.start:
        before = f"…{before}"
    return f"{before}{claim.text[start:end]}{after}".strip(" .。,，、")
