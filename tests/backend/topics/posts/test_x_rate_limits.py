"""Limits on requests to X and on the posts that they read."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from backend.markets.model import ErrorKind
from backend.markets.provider_limits.credit_budget import CreditBudget
from backend.topics.posts.model import Page, RateLimitWindow, XRequestError
from backend.topics.posts.x_rate_limits import XState

NOW = datetime(2026, 5, 18, 12, 5, tzinfo=UTC)
FRESH = XState(budget=CreditBudget(limit=31_000))


def record_posts(
    state: XState, posts: int, now: datetime = NOW, window: RateLimitWindow | None = None
) -> XState:
    return state.record_request(now).record_response("search", Page(window=window), posts, now)


def test_posts_are_read_at_an_even_rate_of_at_most_a_days_share_at_once() -> None:
    assert FRESH.posts_allowed(NOW) == 250  # six hours' worth of 1,000 a day
    used = record_posts(FRESH, 250)
    assert used.posts_allowed(NOW) == 0
    assert used.posts_allowed(NOW + timedelta(hours=12)) == 500
    assert used.posts_allowed(NOW + timedelta(days=5)) == 1_000


def test_a_small_budget_accumulates_until_it_pays_for_a_page() -> None:
    small = XState(budget=CreditBudget(limit=100), since=NOW)
    assert small.posts_allowed(NOW + timedelta(days=2)) == 7
    assert small.posts_allowed(NOW + timedelta(days=9)) == 10


def test_the_rest_of_the_month_is_the_limit_and_a_new_month_starts_fresh() -> None:
    used = replace(FRESH, since=NOW, budget=CreditBudget(31_000, 30_990, "2026-05"))
    late = datetime(2026, 5, 31, 23, 0, tzinfo=UTC)
    assert used.posts_allowed(late) == 0
    assert used.posts_allowed(datetime(2026, 6, 1, 0, 1, tzinfo=UTC)) == 250


def test_requests_are_counted_for_15_minutes() -> None:
    state = FRESH
    for _ in range(3):
        assert state.can_request("search", NOW, 3)
        state = record_posts(state, 0)
    assert not state.can_request("search", NOW, 3)
    assert state.requests_left(NOW, 3) == 0
    assert state.can_request("search", NOW + timedelta(minutes=10), 3)


def test_a_spent_window_blocks_its_own_endpoint_until_its_reset() -> None:
    reset = NOW + timedelta(minutes=7)
    state = record_posts(FRESH, 0, window=RateLimitWindow(60, 0, reset))
    assert not state.can_request("search", reset - timedelta(seconds=1), 60)
    assert state.can_request("search", reset, 60)
    assert state.can_request("lookup", NOW, 60)


def test_retry_after_is_respected_and_a_malformed_request_blocks_nothing() -> None:
    limited = FRESH.record_error("search", XRequestError(ErrorKind.THROTTLED, "x", retry_after=420), 0.0, NOW)
    assert not limited.can_request("lookup", NOW + timedelta(seconds=419), 60)
    assert limited.can_request("lookup", NOW + timedelta(seconds=420), 60)
    state = FRESH.record_error(
        "search", XRequestError(ErrorKind.MALFORMED, "x", is_invalid_request=True), 0.0, NOW
    )
    assert state.can_request("search", NOW, 60)


def test_five_failures_open_the_breaker_and_a_successful_check_closes_it() -> None:
    state = FRESH
    for second in range(0, 250, 60):
        state = state.record_error(
            "search", XRequestError(ErrorKind.UNAVAILABLE, "x"), 0.0, NOW + timedelta(seconds=second)
        )
    assert not state.can_request("search", NOW + timedelta(seconds=241), 60)
    refused = FRESH.record_error("search", XRequestError(ErrorKind.UNAUTHORISED, "x"), 0.0, NOW)
    assert not refused.can_request("search", NOW + timedelta(seconds=1), 60)
    assert refused.after_restart().can_request("search", NOW + timedelta(seconds=1), 60)
    assert refused.with_closed_breaker().can_request("search", NOW, 60)


def test_a_state_survives_json() -> None:
    state = record_posts(FRESH, 12, window=RateLimitWindow(60, 3, NOW + timedelta(minutes=7)))
    state = state.record_error("lookup", XRequestError(ErrorKind.UNAVAILABLE, "why"), 0.5, NOW)
    assert XState.from_json(json.loads(json.dumps(state.to_json()))) == state
    assert XState.from_json(json.loads(json.dumps(XState().to_json()))) == XState()
