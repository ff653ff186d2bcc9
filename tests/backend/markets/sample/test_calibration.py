"""Tests that the simulated hours have the statistics of real ones, and that the calibration is validated.

The targets are our own statistics of ten large assets' hourly returns, 2020-10 to 2024-06 (31,973
hours). The scripted moves are left out: the fit is that of the market between them.
"""

import numpy as np
import pytest
from pydantic import ValidationError

from backend.markets.sample.calibration import Calibration, load_shipped_calibration
from backend.markets.sample.price_model import generate
from backend.markets.sample.random_numbers import Floats
from backend.markets.sample.universe import build_universe
from tests.backend.markets.sample.conftest import SEED, Coin

TARGETS = {  # sigma of an hour in percent, correlation with bitcoin
    "bitcoin": (0.696, 1.0),
    "ethereum": (0.882, 0.846),
    "bnb": (0.937, 0.697),
    "xrp": (1.207, 0.59),
    "cardano": (1.129, 0.687),
    "dogecoin": (1.554, 0.5),
    "solana": (1.445, 0.62),
    "chainlink": (1.171, 0.725),
    "tron": (0.918, 0.591),
    "polygon": (1.443, 0.631),
}
HOURS = 31_973


@pytest.fixture(scope="module")
def returns() -> Floats:
    universe = build_universe(SEED, [Coin(name) for name in TARGETS], load_shipped_calibration())
    paths = [generate(universe, number).log_price[:-1] for number in range(HOURS // 720 + 1)]
    return np.diff(np.concatenate(paths)[:HOURS], axis=0)


def compute_autocorrelation(values: Floats, lag: int) -> float:
    centred = np.abs(values) - np.abs(values).mean()
    return float((centred[lag:] * centred[:-lag]).mean() / (centred**2).mean())


def mean_pair_correlation(returns: Floats) -> float:
    return float(np.corrcoef(returns.T)[np.triu_indices(returns.shape[1], 1)].mean())


def test_hourly_volatility_matches_the_calibration(returns: Floats) -> None:
    for column, (sigma, _) in enumerate(TARGETS.values()):
        assert 100 * returns[:, column].std() == pytest.approx(sigma, rel=0.15)


def test_correlation_with_bitcoin_matches_the_calibration(returns: Floats) -> None:
    for column, (_, correlation) in enumerate(TARGETS.values()):
        assert np.corrcoef(returns[:, 0], returns[:, column])[0, 1] == pytest.approx(correlation, abs=0.06)


def test_assets_move_together_and_more_so_in_rough_days(returns: Floats) -> None:
    assert mean_pair_correlation(returns) == pytest.approx(0.60, abs=0.05)
    days = returns[: len(returns) // 24 * 24, 0].reshape(-1, 24).std(axis=1)
    is_volatile = np.repeat(days > np.median(days), 24)
    used = returns[: len(is_volatile)]
    assert mean_pair_correlation(used[is_volatile]) == pytest.approx(0.63, abs=0.06)
    assert mean_pair_correlation(used[~is_volatile]) == pytest.approx(0.547, abs=0.06)


@pytest.mark.parametrize(
    ("lag", "target", "tolerance"), [(1, 0.30, 0.06), (24, 0.20, 0.05), (168, 0.13, 0.06)]
)
def test_volatility_clusters_over_hours_days_and_weeks(
    returns: Floats, lag: int, target: float, tolerance: float
) -> None:
    mean = np.mean([compute_autocorrelation(returns[:, column], lag) for column in range(returns.shape[1])])
    assert mean == pytest.approx(target, abs=tolerance)


def test_returns_are_not_autocorrelated(returns: Floats) -> None:
    for column in returns.T:
        assert abs(np.corrcoef(column[1:], column[:-1])[0, 1]) < 0.05


def test_the_tails_are_as_fat_as_those_of_a_student_t_of_two_to_three(returns: Floats) -> None:
    # By the ratio of quantiles, which outliers do not sway: normal 1.9; t with nu = 3 2.9, nu = 2 4.2.
    for column in returns.T:
        size = np.abs(column)
        ratio = np.quantile(size, 0.99) / np.quantile(size, 0.75) / (2.576 / 1.150)
        assert 1.3 < ratio < 2.3
        excess = ((column - column.mean()) ** 4).mean() / column.var() ** 2 - 3
        assert 5 < excess < 110


def test_rough_days_follow_rough_days(returns: Floats) -> None:
    days = np.sqrt((returns[: len(returns) // 24 * 24, 0].reshape(-1, 24) ** 2).mean(axis=1))
    assert 100 * np.quantile(days, [0.1, 0.5, 0.9]) == pytest.approx([0.225, 0.511, 1.02], rel=0.15)
    is_volatile = days > np.quantile(days, 0.7)
    assert is_volatile[1:][is_volatile[:-1]].mean() == pytest.approx(0.61, abs=0.08)
    assert is_volatile[1:][~is_volatile[:-1]].mean() == pytest.approx(0.168, abs=0.05)


def test_an_error_in_the_file_is_reported() -> None:
    good = load_shipped_calibration().model_dump()
    invalid_changes = [
        (
            {"assets": good["assets"] | {"x": {"price": 1, "cap_musd": 1, "group": "nonsense"}}},
            "unknown class",
        ),
        ({"assets": good["assets"] | {"x": {"price": 1, "cap_musd": 1, "tracks": "nobody"}}}, "tracks"),
        ({"assets": good["assets"] | {"x": {"price": 1, "cap_musd": 1, "tracks": "weth"}}}, "tracks"),
        ({"assets": good["assets"] | {"x": {"price": 0, "cap_musd": 1}}}, "greater than 0"),
        ({"event_assets": good["event_assets"] | {"unknown_role": "bitcoin"}}, "not permitted"),
        ({"classes": good["classes"] | {"alt": good["classes"]["alt"] | {"market": 0.95}}}, "exceed 1"),
        (
            {"classes": good["classes"] | {"alt": good["classes"]["alt"] | {"crash_wick_pct": -5}}},
            "a crash needs",
        ),
    ]
    for change, message in invalid_changes:
        with pytest.raises(ValidationError, match=message):
            Calibration.model_validate(good | change)
