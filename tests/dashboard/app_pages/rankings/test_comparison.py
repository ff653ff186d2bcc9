"""Rebased prices and correlations of several assets."""

import math
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.app_pages.rankings.comparison import MIN_STEPS, Candles, Comparison, compare_assets

STEP = 1_800_000


def candles(closes: list[float | None], start: int = 0) -> list[list[float | None]]:
    return [[(start + n) * STEP, close, close, close, close, None] for n, close in enumerate(closes)]


def compare(series: Mapping[str, Candles]) -> Comparison:
    return compare_assets(series, STEP)


prices = st.lists(st.floats(0.01, 1e6), min_size=2, max_size=48)


@given(prices, prices)
def test_every_line_starts_from_a_hundred_at_the_same_moment(a: list[float], b: list[float]) -> None:
    result = compare({"a": candles(a), "b": candles(b, start=1)})
    assert result.times[0].timestamp() == STEP / 1000
    assert result.index["a"][0] == pytest.approx(100)
    assert result.index["b"][0] == pytest.approx(100)


@given(prices, st.floats(0.001, 1000))
def test_rebased_prices_do_not_depend_on_scale(closes: list[float], factor: float) -> None:
    result = compare({"a": candles(closes), "b": candles([close * factor for close in closes])})
    assert result.index["a"] == pytest.approx(result.index["b"])


@given(st.lists(prices, min_size=1, max_size=6))
def test_correlations_are_symmetric_and_within_one(series: list[list[float]]) -> None:
    result = compare({str(n): candles(closes) for n, closes in enumerate(series)})
    for a, row in result.correlation.items():
        assert row[a] == 1
        for b, value in row.items():
            assert value is None or -1 <= value <= 1
            mirrored = result.correlation[b][a]
            assert value == mirrored or (value is not None and value == pytest.approx(mirrored))


def test_equal_and_opposite_moves_have_correlations_of_one_and_minus_one() -> None:
    steps = [0.01, -0.02, 0.015, 0.03, -0.01, -0.025, 0.02, 0.01, -0.03, 0.02]
    up, down = [100.0], [100.0]
    for step in steps:
        up.append(up[-1] * math.exp(step))
        down.append(down[-1] * math.exp(-step))
    result = compare({"up": candles(up), "twin": candles([2 * v for v in up]), "down": candles(down)})
    assert result.correlation["up"]["twin"] == pytest.approx(1)
    assert result.correlation["up"]["down"] == pytest.approx(-1)


def test_a_constant_price_has_no_correlation() -> None:
    moving = [100.0 + n % 3 for n in range(20)]
    result = compare({"pegged": candles([1.0] * 20), "moving": candles(moving)})
    assert result.correlation["pegged"]["moving"] is None


def test_too_few_common_steps_give_no_correlation() -> None:
    closes: list[float | None] = [100.0 + n % 3 for n in range(MIN_STEPS)]
    assert compare({"a": candles(closes), "b": candles(closes)}).correlation["a"]["b"] is None


def test_a_missing_candle_is_a_gap_and_not_a_step() -> None:
    closes: list[float | None] = [1.0, None, 4.0]
    result = compare({"a": candles(closes), "b": candles([1.0, 1.0, 1.0])})
    assert result.index["a"] == (100, None, pytest.approx(400))


def test_an_asset_without_candles_is_listed_and_does_not_affect_others() -> None:
    result = compare({"a": candles([1.0, 2.0]), "none": []})
    assert result.without_candles == ("none",)
    assert result.index["a"] == (100, pytest.approx(200))
    assert compare({"none": []}).times == ()


def test_a_steady_rise_has_no_volatility_and_no_drawdown() -> None:
    result = compare({"a": candles([1.01**n for n in range(MIN_STEPS + 1)])})
    assert result.volatility["a"] == pytest.approx(0)
    assert result.drawdown["a"] == 0


def test_volatility_is_the_deviation_of_steps_scaled_to_a_day() -> None:
    closes: list[float | None] = [100.0 * math.exp(0.01 * (n % 2)) for n in range(2 * MIN_STEPS + 1)]
    result = compare({"a": candles(closes)})
    steps = 2 * MIN_STEPS
    deviation = 0.01 * math.sqrt(steps / (steps - 1))  # half the steps are +1 %, half −1 %
    assert result.volatility["a"] == pytest.approx(100 * deviation * math.sqrt(48))
    longer_steps = compare_assets({"a": candles(closes)}, 8 * STEP)
    assert longer_steps.volatility["a"] == pytest.approx(100 * deviation * math.sqrt(6))


def test_too_few_steps_have_no_volatility() -> None:
    closes: list[float | None] = [100.0 + n % 3 for n in range(MIN_STEPS)]
    assert compare({"a": candles(closes)}).volatility["a"] is None


def test_the_drawdown_is_the_largest_fall_below_an_earlier_close() -> None:
    assert compare({"a": candles([100.0, 120.0, 90.0, 200.0, 180.0])}).drawdown["a"] == pytest.approx(-25)


@given(prices)
def test_a_drawdown_is_never_a_gain_and_never_everything(closes: list[float]) -> None:
    drawdown = compare({"a": candles(closes)}).drawdown["a"]
    assert drawdown is not None
    assert -100 < drawdown <= 0
