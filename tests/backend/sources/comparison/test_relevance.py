"""How far a passage is about a claim."""

from math import isclose

from hypothesis import given
from hypothesis import strategies as st

from backend.sources.claims.model import Comparison
from backend.sources.comparison.relevance import compute_relevance, sigmoid

COUNTS = st.integers(min_value=0, max_value=9)


def found(entities: int = 0, dates: int = 0, figures: int = 0) -> Comparison:
    return Comparison(entities, dates, figures, 0, ())


def test_relevance_is_one_half_at_nine_points() -> None:
    assert compute_relevance(9, found()) == 0.5
    assert compute_relevance(1, found(2, 1, 1)) == 0.5


def test_shared_dates_count_once() -> None:
    assert compute_relevance(3, found(1, 1)) == compute_relevance(3, found(1, 4))


def test_relevance_matches_a_worked_example() -> None:
    assert isclose(compute_relevance(5, found(1, 1, 1)), 1 / (1 + 2.718281828459045 ** -((11 - 9) / 2.2)))


@given(st.floats(min_value=0, max_value=1e6), COUNTS, COUNTS, COUNTS)
def test_more_in_common_never_lowers_the_relevance(
    bm25: float, entities: int, dates: int, figures: int
) -> None:
    less = compute_relevance(bm25, found(entities, dates, figures))
    assert 0 <= less <= compute_relevance(bm25 + 1, found(entities + 1, dates + 1, figures + 1)) <= 1


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_sigmoid_lies_between_zero_and_one_for_any_number(value: float) -> None:
    assert 0 <= sigmoid(value) <= 1
    assert isclose(sigmoid(value) + sigmoid(-value), 1)
