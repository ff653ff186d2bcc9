"""Rectangles of a treemap: areas by weight, inside the frame, without overlap."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.app_pages.overview.squarify import squarify

weights = st.lists(st.floats(1, 1e6), min_size=1, max_size=40).map(
    lambda values: sorted(values, reverse=True)
)
sides = st.floats(1, 2000)


@given(weights, sides, sides)
def test_areas_are_proportional_to_weights_and_fill_the_frame(
    values: list[float], width: float, height: float
) -> None:
    rects = squarify(values, width, height)
    total = sum(values)
    for value, rect in zip(values, rects, strict=True):
        assert rect.width * rect.height == pytest.approx(value / total * width * height, rel=1e-6)
        assert rect.x >= 0
        assert rect.y >= 0
        assert rect.x + rect.width <= width * (1 + 1e-6)
        assert rect.y + rect.height <= height * (1 + 1e-6)


@given(weights)
def test_no_rectangles_overlap(values: list[float]) -> None:
    slack = 1e-6
    for first, second in combinations(squarify(values, 400, 200), 2):
        is_beside = first.x + first.width <= second.x + slack or second.x + second.width <= first.x + slack
        below = first.y + first.height <= second.y + slack or second.y + second.height <= first.y + slack
        assert is_beside or below


def test_equal_weights_give_squares() -> None:
    assert {(round(rect.width), round(rect.height)) for rect in squarify([1, 1, 1, 1], 100, 100)} == {
        (50, 50)
    }
