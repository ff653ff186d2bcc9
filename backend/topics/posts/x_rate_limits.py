"""When X may be asked, and for how much: breaker, rate windows and the month's posts, shared as JSON.

Three limits hold at once. X counts requests in windows and says in each answer how many are left and until
when; what is spent is not asked for again before that. Of our own there is a number of requests in a quarter
of an hour. And X bills posts: the month's are read at an even rate, so that its last week has as many as its
first, and never more than a day's at once.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.formats.timestamps import parse_instant, write_instant
from backend.markets.candles.building import align
from backend.markets.provider_limits.circuit_breaker import Breaker, fingerprint
from backend.markets.provider_limits.credit_budget import MONTH, Budget
from backend.settings import Settings
from backend.store.database import upsert
from backend.topics.posts.model import NAME, Page, Window, XRefused
from backend.topics.posts.x_api import FEWEST, Endpoint
from backend.topics.tables import post_sources

WINDOW_SECONDS = 900
AHEAD = timedelta(hours=6)
"""Posts of so much time may be read before their time."""
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class XState:
    """What all processes know of X. ``since`` is when the month's posts began to be read; ``calls`` are our
    requests in the quarter of an hour that began at ``calls_from``."""

    breaker: Breaker = field(default_factory=Breaker)
    budget: Budget = field(default_factory=Budget)
    since: datetime | None = None
    windows: Mapping[Endpoint, Window] = field(default_factory=dict)
    calls: int = 0
    calls_from: datetime | None = None
    last_success: datetime | None = None

    def may_ask(self, endpoint: Endpoint, now: datetime, most_calls: int) -> bool:
        """Whether a request can be made now without breaking any limit of requests."""
        window = self.windows.get(endpoint)
        if window is not None and window.is_spent(now):
            return False
        return self.breaker.allows(now) and self.calls_left(now, most_calls) > 0

    def calls_left(self, now: datetime, most_calls: int) -> int:
        """Requests left in this quarter of an hour."""
        begun = self.calls_from == align(now, WINDOW_SECONDS)
        return max(0, most_calls - self.calls) if begun else most_calls

    def posts_allowed(self, now: datetime) -> int:
        """How many posts may be read by now and have not been."""
        limit, left = self.budget.limit, self.budget.left(now)
        if limit is None or left is None:
            raise ValueError("The month's posts have no limit: settings always give one.")
        due = int(limit * ((now - self._since(now) + AHEAD) / MONTH)) - self.budget.at(now).used
        return max(0, min(left, due, max(FEWEST, int(limit * (DAY / MONTH)))))

    def asked(self, now: datetime) -> "XState":
        """A request begins."""
        window = align(now, WINDOW_SECONDS)
        calls = self.calls + 1 if self.calls_from == window else 1
        return replace(self, breaker=self.breaker.asked(now), calls=calls, calls_from=window)

    def answered(self, endpoint: Endpoint, page: Page, cost: int, now: datetime) -> "XState":
        """X answered, with ``cost`` posts that are billed."""
        return replace(
            self,
            breaker=self.breaker.succeeded(now),
            budget=self.budget.spent(cost, now),
            since=self._since(now),
            windows=self._with(endpoint, page.window),
            last_success=now,
        )

    def refused(self, endpoint: Endpoint, error: XRefused, jitter: float, now: datetime) -> "XState":
        """X refused or failed. A question that it takes for malformed says nothing of X."""
        windows = self._with(endpoint, error.window)
        if error.invalid:
            return replace(self, breaker=self.breaker.succeeded(now), windows=windows)
        breaker = self.breaker.failed(
            error.kind, now, retry_after=error.retry_after, jitter=jitter, why=error.message
        )
        return replace(self, breaker=breaker, windows=windows)

    def restarted(self) -> "XState":
        """The state for the first round of a new process."""
        return replace(self, breaker=self.breaker.restarted())

    def forgiven(self) -> "XState":
        """X answered somebody who asked whether it does: whatever it was held off for is over."""
        return replace(self, breaker=Breaker(fingerprint=self.breaker.fingerprint))

    def _since(self, now: datetime) -> datetime:
        """When this month's reading began: now, unless something was read this month."""
        if self.since is None or self.budget.resets_at(self.since) != self.budget.resets_at(now):
            return now
        return self.since

    def _with(self, endpoint: Endpoint, window: Window | None) -> Mapping[Endpoint, Window]:
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
            breaker=Breaker.from_json(data["breaker"]),
            budget=Budget.from_json(data["budget"]),
            since=parse_instant(since) if since else None,
            windows={
                name: Window(limit, remaining, parse_instant(reset))
                for name, (limit, remaining, reset) in data["windows"].items()
            },
            calls=data["calls"],
            calls_from=parse_instant(calls_from) if calls_from else None,
            last_success=parse_instant(last) if last else None,
        )


def load(connection: Connection, settings: Settings) -> XState:
    """The state under the configuration in force."""
    look = sa.select(post_sources.c.body).where(post_sources.c.name == NAME)
    body = connection.execute(look).scalar_one_or_none()
    state = XState() if body is None else XState.from_json(orjson.loads(body))
    token = settings.x_bearer_token
    configured = fingerprint(settings.x_base_url, token.get_secret_value() if token else None)
    return replace(
        state,
        breaker=state.breaker.configured(configured),
        budget=state.budget.limited(settings.x_monthly_posts),
    )


def store(connection: Connection, state: XState) -> None:
    upsert(connection, post_sources, [{"name": NAME, "body": orjson.dumps(state.to_json()).decode()}])
