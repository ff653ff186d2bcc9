"""Checks the rate limit for ``chainproof doctor``."""

from typing import Literal

from backend.formats.plurals import counted, format_duration
from backend.settings import Settings, optional_dependencies

Noted = tuple[str, Literal["ok", "note", "fault"], str]


def checkup(settings: Settings) -> Noted:
    """Return subject, state and sentence. Connects to the configured Redis, if any."""
    if settings.rate is None:
        if not settings.is_reached_from_beyond:
            return "Limits", "ok", "off, since only this machine can reach the service."
        return (
            "Limits",
            "note",
            ("off, and others can reach the service. CHAINPROOF_RATE_LIMIT=600/minute sets one."),
        )
    amount, seconds = settings.rate
    window = format_duration(seconds).removeprefix("1 ")
    rate = f"{counted(amount, 'request')} per {window} for each key or address"
    if settings.redis_url is None:
        return "Limits", "ok", f"{rate}, counted by each process; CHAINPROOF_REDIS_URL joins them."
    if missing := optional_dependencies.find_missing(settings):
        return "Limits", "fault", missing
    from backend.http.limits.redis_counters import find_redis_problem  # its library takes long to load

    problem = find_redis_problem(settings.redis_url.get_secret_value())
    if problem is None:
        return "Limits", "ok", f"{rate}, counted in Redis for all processes."
    return "Limits", "fault", f"{rate}, by each process alone: Redis does not answer ({problem})."
