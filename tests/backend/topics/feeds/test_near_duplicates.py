"""Texts that say nearly the same, found by a band of their prints."""

from hypothesis import given
from hypothesis import strategies as st

from backend.sources.claims import simhash
from backend.topics.feeds.near_duplicates import Print, Prints
from tests.support.feeds import NOW


def print_of(value: int, *, official: bool = False, title: str = "one title", length: int = 500) -> Print:
    signed = value - (1 << 64) if value >> 63 else value
    return Print(signed, NOW, "en", title, length, frozenset(), frozenset(), official)


@given(st.integers(1, (1 << 64) - 1), st.sets(st.integers(0, 63), max_size=simhash.MAX_NEAR_BITS))
def test_every_print_that_is_near_enough_is_found(value: int, flipped: set[int]) -> None:
    other = value
    for bit in flipped:
        other ^= 1 << bit
    if other:
        assert Prints([print_of(value)]).repeats(print_of(other))


@given(st.integers(1, (1 << 64) - 1), st.sets(st.integers(0, 63), min_size=simhash.MAX_NEAR_BITS + 1))
def test_no_print_that_differs_more_is(value: int, flipped: set[int]) -> None:
    other = value
    for bit in flipped:
        other ^= 1 << bit
    assert not Prints([print_of(value)]).repeats(print_of(other))


def test_a_text_without_a_print_repeats_nothing() -> None:
    assert not Prints([print_of(0), print_of(1)]).repeats(print_of(0))


def test_short_texts_repeat_one_another_only_under_one_title() -> None:
    known = Prints([print_of(5, title="exchange pauses withdrawals", length=100)])
    assert known.repeats(print_of(5, title="Exchange pauses withdrawals", length=100))
    assert not known.repeats(print_of(5, title="court fines a bank", length=100))


def test_the_press_repeats_an_official_text_and_not_the_other_way_round() -> None:
    assert Prints([print_of(5, official=True)]).repeats(print_of(5))
    assert not Prints([print_of(5)]).repeats(print_of(5, official=True))
