"""When X may be asked, and for how many posts."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from backend.markets.model import ErrorKind
from backend.markets.provider_limits.credit_budget import Budget
from backend.topics.posts.model import Page, Window, XRefused
from backend.topics.posts.x_rate_limits import XState

NOW = datetime(2026, 5, 18, 12, 5, tzinfo=UTC)
FRESH = XState(budget=Budget(limit=31_000))


def spent(state: XState, posts: int, now: datetime = NOW, window: Window | None = None) -> XState:
    return state.asked(now).answered("search", Page(window=window), posts, now)


def test_posts_are_read_at_an_even_rate_and_never_more_than_a_days_at_once() -> None:
    assert FRESH.posts_allowed(NOW) == 250  # six hours' worth of 1,000 a day
    used = spent(FRESH, 250)
    assert used.posts_allowed(NOW) == 0
    assert used.posts_allowed(NOW + timedelta(hours=12)) == 500
    assert used.posts_allowed(NOW + timedelta(days=5)) == 1_000


def test_a_small_budget_gathers_until_it_pays_for_a_page() -> None:
    small = XState(budget=Budget(limit=100), since=NOW)
    assert small.posts_allowed(NOW + timedelta(days=2)) == 7
    assert small.posts_allowed(NOW + timedelta(days=9)) == 10


def test_what_is_left_of_the_month_is_the_most_and_a_new_month_begins_anew() -> None:
    used = replace(FRESH, since=NOW, budget=Budget(31_000, 30_990, "2026-05"))
    late = datetime(2026, 5, 31, 23, 0, tzinfo=UTC)
    assert used.posts_allowed(late) == 0
    assert used.posts_allowed(datetime(2026, 6, 1, 0, 1, tzinfo=UTC)) == 250


def test_requests_of_a_quarter_of_an_hour_are_counted_and_the_next_one_is_free() -> None:
    state = FRESH
    for _ in range(3):
        assert state.may_ask("search", NOW, 3)
        state = spent(state, 0)
    assert not state.may_ask("search", NOW, 3)
    assert state.calls_left(NOW, 3) == 0
    assert state.may_ask("search", NOW + timedelta(minutes=10), 3)


def test_a_spent_window_is_left_alone_to_the_second_and_only_for_what_it_is_of() -> None:
    reset = NOW + timedelta(minutes=7)
    state = spent(FRESH, 0, window=Window(60, 0, reset))
    assert not state.may_ask("search", reset - timedelta(seconds=1), 60)
    assert state.may_ask("search", reset, 60)
    assert state.may_ask("lookup", NOW, 60)


def test_a_refusal_that_names_its_end_is_obeyed_and_a_malformed_question_says_nothing_of_x() -> None:
    limited = FRESH.refused("search", XRefused(ErrorKind.THROTTLED, "x", retry_after=420), 0.0, NOW)
    assert not limited.may_ask("lookup", NOW + timedelta(seconds=419), 60)
    assert limited.may_ask("lookup", NOW + timedelta(seconds=420), 60)
    asked = FRESH.refused("search", XRefused(ErrorKind.MALFORMED, "x", invalid=True), 0.0, NOW)
    assert asked.may_ask("search", NOW, 60)


def test_five_failures_open_the_breaker_and_an_answer_to_doctor_closes_it() -> None:
    state = FRESH
    for second in range(0, 250, 60):
        state = state.refused(
            "search", XRefused(ErrorKind.UNAVAILABLE, "x"), 0.0, NOW + timedelta(seconds=second)
        )
    assert not state.may_ask("search", NOW + timedelta(seconds=241), 60)
    refused = FRESH.refused("search", XRefused(ErrorKind.UNAUTHORISED, "x"), 0.0, NOW)
    assert not refused.may_ask("search", NOW + timedelta(seconds=1), 60)
    assert refused.restarted().may_ask("search", NOW + timedelta(seconds=1), 60)
    assert refused.forgiven().may_ask("search", NOW, 60)


def test_a_state_is_read_as_it_was_stored() -> None:
    state = spent(FRESH, 12, window=Window(60, 3, NOW + timedelta(minutes=7)))
    state = state.refused("lookup", XRefused(ErrorKind.UNAVAILABLE, "why"), 0.5, NOW)
    assert XState.from_json(json.loads(json.dumps(state.to_json()))) == state
    assert XState.from_json(json.loads(json.dumps(XState().to_json()))) == XState()
