import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.markets.model import COINGECKO_IDS_PER_CALL, COINMARKETCAP_ASSETS_PER_CREDIT
from backend.markets.provider_limits.credit_budget import CreditBudget
from backend.markets.provider_limits.polling_schedule import Quota, plan_polling

NOW = datetime(2026, 5, 16, 12, 0, tzinfo=UTC)  # the middle of a month of 31 days
MONTH_SECONDS = 31 * 86_400


def gecko(per_month):
    return Quota("coingecko", ("quotes", "overview"), per_month, COINGECKO_IDS_PER_CALL)


def cmc(per_month):
    roles = ("quotes", "overview", "fear_greed")
    return Quota("coinmarketcap", roles, per_month, COINMARKETCAP_ASSETS_PER_CREDIT)


def intervals(quota, assets=100):
    schedule = plan_polling([quota], assets).schedules[quota.provider]
    return schedule.quotes, schedule.overview, schedule.fear_greed


def test_ten_thousand_calls_at_coingecko_give_quotes_every_five_minutes_and_an_hourly_overview():
    assert intervals(gecko(10_000)) == (300, 3600, None)


def test_fifteen_thousand_credits_at_coinmarketcap_give_overview_and_index_every_fifteen_minutes():
    assert intervals(cmc(15_000)) == (300, 900, 900)


def test_with_a_smaller_quota_overview_and_index_slow_down_before_quotes():
    assert intervals(cmc(12_500)) == (300, 1800, 1800)


def test_ten_thousand_credits_at_coinmarketcap_give_hourly_overview_and_index_and_slower_quotes():
    assert intervals(cmc(10_000)) == (360, 3600, 3600)


def test_without_a_monthly_quota_quotes_come_every_five_minutes():
    assert intervals(gecko(None)) == (300, 900, None)
    assert plan_polling([gecko(None)], 100).schedules["coingecko"].spare_credits is None


def test_more_assets_cost_more_calls_and_lengthen_intervals():
    polling_plan = plan_polling([gecko(10_000), cmc(10_000)], 251)
    assert polling_plan.quote_cost("coingecko") == 2
    assert polling_plan.quote_cost("coinmarketcap") == 2
    assert polling_plan.schedules["coingecko"].quotes > 300
    assert plan_polling([gecko(10_000)], 250).quote_cost("coingecko") == 1
    assert plan_polling([cmc(10_000)], 201).quote_cost("coinmarketcap") == 2


def test_a_large_quota_is_used_for_quotes_every_minute():
    assert intervals(gecko(500_000)) == (60, 300, None)


def test_a_quota_that_is_too_small_for_anything_says_so():
    schedule = plan_polling([cmc(100)], 3000).schedules["coinmarketcap"]
    assert not schedule.fits
    assert "configure fewer assets or a larger quota" in schedule.reason


def test_the_polling_plan_gives_intervals_by_provider_and_role():
    polling_plan = plan_polling([cmc(15_000), gecko(10_000)], 100)
    assert polling_plan.interval("coinmarketcap", "fear_greed") == timedelta(minutes=15)
    assert polling_plan.poll_seconds == {"coinmarketcap": 300, "coingecko": 300}
    assert polling_plan.schedules["coinmarketcap"].cost("quotes") == 1
    with pytest.raises(LookupError, match="fear_greed"):
        polling_plan.interval("coingecko", "fear_greed")
    with pytest.raises(LookupError, match="nobody"):
        polling_plan.interval("nobody", "quotes")


@pytest.mark.parametrize(("quota", "assets"), [(gecko(1000), -1), (Quota("x", ("quotes",), 1000, 0), 1)])
def test_invalid_plan_arguments_raise_value_error(quota, assets):
    with pytest.raises(ValueError, match="asset"):
        plan_polling([quota], assets)


@given(st.integers(min_value=100, max_value=10**7), st.integers(min_value=0, max_value=5000))
def test_a_month_of_31_days_fits_with_a_reserve_and_more_quota_never_means_fewer_quotes(quota, assets):
    for make in (gecko, cmc):
        schedule = plan_polling([make(quota)], assets).schedules[make(quota).provider]
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
            assert schedule.spare_credits >= quota * 0.007
        richer = plan_polling([make(quota * 2)], assets).schedules[schedule.provider]
        assert richer.quotes <= schedule.quotes


