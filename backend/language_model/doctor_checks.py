"""What an operator should know of the language model, in sentences: is it asked, does it answer, its cost."""

from datetime import datetime
from typing import Literal, NamedTuple

from backend.formats.plurals import counted
from backend.language_model import circuit_breaker, spending_limits
from backend.language_model.client import prices_of
from backend.settings import Settings
from backend.store.database import Database

SUBJECT = "Language model"


class Noted(NamedTuple):
    subject: str
    state: Literal["ok", "note", "fault"]
    sentence: str


def checkup(settings: Settings, database: Database, *, now: datetime) -> Noted:
    """One finding, out of the store alone: asking the model would cost."""
    name = settings.model_name
    if settings.model_base_url is None or name is None:
        return Noted(SUBJECT, "ok", "none is configured; rules and templates alone are used.")
    if settings.is_offline:
        return Noted(SUBJECT, "ok", f"{name} is configured, but not asked in {settings.mode} mode.")
    known = circuit_breaker.read(database, circuit_breaker.endpoint_of(settings.model_base_url, name))
    if known.failures:
        since = f"{known.failing_since:%Y-%m-%d %H:%M} UTC, {known.failures} in a row"
        again = "with the next question"
        if known.quiet_until is not None and known.quiet_until > now:
            again = f"after {known.quiet_until:%H:%M} UTC"
        told = f"{name} {known.problem} (since {since}). It is asked again {again}"
        return Noted(SUBJECT, "fault", f"{told}; until then rules and templates serve.")
    return _cost(settings, database, name, now)


def _cost(settings: Settings, database: Database, name: str, now: datetime) -> Noted:
    prices, today = prices_of(settings), spending_limits.of_day(database, now)
    ceiling = prices.daily_ceiling
    calls = counted(today.calls, "call")
    spent = f"{calls} and {counted(today.tokens, 'token')} today, {_dollars(today)} US dollars"
    if ceiling is not None and today.is_over(prices):
        at = f" at {today.refused_at:%H:%M} UTC" if today.refused_at else ""
        told = f"{name}: the day's ceiling of {ceiling} US dollars was reached{at}"
        return Noted(SUBJECT, "note", f"{told}; it is not asked until midnight UTC. {spent}.")
    if not prices.input and not prices.output:
        unpriced = "No prices are set (CHAINPROOF_MODEL_PRICE_INPUT, _OUTPUT), so"
        held = "the ceiling never counts" if ceiling else "what it costs is not known"
        return Noted(SUBJECT, "note" if ceiling else "ok", f"{name}: {spent}. {unpriced} {held}.")
    bound = f"of at most {ceiling}" if ceiling is not None else "with no ceiling of cost for a day"
    return Noted(SUBJECT, "ok", f"{name}: {spent} {bound}.")


def _dollars(today: spending_limits.Day) -> str:
    return format(today.cost.quantize(spending_limits.CENT_PART), "f")
