"""When the rule opens, updates and ends incidents."""

from datetime import timedelta
from decimal import Decimal

from backend.markets.aggregation.state import OpenIncident
from tests.support.quotes import COIN, DOLLAR, NOW, cmc, gecko, judge, seconds, then, told


def test_a_pegged_asset_off_its_dollar_opens_an_incident_and_bears_a_flag():
    outcome = judge([gecko("0.8774"), cmc("0.8780")], asset=DOLLAR)
    assert outcome.published.flags == ("depeg",)
    assert told(outcome) == [("depeg", "open")]
    assert outcome.events[0].size_pct == Decimal("12.23")
    assert outcome.events[0].detail.text == "The price is 12.23 % from one dollar (limit 1.00 %)."
    assert judge([gecko("0.992")], asset=DOLLAR).published.flags == ()
    assert judge([gecko("0.8")], asset=COIN).published.flags == ()


def test_an_incident_that_grows_worse_is_updated_and_milder_ticks_say_nothing():
    first = judge([gecko("0.95")], asset=DOLLAR)
    worse = then(first, [gecko("0.90")], now=NOW + seconds(30), asset=DOLLAR)
    milder = then(worse, [gecko("0.93")], now=NOW + seconds(60), asset=DOLLAR)
    assert told(worse) == [("depeg", "update")]
    assert worse.events[0].size_pct == Decimal("10.00")
    assert told(milder) == []
    assert milder.memory.incidents["depeg"] == OpenIncident(NOW, Decimal("10.00"))


def test_an_incident_is_over_after_a_quarter_of_an_hour_without_its_cause():
    outcome = judge([gecko("100"), cmc("102")])
    for minute in range(1, 16):
        now = NOW + timedelta(minutes=minute)
        outcome = then(outcome, [gecko("100", now=now), cmc("100", now=now)], now=now)
        assert told(outcome) == []
    now = NOW + timedelta(minutes=16)
    outcome = then(outcome, [gecko("100", now=now), cmc("100", now=now)], now=now)
    assert told(outcome) == [("divergent", "close")]
    assert outcome.events[0].size_pct == Decimal("1.98")
    assert outcome.memory.incidents == {}


def test_a_spread_that_swings_about_its_limit_is_one_incident():
    events, outcome = [], judge([gecko("100"), cmc("100.6")])
    events += told(outcome)
    for minute in range(1, 120):
        now = NOW + timedelta(minutes=minute)
        other = "100.6" if minute % 5 == 0 else "100.4"
        outcome = then(outcome, [gecko("100", now=now), cmc(other, now=now)], now=now)
        events += told(outcome)
    assert events == [("divergent", "open")]


def test_a_difference_that_grows_into_a_conflict_is_told_as_one():
    first = judge([gecko("100"), cmc("102")])
    second = then(first, [gecko("100"), cmc("110")], now=NOW + seconds(30))
    assert told(second) == [("divergent", "close"), ("conflict", "open")]
    third = then(second, [gecko("100"), cmc("102")], now=NOW + seconds(60))
    assert third.published.flags == ("divergent",)
    assert told(third) == []


def test_a_provider_that_falls_silent_lets_the_difference_end_in_time():
    first = judge([gecko("100"), cmc("102")])
    outcome = first
    for minute in (1, 16):
        now = NOW + timedelta(minutes=minute)
        outcome = then(outcome, [gecko("100", now=now)], now=now)
    assert told(outcome) == [("divergent", "close")]
    assert outcome.events[0].detail is None


def test_with_all_providers_down_incidents_stay_as_they_are():
    first = judge([gecko("100"), cmc("102")])
    outcome = then(first, [], now=NOW + seconds(7200))
    assert outcome.events == ()
    assert outcome.memory.incidents == first.memory.incidents


def test_an_asset_no_longer_configured_as_pegged_ends_its_depeg():
    first = judge([gecko("0.9")], asset=DOLLAR)
    outcome = then(first, [gecko("0.9")], now=NOW + seconds(30), asset=COIN)
    assert told(outcome) == [("depeg", "close")]
    assert outcome.published.flags == ()
