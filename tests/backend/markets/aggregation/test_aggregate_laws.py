"""Tests properties of every aggregation result, for any quotes in any order."""

import json
import re
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from itertools import permutations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from backend.markets.aggregation.freshness import apply_staleness, classify, validate_quote
from backend.markets.aggregation.policy import AggregationPolicy, AssetTraits
from backend.markets.aggregation.state import (
    INCIDENT_KINDS,
    AggregationState,
    GoodFigure,
    OpenIncident,
    PendingJump,
)
from backend.markets.numbers import format_plain
from backend.markets.reasons import MESSAGES, Reason
from tests.support.providers.quotes import (
    EMPTY,
    NOW,
    cmc,
    gecko,
    next_tick,
    published,
    quote,
    run_aggregation,
    seconds,
)

PROVIDERS = ("coingecko", "coinmarketcap", "third", "fourth", "fifth")
POLICY = AggregationPolicy(order=PROVIDERS, poll_seconds={"coingecko": 300, "third": 120})

prices = st.one_of(
    st.decimals(min_value=Decimal(90), max_value=Decimal(110), places=4),
    st.builds(
        lambda digits, exponent: Decimal(digits).scaleb(exponent),
        st.integers(min_value=1, max_value=10**9),
        st.integers(min_value=-20, max_value=6),
    ),
)
odd_prices = st.one_of(prices, st.sampled_from(["NaN", "Infinity", "-1", "0", "1E+5000"]).map(Decimal))
ages = st.one_of(
    st.integers(min_value=-90, max_value=200),
    st.sampled_from([179, 180, 181, 900, 901, 1801, 86_399, 90_000]),
)
volumes = st.none() | st.decimals(min_value=Decimal(0), max_value=Decimal(10**9), places=2)
traits = st.builds(
    AssetTraits,
    asset_id=st.just("coin"),
    pegged=st.booleans(),
    sigma_1h=st.sampled_from([Decimal("0.1"), Decimal("0.7"), Decimal(3)]),
)


@st.composite
def quote_sets(draw, price=odd_prices, age=ages, min_count=0, max_count=5):
    names = draw(st.lists(st.sampled_from(PROVIDERS), unique=True, min_size=min_count, max_size=max_count))
    return [quote(name, draw(price), age=draw(age), volume_24h=draw(volumes)) for name in names]


@st.composite
def aggregation_states(draw):
    moments = st.integers(min_value=0, max_value=10**11).map(lambda us: NOW - timedelta(microseconds=us))
    pending = st.none() | st.builds(PendingJump, st.sampled_from(PROVIDERS), prices, moments)
    good = st.none() | st.builds(GoodFigure, prices, moments, st.just(("coingecko", "third")))
    incident = st.builds(OpenIncident, moments, prices, st.none() | moments)
    return AggregationState(
        excluded=draw(st.frozensets(st.sampled_from(PROVIDERS))),
        pending=draw(pending),
        last_good=draw(good),
        newest=draw(st.none() | moments),
        incidents=draw(st.dictionaries(st.sampled_from(INCIDENT_KINDS), incident)),
    )


befores = st.none() | st.builds(
    lambda price, age, stale: published(str(price), age=age, stale=stale),
    prices,
    st.sampled_from([0, 100, 700, 5000, 90_000]),
    st.booleans(),
)


@given(quote_sets(), befores, aggregation_states(), traits)
def test_the_price_lies_within_the_range_of_the_quotes_that_were_used(quotes, before, state, asset):
    figure = run_aggregation(quotes, before, state, policy=POLICY, asset=asset).published
    used = [item for item in quotes if item.provider in {j.provider for j in figure.evaluations if j.used}]
    if used:
        assert min(item.price for item in used) <= figure.price <= max(item.price for item in used)
        assert figure.last_updated == min(item.as_of for item in used)


