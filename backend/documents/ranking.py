"""Selects the terms of a query and scores documents with BM25. No I/O.

    score = Σ idf(t) · f·(k1 + 1) / (f + k1·(1 - b + b·length/mean length))
    idf(t) = ln(1 + (N - n + ½) / (n + ½))

with f the count of the term t in the document, n the documents that contain it and N all documents (Robertson
and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009). The 1 within the logarithm
keeps the weight of a term of more than half of the documents positive.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from backend.documents.tokenizer import PackedCounts, digest

K1, B = 1.2, 0.75
MAX_WEIGHTED_TERMS = 12
"""Maximum number of terms: the rarest terms decide; more take longer and find nothing else."""
MAX_POSTINGS = 20_000
"""Maximum number of index entries that a search reads in addition to those of its rarest term."""


@dataclass(frozen=True, slots=True)
class Totals:
    documents: int
    mean_length: float
    """Mean number of terms per document; 1 without documents."""


def idf(documents: int, document_count: int) -> float:
    """The weight of a term that ``document_count`` of ``documents`` hold: positive, larger for rarer ones."""
    return math.log1p((max(documents - document_count, 0) + 0.5) / (document_count + 0.5))


def length_offset(totals: Totals) -> float:
    """Compute the offset of a short form of BM25.

    If each term occurs once, the score is proportional to Σ idf(t) / (offset + length).
    """
    return totals.mean_length * (1 + K1 * (1 - B)) / (K1 * B)


def compute_weights(
    terms: Iterable[str], totals: Totals, document_counts: Mapping[str, int]
) -> dict[str, float]:
    """Select the rarest of ``terms`` that occur in any document, with weights, rarest first."""
    rarest = sorted(
        (term for term in terms if document_counts.get(term)), key=lambda term: (document_counts[term], term)
    )
    return {term: idf(totals.documents, document_counts[term]) for term in rarest[:MAX_WEIGHTED_TERMS]}


def select_lookup_terms(weights: Mapping[str, float], document_counts: Mapping[str, int]) -> dict[str, float]:
    """Select the rarest terms, within the limit of index entries, by which documents are looked up.

    A document without any of these ranks low, so it is not needed if these terms find enough documents.
    """
    chosen: dict[str, float] = {}
    remaining_postings = MAX_POSTINGS
    for term, weight in weights.items():
        remaining_postings -= document_counts[term]
        if chosen and remaining_postings < 0:
            break
        chosen[term] = weight
    return chosen


def score_documents(
    weights: Mapping[str, float], documents: Iterable[tuple[int, int, bytes]], totals: Totals
) -> Sequence[tuple[int, float]]:
    """Score documents, given as (id, length, packed counts). Return ids and scores, best first."""
    query_weights = [(digest(term), weight) for term, weight in weights.items()]
    scored = []
    for document_id, length, counts in documents:
        document_counts = PackedCounts(counts)
        norm = K1 * (1 - B + B * length / totals.mean_length)
        score = 0.0
        for term, weight in query_weights:
            count = document_counts.count_of(term)
            score += weight * count * (K1 + 1) / (count + norm) if count else 0.0
        scored.append((document_id, score))
    return sorted(scored, key=lambda id_and_score: (-id_and_score[1], id_and_score[0]))
