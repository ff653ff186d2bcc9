"""Tests every branch of steps 4 to 6: two quotes, one, three and more."""

from datetime import timedelta
from decimal import Decimal

from backend.markets.aggregation.policy import AggregationPolicy, AssetTraits
from backend.markets.aggregation.price_selection import agreement_limits, jump_limit
from backend.markets.aggregation.state import AggregationState, GoodFigure, PendingJump
from tests.support.providers.quotes import (
    COIN,
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

SECOND_FIRST = AggregationPolicy(primary="coinmarketcap")


# -- two quotes ----------------------------------------------------------------------------------


def test_two_quotes_that_agree_give_their_mean():
    outcome = run_aggregation([cmc("100.12", age=50), gecko("100.00", age=30)])
    figure = outcome.published
    assert figure.price == Decimal("100.06")
    assert figure.source == "coingecko+coinmarketcap"
    assert figure.last_updated == NOW - seconds(50)
    assert figure.rule == "mean"
    assert figure.reason.text == "CoinGecko and CoinMarketCap agree within 0.12% (limit 0.50%): their mean."
    assert figure.spread_pct == Decimal("0.1199")
    assert figure.flags == ()
    assert used(outcome) == {"coingecko", "coinmarketcap"}
    assert outcome.state.last_good == GoodFigure(figure.price, figure.last_updated, figure.providers)


def test_in_a_blend_the_other_figures_come_from_the_primary():
    a = gecko("100", market_cap=Decimal(7), pct_change_24h=None, ath=Decimal(200), market_cap_rank=3)
    b = cmc("100", market_cap=Decimal(8), pct_change_24h=Decimal("1.5"), market_cap_rank=4)
    by_gecko, by_cmc = (
        run_aggregation([a, b]).published,
        run_aggregation([a, b], policy=SECOND_FIRST).published,
    )
    assert (by_gecko.market_cap, by_gecko.pct_change_24h, by_gecko.ath, by_gecko.market_cap_rank) == (
        Decimal(7),
        None,
        Decimal(200),
        3,
    )
    assert (by_cmc.market_cap, by_cmc.pct_change_24h, by_cmc.ath) == (Decimal(8), Decimal("1.5"), None)
    assert by_gecko.source == by_cmc.source == "coingecko+coinmarketcap"


def test_an_invalid_figure_other_than_the_price_is_dropped():
    figure = run_aggregation(
        [gecko("100", market_cap=Decimal("NaN"), volume_24h=Decimal("1E+99999"))]
    ).published
    assert (figure.market_cap, figure.volume_24h) == (None, None)


def test_of_two_divergent_quotes_the_one_nearer_the_last_price_is_used():
    outcome = run_aggregation([gecko("100"), cmc("102", market_cap=Decimal(9))], published("101.9"))
    figure = outcome.published
    assert figure.price == Decimal(102)
    assert figure.source == "coinmarketcap"
    assert figure.rule == "nearest"
    assert figure.flags == ("divergent",)
    assert figure.market_cap == Decimal(9)
    assert "differ by 1.98% (limit 0.50%)" in figure.reason.text
    assert reasons(outcome)["coinmarketcap"] == "Nearer the last published price, 101.9."
    assert incident_actions(outcome) == [("divergent", "open")]
    assert outcome.events[0].size_pct == Decimal("1.98")


def test_of_two_divergent_quotes_without_a_fresh_last_price_the_primary_is_used():
    for before in (None, published("102", age=181), published(None)):
        figure = run_aggregation([gecko("100"), cmc("102")], before).published
        assert (figure.price, figure.rule, figure.source) == (Decimal(100), "primary", "coingecko")
        assert figure.flags == ("divergent",)


def test_of_two_quotes_equally_near_the_last_price_the_primary_is_used():
    figure = run_aggregation([gecko("100"), cmc("102")], published("101"), policy=SECOND_FIRST).published
    assert (figure.price, figure.rule) == (Decimal(102), "primary")


def test_a_time_gap_widens_the_agreement_limit_by_the_assets_volatility():
    sol = AssetTraits("coin", sigma_1h=Decimal("1.45"))
    agree_limit, conflict_limit = agreement_limits(timedelta(minutes=2), POLICY, sol)
    assert (round(agree_limit, 2), conflict_limit) == (Decimal("1.06"), Decimal(5))
    bitcoin, _ = agreement_limits(timedelta(minutes=2), POLICY, COIN)
    assert round(bitcoin, 1) == Decimal("0.5")
    two_quotes = [gecko("100", age=150), cmc("101", age=30)]
    assert run_aggregation(two_quotes, asset=sol).published.rule == "mean"
    assert run_aggregation(two_quotes, asset=COIN).published.rule == "primary"


def test_volatility_never_widens_agreement_beyond_the_conflict_limit():
    wild = AssetTraits("coin", sigma_1h=Decimal(30))
    agree_limit, conflict_limit = agreement_limits(timedelta(hours=1), POLICY, wild)
    assert agree_limit == conflict_limit == Decimal(5)


def test_pegged_assets_have_narrower_limits_independent_of_time():
    assert agreement_limits(timedelta(hours=1), POLICY, DOLLAR) == (Decimal("0.3"), Decimal(1))
    assert run_aggregation([gecko("1.000"), cmc("1.004")], asset=DOLLAR).published.rule == "primary"
    assert run_aggregation([gecko("1.000"), cmc("1.0029")], asset=DOLLAR).published.rule == "mean"


def test_a_spread_equal_to_a_limit_belongs_to_the_milder_case():
    a, b = gecko("199.5"), cmc("200.5")  # exactly 0.5 %
    assert run_aggregation([a, b]).published.rule == "mean"
    a, b = gecko("97.5"), cmc("102.5")  # exactly 5 %
    assert run_aggregation([a, b]).published.flags == ("divergent",)


def test_a_spread_just_above_the_limit_is_shown_with_enough_digits():
    reason = run_aggregation([gecko("199.499"), cmc("200.5")]).published.reason.text
    assert "differ by 0.5005% (limit 0.5000%)" in reason


# -- conflict ------------------------------------------------------------------------------------


def test_in_a_conflict_the_last_good_figure_is_held_while_recent():
    good = run_aggregation([gecko("100", market_cap=Decimal(7)), cmc("100")])
    later = NOW + seconds(300)
    outcome = next_tick(good, [gecko("100", now=later), cmc("110", now=later)], now=later)
    figure = outcome.published
    assert (figure.price, figure.last_updated) == (Decimal(100), NOW - seconds(30))
    assert figure.source == "coingecko+coinmarketcap:stale"
    assert figure.rule == "held"
    assert figure.flags == ("conflict",)
    assert figure.market_cap == Decimal(7)
    assert (
        "the last good figure, of 2026-05-18T11:59:30Z, is used until it is 15 min old" in figure.reason.text
    )
    assert used(outcome) == set()
    assert incident_actions(outcome) == [("conflict", "open")]


def test_in_a_longer_conflict_the_primary_is_used_and_flagged():
    good = run_aggregation([gecko("100"), cmc("100")])
    later = NOW + seconds(871)  # 901 s after the good figure's own time
    outcome = next_tick(good, [gecko("90", now=later), cmc("110", now=later)], now=later)
    figure = outcome.published
    assert (figure.price, figure.rule, figure.source, figure.flags) == (
        Decimal(90),
        "primary",
        "coingecko",
        ("conflict",),
    )
    assert "the quote of the primary provider, CoinGecko, is used" in figure.reason.text


def test_a_contested_price_is_not_held_by_the_next_conflict():
    good = run_aggregation([gecko("100"), cmc("100")])
    later = NOW + seconds(900)
    contested = next_tick(good, [gecko("90", now=later), cmc("110", now=later)], now=later)
    latest = later + seconds(60)
    figure = next_tick(contested, [gecko("80", now=latest), cmc("110", now=latest)], now=latest).published
    assert (figure.price, figure.rule) == (Decimal(80), "primary")


def test_in_a_conflict_without_history_the_primary_is_used():
    figure = run_aggregation([gecko("90"), cmc("110")]).published
    assert (figure.price, figure.flags) == (Decimal(90), ("conflict",))


def test_the_last_good_figure_is_held_from_state_when_the_published_row_is_lost():
    state = AggregationState(last_good=GoodFigure(Decimal(100), NOW - seconds(60), ("coingecko",)))
    figure = run_aggregation([gecko("90"), cmc("110")], None, state).published
    assert (figure.price, figure.source, figure.market_cap) == (Decimal(100), "coingecko:stale", None)


def test_without_a_quote_of_the_primary_the_first_in_order_is_used():
    policy = AggregationPolicy(primary="third", order=("coingecko", "coinmarketcap", "third"))
    assert run_aggregation([cmc("110"), gecko("90")], policy=policy).published.source == "coingecko"


# -- one quote -----------------------------------------------------------------------------------


def test_a_single_quote_is_used():
    outcome = run_aggregation([gecko("100")])
    assert outcome.published.rule == "single"
    assert outcome.published.source == "coingecko"
    assert outcome.published.spread_pct is None


def test_a_single_quote_that_jumped_waits_for_a_second_observation():
    first = run_aggregation([gecko("100")])
    later = NOW + seconds(60)
    outcome = next_tick(first, [gecko("150", now=later)], now=later)
    figure = outcome.published
    assert (figure.price, figure.last_updated) == (Decimal(100), NOW - seconds(30))
    assert (figure.rule, figure.source, figure.flags) == ("held", "coingecko:stale", ("jump",))
    assert "moved by +50.00% (limit 20.00%)" in figure.reason.text
    assert incident_actions(outcome) == [("jump", "open")]
    assert outcome.state.pending == PendingJump("coingecko", Decimal(150), later - seconds(30))


def test_the_same_observation_again_does_not_confirm_a_jump():
    first = run_aggregation([gecko("100")])
    later = NOW + seconds(60)
    jumped = gecko("150", now=later)
    waiting = next_tick(first, [jumped], now=later)
    repeated = next_tick(waiting, [jumped], now=later + seconds(15))
    assert repeated.published.rule == "held"
    assert repeated.state.pending == waiting.state.pending
    assert incident_actions(repeated) == []


def test_a_second_observation_confirms_a_jump():
    first = run_aggregation([gecko("100")])
    later = NOW + seconds(60)
    waiting = next_tick(first, [gecko("150", now=later)], now=later)
    latest = later + seconds(60)
    outcome = next_tick(waiting, [gecko("149", now=latest)], now=latest)
    assert (outcome.published.price, outcome.published.rule) == (Decimal(149), "single")
    assert "a second observation confirms" in outcome.published.reason.text
    assert outcome.state.pending is None
    assert incident_actions(outcome) == [("jump", "close")]


def test_an_observation_of_another_provider_confirms_a_jump():
    first = run_aggregation([gecko("100")])
    later = NOW + seconds(60)
    waiting = next_tick(first, [gecko("150", now=later)], now=later)
    outcome = next_tick(waiting, [cmc("148", now=later)], now=later)
    assert (outcome.published.price, outcome.published.source) == (Decimal(148), "coinmarketcap")


def test_a_jump_in_the_other_direction_does_not_confirm_the_first():
    first = run_aggregation([gecko("100")])
    later = NOW + seconds(60)
    waiting = next_tick(first, [gecko("150", now=later)], now=later)
    latest = later + seconds(60)
    outcome = next_tick(waiting, [gecko("50", now=latest)], now=latest)
    assert outcome.published.price == Decimal(100)
    assert outcome.state.pending == PendingJump("coingecko", Decimal(50), latest - seconds(30))


def test_a_jump_that_is_not_repeated_is_discarded():
    first = run_aggregation([gecko("100")])
    later = NOW + seconds(60)
    waiting = next_tick(first, [gecko("150", now=later)], now=later)
    latest = later + seconds(60)
    outcome = next_tick(waiting, [gecko("101", now=latest)], now=latest)
    assert (outcome.published.price, outcome.state.pending) == (Decimal(101), None)
    assert incident_actions(outcome) == [("jump", "close")]


def test_a_jump_that_two_providers_report_needs_no_second_observation():
    first = run_aggregation([gecko("100")])
    later = NOW + seconds(60)
    waiting = next_tick(first, [gecko("150", now=later)], now=later)
    outcome = next_tick(waiting, [gecko("150", now=later), cmc("150", now=later)], now=later)
    assert (outcome.published.price, outcome.published.rule) == (Decimal(150), "mean")
    assert incident_actions(outcome) == [("jump", "close")]


def test_the_jump_limit_grows_with_the_age_of_the_last_price():
    assert jump_limit(timedelta(0), POLICY, COIN) == Decimal(20)
    assert round(jump_limit(timedelta(hours=16), POLICY, COIN), 1) == Decimal("33.6")
    old = published("100", age=16 * 3600, stale=True)
    assert run_aggregation([gecko("130")], old).published.rule == "single"


def test_a_jump_from_a_price_no_longer_shown_needs_no_confirmation():
    figure = run_aggregation([gecko("500")], published("100", age=90_000, stale=True)).published
    assert (figure.price, figure.rule) == (Decimal(500), "single")


# -- three and more ------------------------------------------------------------------------------

THREE = AggregationPolicy(order=("coingecko", "coinmarketcap", "third", "fourth"))


def test_three_quotes_give_their_median_without_the_outlier():
    outcome = run_aggregation([gecko("100"), cmc("101"), quote("third", "500")], policy=THREE)
    figure = outcome.published
    assert figure.price == Decimal("100.5")
    assert figure.rule == "median"
    assert figure.source == "coingecko+coinmarketcap"
    assert figure.flags == ("divergent",)
    assert outcome.state.excluded == frozenset({"third"})
    assert "Left out" in reasons(outcome)["third"]
    assert incident_actions(outcome) == [("divergent", "open")]


def test_three_quotes_within_the_band_are_all_used():
    outcome = run_aggregation([gecko("100"), cmc("101"), quote("third", "102")], policy=THREE)
    assert outcome.published.price == Decimal(101)
    assert outcome.published.source == "coingecko+coinmarketcap+third"
    assert outcome.published.reason.text.endswith("the median of 3 of 3 quotes.")


def test_an_outlier_is_included_again_only_within_half_of_the_band():
    out = run_aggregation([gecko("100"), cmc("100"), quote("third", "104")], policy=THREE)
    edge = next_tick(out, [gecko("100"), cmc("100"), quote("third", "102")], now=NOW, policy=THREE)
    back = next_tick(edge, [gecko("100"), cmc("100"), quote("third", "101.4")], now=NOW, policy=THREE)
    assert edge.published.source == "coingecko+coinmarketcap"
    assert back.published.source == "coingecko+coinmarketcap+third"
    assert back.state.excluded == frozenset()


def test_no_excluded_quote_is_nearer_the_median_than_an_included_one():
    state = AggregationState(excluded=frozenset({"coingecko"}))
    outcome = run_aggregation([gecko("98"), cmc("100"), quote("third", "102.9")], None, state, policy=THREE)
    assert outcome.published.price == Decimal(100)
    assert outcome.state.excluded == frozenset()


def test_pegged_assets_have_a_narrower_band():
    outcome = run_aggregation([gecko("1"), cmc("1"), quote("third", "1.004")], policy=THREE, asset=DOLLAR)
    assert outcome.state.excluded == frozenset({"third"})


def test_with_all_volumes_known_the_median_is_weighted_by_volume():
    def vol(amount):
        return {"volume_24h": Decimal(amount)}

    quotes = [
        gecko("100", **vol(1)),
        cmc("100.5", **vol(1)),
        quote("third", "101", **vol(10)),
        quote("fourth", "101.5", **vol(9)),
    ]
    assert run_aggregation(quotes, policy=THREE).published.price == Decimal(101)
    quotes[0] = gecko("100")
    assert run_aggregation(quotes, policy=THREE).published.price == Decimal("100.75")


def test_groups_of_quotes_without_a_middle_are_a_conflict():
    quotes = [gecko("100"), cmc("100"), quote("third", "200"), quote("fourth", "200")]
    outcome = run_aggregation(quotes, policy=THREE)
    assert outcome.published.source == "coingecko"
    assert outcome.published.flags == ("conflict",)
    assert incident_actions(outcome) == [("conflict", "open")]
    assert outcome.state.excluded == frozenset()


def test_the_median_takes_other_figures_from_the_first_in_order_when_the_primary_is_excluded():
    quotes = [gecko("500"), cmc("100", market_cap=Decimal(4)), quote("third", "100", market_cap=Decimal(5))]
    assert run_aggregation(quotes, policy=THREE).published.market_cap == Decimal(4)
