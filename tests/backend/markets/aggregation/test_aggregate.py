"""What the rule makes of quotes before and after one is chosen: mistakes, age, silence, memory."""

from datetime import timedelta
from decimal import Decimal

import pytest

from backend.markets.aggregation.aggregate import aggregate
from backend.markets.aggregation.policy import AssetTraits, Policy
from backend.markets.aggregation.state import Memory
from tests.support.quotes import (
    DOLLAR,
    NOW,
    POLICY,
    cmc,
    gecko,
    judge,
    published,
    quote,
    reasons,
    seconds,
    then,
    told,
    used,
)

# -- mistakes of the caller -----------------------------------------------------------------------


def test_two_quotes_of_one_provider_are_a_mistake():
    with pytest.raises(ValueError, match="same provider"):
        judge([gecko("1"), gecko("2")])


def test_a_quote_of_another_asset_is_a_mistake():
    other = AssetTraits("other")
    with pytest.raises(ValueError, match="another asset"):
        aggregate([gecko("1")], None, Memory(), now=NOW, policy=POLICY, asset=other)


def test_a_figure_of_another_asset_is_a_mistake():
    with pytest.raises(ValueError, match="another asset"):
        judge([gecko("1")], published(asset_id="other"))


def test_sample_and_live_quotes_together_are_a_mistake():
    with pytest.raises(ValueError, match="must never meet"):
        judge([gecko("1"), quote("sample-a", "1")])


def test_live_quotes_after_a_sample_figure_are_a_mistake():
    with pytest.raises(ValueError, match="must never meet"):
        judge([gecko("1")], published(providers=("sample-a",)))


# -- freshness and validity ----------------------------------------------------------------------


def test_an_ageing_quote_does_not_dilute_a_fresh_one():
    outcome = judge([gecko("100", age=30), cmc("104", age=600)])
    assert outcome.published.source == "coingecko"
    assert reasons(outcome)["coinmarketcap"] == (
        "Ageing: of 2026-05-18T11:50:00Z, more than 3 min old, and a fresh quote exists."
    )


def test_ageing_quotes_are_combined_when_there_is_nothing_better():
    figure = judge([gecko("100", age=500), cmc("100.2", age=600)]).published
    assert (figure.rule, figure.stale) == ("mean", False)


def test_a_stale_quote_never_enters_the_mean():
    outcome = judge([gecko("100", age=850), cmc("104", age=901)])
    assert outcome.published.source == "coingecko"
    assert reasons(outcome)["coinmarketcap"] == "Stale: of 2026-05-18T11:44:59Z, more than 15 min old."


def test_an_invalid_quote_is_not_used_and_the_analyst_is_told_why():
    outcome = judge([gecko("0"), cmc("100"), quote("third", "100", age=-120)])
    assert outcome.published.source == "coinmarketcap"
    assert reasons(outcome)["coingecko"] == "Refused: the price is not above zero."
    assert reasons(outcome)["third"] == (
        "Refused: its time, 2026-05-18T12:02:00Z, is more than 60 s ahead of ours."
    )
    assert {judgement.freshness for judgement in outcome.published.judgements} == {None, "fresh"}


def test_a_tick_without_news_changes_nothing_that_is_stored():
    quotes = [gecko("100", age=30), cmc("104", age=600), quote("third", "9", age=5000), quote("fourth", "0")]
    first = judge(quotes)
    again = then(first, quotes, now=NOW + seconds(100))
    assert (again.published, again.memory) == (first.published, first.memory)


# -- nothing usable ------------------------------------------------------------------------------


def test_nothing_ever_known_is_no_price():
    figure = judge([]).published
    assert (figure.price, figure.source, figure.rule) == (None, None, "none")
    assert figure.reason.text == "No provider has given a usable price yet."


def test_with_all_providers_down_price_and_time_stay_and_the_source_says_stale():
    quotes = [gecko("100", market_cap=Decimal(7)), cmc("100.2")]
    good = judge(quotes)
    later = NOW + seconds(3600)
    outcome = then(good, quotes, now=later)
    figure = outcome.published
    assert (figure.price, figure.last_updated) == (good.published.price, good.published.last_updated)
    assert figure.source == "coingecko+coinmarketcap:stale"
    assert (figure.rule, figure.market_cap) == ("stale", Decimal(7))
    assert used(outcome) == set()


def test_after_a_day_nothing_is_shown_and_incidents_end():
    good = judge([gecko("0.9")], asset=DOLLAR)
    assert told(good) == [("depeg", "open")]
    later = NOW + timedelta(days=1)
    outcome = then(good, [], now=later, asset=DOLLAR)
    assert (outcome.published.price, outcome.published.rule) == (None, "none")
    assert "no longer shown" in outcome.published.reason.text
    assert told(outcome) == [("depeg", "close")]
    again = then(outcome, [], now=later + seconds(60), asset=DOLLAR)
    assert again.published.reason.text == outcome.published.reason.text
    assert again.events == ()


def test_a_provider_whose_only_quote_is_hours_old_still_gives_the_last_known_price():
    outcome = judge([gecko("100", age=7200, market_cap=Decimal(3))])
    figure = outcome.published
    assert (figure.price, figure.source, figure.market_cap) == (Decimal(100), "coingecko:stale", Decimal(3))
    assert figure.last_updated == NOW - seconds(7200)
    assert used(outcome) == {"coingecko"}
    assert figure.stale


def test_a_seldom_traded_asset_follows_its_late_quotes():
    first = judge([gecko("100", age=7200)])
    later = NOW + seconds(300)
    newer = then(first, [gecko("101", age=3600, now=later)], now=later)
    assert (newer.published.price, newer.published.source) == (Decimal(101), "coingecko:stale")
    older = then(newer, [gecko("99", age=9000, now=later)], now=later)
    assert older.published.price == Decimal(101)


def test_a_late_quote_that_came_and_went_is_still_known_to_be_later_than_an_older_one():
    first = judge([gecko("101", age=3600)])
    silent = then(first, [], now=NOW + seconds(60))
    outcome = then(silent, [cmc("99", age=9000)], now=NOW + seconds(120))
    assert (outcome.published.price, outcome.published.source) == (Decimal(101), "coingecko:stale")


def test_a_quote_older_than_a_day_is_no_last_known_price():
    assert judge([gecko("100", age=86_401)]).published.price is None


# -- the sample market ---------------------------------------------------------------------------


def test_the_two_sample_views_behave_like_any_two_providers():
    policy = Policy(primary="sample-a", order=("sample-a", "sample-b"))
    agree = judge([quote("sample-a", "100"), quote("sample-b", "100.2")], policy=policy).published
    assert (agree.price, agree.source, agree.providers) == (
        Decimal("100.1"),
        "sample",
        ("sample-a", "sample-b"),
    )
    differ = judge([quote("sample-a", "100"), quote("sample-b", "102")], policy=policy).published
    assert (differ.source, differ.providers) == ("sample", ("sample-a",))


# -- memory --------------------------------------------------------------------------------------


def test_memory_without_anything_is_an_empty_object_and_back():
    assert Memory().to_json() == {}
    assert Memory.from_json({}) == Memory()
