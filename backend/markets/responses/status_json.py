"""Builds the response of the provider status: errors, polling intervals, remaining quota."""

from datetime import datetime
from typing import Any

from backend.markets.configuration import Market
from backend.markets.numbers import format_timestamp
from backend.markets.provider_state import ProviderState, load_states
from backend.markets.responses.json_values import build_reason_fields, optional_timestamp
from backend.markets.responses.snapshot import Snapshot
from backend.store.database import Database


def build_status_response(
    database: Database, market: Market, snapshot: Snapshot, mode: str, now: datetime
) -> dict[str, Any]:
    with database.read() as connection:
        states = load_states(connection, market)
    # Only polls of quotes count: candles fetched for one asset refresh no figure.
    polled = [at for state in states.values() if (at := state.polled.get("quotes"))]
    return {
        "mode": mode,
        "refreshed_at": optional_timestamp(max(polled, default=None)),
        "assets": len(snapshot.entries),
        "stale": sum(entry.figure.stale or entry.figure.price is None for entry in snapshot.entries),
        "providers": [_build_provider(name, state, market, now) for name, state in states.items()],
    }


def _build_provider(name: str, state: ProviderState, market: Market, now: datetime) -> dict[str, Any]:
    health, budget = state.breaker.health(now), state.budget.for_month_of(now)
    schedule = market.polling_plan.schedules[name]
    roles = market.sources.roles(name)
    intervals = [seconds for role in roles if (seconds := schedule.interval_seconds(role)) is not None]
    metered = budget.limit is not None
    return {
        "provider": name,
        "role": list(roles),
        "state": health.state,
        **build_reason_fields("message", health.message),
        "failing_since": optional_timestamp(health.since),
        "last_success_at": optional_timestamp(state.last_success),
        "retry_at": optional_timestamp(health.retry_at),
        "poll_interval_seconds": min(intervals, default=None),
        "credits_used": budget.used if metered else None,
        "credits_quota": budget.limit,
        "quota_resets_at": format_timestamp(budget.resets_at(now)) if metered else None,
        "missing_ids": list(state.missing),
    }
