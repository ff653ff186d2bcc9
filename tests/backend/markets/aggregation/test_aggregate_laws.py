"""What holds for every outcome of the rule, whatever the providers say and in whatever order."""

import json
import re
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from itertools import permutations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from backend.markets.aggregation.freshness import classify, fault_of, restale
from backend.markets.aggregation.policy import AssetTraits, Policy
from backend.markets.aggregation.state import KINDS, GoodFigure, Memory, OpenIncident, PendingJump
from backend.markets.numbers import plain
from backend.markets.reasons import SENTENCES, Reason
from tests.support.quotes import EMPTY, NOW, cmc, gecko, judge, published, quote, seconds, then

PROVIDERS = ("coingecko", "coinmarketcap", "third", "fourth", "fifth")
POLICY = Policy(order=PROVIDERS, poll_seconds={"coingecko": 300, "third": 120})

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
def quote_sets(draw, price=odd_prices, age=ages, least=0, most=5):
    names = draw(st.lists(st.sampled_from(PROVIDERS), unique=True, min_size=least, max_size=most))
    return [quote(name, draw(price), age=draw(age), volume_24h=draw(volumes)) for name in names]


@st.composite
def memories(draw):
    moments = st.integers(min_value=0, max_value=10**11).map(lambda us: NOW - timedelta(microseconds=us))
    pending = st.none() | st.builds(PendingJump, st.sampled_from(PROVIDERS), prices, moments)
    good = st.none() | st.builds(GoodFigure, prices, moments, st.just(("coingecko", "third")))
    incident = st.builds(OpenIncident, moments, prices, st.none() | moments)
    return Memory(
        excluded=draw(st.frozensets(st.sampled_from(PROVIDERS))),
        pending=draw(pending),
        last_good=draw(good),
        newest=draw(st.none() | moments),
        incidents=draw(st.dictionaries(st.sampled_from(KINDS), incident)),
    )


befores = st.none() | st.builds(
    lambda price, age, stale: published(str(price), age=age, stale=stale),
    prices,
    st.sampled_from([0, 100, 700, 5000, 90_000]),
    st.booleans(),
)


@given(quote_sets(), befores, memories(), traits)
def test_the_price_lies_within_the_range_of_the_quotes_that_were_used(quotes, before, memory, asset):
    figure = judge(quotes, before, memory, policy=POLICY, asset=asset).published
    used = [item for item in quotes if item.provider in {j.provider for j in figure.judgements if j.used}]
    if used:
        assert min(item.price for item in used) <= figure.price <= max(item.price for item in used)
        assert figure.last_updated == min(item.as_of for item in used)


@given(quote_sets(), befores, memories(), traits)
def test_the_source_names_exactly_what_was_used(quotes, before, memory, asset):
    figure = judge(quotes, before, memory, policy=POLICY, asset=asset).published
    used = tuple(judgement.provider for judgement in figure.judgements if judgement.used)
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


@given(quote_sets(most=4), befores, memories(), traits)
@settings(max_examples=60)
def test_the_order_of_the_quotes_does_not_matter(quotes, before, memory, asset):
    first, *others = [
        judge(list(arranged), before, memory, policy=POLICY, asset=asset) for arranged in permutations(quotes)
    ]
    assert all(other == first for other in others)


@given(
    st.decimals(min_value=Decimal(90), max_value=Decimal(110), places=3),
    st.decimals(min_value=Decimal(90), max_value=Decimal(110), places=3),
    prices,
    memories(),
    volumes,
    traits,
)
def test_one_outlier_of_three_never_moves_the_price_outside_the_other_two(a, b, c, memory, volume, asset):
    low, middle, high = sorted((a, b, c))
    outlier = high if high - middle > middle - low else low
    others = [price for price in (low, middle, high) if price != outlier]
    assume(len(others) == 2)
    heavy = Decimal(10**12)  # the outlier claims nearly all of the volume
    quotes = [
        quote(name, price, volume_24h=heavy if price == outlier else volume)
        for name, price in zip(PROVIDERS, (a, b, c), strict=False)
    ]
    figure = judge(quotes, None, memory, policy=POLICY, asset=asset).published
    assume(figure.rule == "median")
    assert min(others) <= figure.price <= max(others)


@given(quote_sets(), befores, memories(), traits)
def test_no_price_is_ever_written_with_an_exponent(quotes, before, memory, asset):
    figure = judge(quotes, before, memory, policy=POLICY, asset=asset).published
    if figure.price is not None:
        assert re.fullmatch(r"\d+(\.\d+)?", plain(figure.price))
        assert figure.price > 0