# -- the budget ----------------------------------------------------------------------------------


def test_spending_adds_up_within_a_month_and_resets_in_the_next():
    budget = CreditBudget(limit=1000).record_spending(3, NOW).record_spending(4, NOW)
    assert (budget.used, budget.month) == (7, "2026-05")
    june = datetime(2026, 6, 1, tzinfo=UTC)
    assert budget.remaining(june) == 1000
    assert budget.record_spending(1, june).used == 1


def test_months_are_utc_months():
    tokyo_morning = datetime.fromisoformat("2026-06-01T08:00:00+09:00")
    assert CreditBudget(limit=10).record_spending(1, tokyo_morning).month == "2026-05"
    assert CreditBudget().resets_at(tokyo_morning) == datetime(2026, 6, 1, tzinfo=UTC)


def test_exactly_the_remaining_credits_can_be_spent():
    budget = CreditBudget(limit=10).record_spending(7, NOW)
    assert budget.can_spend(3, NOW)
    assert not budget.can_spend(4, NOW)
    assert not budget.can_spend(3, NOW, reserve=1)


def test_without_a_limit_any_amount_can_be_spent():
    budget = CreditBudget().record_spending(10**9, NOW)
    assert budget.can_spend(10**9, NOW)
    assert budget.remaining(NOW) is None
    assert budget.stretch_interval(timedelta(minutes=5), NOW, 9000) == timedelta(minutes=5)


def test_a_call_cannot_earn_credits():
    with pytest.raises(ValueError, match="cost"):
        CreditBudget().record_spending(-1, NOW)


def test_requests_on_demand_leave_enough_credits_for_planned_polls():
    budget = CreditBudget(limit=10_000).record_spending(4900, NOW)
    assert budget.remaining_planned_credits(NOW, 9672) == 4836
    assert budget.can_spend_on_demand(264, NOW, 9672)
    assert not budget.can_spend_on_demand(265, NOW, 9672)


def test_an_interval_stretches_when_credits_are_spent_too_fast():
    five = timedelta(minutes=5)
    overspent = CreditBudget(limit=10_000).record_spending(
        7582, NOW
    )  # half of the month, a quarter of the credits
    assert overspent.stretch_interval(five, NOW, 9672) == timedelta(minutes=10)
    on_time = CreditBudget(limit=10_000).record_spending(4836, NOW)
    assert on_time.stretch_interval(five, NOW, 9672) == five


def test_without_remaining_credits_the_next_poll_is_next_month():
    spent = CreditBudget(limit=10_000).record_spending(12_000, NOW)
    assert NOW + spent.stretch_interval(timedelta(minutes=5), NOW, 9672) == datetime(2026, 6, 1, tzinfo=UTC)
    assert spent.remaining(NOW) == 0


def test_a_new_limit_keeps_the_used_credits():
    budget = CreditBudget(limit=10).record_spending(7, NOW)
    assert budget.with_limit(20).remaining(NOW) == 13
    assert budget.with_limit(10) is budget


@given(
    st.integers(min_value=0, max_value=20_000),
    st.integers(min_value=0, max_value=MONTH_SECONDS - 1),
    st.integers(min_value=60, max_value=7200),
)
def test_a_stretched_interval_is_never_shorter_and_fits_the_remaining_credits(used, second, seconds):
    now = datetime(2026, 5, 1, tzinfo=UTC) + timedelta(seconds=second)
    interval, planned = timedelta(seconds=seconds), -(-MONTH_SECONDS // seconds)
    budget = CreditBudget(limit=10_000).record_spending(used, now)
    stretched = budget.stretch_interval(interval, now, planned)
    assert stretched >= interval
    polls_left = int((budget.resets_at(now) - now) / stretched)
    assert polls_left <= budget.remaining(now) + 1


@given(st.none() | st.integers(min_value=0, max_value=10**9), st.integers(min_value=0, max_value=10**9))
def test_a_budget_survives_storage(limit, used):
    budget = CreditBudget(limit=limit).record_spending(used, NOW)
    assert CreditBudget.from_json(json.loads(json.dumps(budget.to_json()))) == budget
