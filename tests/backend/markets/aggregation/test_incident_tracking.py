"""Tests when the aggregation rule opens, updates and ends incidents."""

from datetime import timedelta
from decimal import Decimal

from backend.markets.aggregation.state import OpenIncident
from tests.support.providers.quotes import (
    COIN,
    DOLLAR,
    NOW,
    cmc,
    gecko,
    incident_actions,
    next_tick,
    run_aggregation,
    seconds,
)


def test_a_pegged_asset_off_one_dollar_opens_an_incident_and_sets_a_flag():
    outcome = run_aggregation([gecko("0.8774"), cmc("0.8780")], asset=DOLLAR)
    assert outcome.published.flags == ("depeg",)
    assert incident_actions(outcome) == [("depeg", "open")]
    assert outcome.events[0].size_pct == Decimal("12.23")
    assert outcome.events[0].detail.text == "The price is 12.23% from one dollar (limit 1.00%)."
    assert run_aggregation([gecko("0.992")], asset=DOLLAR).published.flags == ()
    assert run_aggregation([gecko("0.8")], asset=COIN).published.flags == ()


def test_an_incident_that_grows_is_updated_and_smaller_ticks_give_no_event():
    first = run_aggregation([gecko("0.95")], asset=DOLLAR)
    worse = next_tick(first, [gecko("0.90")], now=NOW + seconds(30), asset=DOLLAR)
    milder = next_tick(worse, [gecko("0.93")], now=NOW + seconds(60), asset=DOLLAR)
    assert incident_actions(worse) == [("depeg", "update")]
    assert worse.events[0].size_pct == Decimal("10.00")
    assert incident_actions(milder) == []
    assert milder.state.incidents["depeg"] == OpenIncident(NOW, Decimal("10.00"))


def test_an_incident_closes_after_fifteen_minutes_without_its_cause():
    outcome = run_aggregation([gecko("100"), cmc("102")])
    for minute in range(1, 16):
        now = NOW + timedelta(minutes=minute)
        outcome = next_tick(outcome, [gecko("100", now=now), cmc("100", now=now)], now=now)
        assert incident_actions(outcome) == []
    now = NOW + timedelta(minutes=16)
    outcome = next_tick(outcome, [gecko("100", now=now), cmc("100", now=now)], now=now)
    assert incident_actions(outcome) == [("divergent", "close")]
    assert outcome.events[0].size_pct == Decimal("1.98")
    assert outcome.state.incidents == {}


def test_a_spread_that_crosses_its_limit_repeatedly_is_one_incident():
    events, outcome = [], run_aggregation([gecko("100"), cmc("100.6")])
    events += incident_actions(outcome)
    for minute in range(1, 120):
        now = NOW + timedelta(minutes=minute)
        second_price = "100.6" if minute % 5 == 0 else "100.4"
        outcome = next_tick(outcome, [gecko("100", now=now), cmc(second_price, now=now)], now=now)
        events += incident_actions(outcome)
    assert events == [("divergent", "open")]


def test_a_divergence_that_grows_into_a_conflict_becomes_a_conflict_incident():
    first = run_aggregation([gecko("100"), cmc("102")])
    second = next_tick(first, [gecko("100"), cmc("110")], now=NOW + seconds(30))
    assert incident_actions(second) == [("divergent", "close"), ("conflict", "open")]
    third = next_tick(second, [gecko("100"), cmc("102")], now=NOW + seconds(60))
    assert third.published.flags == ("divergent",)
    assert incident_actions(third) == []


def test_a_divergence_closes_in_time_when_a_provider_stops_responding():
    first = run_aggregation([gecko("100"), cmc("102")])
    outcome = first
    for minute in (1, 16):
        now = NOW + timedelta(minutes=minute)
        outcome = next_tick(outcome, [gecko("100", now=now)], now=now)
    assert incident_actions(outcome) == [("divergent", "close")]
    assert outcome.events[0].detail is None


def test_with_all_providers_down_incidents_do_not_change():
    first = run_aggregation([gecko("100"), cmc("102")])
    outcome = next_tick(first, [], now=NOW + seconds(7200))
    assert outcome.events == ()
    assert outcome.state.incidents == first.state.incidents


def test_an_asset_no_longer_pegged_closes_its_depeg_incident():
    first = run_aggregation([gecko("0.9")], asset=DOLLAR)
    outcome = next_tick(first, [gecko("0.9")], now=NOW + seconds(30), asset=COIN)
    assert incident_actions(outcome) == [("depeg", "close")]
    assert outcome.published.flags == ()
