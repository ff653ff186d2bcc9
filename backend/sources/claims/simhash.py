"""A text in 64 bits, such that near-duplicates differ in few of them."""

from hashlib import blake2b

from backend.sources.claims import lexical_features, numbers

BITS = 64
NEAR = 6
"""Most bits in which two near-duplicates differ: a changed word or two in a paragraph."""


def fingerprint(text: str) -> int:
    """The simhash of a text's stems and pairs of characters (Charikar, "Similarity estimation techniques
    from rounding algorithms", 2002); 0 of a text without any."""
    counts = [0] * BITS
    features = lexical_features.words(numbers.plain(text), ())
    for feature in features:
        code = int.from_bytes(blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest())
        for bit in range(BITS):
            counts[bit] += 1 if code >> bit & 1 else -1
    return sum(1 << bit for bit, count in enumerate(counts) if count > 0)


def near(one: int, other: int) -> bool:
    """Whether two fingerprints are of nearly one text; 0 tells nothing and is near to none."""
    return one != 0 and other != 0 and (one ^ other).bit_count() <= NEAR
