"""Ranks: the second to do it, against the first."""

import pytest

from backend.sources.comparison import ranks
from tests.backend.sources.evidence import claim

FIRST = claim("Bitcoin becomes legal tender. No other country did it before: it was the first.")


def test_a_later_rank_differs_from_the_first() -> None:
    difference = ranks.find_difference(claim("It was the second country to do so."), FIRST)
    assert difference is not None
    assert (difference.slot, difference.claimed) == ("figure", "second")


@pytest.mark.parametrize(
    "text",
    [
        "It was the first country to do so, before a second one.",
        "It announced this on the 9th.",
        "It did so in the second quarter.",
    ],
)
def test_a_first_and_a_day_do_not_differ(text: str) -> None:
    assert ranks.find_difference(claim(text), FIRST) is None
