import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.markets.model import COINGECKO_IDS_PER_CALL, COINMARKETCAP_ASSETS_PER_CREDIT
from backend.markets.provider_limits.credit_budget import Budget
from backend.markets.provider_limits.polling_schedule import Quota, plan

NOW = datetime(2026, 5, 16, 12, 0, tzinfo=UTC)  # the middle of a month of 31 days
MONTH_SECONDS = 31 * 86_400


def gecko(per_month):
    return Quota("coingecko", ("quotes", "overview"), per_month, COINGECKO_IDS_PER_CALL)


def cmc(per_month):
    roles = ("quotes", "overview", "fear_greed")
    return Quota("coinmarketcap", roles, per_month, COINMARKETCAP_ASSETS_PER_CREDIT)


def intervals(quota, assets=100):
    schedule = plan([quota], assets).schedules[quota.provider]
    return schedule.quotes, schedule.overview, schedule.fear_greed


def test_ten_thousand_calls_at_coingecko_give_quotes_every_five_minutes_and_an_hourly_overview():
    assert intervals(gecko(10_000)) == (300, 3600, None)


def test_fifteen_thousand_credits_at_coinmarketcap_give_all_but_quotes_every_quarter_of_an_hour():
    assert intervals(cmc(15_000)) == (300, 900, 900)


def test_between_the_two_the_overview_and_the_index_give_way_before_quotes_do():
    assert intervals(cmc(12_500)) == (300, 1800, 1800)


def test_ten_thousand_credits_at_coinmarketcap_make_the_last_two_hourly_and_stretch_quotes_to_fit():
    assert intervals(cmc(10_000)) == (360, 3600, 3600)


def test_without_a_monthly_quota_quotes_come_every_five_minutes():
    assert intervals(gecko(None)) == (300, 900, None)
    assert plan([gecko(None)], 100).schedules["coingecko"].spare is None


def test_more_assets_cost_more_calls_and_so_longer_intervals():
    cadence = plan([gecko(10_000), cmc(10_000)], 251)
    assert cadence.quote_cost("coingecko") == 2
    assert cadence.quote_cost("coinmarketcap") == 2
    assert cadence.schedules["coingecko"].quotes > 300
    assert plan([gecko(10_000)], 250).quote_cost("coingecko") == 1
    assert plan([cmc(10_000)], 201).quote_cost("coinmarketcap") == 2


def test_a_large_quota_is_used_for_quotes_every_minute():
    assert intervals(gecko(500_000)) == (60, 300, None)


def test_a_quota_that_is_too_small_for_anything_says_so():
    schedule = plan([cmc(100)], 3000).schedules["coinmarketcap"]
    assert not schedule.fits
    assert "configure fewer assets or a larger quota" in schedule.reason


def test_the_cadence_answers_by_provider_and_role():
    cadence = plan([cmc(15_000), gecko(10_000)], 100)
    assert cadence.interval("coinmarketcap", "fear_greed") == timedelta(minutes=15)
    assert cadence.poll_seconds == {"coinmarketcap": 300, "coingecko": 300}
    assert cadence.schedules["coinmarketcap"].cost("quotes") == 1
    with pytest.raises(LookupError, match="fear_greed"):
        cadence.interval("coingecko", "fear_greed")
    with pytest.raises(LookupError, match="nobody"):
        cadence.interval("nobody", "quotes")


@pytest.mark.parametrize(("quota", "assets"), [(gecko(1000), -1), (Quota("x", ("quotes",), 1000, 0), 1)])
def test_a_plan_for_nonsense_is_refused(quota, assets):
    with pytest.raises(ValueError, match="asset"):
        plan([quota], assets)


@given(st.integers(min_value=100, max_value=10**7), st.integers(min_value=0, max_value=5000))
def test_a_month_of_31_days_fits_with_a_reserve_and_more_quota_never_means_fewer_quotes(quota, assets):
    for make in (gecko, cmc):
        schedule = plan([make(quota)], assets).schedules[make(quota).provider]
        cost = sum(
            MONTH_SECONDS / seconds * price
            for seconds, price in (
                (schedule.quotes, schedule.quote_cost),
                (schedule.overview, 1),
                (schedule.fear_greed, 1),
            )
            if seconds
        )
        if schedule.fits:
            assert cost <= schedule.credits_per_month <= quota * 0.993
            assert schedule.spare >= quota * 0.007
        richer = plan([make(quota * 2)], assets).schedules[schedule.provider]
        assert richer.quotes <= schedule.quotes


