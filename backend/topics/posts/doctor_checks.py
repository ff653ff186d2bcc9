"""Checks the access to X for ``chainproof doctor``."""

from collections.abc import Iterator
from datetime import datetime

from backend.formats.timestamps import write_instant
from backend.markets.model import ErrorKind
from backend.runtime.check_result import CheckResult
from backend.runtime.redaction import redact
from backend.settings import Settings
from backend.store.database import Database
from backend.topics.posts import x_rate_limits
from backend.topics.posts.model import Usage, XRequestError
from backend.topics.posts.x_api import XApi
from backend.topics.posts.x_rate_limits import XState

SETTING_NAME = "CHAINPROOF_X_BEARER_TOKEN"


def check_x(settings: Settings, database: Database, *, now: datetime) -> Iterator[CheckResult]:
    """Report whether X is configured and answers, and how many posts and requests are left.

    In live mode it makes one request, which reads no post. It makes none while X tells us to wait.
    """
    try:
        api = XApi.from_settings(settings)
    except ValueError as error:
        yield CheckResult("X", "fault", f"cannot be used: {error}")
        return
    if api is None:
        yield CheckResult(
            "X",
            "ok",
            f"is not configured, so no posts are read. {SETTING_NAME} switches it on; until then topics are "
            "ranked by posts that programs send, or else by coverage.",
        )
        return
    try:
        if settings.is_offline:
            yield CheckResult("X", "ok", f"is configured, but not used in {settings.mode} mode.")
            return
        yield _check_usage(settings, database, api, now)
    finally:
        api.close()


def _check_usage(settings: Settings, database: Database, api: XApi, now: datetime) -> CheckResult:
    with database.read() as connection:
        limits = x_rate_limits.load(connection, settings)
    quota_text = _format_left(settings, limits, now)
    breaker = limits.breaker
    if breaker.kind in ("throttled", "quota_spent") and breaker.until is not None and now < breaker.until:
        until = write_instant(breaker.until.replace(microsecond=0))
        return CheckResult(
            "X", "note", f"gets no requests until {until}: {_end_sentence(breaker.message)} {quota_text}"
        )
    try:
        usage = api.usage(now=now)
    except XRequestError as error:
        return _report_refusal(error, quota_text)
    if breaker.kind != "closed":
        with database.write() as connection:
            x_rate_limits.store(connection, x_rate_limits.load(connection, settings).with_closed_breaker())
    return CheckResult("X", "ok", f"answers. {quota_text}{_format_usage(usage)}")


def _report_refusal(error: XRequestError, quota_text: str) -> CheckResult:
    message = _end_sentence(redact(error.message))
    if error.kind is ErrorKind.UNAUTHORISED:
        return CheckResult("X", "fault", f"refuses the token: {message} Correct {SETTING_NAME}.")
    if error.kind is ErrorKind.REFUSED:
        return CheckResult(
            "X", "fault", f"refuses access: {message} Fix that in the account at X. {quota_text}"
        )
    if error.kind in (ErrorKind.THROTTLED, ErrorKind.QUOTA_SPENT):
        return CheckResult("X", "note", f"asks us to wait: {message} {quota_text}")
    return CheckResult(
        "X", "fault", f"does not answer: {message} Topics are ranked by the posts already read. {quota_text}"
    )


def _format_left(settings: Settings, limits: XState, now: datetime) -> str:
    budget = limits.budget.for_month_of(now)
    searches = limits.requests_left(now, settings.x_requests_per_15_minutes)
    window = limits.windows.get("search")
    if window is not None and now < window.reset_at:
        searches = min(searches, window.remaining)
    posts = f"{budget.remaining(now) or 0:,} of {settings.x_monthly_posts:,} posts of this month are left"
    return f"{posts}, and {searches} searches of this quarter of an hour."


def _format_usage(usage: Usage) -> str:
    if usage.used is None or usage.cap is None:
        return ""
    reset = f", reset on day {usage.reset_day} of the month" if usage.reset_day else ""
    return f" X itself counts {usage.used:,} of {usage.cap:,} posts{reset}."


def _end_sentence(text: str) -> str:
    return f"{text.rstrip('. ')}."
