"""The scale of colours follows the spread of the day's changes."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.charts.colour_scale import LIMITS, compute_full_colour_change, format_scale_value

changes = st.lists(st.decimals(-500, 500, allow_nan=False, places=2), min_size=1, max_size=60)


def test_on_a_calm_day_a_small_move_has_much_of_its_colour() -> None:
    limit = compute_full_colour_change([Decimal("-0.8")] * 250, "24h")
    assert Decimal("0.8") / limit > Decimal("0.5")


def test_one_outlier_does_not_make_all_others_pale() -> None:
    assert compute_full_colour_change([*[Decimal(2)] * 20, Decimal(400)], "24h") == Decimal(3)


def test_unknown_changes_do_not_count_and_without_any_the_usual_scale_holds() -> None:
    assert compute_full_colour_change([None, Decimal(5), None], "24h") == Decimal(6)
    assert compute_full_colour_change([None], "24h") == Decimal(6)
    assert compute_full_colour_change([], "7d") == Decimal(15)


@given(changes)
def test_three_of_four_changes_are_within_the_limit(values: list[Decimal]) -> None:
    limit = compute_full_colour_change(values, "24h")
    assert limit in LIMITS
    beyond = sum(abs(value) > limit for value in values)
    assert limit == LIMITS[-1] or beyond <= len(values) / 4 + 1


@pytest.mark.parametrize("limit", LIMITS)
def test_a_third_of_each_limit_is_shown_without_rounding(limit: Decimal) -> None:
    shown = format_scale_value(limit / 3, limit).strip("+%")
    assert Decimal(shown) == limit / 3
