"""Computes SimHashes: 64-bit fingerprints in which near-duplicates differ in few bits."""

from hashlib import blake2b

from backend.sources.claims import lexical_features, numbers

BITS = 64
MAX_NEAR_BITS = 6
"""Maximum number of bits in which near-duplicates differ: one or two changed words in a paragraph."""


def compute_fingerprint(text: str) -> int:
    """Return the SimHash of a text's stems and character pairs; 0 for a text without any.

    Source: Charikar, "Similarity estimation techniques from rounding algorithms", 2002.
    """
    counts = [0] * BITS
    features = lexical_features.list_terms(numbers.normalize(text), ())
    for feature in features:
        code = int.from_bytes(blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest())
        for bit in range(BITS):
            counts[bit] += 1 if code >> bit & 1 else -1
    return sum(1 << bit for bit, count in enumerate(counts) if count > 0)


def is_near(fingerprint: int, other_fingerprint: int) -> bool:
    """True if two fingerprints belong to near-duplicates; 0 is unknown and never near."""
    return (
        fingerprint != 0
        and other_fingerprint != 0
        and (fingerprint ^ other_fingerprint).bit_count() <= MAX_NEAR_BITS
    )
