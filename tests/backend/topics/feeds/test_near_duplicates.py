"""Near duplicates, found by the bands of their fingerprints."""

from hypothesis import given
from hypothesis import strategies as st

from backend.sources.claims import simhash
from backend.topics.feeds.near_duplicates import Fingerprint, FingerprintIndex
from tests.support.feeds import NOW


def build_fingerprint(
    value: int, *, official: bool = False, title: str = "one title", length: int = 500
) -> Fingerprint:
    signed = value - (1 << 64) if value >> 63 else value
    return Fingerprint(signed, NOW, "en", title, length, frozenset(), frozenset(), official)


@given(st.integers(1, (1 << 64) - 1), st.sets(st.integers(0, 63), max_size=simhash.MAX_NEAR_BITS))
def test_every_near_fingerprint_is_found(value: int, flipped: set[int]) -> None:
    other = value
    for bit in flipped:
        other ^= 1 << bit
    if other:
        assert FingerprintIndex([build_fingerprint(value)]).is_repeated(build_fingerprint(other))


@given(st.integers(1, (1 << 64) - 1), st.sets(st.integers(0, 63), min_size=simhash.MAX_NEAR_BITS + 1))
def test_no_distant_fingerprint_is_found(value: int, flipped: set[int]) -> None:
    other = value
    for bit in flipped:
        other ^= 1 << bit
    assert not FingerprintIndex([build_fingerprint(value)]).is_repeated(build_fingerprint(other))


def test_a_text_without_a_fingerprint_is_no_duplicate() -> None:
    assert not FingerprintIndex([build_fingerprint(0), build_fingerprint(1)]).is_repeated(
        build_fingerprint(0)
    )


def test_short_texts_are_duplicates_only_with_similar_titles() -> None:
    known = FingerprintIndex([build_fingerprint(5, title="exchange pauses withdrawals", length=100)])
    assert known.is_repeated(build_fingerprint(5, title="Exchange pauses withdrawals", length=100))
    assert not known.is_repeated(build_fingerprint(5, title="court fines a bank", length=100))


def test_an_official_text_is_no_duplicate_of_a_press_text() -> None:
    assert FingerprintIndex([build_fingerprint(5, official=True)]).is_repeated(build_fingerprint(5))
    assert not FingerprintIndex([build_fingerprint(5)]).is_repeated(build_fingerprint(5, official=True))
