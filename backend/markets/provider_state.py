"""Stores the state of each provider that all processes share: breaker, budget, last polls, missing ids."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.formats.timestamps import parse_instant, write_instant
from backend.markets.configuration import Market
from backend.markets.model import ProviderError, QuotesResult
from backend.markets.provider_limits.circuit_breaker import CircuitBreaker
from backend.markets.provider_limits.credit_budget import CreditBudget
from backend.markets.provider_limits.polling_schedule import Role
from backend.markets.tables import provider_states
from backend.store.database import Database, upsert


@dataclass(frozen=True, slots=True)
class ProviderState:
    """State of one provider.

    ``polled``: when each role last had a response, or a refusal because the provider's plan does not include
    it; ``unsupported_roles`` are those roles. ``missing`` and ``rejected``: assets without a valid quote in
    the last poll, and why quotes were rejected.
    """

    breaker: CircuitBreaker = field(default_factory=CircuitBreaker)
    budget: CreditBudget = field(default_factory=CreditBudget)
    polled: Mapping[Role, datetime] = field(default_factory=dict)
    unsupported_roles: tuple[Role, ...] = ()
    last_success: datetime | None = None
    missing: tuple[str, ...] = ()
    rejected: Mapping[str, str] = field(default_factory=dict)

    def record_poll(self, role: Role, now: datetime) -> "ProviderState":
        other_roles = tuple(
            unsupported_role for unsupported_role in self.unsupported_roles if unsupported_role != role
        )
        return replace(
            self,
            polled={**self.polled, role: now},
            unsupported_roles=other_roles,
            breaker=self.breaker.record_call(now),
        )

    def record_unsupported_role(self, role: Role, now: datetime) -> "ProviderState":
        """Record that the provider's plan does not include ``role``. It is polled again at its next turn."""
        state = self.record_poll(role, now)
        return replace(state, unsupported_roles=(*state.unsupported_roles, role))

    def record_success(self, answer: object, credits: int, now: datetime) -> "ProviderState":
        state = replace(
            self,
            breaker=self.breaker.record_success(now),
            budget=self.budget.record_spending(credits, now),
            last_success=now,
        )
        if isinstance(answer, QuotesResult):
            return replace(state, missing=tuple(answer.missing), rejected=dict(answer.rejected))
        return state

    def record_failure(self, error: ProviderError, jitter: float, now: datetime) -> "ProviderState":
        """Record a failed call. Providers do not charge for refusals, so the budget does not change."""
        breaker = self.breaker.record_failure(
            error.kind, now, retry_after=error.retry_after, jitter=jitter, message=error.message
        )
        return replace(self, breaker=breaker)

    def after_restart(self) -> "ProviderState":
        """The state for the first calls of a new process: unsupported roles are polled again at once."""
        polled = {role: at for role, at in self.polled.items() if role not in self.unsupported_roles}
        return replace(self, breaker=self.breaker.after_restart(), polled=polled, unsupported_roles=())

    def to_json(self) -> dict[str, Any]:
        return {
            "breaker": self.breaker.to_json(),
            "budget": self.budget.to_json(),
            "polled": {role: write_instant(at) for role, at in self.polled.items()},
            "refused": list(self.unsupported_roles),
            "last_success": self.last_success and write_instant(self.last_success),
            "missing": list(self.missing),
            "rejected": dict(self.rejected),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "ProviderState":
        last = data.get("last_success")
        return cls(
            breaker=CircuitBreaker.from_json(data.get("breaker", {})),
            budget=CreditBudget.from_json(data.get("budget", {})),
            polled={role: parse_instant(at) for role, at in data.get("polled", {}).items()},
            unsupported_roles=tuple(data.get("refused", ())),
            last_success=parse_instant(last) if last else None,
            missing=tuple(data.get("missing", ())),
            rejected=data.get("rejected", {}),
        )


def load_states(connection: Connection, market: Market, *, lock: bool = False) -> dict[str, ProviderState]:
    """Load the state of every provider of ``market`` under the current configuration.

    ``lock``: lock the rows until the transaction ends. On SQLite a write transaction does that itself.
    """
    query = sa.select(provider_states).where(provider_states.c.realm == market.sources.realm)
    if lock and connection.dialect.name == "postgresql":
        query = query.with_for_update()
    stored = {
        row.provider: ProviderState.from_json(orjson.loads(row.body)) for row in connection.execute(query)
    }
    return {
        name: _apply_configuration(stored.get(name, ProviderState()), name, market)
        for name in market.sources.names
    }


def store_states(connection: Connection, realm: str, states: Mapping[str, ProviderState]) -> None:
    rows = [
        {"realm": realm, "provider": name, "body": orjson.dumps(state.to_json()).decode()}
        for name, state in states.items()
    ]
    upsert(connection, provider_states, rows)


def update_state(
    database: Database, market: Market, provider: str, change: Callable[[ProviderState], ProviderState]
) -> None:
    """Apply ``change`` to the stored state of one provider in its own transaction."""
    with database.write() as connection:
        states = load_states(connection, market, lock=True)
        store_states(connection, market.sources.realm, {provider: change(states[provider])})


def _apply_configuration(state: ProviderState, name: str, market: Market) -> ProviderState:
    schedule = market.polling_plan.schedules.get(name)
    fingerprint = market.fingerprints.get(name, "")
    if state.breaker.fingerprint not in (None, fingerprint):
        state = state.after_restart()
    return replace(
        state,
        breaker=state.breaker.with_fingerprint(fingerprint),
        budget=state.budget.with_limit(schedule.per_month if schedule else None),
    )
