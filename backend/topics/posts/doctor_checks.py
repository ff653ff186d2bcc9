"""What an operator should know of X, in sentences."""

from collections.abc import Iterator
from datetime import datetime
from typing import Literal, NamedTuple

from backend.formats.timestamps import write_instant
from backend.markets.model import ErrorKind
from backend.runtime.redaction import redact
from backend.settings import Settings
from backend.store.database import Database
from backend.topics.posts import x_rate_limits
from backend.topics.posts.model import Usage, XRefused
from backend.topics.posts.x_api import XApi
from backend.topics.posts.x_rate_limits import XState

SETTING = "CHAINPROOF_X_BEARER_TOKEN"


class Noted(NamedTuple):
    subject: str
    state: Literal["ok", "note", "fault"]
    sentence: str


def checkup(settings: Settings, database: Database, *, now: datetime) -> Iterator[Noted]:
    """Whether X is configured, whether it answers (asked once in live mode, for no post), and what is left of
    the month's posts and of the requests. What X asked us not to do before a time is not done here either."""
    try:
        api = XApi.configured(settings)
    except ValueError as error:
        yield Noted("X", "fault", f"It cannot be asked: {error}")
        return
    if api is None:
        told = f"is not configured, so no posts are read. {SETTING} switches it on"
        yield Noted("X", "ok", f"{told}; until then posts that programs send count, or else coverage.")
        return
    try:
        if settings.is_offline:
            yield Noted("X", "ok", f"is configured, but not asked in {settings.mode} mode.")
            return
        yield _asked(settings, database, api, now)
    finally:
        api.close()


def _asked(settings: Settings, database: Database, api: XApi, now: datetime) -> Noted:
    with database.read() as connection:
        known = x_rate_limits.load(connection, settings)
    left = _left(settings, known, now)
    held = known.breaker
    if held.kind in ("throttled", "quota_spent") and held.until is not None and now < held.until:
        until = write_instant(held.until.replace(microsecond=0))
        return Noted("X", "note", f"is left alone until {until}: {_sentence(held.why)} {left}")
    try:
        usage = api.usage(now=now)
    except XRefused as refused:
        return _refusal(refused, left)
    if held.kind != "closed":
        with database.write() as connection:
            x_rate_limits.store(connection, x_rate_limits.load(connection, settings).forgiven())
    return Noted("X", "ok", f"answers. {left}{_its_own(usage)}")


def _refusal(refused: XRefused, left: str) -> Noted:
    said = _sentence(redact(refused.message))
    if refused.kind is ErrorKind.UNAUTHORISED:
        return Noted("X", "fault", f"refuses the token: {said} Correct {SETTING}.")
    if refused.kind is ErrorKind.REFUSED:
        return Noted("X", "fault", f"refuses access: {said} Mend that in the account at X. {left}")
    if refused.kind in (ErrorKind.THROTTLED, ErrorKind.QUOTA_SPENT):
        return Noted("X", "note", f"asks us to wait: {said} {left}")
    return Noted("X", "fault", f"does not answer: {said} Topics are ranked by what is known. {left}")


def _left(settings: Settings, known: XState, now: datetime) -> str:
    budget = known.budget.at(now)
    calls = known.calls_left(now, settings.x_requests_per_15_minutes)
    window = known.windows.get("search")
    if window is not None and now < window.reset_at:
        calls = min(calls, window.remaining)
    posts = f"{budget.left(now) or 0:,} of {settings.x_monthly_posts:,} posts of this month are left"
    return f"{posts}, and {calls} searches of this quarter of an hour."


def _its_own(usage: Usage) -> str:
    if usage.used is None or usage.cap is None:
        return ""
    day = f", anew on day {usage.reset_day} of the month" if usage.reset_day else ""
    return f" X itself counts {usage.used:,} of {usage.cap:,} posts{day}."


def _sentence(words: str) -> str:
    return f"{words.rstrip('. ')}."
