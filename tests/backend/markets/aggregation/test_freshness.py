from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.markets.aggregation.freshness import (
    apply_staleness,
    classify,
    is_fresh,
    next_staleness_change,
    validate_quote,
)
from backend.markets.aggregation.policy import AggregationPolicy
from backend.markets.model import QuoteEvaluation
from tests.support.providers.quotes import NOW, POLICY, gecko, published, seconds

EVERY_5_MIN = AggregationPolicy(poll_seconds={"coingecko": 300})
ages = st.integers(min_value=0, max_value=200_000)


@pytest.mark.parametrize(
    ("age", "expected"), [(0, "fresh"), (180, "fresh"), (181, "ageing"), (900, "ageing"), (901, "stale")]
)
def test_a_provider_polled_every_minute_has_the_minimum_limits(age, expected):
    assert classify("coingecko", NOW - seconds(age), NOW, POLICY) == expected


@pytest.mark.parametrize(
    ("age", "expected"), [(750, "fresh"), (751, "ageing"), (1800, "ageing"), (1801, "stale")]
)
def test_a_provider_polled_every_five_minutes_has_limits_by_its_interval(age, expected):
    assert classify("coingecko", NOW - seconds(age), NOW, EVERY_5_MIN) == expected


@pytest.mark.parametrize(
    ("price", "word"),
    [
        ("NaN", "finite"),
        ("Infinity", "finite"),
        ("0", "above zero"),
        ("-1", "above zero"),
        ("1E+99999", "that large"),
        ("1E-99999", "that small"),
    ],
)
def test_an_invalid_price_is_refused_with_a_reason(price, word):
    fault = validate_quote(gecko(price), NOW, POLICY)
    assert fault is not None
    assert word in fault.text


def test_a_time_up_to_a_minute_in_the_future_is_valid():
    assert validate_quote(gecko("1", age=-60), NOW, POLICY) is None


def test_a_time_more_than_a_minute_in_the_future_is_refused():
    fault = validate_quote(gecko("1", age=-61), NOW, POLICY)
    assert fault is not None
    assert fault.code == "time_ahead"


def test_a_current_figure_is_shown_unchanged():
    figure = published(age=899)
    assert apply_staleness(figure, NOW, POLICY) is figure


def test_a_figure_without_refresh_is_labelled_stale_with_its_own_time():
    evaluation = QuoteEvaluation("coingecko", "fresh", True, "The only usable quote.")
    figure = published(age=901, evaluations=(evaluation,), market_cap=Decimal(5))
    stale_figure = apply_staleness(figure, NOW, POLICY)
    assert stale_figure.source == "coingecko:stale"
    assert (stale_figure.price, stale_figure.last_updated, stale_figure.market_cap) == (
        figure.price,
        figure.last_updated,
        Decimal(5),
    )
    assert stale_figure.rule == "stale"
    assert "last known price" in stale_figure.reason.text
    assert stale_figure.evaluations[0].used is False
    assert stale_figure.evaluations[0].freshness == "stale"


def test_a_figure_older_than_a_day_is_no_longer_shown():
    expired = apply_staleness(
        published(age=86_401, stale=True, market_cap=Decimal(5), ath=Decimal(9)), NOW, POLICY
    )
    assert (expired.price, expired.source, expired.market_cap, expired.ath) == (None, None, None, None)
    assert expired.rule == "none"
    assert "no longer shown" in expired.reason.text


def test_a_figure_that_is_unknown_stays_unknown():
    figure = published(None)
    assert apply_staleness(figure, NOW, POLICY) is figure
    assert next_staleness_change(figure, POLICY) is None


def test_a_blend_lasts_as_long_as_the_longest_limit_of_its_providers():
    policy = AggregationPolicy(poll_seconds={"coingecko": 300, "coinmarketcap": 60})
    figure = published(age=1800, providers=("coingecko", "coinmarketcap"))
    assert apply_staleness(figure, NOW, policy) is figure
    assert apply_staleness(figure, NOW + seconds(1), policy).stale


@given(ages, st.booleans(), st.sampled_from([60, 300, 20_000]))
def test_a_figure_changes_exactly_at_its_next_staleness_change(age, stale, poll):
    policy = AggregationPolicy(poll_seconds={"coingecko": poll})
    figure = apply_staleness(published(age=age, stale=stale), NOW, policy)
    change = next_staleness_change(figure, policy)
    if change is None:
        assert figure.price is None
        return
    assert change > NOW
    assert apply_staleness(figure, change - timedelta.resolution, policy) is figure
    assert apply_staleness(figure, change, policy) != figure


@given(ages, ages)
def test_applying_staleness_twice_equals_applying_it_once_later(first, second):
    figure = published(age=0)
    earlier, later = NOW + seconds(min(first, second)), NOW + seconds(max(first, second))
    direct, in_steps = (
        apply_staleness(figure, later, POLICY),
        apply_staleness(apply_staleness(figure, earlier, POLICY), later, POLICY),
    )
    assert direct == in_steps


def test_a_figure_is_fresh_only_with_a_price_a_time_and_a_provider():
    assert is_fresh(published(age=180), NOW, POLICY)
    assert not is_fresh(published(age=181), NOW, POLICY)
    assert not is_fresh(published(None), NOW, POLICY)


@pytest.mark.parametrize(
    "overrides",
    [
        {"agree_pct": Decimal(6)},
        {"pegged_agree_pct": Decimal(2)},
        {"band_pct": Decimal(0)},
        {"poll_seconds": {"coingecko": 0}},
        {"default_poll_seconds": -1},
        {"min_fresh": timedelta(hours=2)},
    ],
)
def test_a_contradictory_policy_raises_value_error(overrides):
    with pytest.raises(ValueError, match="must"):
        AggregationPolicy(**overrides)
