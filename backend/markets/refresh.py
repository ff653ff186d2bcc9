"""One refresh of the market: ask who is due, judge, store, say that it changed.

All network traffic comes before the first write; the write is one transaction. What each
provider's breaker and budget learn is applied to their stored state inside it, since API processes
spend from the same budget.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

import sqlalchemy as sa
import structlog
from sqlalchemy.engine import Connection

from backend.markets import incident_log
from backend.markets.aggregation.aggregate import aggregate
from backend.markets.aggregation.incident_tracking import IncidentEvent
from backend.markets.aggregation.ranks import assign_ranks, collect_ranks
from backend.markets.aggregation.state import AggregationState
from backend.markets.candles import price_history
from backend.markets.configuration import Market, traits_of
from backend.markets.icons import icon_store
from backend.markets.model import (
    NOT_ALLOWED,
    ErrorKind,
    FearGreed,
    GlobalFigures,
    ProviderError,
    Published,
    Quote,
    QuotesResult,
    source_label,
)
from backend.markets.provider_limits.polling_schedule import Role
from backend.markets.provider_registry import Named
from backend.markets.provider_state import ProviderState, load_states, store_states
from backend.markets.responses.snapshot import CHANGED
from backend.markets.row_conversion import (
    figure_to_row,
    published_from_row,
    published_to_row,
    quote_from_row,
    quote_to_row,
)
from backend.markets.tables import market_figures, provider_quotes, published_figures
from backend.runtime import metrics
from backend.store.database import Database, bump, upsert
from backend.upstream.jitter import jitter

log = structlog.get_logger(__name__)
N = TypeVar("N", bound=Named)
EARLY = timedelta(seconds=5)
AHEAD = timedelta(minutes=1)
"""What was asked later than that after now was so by a clock that has been put back since."""
"""How much before its time a provider may be asked at the most."""
Answer = QuotesResult | GlobalFigures | FearGreed
Remembered = tuple[Published, AggregationState]


@dataclass(frozen=True, slots=True)
class Call:
    """One question to one provider."""

    provider: str
    role: Role
    cost: int
    ask: Callable[[], Answer]


@dataclass(frozen=True, slots=True)
class Result:
    call: Call
    answer: Answer | ProviderError


@dataclass(frozen=True, slots=True)
class Report:
    """What a refresh did: who answered, who failed and why, how many figures changed."""

    answered: tuple[str, ...]
    failed: Mapping[str, str]
    changed: int


class Refresher:
    """Refreshes one realm's figures. One tick at a time across all processes: its schedule sees to that."""

    def __init__(self, database: Database, market: Market) -> None:
        self._database = database
        self._market = market
        self._realm = market.sources.realm
        self._has_asked = False

    def tick(self, now: datetime) -> Report:
        """Ask every provider that is due at ``now``, judge all quotes anew, store what changed."""
        with metrics.REFRESH_SECONDS.time():
            with self._database.read() as connection:
                states = load_states(connection, self._market)
                missing_from = price_history.missing_from(connection, self._realm, now)
            if not self._has_asked:  # whoever mended something and restarted the worker need not wait
                states = {name: state.restarted() for name, state in states.items()}
            results = self._ask(self._due(states, now))
            self._has_asked = True
            past = self._past(missing_from, now)
            with self._database.write() as connection:
                report = self._store(connection, results, past, now)
            self._note_images(results, now)
            return report

    # -- asking ------------------------------------------------------------------------------

    def _due(self, states: Mapping[str, ProviderState], now: datetime) -> list[Call]:
        sources, assets = self._market.sources, self._market.book.enabled
        calls = []
        for source in sources.quotes:
            if self._is_due(source.name, "quotes", states, now):
                calls.append(self._call(source.name, "quotes", partial(source.quotes, assets, now)))
        for overview in self._willing(sources.overview, "overview", states, now):
            if self._is_due(overview.name, "overview", states, now):
                calls.append(self._call(overview.name, "overview", partial(overview.global_figures, now)))
        for mood in self._willing(sources.fear_greed, "fear_greed", states, now):
            if self._is_due(mood.name, "fear_greed", states, now):
                calls.append(self._call(mood.name, "fear_greed", partial(mood.fear_greed, now)))
        return calls

    def _call(self, provider: str, role: Role, ask: Callable[[], Answer]) -> Call:
        return Call(provider, role, self._market.polling_plan.schedules[provider].cost(role), ask)

    def _willing(
        self, sources: Sequence[N], role: Role, states: Mapping[str, ProviderState], now: datetime
    ) -> Iterable[N]:
        """The first source, and the next ones as long as those before them do not answer."""
        for source in sources:
            yield source
            state, schedule = states[source.name], self._market.polling_plan.schedules[source.name]
            asked = state.breaker.is_allowed(now) and state.budget.can_spend(schedule.cost(role), now)
            if asked and not state.breaker.failures and role not in state.refused:
                return

    def _is_due(self, name: str, role: Role, states: Mapping[str, ProviderState], now: datetime) -> bool:
        state, schedule = states[name], self._market.polling_plan.schedules[name]
        if not state.breaker.is_allowed(now) or not state.budget.can_spend(schedule.cost(role), now):
            return False
        last = state.polled.get(role)
        interval = self._market.polling_plan.interval(name, role)
        stretched = state.budget.stretch_interval(interval, now, schedule.credits_per_month)
        if last is None or last > now + AHEAD:
            return True
        # A little early is on time: a tick starts up to a tenth of its period late, the next one may not.
        return now - last >= stretched - min(stretched / 5, EARLY)

    def _ask(self, calls: Sequence[Call]) -> list[Result]:
        if not calls:
            return []
        with ThreadPoolExecutor(max_workers=len(calls)) as pool:
            return list(pool.map(_outcome, calls))

    def _past(self, missing_from: datetime | None, now: datetime) -> price_history.Past:
        source = self._market.sources.history
        if source is None or missing_from is None:
            return {}
        return source.history_30m(self._market.book.enabled, missing_from, now)

    # -- storing -----------------------------------------------------------------------------

    def _store(
        self, connection: Connection, results: Sequence[Result], past: price_history.Past, now: datetime
    ) -> Report:
        states = load_states(connection, self._market, lock=True)
        polls = [result.answer for result in results if isinstance(result.answer, QuotesResult)]
        self._store_states(connection, states, results, now)
        quotes = self._quotes(connection, polls)
        before = self._published(connection)
        after, events = self._judge(quotes, before, now)
        changed = [asset_id for asset_id, now_known in after.items() if before.get(asset_id) != now_known]
        rows = [
            published_to_row(self._realm, after[asset_id][0], after[asset_id][1].to_json())
            for asset_id in changed
        ]
        upsert(connection, published_figures, rows)
        incident_log.record_incidents(connection, self._realm, events, now)
        overview = [result.answer for result in results if isinstance(result.answer, GlobalFigures)]
        moods = [result.answer for result in results if isinstance(result.answer, FearGreed)]
        figures = [figure_to_row(self._realm, "global", item) for item in overview]
        figures += [figure_to_row(self._realm, "fear_greed", item) for item in moods]
        upsert(connection, market_figures, figures)
        self._grow_history(connection, [figure for figure, _ in after.values()], polls, past, now)
        if changed or figures or polls:
            bump(connection, CHANGED)
        failed = {
            f"{result.call.provider} {result.call.role}": str(result.answer)
            for result in results
            if isinstance(result.answer, ProviderError)
        }
        answered = tuple(
            f"{result.call.provider} {result.call.role}"
            for result in results
            if not isinstance(result.answer, ProviderError)
        )
        return Report(answered, failed, len(changed))

    def _store_states(
        self,
        connection: Connection,
        states: dict[str, ProviderState],
        results: Sequence[Result],
        now: datetime,
    ) -> None:
        failing = {
            result.call.provider
            for result in results
            if isinstance(result.answer, ProviderError)
            and not _is_lacking(states[result.call.provider], result.call.role, result.answer)
        }
        for result in results:
            name, answer = result.call.provider, result.answer
            if isinstance(answer, ProviderError):
                states[name] = _after_failure(states[name], result.call.role, answer, now)
                metrics.PROVIDER_CALLS.labels(name, answer.kind.value).inc()
                log.warning(
                    "provider_failed",
                    provider=name,
                    role=result.call.role,
                    fault=answer.kind.value,
                    words=answer.message,
                )
            else:
                before = states[name].breaker
                states[name] = states[name].asked(result.call.role, now).answered(answer, answer.credits, now)
                if name in failing:  # an answer to another question must not hide that this one fails
                    states[name] = replace(states[name], breaker=before)
                metrics.PROVIDER_CALLS.labels(name, "ok").inc()
        store_states(
            connection,
            self._realm,
            {result.call.provider: states[result.call.provider] for result in results},
        )

    def _quotes(self, connection: Connection, polls: Sequence[QuotesResult]) -> dict[str, list[Quote]]:
        """Every provider's newest quote by asset, the new ones stored."""
        fresh = {(quote.provider, quote.asset_id): quote for poll in polls for quote in poll.quotes.values()}
        upsert(connection, provider_quotes, [quote_to_row(self._realm, quote) for quote in fresh.values()])
        rows = connection.execute(
            sa.select(provider_quotes).where(provider_quotes.c.realm == self._realm)
        ).mappings()
        known = self._market.sources.names
        by_asset: dict[str, list[Quote]] = {}
        for row in rows:
            if row["provider"] in known:
                by_asset.setdefault(row["asset_id"], []).append(quote_from_row(row))
        return by_asset

    def _published(self, connection: Connection) -> dict[str, Remembered]:
        rows = connection.execute(
            sa.select(published_figures).where(published_figures.c.realm == self._realm)
        ).mappings()
        pairs = (published_from_row(row) for row in rows)
        return {figure.asset_id: (figure, AggregationState.from_json(memory)) for figure, memory in pairs}

    def _judge(
        self, quotes: Mapping[str, Sequence[Quote]], before: Mapping[str, Remembered], now: datetime
    ) -> tuple[dict[str, Remembered], list[IncidentEvent]]:
        policy = self._market.policy
        figures, memories = {}, {}
        events: list[IncidentEvent] = []
        for asset in self._market.book.enabled:
            previous, memory = before.get(asset.id, (None, AggregationState()))
            outcome = aggregate(
                quotes.get(asset.id, ()), previous, memory, now=now, policy=policy, asset=traits_of(asset)
            )
            figures[asset.id], memories[asset.id] = outcome.published, outcome.state
            events += outcome.events
        current = collect_ranks((quote for each in quotes.values() for quote in each), now=now, policy=policy)
        ranked = assign_ranks(figures, current, policy.order)
        return {asset_id: (figure, memories[asset_id]) for asset_id, figure in ranked.items()}, events

    def _grow_history(
        self,
        connection: Connection,
        figures: Sequence[Published],
        polls: Sequence[QuotesResult],
        past: price_history.Past,
        now: datetime,
    ) -> None:
        if past:
            price_history.backfill(connection, self._realm, past)
        if polls:
            price_history.add_points(connection, self._realm, figures, now)
        usable = {
            figure.asset_id: figure for figure in figures if figure.price is not None and not figure.stale
        }
        drawn = {key: item.source or "" for key, item in usable.items()}
        if past:  # it is drawn for assets too that nobody quotes at the moment
            drawn = dict.fromkeys(past, source_label((self._market.sources.ohlc.name,)) or "") | drawn
        price_history.close_half_hours(connection, self._realm, drawn, now)
        if polls:
            prices = {key: item.price for key, item in usable.items() if item.price is not None}
            price_history.grow_candles(connection, self._realm, prices, now)
        for poll in polls:
            if poll.sparklines:
                price_history.render_sparklines(connection, self._realm, poll, now)
                break

    def _note_images(self, results: Sequence[Result], now: datetime) -> None:
        for result in results:
            if isinstance(result.answer, QuotesResult) and result.answer.images:
                icon_store.note_images(self._database, result.answer.images, now)


def _after_failure(state: ProviderState, role: Role, error: ProviderError, now: datetime) -> ProviderState:
    """A role that failed does not count as polled: the next tick asks again, until the breaker opens."""
    if _is_lacking(state, role, error):
        return state.lacking(role, now)
    return state.failed(error, jitter(), now)


def _is_lacking(state: ProviderState, role: Role, error: ProviderError) -> bool:
    """Whether the provider's plan lacks ``role`` alone. It refuses a lesser endpoint like a wrong key; that
    must not keep the quotes from being asked for, so it only waits for the role's next turn."""
    return error.kind in NOT_ALLOWED and role != "quotes" and "quotes" in state.polled


def _outcome(call: Call) -> Result:
    try:
        return Result(call, call.ask())
    except ProviderError as error:
        return Result(call, error)
    except Exception:
        # One provider's adapter must not keep the others' figures from being stored.
        log.exception("provider_adapter_failed", provider=call.provider, role=call.role)
        return Result(
            call, ProviderError(call.provider, ErrorKind.MALFORMED, "Its answer could not be understood.")
        )
