"""Which terms of a query count, and how well a document answers them: BM25.

    score = Σ idf(t) · f·(k1 + 1) / (f + k1·(1 - b + b·length/mean length))
    idf(t) = ln(1 + (N - n + ½) / (n + ½))

with f the times that the term t occurs in the document, n the documents that hold it and N all of them
(Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009; the 1 within the
logarithm keeps a term of more than half of the documents from counting against one). Pure.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from backend.documents.tokenizer import Counts, digest

K1, B = 1.2, 0.75
MOST_TERMS = 12
"""The rarest terms of a query decide; more of them find nothing else and take longer."""
MOST_POSTINGS = 20_000
"""How many places of the index a search may go through beside those of its rarest term."""


@dataclass(frozen=True, slots=True)
class Totals:
    documents: int
    mean_length: float
    """Terms of a document on average; 1 where there is none."""


def idf(documents: int, holding: int) -> float:
    """The weight of a term that ``holding`` of ``documents`` hold: positive, larger for rarer ones."""
    return math.log1p((max(documents - holding, 0) + 0.5) / (holding + 0.5))


def length_offset(totals: Totals) -> float:
    """What is added to the length of a document in a short form of BM25: where each of its terms occurs once,
    the score is in proportion to Σ idf(t) / (offset + length)."""
    return totals.mean_length * (1 + K1 * (1 - B)) / (K1 * B)


def weights(terms: Iterable[str], totals: Totals, held: Mapping[str, int]) -> dict[str, float]:
    """The rarest of ``terms`` that any document holds with their weights, rarest first."""
    rarest = sorted((term for term in terms if held.get(term)), key=lambda term: (held[term], term))
    return {term: idf(totals.documents, held[term]) for term in rarest[:MOST_TERMS]}


def telling(weighted: Mapping[str, float], held: Mapping[str, int]) -> dict[str, float]:
    """Those of the rarest terms by which documents are looked up: the first ones within the bound.

    A document that holds none of these ranks low, so that it is not missed where these find enough.
    """
    chosen: dict[str, float] = {}
    room = MOST_POSTINGS
    for term, weight in weighted.items():
        room -= held[term]
        if chosen and room < 0:
            break
        chosen[term] = weight
    return chosen


def scores(
    weighted: Mapping[str, float], packed: Iterable[tuple[int, int, bytes]], totals: Totals
) -> Sequence[tuple[int, float]]:
    """Ids and scores of documents, given as (id, length, packed counts), best first."""
    asked = [(digest(term), weight) for term, weight in weighted.items()]
    scored = []
    for document_id, length, counts in packed:
        held = Counts(counts)
        norm = K1 * (1 - B + B * length / totals.mean_length)
        score = 0.0
        for term, weight in asked:
            times = held.of(term)
            score += weight * times * (K1 + 1) / (times + norm) if times else 0.0
        scored.append((document_id, score))
    return sorted(scored, key=lambda one: (-one[1], one[0]))
