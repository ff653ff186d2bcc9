"""Limits the language model calls of one job and the daily cost of all calls.

A call's maximum cost is reserved before the call and replaced by its actual cost afterwards. So the daily
limit holds with any number of processes, and a call of a killed process counts in full.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

import sqlalchemy as sa
import structlog
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import Connection, Row

from backend.language_model.errors import AllowanceSpent, DailyLimitReached
from backend.language_model.tables import model_use
from backend.store.database import Database

log = structlog.get_logger(__name__)

MAX_CALLS_PER_JOB = 12
MAX_TOKENS_PER_JOB = 30_000
TOKENS_PER_PRICE = Decimal(1_000_000)
COST_PRECISION = Decimal("0.0001")
"""Costs are shown to this fraction of a US dollar."""


@dataclass(slots=True)
class Allowance:
    """The calls and tokens left to one job. Not thread-safe."""

    calls_left: int = MAX_CALLS_PER_JOB
    tokens_left: int = MAX_TOKENS_PER_JOB

    def count_call(self, tokens: int) -> None:
        """Count one call, or raise :class:`AllowanceSpent` unless a call and ``tokens`` tokens are left.

        :meth:`deduct_tokens` deducts the tokens after the call.
        """
        if self.calls_left < 1 or tokens > self.tokens_left:
            raise AllowanceSpent("The job has used up what it may ask of the language model.")
        self.calls_left -= 1

    def deduct_tokens(self, tokens: int) -> None:
        self.tokens_left = max(0, self.tokens_left - tokens)


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices in US dollars per million tokens, and the daily limit in US dollars; None means no limit."""

    input: Decimal
    output: Decimal
    daily_limit: Decimal | None

    def cost(self, input_tokens: int, output_tokens: int) -> Decimal:
        return (self.input * input_tokens + self.output * output_tokens) / TOKENS_PER_PRICE

    def has_room(self, spent: Decimal, max_cost: Decimal) -> bool:
        """True if ``max_cost`` fits on top of ``spent``. A limit of 0 forbids every call, even a free one."""
        limit = self.daily_limit
        return limit is None or (limit > 0 and spent + max_cost <= limit)


@dataclass(frozen=True, slots=True)
class Reservation:
    """The cost reserved for a call, on the day on which it began."""

    day: str
    cost: Decimal


class DayUsage(NamedTuple):
    """The use of one day; ``cost`` is in US dollars. ``refused_at`` is set once the limit is reached."""

    calls: int = 0
    tokens: int = 0
    cost: Decimal = Decimal(0)
    refused_at: datetime | None = None
    refused_under: Decimal | None = None

    def has_reached_limit(self, prices: Prices) -> bool:
        """True if no more calls are allowed today. Raising the limit allows calls again."""
        limit, refused_limit = prices.daily_limit, self.refused_under
        return limit is not None and refused_limit is not None and limit <= refused_limit


def load_day_usage(database: Database, now: datetime) -> DayUsage:
    with database.read() as connection:
        row = connection.execute(
            sa.select(model_use).where(model_use.c.day == _format_day(now))
        ).one_or_none()
    return _from_row(row)


def reserve(database: Database, prices: Prices, max_cost: Decimal, *, now: datetime) -> Reservation:
    """Reserve ``max_cost`` US dollars for a call.

    Raises :class:`DailyLimitReached` if it would exceed the daily limit. Every later call is then refused
    until midnight UTC or until the limit is raised.
    """
    if load_day_usage(database, now).has_reached_limit(prices):
        raise _build_daily_limit_error()
    day = _format_day(now)
    with database.write() as connection:
        today = _from_row(_lock_day(connection, day))
        has_room = prices.has_room(today.cost, max_cost) and not today.has_reached_limit(prices)
        if has_room:
            _update(connection, day, {"calls": today.calls + 1, "cost": today.cost + max_cost})
        elif not today.has_reached_limit(prices):
            _update(connection, day, {"refused_at": now, "refused_under": prices.daily_limit})
            log.warning(
                "model_ceiling_reached", day=day, spent=str(today.cost), ceiling=str(prices.daily_limit)
            )
    if not has_room:
        raise _build_daily_limit_error()
    return Reservation(day, max_cost)


def record_cost(database: Database, reserved: Reservation, *, tokens: int, cost: Decimal) -> None:
    """Replace the reserved cost of a call with its actual cost in US dollars."""
    with database.write() as connection:
        today = _from_row(_lock_day(connection, reserved.day))
        spent = today.cost - reserved.cost + cost
        _update(connection, reserved.day, {"tokens": today.tokens + tokens, "cost": spent})


def _build_daily_limit_error() -> DailyLimitReached:
    return DailyLimitReached("The daily cost limit for language models is reached.")


def _lock_day(connection: Connection, day: str) -> Row[Any]:
    """Return the row of a day, locked until this transaction ends."""
    # Insert the row first, since only an existing row can be locked: two first calls of a day both count.
    insert = sqlite_insert if connection.dialect.name == "sqlite" else pg_insert
    empty = {"day": day, "calls": 0, "tokens": 0, "cost": Decimal(0)}
    connection.execute(insert(model_use).values(empty).on_conflict_do_nothing())
    return connection.execute(sa.select(model_use).where(model_use.c.day == day).with_for_update()).one()


def _update(connection: Connection, day: str, changed: dict[str, Any]) -> None:
    connection.execute(sa.update(model_use).where(model_use.c.day == day).values(changed))


def _from_row(row: Row[Any] | None) -> DayUsage:
    return DayUsage() if row is None else DayUsage(*(getattr(row, name) for name in DayUsage._fields))


def _format_day(now: datetime) -> str:
    return now.date().isoformat()