@given(quote_sets(), befores, aggregation_states(), traits)
def test_the_source_names_exactly_the_used_providers(quotes, before, state, asset):
    figure = run_aggregation(quotes, before, state, policy=POLICY, asset=asset).published
    used = tuple(evaluation.provider for evaluation in figure.evaluations if evaluation.used)
    if figure.rule in ("single", "mean", "median", "nearest", "primary"):
        assert figure.providers == used
        assert not figure.stale
        assert figure.source == "+".join(used)
    elif figure.price is not None:
        assert figure.stale
        assert figure.source.endswith(":stale")
        assert used in ((), figure.providers)
    if len(used) == 1:
        assert figure.price == next(item.price for item in quotes if item.provider == used[0])


@given(quote_sets(max_count=4), befores, aggregation_states(), traits)
@settings(max_examples=60)
def test_the_order_of_the_quotes_does_not_matter(quotes, before, state, asset):
    first, *other_outcomes = [
        run_aggregation(list(arranged), before, state, policy=POLICY, asset=asset)
        for arranged in permutations(quotes)
    ]
    assert all(outcome == first for outcome in other_outcomes)


@given(
    st.decimals(min_value=Decimal(90), max_value=Decimal(110), places=3),
    st.decimals(min_value=Decimal(90), max_value=Decimal(110), places=3),
    prices,
    aggregation_states(),
    volumes,
    traits,
)
def test_one_outlier_of_three_never_moves_the_price_outside_the_other_two(a, b, c, state, volume, asset):
    low, middle, high = sorted((a, b, c))
    outlier = high if high - middle > middle - low else low
    other_prices = [price for price in (low, middle, high) if price != outlier]
    assume(len(other_prices) == 2)
    heavy = Decimal(10**12)  # the outlier claims nearly all of the volume
    quotes = [
        quote(name, price, volume_24h=heavy if price == outlier else volume)
        for name, price in zip(PROVIDERS, (a, b, c), strict=False)
    ]
    figure = run_aggregation(quotes, None, state, policy=POLICY, asset=asset).published
    assume(figure.rule == "median")
    assert min(other_prices) <= figure.price <= max(other_prices)


@given(quote_sets(), befores, aggregation_states(), traits)
def test_prices_are_never_formatted_with_an_exponent(quotes, before, state, asset):
    figure = run_aggregation(quotes, before, state, policy=POLICY, asset=asset).published
    if figure.price is not None:
        assert re.fullmatch(r"\d+(\.\d+)?", format_plain(figure.price))
        assert figure.price > 0


@given(
    quote_sets(price=prices, age=st.integers(min_value=0, max_value=200), min_count=1),
    traits,
    st.integers(min_value=1802, max_value=86_000),
    st.booleans(),
)
def test_with_all_providers_down_price_and_time_are_unchanged(quotes, asset, silence, rows_remain):
    good = run_aggregation(quotes, policy=POLICY, asset=asset)
    after = next_tick(
        good, quotes if rows_remain else [], now=NOW + seconds(silence), policy=POLICY, asset=asset
    ).published
    assert (after.price, after.last_updated, after.providers) == (
        good.published.price,
        good.published.last_updated,
        good.published.providers,
    )
    assert after.stale
    assert after.source == good.published.source + ":stale"


@given(st.lists(st.sampled_from(["102.9", "103.1", "102.0", "101.6"]), min_size=1, max_size=30))
def test_a_quote_at_the_edge_of_the_band_does_not_alternate(swings):
    outcome = run_aggregation([gecko("100"), cmc("100"), quote("third", "104")], policy=POLICY)
    for step, price in enumerate(swings):
        now = NOW + seconds(step)
        outcome = next_tick(
            outcome, [gecko("100"), cmc("100"), quote("third", price)], now=now, policy=POLICY
        )
        assert outcome.published.source == "coingecko+coinmarketcap"
        assert [event.action for event in outcome.events if event.action != "update"] == []


