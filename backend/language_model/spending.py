"""Ceilings: what one job may use of a language model, and what all may cost on a day."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from backend.db import Database
from backend.language_model.tables import model_use

MOST_CALLS = 12
MOST_TOKENS = 30_000
MILLION = Decimal(1_000_000)


class ModelFailed(Exception):
    """No usable answer of a model; ``message`` is a sentence that holds no secret."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(slots=True)
class Allowance:
    """What is left to one job. Not for use by several threads at once."""

    calls: int = MOST_CALLS
    tokens: int = MOST_TOKENS

    def claim(self, tokens: int) -> None:
        """Take one call of about so many tokens; raises :class:`ModelFailed` when it is too much."""
        if self.calls < 1 or tokens > self.tokens:
            raise ModelFailed("The job has used up what it may ask of the language model.")
        self.calls -= 1

    def use(self, tokens: int) -> None:
        self.tokens = max(0, self.tokens - tokens)


@dataclass(frozen=True, slots=True)
class Prices:
    """Per million tokens, and the most that a day may cost; None is no ceiling."""

    input: Decimal
    output: Decimal
    daily_ceiling: Decimal | None

    def cost(self, input_tokens: int, output_tokens: int) -> Decimal:
        return (self.input * input_tokens + self.output * output_tokens) / MILLION


def refuse_beyond_ceiling(database: Database, prices: Prices, *, now: datetime) -> None:
    """Raise :class:`ModelFailed` when the day's ceiling is reached.

    Calls that run at the same moment may each still pass, so a day can cost a few calls more.
    """
    if prices.daily_ceiling is None:
        return
    with database.read() as connection:
        today = sa.select(model_use.c.cost).where(model_use.c.day == _day(now))
        spent = connection.execute(today).scalar_one_or_none()
    if spent is not None and spent >= prices.daily_ceiling:
        raise ModelFailed("The day's ceiling for language models is reached.")


def record(database: Database, *, tokens: int, cost: Decimal, now: datetime) -> None:
    """Add one call to the day's sum."""
    today = model_use.c.day == _day(now)
    with database.write() as connection:
        # The row first, since only what is there can be locked: two first calls of a day both count.
        insert = sqlite_insert if connection.dialect.name == "sqlite" else pg_insert
        nothing = {"day": _day(now), "calls": 0, "tokens": 0, "cost": Decimal(0)}
        connection.execute(insert(model_use).values(nothing).on_conflict_do_nothing())
        before = connection.execute(sa.select(model_use).where(today).with_for_update()).one()
        added = {"calls": before.calls + 1, "tokens": before.tokens + tokens, "cost": before.cost + cost}
        connection.execute(sa.update(model_use).where(today).values(added))


def _day(now: datetime) -> str:
    return now.date().isoformat()
