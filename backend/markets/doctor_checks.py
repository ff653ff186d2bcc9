"""Checks the market data providers for ``chainproof doctor``: their stored state, and whether they answer."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Literal, NamedTuple

from backend.markets.assets.model import Asset
from backend.markets.configuration import Market
from backend.markets.model import ProviderError
from backend.markets.numbers import stamp
from backend.markets.provider_limits.circuit_breaker import Standing
from backend.markets.provider_registry import FearGreedSource, QuoteSource
from backend.markets.provider_state import ProviderState, load_states
from backend.runtime.redaction import redact
from backend.store.database import Database


class Noted(NamedTuple):
    subject: str
    state: Literal["ok", "note", "fault"]
    sentence: str


Question = Callable[[], Noted]


def check_providers(market: Market, database: Database | None, now: datetime) -> Iterator[Noted]:
    """One finding for each provider: its stored breaker, and how it answers now.

    ``database`` is null where no state can be stored yet. A provider that told us to wait is not asked.
    """
    states: Mapping[str, ProviderState] = {}
    if database is not None:
        with database.read() as connection:
            states = load_states(connection, market)
    assets = market.book.enabled[:1]
    questions: dict[str, Question] = {}
    for source in market.sources.quotes:
        questions[source.name] = partial(_ask_quote, source, assets, market, now)
    for index in market.sources.fear_greed:
        questions.setdefault(index.name, partial(_ask_index, index, now))
    for name, ask in questions.items():
        yield _check(name, states.get(name, ProviderState()).breaker.standing(now), ask)


def _check(name: str, standing: Standing, ask: Question) -> Noted:
    if standing.message is None:
        return _ask(name, ask)
    since = f" since {stamp(standing.since)}" if standing.since else ""
    worker = f"The worker has had no good answer{since}: {redact(standing.message.text)}"
    if standing.state in ("throttled", "quota_spent"):
        return Noted(name, "note", f"is not asked by this check. {worker}")
    told = _ask(name, ask)
    return Noted(name, "note" if told.state != "fault" else "fault", f"{told.sentence} {worker}")


def _ask(name: str, ask: Question) -> Noted:
    try:
        return ask()
    except ProviderError as error:
        return Noted(name, "fault", f"does not answer: {redact(error.message).rstrip('.')}.")


def _ask_quote(source: QuoteSource, assets: Sequence[Asset], market: Market, now: datetime) -> Noted:
    """One asset's quote: the key, the address and the shape all show in it."""
    schedule = market.cadence.schedules[source.name]
    poll = source.quotes(assets, now)
    answers = "answers" if poll.quotes else "answers, but did not know the first asset"
    return Noted(source.name, "ok" if schedule.fits else "note", f"{answers}. Cadence: {schedule.reason}")


def _ask_index(source: FearGreedSource, now: datetime) -> Noted:
    source.fear_greed(now)
    return Noted(source.name, "ok", "answers.")