@given(quote_sets(min_count=2), befores, aggregation_states(), traits)
def test_a_quote_that_is_stale_or_invalid_is_never_combined(quotes, before, state, asset):
    figure = run_aggregation(quotes, before, state, policy=POLICY, asset=asset).published
    if figure.rule == "stale":
        return
    for item in quotes:
        faulty = validate_quote(item, NOW, POLICY) is not None
        if faulty or classify(item.provider, item.as_of, NOW, POLICY) == "stale":
            assert item.provider not in {j.provider for j in figure.evaluations if j.used}


@given(quote_sets(), befores, aggregation_states(), traits)
def test_every_quote_and_the_figure_have_a_reason(quotes, before, state, asset):
    figure = run_aggregation(quotes, before, state, policy=POLICY, asset=asset).published
    assert [item.provider for item in figure.evaluations] == sorted(
        (item.provider for item in quotes), key=PROVIDERS.index
    )
    for reason in (figure.reason, *(item.reason for item in figure.evaluations)):
        assert re.fullmatch(r"\S.*\.", reason.text)
        assert reason.code in MESSAGES
        assert Reason.from_text(reason.to_text()) == reason


@given(quote_sets(), befores, aggregation_states(), traits)
def test_a_figure_just_published_is_not_stale(quotes, before, state, asset):
    figure = run_aggregation(quotes, before, state, policy=POLICY, asset=asset).published
    assert apply_staleness(figure, NOW, POLICY) is figure


@given(aggregation_states())
def test_state_survives_storage(state):
    assert AggregationState.from_json(json.loads(json.dumps(state.to_json()))) == state


ticks = st.lists(
    st.tuples(st.sampled_from([15, 60, 300, 2000, 100_000]), quote_sets(max_count=3)), min_size=1, max_size=12
)


@given(ticks, traits)
@settings(max_examples=60)
def test_for_any_history_incidents_open_before_they_grow_or_close_and_state_survives_storage(history, asset):
    now, open_kinds, worst = NOW, set(), {}
    outcome = run_aggregation([], None, EMPTY, policy=POLICY, asset=asset)
    for wait, quotes in history:
        now += seconds(wait)
        current_quotes = [replace(item, as_of=item.as_of + (now - NOW)) for item in quotes]
        stored = AggregationState.from_json(json.loads(json.dumps(outcome.state.to_json())))
        from_storage = run_aggregation(
            current_quotes, outcome.published, stored, now=now, policy=POLICY, asset=asset
        )
        outcome = next_tick(outcome, current_quotes, now=now, policy=POLICY, asset=asset)
        assert from_storage == outcome
        for event in outcome.events:
            if event.action == "open":
                assert event.kind not in open_kinds
                open_kinds.add(event.kind)
            else:
                assert event.kind in open_kinds
                assert event.size_pct >= worst[event.kind]
            worst[event.kind] = event.size_pct
            if event.action == "close":
                open_kinds.remove(event.kind)
        assert open_kinds == set(outcome.state.incidents)
        assert ("depeg" in outcome.published.flags) <= ("depeg" in open_kinds or outcome.published.stale)


@given(ticks, traits)
@settings(max_examples=60)
def test_the_same_quotes_again_do_not_change_the_figure(history, asset):
    now, outcome = NOW, run_aggregation([], None, EMPTY, policy=POLICY, asset=asset)
    for wait, quotes in history:
        now += seconds(wait)
        current_quotes = [replace(item, as_of=item.as_of + (now - NOW)) for item in quotes]
        outcome = next_tick(outcome, current_quotes, now=now, policy=POLICY, asset=asset)
        repeated = next_tick(outcome, current_quotes, now=now, policy=POLICY, asset=asset)
        if outcome.published.rule not in ("primary", "nearest", "held"):
            assert (repeated.published.price, repeated.published.source) == (
                outcome.published.price,
                outcome.published.source,
            )
