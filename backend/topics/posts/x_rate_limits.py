"""Limits requests to X: circuit breaker, rate limits and the monthly posts, shared by all processes as JSON.

Three limits apply at once. X counts requests in windows and returns in each response the requests left and
the reset time; a spent window gets no request before its reset. A setting limits the requests in 15 minutes.
X also bills posts: they are read at an even rate, so that the last week of a month has as many as the first,
and never more than a day's share at once."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.formats.timestamps import parse_instant, write_instant
from backend.markets.candles.building import floor_to_slot
from backend.markets.provider_limits.circuit_breaker import CircuitBreaker, fingerprint
from backend.markets.provider_limits.credit_budget import LONGEST_MONTH, CreditBudget
from backend.settings import Settings
from backend.store.database import upsert
from backend.topics.posts.model import (
    PROVIDER_NAME,
    RATE_WINDOW_SECONDS,
    Page,
    RateLimitWindow,
    XRequestError,
)
from backend.topics.posts.x_api import MIN_PAGE_SIZE, Endpoint
from backend.topics.tables import post_sources

READ_AHEAD = timedelta(hours=6)
"""Posts may be read this long before the even rate allows them."""
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class XState:
    """The state that all processes share. ``since`` is the start of reading in this month. ``calls`` counts
    our requests in the 15 minutes that began at ``calls_from``."""

    breaker: CircuitBreaker = field(default_factory=CircuitBreaker)
    budget: CreditBudget = field(default_factory=CreditBudget)
    since: datetime | None = None
    windows: Mapping[Endpoint, RateLimitWindow] = field(default_factory=dict)
    calls: int = 0
    calls_from: datetime | None = None
    last_success: datetime | None = None

    def can_request(self, endpoint: Endpoint, now: datetime, max_requests: int) -> bool:
        """True if no limit of requests forbids a request now."""
        window = self.windows.get(endpoint)
        if window is not None and window.is_spent(now):
            return False
        return self.breaker.is_allowed(now) and self.requests_left(now, max_requests) > 0

    def requests_left(self, now: datetime, max_requests: int) -> int:
        """Return the requests left in these 15 minutes."""
        is_current = self.calls_from == floor_to_slot(now, RATE_WINDOW_SECONDS)
        return max(0, max_requests - self.calls) if is_current else max_requests

    def posts_allowed(self, now: datetime) -> int:
        """Return the number of posts that may be read now."""
        limit, remaining_posts = self.budget.limit, self.budget.remaining(now)
        if limit is None or remaining_posts is None:
            raise ValueError("The monthly budget of posts has no limit. Set CHAINPROOF_X_MONTHLY_POSTS.")
        due = (
            int(limit * ((now - self._find_reading_start(now) + READ_AHEAD) / LONGEST_MONTH))
            - self.budget.for_month_of(now).used
        )
        return max(0, min(remaining_posts, due, max(MIN_PAGE_SIZE, int(limit * (DAY / LONGEST_MONTH)))))

    def record_request(self, now: datetime) -> "XState":
        """Return the state at the start of a request."""
        window = floor_to_slot(now, RATE_WINDOW_SECONDS)
        calls = self.calls + 1 if self.calls_from == window else 1
        return replace(self, breaker=self.breaker.record_call(now), calls=calls, calls_from=window)

    def record_response(self, endpoint: Endpoint, page: Page, cost: int, now: datetime) -> "XState":
        """Return the state after a response with ``cost`` billed posts."""
        return replace(
            self,
            breaker=self.breaker.record_success(now),
            budget=self.budget.record_spending(cost, now),
            since=self._find_reading_start(now),
            windows=self._update_windows(endpoint, page.window),
            last_success=now,
        )

    def record_error(
        self, endpoint: Endpoint, error: XRequestError, jitter: float, now: datetime
    ) -> "XState":
        """Return the state after an error. A malformed request counts as a success of X itself."""
        windows = self._update_windows(endpoint, error.window)
        if error.is_invalid_request:
            return replace(self, breaker=self.breaker.record_success(now), windows=windows)
        breaker = self.breaker.record_failure(
            error.kind, now, retry_after=error.retry_after, jitter=jitter, message=error.message
        )
        return replace(self, breaker=breaker, windows=windows)

    def after_restart(self) -> "XState":
        """Return the state for the first round of a new process."""
        return replace(self, breaker=self.breaker.after_restart())

    def with_closed_breaker(self) -> "XState":
        """Return the state with a closed breaker, after X answered a check by ``doctor``."""
        return replace(self, breaker=CircuitBreaker(fingerprint=self.breaker.fingerprint))

    def _find_reading_start(self, now: datetime) -> datetime:
        """Return the start of this month's reading: ``now`` if nothing was read this month."""
        if self.since is None or self.budget.resets_at(self.since) != self.budget.resets_at(now):
            return now
        return self.since

    def _update_windows(
        self, endpoint: Endpoint, window: RateLimitWindow | None
    ) -> Mapping[Endpoint, RateLimitWindow]:
        return self.windows if window is None else {**self.windows, endpoint: window}

    def to_json(self) -> dict[str, Any]:
        return {
            "breaker": self.breaker.to_json(),
            "budget": self.budget.to_json(),
            "since": self.since and write_instant(self.since),
            "windows": {
                name: [window.limit, window.remaining, write_instant(window.reset_at)]
                for name, window in self.windows.items()
            },
            "calls": self.calls,
            "calls_from": self.calls_from and write_instant(self.calls_from),
            "last_success": self.last_success and write_instant(self.last_success),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "XState":
        since, calls_from, last = data["since"], data["calls_from"], data["last_success"]
        return cls(
            breaker=CircuitBreaker.from_json(data["breaker"]),
            budget=CreditBudget.from_json(data["budget"]),
            since=parse_instant(since) if since else None,
            windows={
                name: RateLimitWindow(limit, remaining, parse_instant(reset))
                for name, (limit, remaining, reset) in data["windows"].items()
            },
            calls=data["calls"],
            calls_from=parse_instant(calls_from) if calls_from else None,
            last_success=parse_instant(last) if last else None,
        )


def load(connection: Connection, settings: Settings) -> XState:
    """Load the state and apply the current configuration to it."""
    selected = sa.select(post_sources.c.body).where(post_sources.c.name == PROVIDER_NAME)
    body = connection.execute(selected).scalar_one_or_none()
    state = XState() if body is None else XState.from_json(orjson.loads(body))
    token = settings.x_bearer_token
    configured = fingerprint(settings.x_base_url, token.get_secret_value() if token else None)
    return replace(
        state,
        breaker=state.breaker.with_fingerprint(configured),
        budget=state.budget.with_limit(settings.x_monthly_posts),
    )


def store(connection: Connection, state: XState) -> None:
    upsert(
        connection, post_sources, [{"name": PROVIDER_NAME, "body": orjson.dumps(state.to_json()).decode()}]
    )
