"""Near duplicates, found by the bands of their fingerprints."""

from hypothesis import given
from hypothesis import strategies as st

from backend.sources.claims import simhash
from backend.topics.feeds.near_duplicates import Fingerprint, FingerprintIndex
from tests.support.providers.feeds import NOW


def build_fingerprint(
    value: int,
    *,
    official: bool = False,
    title: str = "one title",
    length: int = 500,
    outlet: str = "news.example",
) -> Fingerprint:
    signed = value - (1 << 64) if value >> 63 else value
    return Fingerprint(signed, NOW, "en", title, length, frozenset(), frozenset(), official, outlet)


@given(st.integers(1, (1 << 64) - 1), st.sets(st.integers(0, 63), max_size=simhash.MAX_NEAR_BITS))
def test_every_near_fingerprint_is_found(value: int, flipped: set[int]) -> None:
    near_value = value
    for bit in flipped:
        near_value ^= 1 << bit
    if near_value:
        assert FingerprintIndex([build_fingerprint(value)]).is_repeated(build_fingerprint(near_value))


@given(st.integers(1, (1 << 64) - 1), st.sets(st.integers(0, 63), min_size=simhash.MAX_NEAR_BITS + 1))
def test_no_distant_fingerprint_is_found(value: int, flipped: set[int]) -> None:
    distant_value = value
    for bit in flipped:
        distant_value ^= 1 << bit
    assert not FingerprintIndex([build_fingerprint(value)]).is_repeated(build_fingerprint(distant_value))


def test_a_text_without_a_fingerprint_is_no_duplicate() -> None:
    assert not FingerprintIndex([build_fingerprint(0), build_fingerprint(1)]).is_repeated(
        build_fingerprint(0)
    )


def test_short_texts_are_duplicates_only_with_similar_titles() -> None:
    index = FingerprintIndex([build_fingerprint(5, title="exchange pauses withdrawals", length=100)])
    assert index.is_repeated(build_fingerprint(5, title="Exchange pauses withdrawals", length=100))
    assert not index.is_repeated(build_fingerprint(5, title="court fines a bank", length=100))


def test_an_official_text_is_no_duplicate_of_a_press_text() -> None:
    assert FingerprintIndex([build_fingerprint(5, official=True)]).is_repeated(build_fingerprint(5))
    assert not FingerprintIndex([build_fingerprint(5)]).is_repeated(build_fingerprint(5, official=True))


def test_a_syndicated_text_is_an_article_of_its_own_and_a_repost_is_not() -> None:
    index = FingerprintIndex([build_fingerprint(5)])
    assert index.is_reposted(build_fingerprint(5))
    assert not index.is_reposted(build_fingerprint(5, outlet="other.example"))
    assert index.is_repeated(build_fingerprint(5, outlet="other.example"))
