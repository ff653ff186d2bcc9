"""Compares texts by their words, as vectors of word counts."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from backend.topics.grouping.title_tokens import words

Vector = Mapping[str, float]


def build_vector(text: str) -> Vector:
    """Count the words of a text, as a vector of length 1."""
    return normalize_vector(Counter(words(text)))


def normalize_vector(vector: Vector) -> Vector:
    """Scale a vector to length 1; one without words stays empty."""
    length = math.sqrt(math.fsum(weight * weight for weight in vector.values()))
    return {word: weight / length for word, weight in vector.items()} if length else {}


def add_vectors(vectors: Iterable[Vector]) -> Vector:
    """Add vectors, whose sum is no longer normalised."""
    total: dict[str, float] = {}
    for vector in vectors:
        for word, weight in vector.items():
            total[word] = total.get(word, 0.0) + weight
    return total


def compute_cosine(first: Vector, second: Vector) -> float:
    """Return the cosine of the angle between two vectors, 0 if one has no words."""
    small, large = sorted((first, second), key=len)
    dot = math.fsum(weight * large[word] for word, weight in small.items() if word in large)
    lengths = [
        math.sqrt(math.fsum(weight * weight for weight in vector.values())) for vector in (first, second)
    ]
    return dot / (lengths[0] * lengths[1]) if all(lengths) else 0.0
