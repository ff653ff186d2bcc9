"""Checks the rate limit for ``chainproof doctor``."""

from backend.formats.plurals import format_count, format_duration
from backend.runtime.check_result import CheckResult
from backend.settings import Settings, optional_dependencies


def check_rate_limit(settings: Settings) -> CheckResult:
    """Report the rate limit in force. Connects to the configured Redis, if any."""
    if settings.parsed_rate_limit is None:
        if not settings.is_reachable_from_other_machines:
            return CheckResult("Limits", "ok", "off, since only this machine can reach the service.")
        return CheckResult(
            "Limits",
            "note",
            "off, and others can reach the service. Set one, such as CHAINPROOF_RATE_LIMIT=600/minute.",
        )
    amount, seconds = settings.parsed_rate_limit
    window = format_duration(seconds).removeprefix("1 ")
    rate = f"{format_count(amount, 'request')} per {window} for each key or address"
    if settings.redis_url is None:
        return CheckResult(
            "Limits",
            "ok",
            f"{rate}, counted by each process; CHAINPROOF_REDIS_URL lets them count together.",
        )
    if missing := optional_dependencies.find_missing(settings):
        return CheckResult("Limits", "fault", missing)
    from backend.http.limits.redis_counters import find_redis_problem  # its library takes long to load

    problem = find_redis_problem(settings.redis_url.get_secret_value())
    if problem is None:
        return CheckResult("Limits", "ok", f"{rate}, counted in Redis for all processes.")
    return CheckResult(
        "Limits", "fault", f"{rate}, counted by each process alone: Redis does not answer ({problem})."
    )
