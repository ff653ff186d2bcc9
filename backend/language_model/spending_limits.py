"""Ceilings: what one caller may use of a language model, and what all may cost on a day.

What a call may cost at the most is put down before it is made, and corrected by what it did cost. So the
ceiling holds however many processes ask at once, and a call that a killed process had begun counts in full.
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

from backend.language_model.errors import AllowanceSpent, CeilingReached
from backend.language_model.tables import model_use
from backend.store.database import Database

log = structlog.get_logger(__name__)

MOST_CALLS = 12
MOST_TOKENS = 30_000
MILLION = Decimal(1_000_000)
CENT_PART = Decimal("0.0001")
"""How exactly costs are told."""


@dataclass(slots=True)
class Allowance:
    """What is left to one job. Not for use by several threads at once."""

    calls: int = MOST_CALLS
    tokens: int = MOST_TOKENS

    def claim(self, tokens: int) -> None:
        """Take one call of about so many tokens; raises :class:`AllowanceSpent` when it is too much."""
        if self.calls < 1 or tokens > self.tokens:
            raise AllowanceSpent("The job has used up what it may ask of the language model.")
        self.calls -= 1

    def use(self, tokens: int) -> None:
        self.tokens = max(0, self.tokens - tokens)


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars per million tokens, and the most that a day may cost; None is no ceiling."""

    input: Decimal
    output: Decimal
    daily_ceiling: Decimal | None

    def cost(self, input_tokens: int, output_tokens: int) -> Decimal:
        return (self.input * input_tokens + self.output * output_tokens) / MILLION

    def leaves_room(self, spent: Decimal, more: Decimal) -> bool:
        """A ceiling of 0 leaves none, not even for what costs nothing."""
        ceiling = self.daily_ceiling
        return ceiling is None or (ceiling > 0 and spent + more <= ceiling)


@dataclass(frozen=True, slots=True)
class Reserved:
    """What was put down for a call, on the day on which it began."""

    day: str
    cost: Decimal


class Day(NamedTuple):
    """What a day cost so far, in US dollars; ``refused_at`` where its ceiling is reached."""

    calls: int = 0
    tokens: int = 0
    cost: Decimal = Decimal(0)
    refused_at: datetime | None = None
    refused_under: Decimal | None = None

    def is_over(self, prices: Prices) -> bool:
        """Whether nothing is asked any more; a ceiling that was raised since opens the day again."""
        ceiling, under = prices.daily_ceiling, self.refused_under
        return ceiling is not None and under is not None and ceiling <= under


def of_day(database: Database, now: datetime) -> Day:
    with database.read() as connection:
        row = connection.execute(sa.select(model_use).where(model_use.c.day == _day(now))).one_or_none()
    return _read(row)


def reserve(database: Database, prices: Prices, most: Decimal, *, now: datetime) -> Reserved:
    """Put down a call that costs ``most`` at the most.

    Raises :class:`CeilingReached` where the day leaves no room for it, and from then on until midnight UTC.
    """
    if of_day(database, now).is_over(prices):
        raise _refusal()
    day = _day(now)
    with database.write() as connection:
        today = _read(_locked(connection, day))
        room = prices.leaves_room(today.cost, most) and not today.is_over(prices)
        if room:
            _update(connection, day, {"calls": today.calls + 1, "cost": today.cost + most})
        elif not today.is_over(prices):
            _update(connection, day, {"refused_at": now, "refused_under": prices.daily_ceiling})
            log.warning("model_ceiling_reached", day=day, spent=str(today.cost), ceiling=_ceiling(prices))
    if not room:
        raise _refusal()
    return Reserved(day, most)


def settle(database: Database, reserved: Reserved, *, tokens: int, cost: Decimal) -> None:
    """Put down what a call did cost in place of what it might have."""
    with database.write() as connection:
        today = _read(_locked(connection, reserved.day))
        spent = today.cost - reserved.cost + cost
        _update(connection, reserved.day, {"tokens": today.tokens + tokens, "cost": spent})


def _refusal() -> CeilingReached:
    return CeilingReached("The day's ceiling for language models is reached.")


def _ceiling(prices: Prices) -> str:
    return str(prices.daily_ceiling)


def _locked(connection: Connection, day: str) -> Row[Any]:
    """The row of a day, which others wait for until this transaction ends."""
    # The row first, since only what is there can be locked: two first calls of a day both count.
    insert = sqlite_insert if connection.dialect.name == "sqlite" else pg_insert
    nothing = {"day": day, "calls": 0, "tokens": 0, "cost": Decimal(0)}
    connection.execute(insert(model_use).values(nothing).on_conflict_do_nothing())
    return connection.execute(sa.select(model_use).where(model_use.c.day == day).with_for_update()).one()


def _update(connection: Connection, day: str, changed: dict[str, Any]) -> None:
    connection.execute(sa.update(model_use).where(model_use.c.day == day).values(changed))


def _read(row: Row[Any] | None) -> Day:
    return Day() if row is None else Day(*(getattr(row, name) for name in Day._fields))


def _day(now: datetime) -> str:
    return now.date().isoformat()