# -- the budget ----------------------------------------------------------------------------------


def test_spending_adds_up_within_a_month_and_starts_anew_in_the_next():
    budget = Budget(limit=1000).spent(3, NOW).spent(4, NOW)
    assert (budget.used, budget.month) == (7, "2026-05")
    june = datetime(2026, 6, 1, tzinfo=UTC)
    assert budget.left(june) == 1000
    assert budget.spent(1, june).used == 1


def test_a_month_is_one_of_utc():
    tokyo_morning = datetime.fromisoformat("2026-06-01T08:00:00+09:00")
    assert Budget(limit=10).spent(1, tokyo_morning).month == "2026-05"
    assert Budget().resets_at(tokyo_morning) == datetime(2026, 6, 1, tzinfo=UTC)


def test_what_is_left_may_be_spent_and_not_one_credit_more():
    budget = Budget(limit=10).spent(7, NOW)
    assert budget.may_spend(3, NOW)
    assert not budget.may_spend(4, NOW)
    assert not budget.may_spend(3, NOW, keep=1)


def test_without_a_limit_anything_may_be_spent():
    budget = Budget().spent(10**9, NOW)
    assert budget.may_spend(10**9, NOW)
    assert budget.left(NOW) is None
    assert budget.stretched(timedelta(minutes=5), NOW, 9000) == timedelta(minutes=5)


def test_a_call_cannot_earn_credits():
    with pytest.raises(ValueError, match="cost"):
        Budget().spent(-1, NOW)


def test_details_on_demand_leave_enough_for_the_polls_to_come():
    budget = Budget(limit=10_000).spent(4900, NOW)
    assert budget.still_planned(NOW, 9672) == 4836
    assert budget.may_spend_on_demand(264, NOW, 9672)
    assert not budget.may_spend_on_demand(265, NOW, 9672)


def test_an_interval_stretches_when_spending_ran_ahead_of_the_month():
    five = timedelta(minutes=5)
    ahead = Budget(limit=10_000).spent(7582, NOW)  # half of the month, a quarter of the credits
    assert ahead.stretched(five, NOW, 9672) == timedelta(minutes=10)
    on_time = Budget(limit=10_000).spent(4836, NOW)
    assert on_time.stretched(five, NOW, 9672) == five


def test_with_nothing_left_the_next_poll_is_next_month():
    spent = Budget(limit=10_000).spent(12_000, NOW)
    assert NOW + spent.stretched(timedelta(minutes=5), NOW, 9672) == datetime(2026, 6, 1, tzinfo=UTC)
    assert spent.left(NOW) == 0


def test_a_new_configured_limit_keeps_what_was_used():
    budget = Budget(limit=10).spent(7, NOW)
    assert budget.limited(20).left(NOW) == 13
    assert budget.limited(10) is budget


@given(
    st.integers(min_value=0, max_value=20_000),
    st.integers(min_value=0, max_value=MONTH_SECONDS - 1),
    st.integers(min_value=60, max_value=7200),
)
def test_a_stretched_interval_is_never_shorter_and_pays_for_the_rest_of_the_month(used, second, seconds):
    now = datetime(2026, 5, 1, tzinfo=UTC) + timedelta(seconds=second)
    interval, planned = timedelta(seconds=seconds), -(-MONTH_SECONDS // seconds)
    budget = Budget(limit=10_000).spent(used, now)
    stretched = budget.stretched(interval, now, planned)
    assert stretched >= interval
    polls_left = int((budget.resets_at(now) - now) / stretched)
    assert polls_left <= budget.left(now) + 1


@given(st.none() | st.integers(min_value=0, max_value=10**9), st.integers(min_value=0, max_value=10**9))
def test_a_budget_survives_storage(limit, used):
    budget = Budget(limit=limit).spent(used, NOW)
    assert Budget.from_json(json.loads(json.dumps(budget.to_json()))) == budget
