"""Tests the aggregation rule before and after a quote is selected: errors, age, silence, state."""

from datetime import timedelta
from decimal import Decimal

import pytest

from backend.markets.aggregation.aggregate import aggregate
from backend.markets.aggregation.policy import AggregationPolicy, AssetTraits
from backend.markets.aggregation.state import AggregationState
from tests.support.providers.quotes import (
    DOLLAR,
    NOW,
    POLICY,
    cmc,
    gecko,
    incident_actions,
    next_tick,
    published,
    quote,
    reasons,
    run_aggregation,
    seconds,
    used,
)

# -- mistakes of the caller -----------------------------------------------------------------------


def test_two_quotes_of_one_provider_raise_value_error():
    with pytest.raises(ValueError, match="same provider"):
        run_aggregation([gecko("1"), gecko("2")])


def test_a_quote_of_another_asset_raises_value_error():
    other_asset = AssetTraits("other")
    with pytest.raises(ValueError, match="another asset"):
        aggregate([gecko("1")], None, AggregationState(), now=NOW, policy=POLICY, asset=other_asset)


def test_a_figure_of_another_asset_raises_value_error():
    with pytest.raises(ValueError, match="another asset"):
        run_aggregation([gecko("1")], published(asset_id="other"))


def test_mixed_sample_and_live_quotes_raise_value_error():
    with pytest.raises(ValueError, match="must never be mixed"):
        run_aggregation([gecko("1"), quote("sample-a", "1")])


def test_live_quotes_after_a_sample_figure_raise_value_error():
    with pytest.raises(ValueError, match="must never be mixed"):
        run_aggregation([gecko("1")], published(providers=("sample-a",)))


# -- freshness and validity ----------------------------------------------------------------------


def test_an_ageing_quote_is_not_combined_with_a_fresh_one():
    outcome = run_aggregation([gecko("100", age=30), cmc("104", age=600)])
    assert outcome.published.source == "coingecko"
    assert reasons(outcome)["coinmarketcap"] == (
        "Ageing: of 2026-05-18T11:50:00Z, more than 3 min old, and a fresh quote exists."
    )


def test_ageing_quotes_are_combined_without_fresh_ones():
    figure = run_aggregation([gecko("100", age=500), cmc("100.2", age=600)]).published
    assert (figure.rule, figure.stale) == ("mean", False)


def test_a_stale_quote_never_enters_the_mean():
    outcome = run_aggregation([gecko("100", age=850), cmc("104", age=901)])
    assert outcome.published.source == "coingecko"
    assert reasons(outcome)["coinmarketcap"] == "Stale: of 2026-05-18T11:44:59Z, more than 15 min old."


def test_an_invalid_quote_is_not_used_and_has_a_reason():
    outcome = run_aggregation([gecko("0"), cmc("100"), quote("third", "100", age=-120)])
    assert outcome.published.source == "coinmarketcap"
    assert reasons(outcome)["coingecko"] == "Refused: the price is not above zero."
    assert reasons(outcome)["third"] == (
        "Refused: its time, 2026-05-18T12:02:00Z, is more than 60 s ahead of ours."
    )
    assert {evaluation.freshness for evaluation in outcome.published.evaluations} == {None, "fresh"}


def test_a_tick_with_the_same_quotes_changes_nothing_stored():
    quotes = [gecko("100", age=30), cmc("104", age=600), quote("third", "9", age=5000), quote("fourth", "0")]
    first = run_aggregation(quotes)
    second = next_tick(first, quotes, now=NOW + seconds(100))
    assert (second.published, second.state) == (first.published, first.state)


# -- nothing usable ------------------------------------------------------------------------------


def test_without_any_quote_there_is_no_price():
    figure = run_aggregation([]).published
    assert (figure.price, figure.source, figure.rule) == (None, None, "none")
    assert figure.reason.text == "No provider has given a usable price yet."


def test_with_all_providers_down_price_and_time_stay_and_the_source_is_stale():
    quotes = [gecko("100", market_cap=Decimal(7)), cmc("100.2")]
    good = run_aggregation(quotes)
    later = NOW + seconds(3600)
    outcome = next_tick(good, quotes, now=later)
    figure = outcome.published
    assert (figure.price, figure.last_updated) == (good.published.price, good.published.last_updated)
    assert figure.source == "coingecko+coinmarketcap:stale"
    assert (figure.rule, figure.market_cap) == ("stale", Decimal(7))
    assert used(outcome) == set()


def test_after_a_day_no_figure_is_shown_and_incidents_close():
    good = run_aggregation([gecko("0.9")], asset=DOLLAR)
    assert incident_actions(good) == [("depeg", "open")]
    later = NOW + timedelta(days=1)
    outcome = next_tick(good, [], now=later, asset=DOLLAR)
    assert (outcome.published.price, outcome.published.rule) == (None, "none")
    assert "no longer shown" in outcome.published.reason.text
    assert incident_actions(outcome) == [("depeg", "close")]
    second = next_tick(outcome, [], now=later + seconds(60), asset=DOLLAR)
    assert second.published.reason.text == outcome.published.reason.text
    assert second.events == ()


def test_a_single_quote_that_is_hours_old_gives_the_last_known_price():
    outcome = run_aggregation([gecko("100", age=7200, market_cap=Decimal(3))])
    figure = outcome.published
    assert (figure.price, figure.source, figure.market_cap) == (Decimal(100), "coingecko:stale", Decimal(3))
    assert figure.last_updated == NOW - seconds(7200)
    assert used(outcome) == {"coingecko"}
    assert figure.stale


def test_a_rarely_traded_asset_follows_its_late_quotes():
    first = run_aggregation([gecko("100", age=7200)])
    later = NOW + seconds(300)
    newer = next_tick(first, [gecko("101", age=3600, now=later)], now=later)
    assert (newer.published.price, newer.published.source) == (Decimal(101), "coingecko:stale")
    older = next_tick(newer, [gecko("99", age=9000, now=later)], now=later)
    assert older.published.price == Decimal(101)


def test_the_newest_quote_time_is_kept_after_a_late_quote_disappears():
    first = run_aggregation([gecko("101", age=3600)])
    silent = next_tick(first, [], now=NOW + seconds(60))
    outcome = next_tick(silent, [cmc("99", age=9000)], now=NOW + seconds(120))
    assert (outcome.published.price, outcome.published.source) == (Decimal(101), "coingecko:stale")


def test_a_quote_older_than_a_day_gives_no_price():
    assert run_aggregation([gecko("100", age=86_401)]).published.price is None


# -- the sample market ---------------------------------------------------------------------------


def test_the_two_sample_views_behave_like_any_two_providers():
    policy = AggregationPolicy(primary="sample-a", order=("sample-a", "sample-b"))
    published_price = run_aggregation(
        [quote("sample-a", "100"), quote("sample-b", "100.2")], policy=policy
    ).published
    assert (published_price.price, published_price.source, published_price.providers) == (
        Decimal("100.1"),
        "sample",
        ("sample-a", "sample-b"),
    )
    differ = run_aggregation([quote("sample-a", "100"), quote("sample-b", "102")], policy=policy).published
    assert (differ.source, differ.providers) == ("sample", ("sample-a",))


# -- state --------------------------------------------------------------------------------------


def test_an_empty_state_is_stored_as_an_empty_object():
    assert AggregationState().to_json() == {}
    assert AggregationState.from_json({}) == AggregationState()