@given(
    quote_sets(price=prices, age=st.integers(min_value=0, max_value=200), least=1),
    traits,
    st.integers(min_value=1802, max_value=86_000),
    st.booleans(),
)
def test_with_all_providers_down_price_and_time_are_unchanged(quotes, asset, silence, rows_remain):
    good = judge(quotes, policy=POLICY, asset=asset)
    after = then(
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
def test_a_quote_that_swings_at_the_edge_of_the_band_does_not_come_and_go(swings):
    outcome = judge([gecko("100"), cmc("100"), quote("third", "104")], policy=POLICY)
    for step, price in enumerate(swings):
        now = NOW + seconds(step)
        outcome = then(outcome, [gecko("100"), cmc("100"), quote("third", price)], now=now, policy=POLICY)
        assert outcome.published.source == "coingecko+coinmarketcap"
        assert [event.action for event in outcome.events if event.action != "update"] == []


@given(quote_sets(least=2), befores, memories(), traits)
def test_a_quote_that_is_stale_or_invalid_is_never_combined(quotes, before, memory, asset):
    figure = judge(quotes, before, memory, policy=POLICY, asset=asset).published
    if figure.rule == "stale":
        return
    for item in quotes:
        faulty = fault_of(item, NOW, POLICY) is not None
        if faulty or classify(item.provider, item.as_of, NOW, POLICY) == "stale":
            assert item.provider not in {j.provider for j in figure.judgements if j.used}


@given(quote_sets(), befores, memories(), traits)
def test_every_quote_is_judged_in_a_sentence_and_so_is_the_figure(quotes, before, memory, asset):
    figure = judge(quotes, before, memory, policy=POLICY, asset=asset).published
    assert [item.provider for item in figure.judgements] == sorted(
        (item.provider for item in quotes), key=PROVIDERS.index
    )
    for reason in (figure.reason, *(item.reason for item in figure.judgements)):
        assert re.fullmatch(r"\S.*\.", reason.text)
        assert reason.code in SENTENCES
        assert Reason.from_text(reason.to_text()) == reason


@given(quote_sets(), befores, memories(), traits)
def test_what_was_just_published_needs_no_relabelling(quotes, before, memory, asset):
    figure = judge(quotes, before, memory, policy=POLICY, asset=asset).published
    assert restale(figure, NOW, POLICY) is figure


@given(memories())
def test_memory_survives_storage(memory):
    assert Memory.from_json(json.loads(json.dumps(memory.to_json()))) == memory


ticks = st.lists(
    st.tuples(st.sampled_from([15, 60, 300, 2000, 100_000]), quote_sets(most=3)), min_size=1, max_size=12
)


@given(ticks, traits)
@settings(max_examples=60)
def test_over_any_history_incidents_open_before_they_grow_or_end_and_storage_changes_nothing(history, asset):
    now, open_kinds, worst = NOW, set(), {}
    outcome = judge([], None, EMPTY, policy=POLICY, asset=asset)
    for wait, quotes in history:
        now += seconds(wait)
        moved = [replace(item, as_of=item.as_of + (now - NOW)) for item in quotes]
        stored = Memory.from_json(json.loads(json.dumps(outcome.memory.to_json())))
        again = judge(moved, outcome.published, stored, now=now, policy=POLICY, asset=asset)
        outcome = then(outcome, moved, now=now, policy=POLICY, asset=asset)
        assert again == outcome
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
        assert open_kinds == set(outcome.memory.incidents)
        assert ("depeg" in outcome.published.flags) <= ("depeg" in open_kinds or outcome.published.stale)


@given(ticks, traits)
@settings(max_examples=60)
def test_the_same_quotes_again_leave_the_figure_as_it_is(history, asset):
    now, outcome = NOW, judge([], None, EMPTY, policy=POLICY, asset=asset)
    for wait, quotes in history:
        now += seconds(wait)
        moved = [replace(item, as_of=item.as_of + (now - NOW)) for item in quotes]
        outcome = then(outcome, moved, now=now, policy=POLICY, asset=asset)
        again = then(outcome, moved, now=now, policy=POLICY, asset=asset)
        if outcome.published.rule not in ("primary", "nearest", "held"):
            assert (again.published.price, again.published.source) == (
                outcome.published.price,
                outcome.published.source,
            )
