"""Checks the language model for ``chainproof doctor``: configuration, failures, today's cost."""

from datetime import datetime

from backend.formats.plurals import format_count
from backend.language_model import circuit_breaker, spending_limits
from backend.language_model.client import prices_from_settings
from backend.runtime.check_result import CheckResult
from backend.settings import Settings
from backend.store.database import Database

SUBJECT = "Language model"


def check_language_model(settings: Settings, database: Database, *, now: datetime) -> CheckResult:
    """Report the state from the store alone, since calling the model would cost money."""
    name = settings.model_name
    if settings.model_base_url is None or name is None:
        return CheckResult(SUBJECT, "ok", "none is configured; rules and templates alone are used.")
    if settings.is_offline:
        return CheckResult(SUBJECT, "ok", f"{name} is configured, but not asked in {settings.mode} mode.")
    state = circuit_breaker.load_state(database, circuit_breaker.endpoint_id(settings.model_base_url, name))
    if state.failures:
        since = f"{state.failing_since:%Y-%m-%d %H:%M} UTC, {state.failures} in a row"
        retry = "with the next question"
        if state.quiet_until is not None and state.quiet_until > now:
            retry = f"after {state.quiet_until:%H:%M} UTC"
        problem = f"{name} {state.problem} (since {since}). It is asked again {retry}"
        return CheckResult(SUBJECT, "fault", f"{problem}; until then rules and templates serve.")
    return _check_cost(settings, database, name, now)


def _check_cost(settings: Settings, database: Database, name: str, now: datetime) -> CheckResult:
    prices, today = prices_from_settings(settings), spending_limits.load_day_usage(database, now)
    daily_limit = prices.daily_limit
    calls = format_count(today.calls, "call")
    spent = f"{calls} and {format_count(today.tokens, 'token')} today, {_format_dollars(today)} US dollars"
    if daily_limit is not None and today.has_reached_limit(prices):
        at = f" at {today.refused_at:%H:%M} UTC" if today.refused_at else ""
        reached = f"{name}: the daily limit of {daily_limit} US dollars was reached{at}"
        return CheckResult(SUBJECT, "note", f"{reached}; it is not asked until midnight UTC. {spent}.")
    if not prices.input and not prices.output:
        unpriced = "No prices are set (CHAINPROOF_MODEL_PRICE_INPUT, _OUTPUT), so"
        effect = "the daily limit has no effect" if daily_limit else "its cost is unknown"
        return CheckResult(SUBJECT, "note" if daily_limit else "ok", f"{name}: {spent}. {unpriced} {effect}.")
    bound = f"of at most {daily_limit}" if daily_limit is not None else "without a daily limit"
    return CheckResult(SUBJECT, "ok", f"{name}: {spent} {bound}.")


def _format_dollars(today: spending_limits.DayUsage) -> str:
    return format(today.cost.quantize(spending_limits.COST_PRECISION), "f")
