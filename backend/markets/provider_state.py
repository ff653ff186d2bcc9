"""What all processes know of a provider: breaker, budget, last polls, ids it did not answer."""

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
    """``polled``: when each role was last asked for and answered, or refused for good: ``refused`` are
    the roles that the provider's plan does not include. ``missing`` and ``rejected``:
    assets that the last poll of quotes did not bring, and why where the provider's answer was refused."""

    breaker: CircuitBreaker = field(default_factory=CircuitBreaker)
    budget: CreditBudget = field(default_factory=CreditBudget)
    polled: Mapping[Role, datetime] = field(default_factory=dict)
    refused: tuple[Role, ...] = ()
    last_success: datetime | None = None
    missing: tuple[str, ...] = ()
    rejected: Mapping[str, str] = field(default_factory=dict)

    def asked(self, role: Role, now: datetime) -> "ProviderState":
        left = tuple(known for known in self.refused if known != role)
        return replace(
            self, polled={**self.polled, role: now}, refused=left, breaker=self.breaker.record_call(now)
        )

    def lacking(self, role: Role, now: datetime) -> "ProviderState":
        """The provider's plan does not include ``role``: its next turn is soon enough to ask again."""
        state = self.asked(role, now)
        return replace(state, refused=(*state.refused, role))

    def answered(self, answer: object, credits: int, now: datetime) -> "ProviderState":
        state = replace(
            self,
            breaker=self.breaker.record_success(now),
            budget=self.budget.record_spending(credits, now),
            last_success=now,
        )
        if isinstance(answer, QuotesResult):
            return replace(state, missing=tuple(answer.missing), rejected=dict(answer.rejected))
        return state

    def failed(self, error: ProviderError, jitter: float, now: datetime) -> "ProviderState":
        """Providers bill answers, not refusals: the budget stays as it is."""
        breaker = self.breaker.record_failure(
            error.kind, now, retry_after=error.retry_after, jitter=jitter, message=error.message
        )
        return replace(self, breaker=breaker)

    def restarted(self) -> "ProviderState":
        """The state for the first calls of a new process: what was refused is asked for at once."""
        polled = {role: at for role, at in self.polled.items() if role not in self.refused}
        return replace(self, breaker=self.breaker.after_restart(), polled=polled, refused=())

    def to_json(self) -> dict[str, Any]:
        return {
            "breaker": self.breaker.to_json(),
            "budget": self.budget.to_json(),
            "polled": {role: write_instant(at) for role, at in self.polled.items()},
            "refused": list(self.refused),
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
            refused=tuple(data.get("refused", ())),
            last_success=parse_instant(last) if last else None,
            missing=tuple(data.get("missing", ())),
            rejected=data.get("rejected", {}),
        )


def load_states(connection: Connection, market: Market, *, lock: bool = False) -> dict[str, ProviderState]:
    """The state of every provider of ``market`` under the configuration in force.

    ``lock``: until the transaction ends nobody else changes them (on SQLite a write transaction
    does that by itself).
    """
    query = sa.select(provider_states).where(provider_states.c.realm == market.sources.realm)
    if lock and connection.dialect.name == "postgresql":
        query = query.with_for_update()
    stored = {
        row.provider: ProviderState.from_json(orjson.loads(row.body)) for row in connection.execute(query)
    }
    return {
        name: _configured(stored.get(name, ProviderState()), name, market) for name in market.sources.names
    }


def store_states(connection: Connection, realm: str, states: Mapping[str, ProviderState]) -> None:
    rows = [
        {"realm": realm, "provider": name, "body": orjson.dumps(state.to_json()).decode()}
        for name, state in states.items()
    ]
    upsert(connection, provider_states, rows)


def change_state(
    database: Database, market: Market, provider: str, change: Callable[[ProviderState], ProviderState]
) -> None:
    """Apply ``change`` to the stored state of one provider, alone."""
    with database.write() as connection:
        states = load_states(connection, market, lock=True)
        store_states(connection, market.sources.realm, {provider: change(states[provider])})


def _configured(state: ProviderState, name: str, market: Market) -> ProviderState:
    schedule = market.polling_plan.schedules.get(name)
    fingerprint = market.fingerprints.get(name, "")
    if state.breaker.fingerprint not in (None, fingerprint):
        state = state.restarted()
    return replace(
        state,
        breaker=state.breaker.with_fingerprint(fingerprint),
        budget=state.budget.with_limit(schedule.per_month if schedule else None),
    )
