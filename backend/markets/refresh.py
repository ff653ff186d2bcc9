"""Refreshes the market: polls the due providers, aggregates, stores, and announces the change.

All network traffic happens before the write, which is one transaction. The results of each provider's calls
are applied to its stored breaker and budget inside it, since API processes spend from the same budget.
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

from backend.markets import incident_log, retention_policy, totals_history
from backend.markets.aggregation.aggregate import aggregate
from backend.markets.aggregation.incident_tracking import IncidentEvent
from backend.markets.aggregation.ranks import assign_ranks, collect_ranks
from backend.markets.aggregation.state import AggregationState
from backend.markets.candles import price_history
from backend.markets.configuration import Market, build_traits
from backend.markets.icons import icon_store
from backend.markets.model import (
    NOT_ALLOWED,
    ErrorKind,
    FearGreed,
    MarketTotals,
    ProviderError,
    PublishedPrice,
    Quote,
    QuotesResult,
    source_label,
)
from backend.markets.provider_limits.polling_schedule import Role
from backend.markets.provider_state import ProviderState, load_states, store_states
from backend.markets.responses.snapshot import CHANGE_TOPIC
from backend.markets.row_conversion import (
    market_indicator_to_row,
    published_price_from_row,
    published_price_to_row,
    quote_from_row,
    quote_to_row,
)
from backend.markets.sources_by_mode import NamedSource
from backend.markets.tables import market_figures, provider_quotes, published_figures
from backend.runtime import metrics
from backend.store.database import Database, bump, upsert
from backend.upstream.jitter import jitter

log = structlog.get_logger(__name__)
N = TypeVar("N", bound=NamedSource)
MAX_EARLY_POLL = timedelta(seconds=5)
"""How much before its time a provider may be polled."""
MAX_CLOCK_SKEW = timedelta(minutes=1)
"""A poll further in the future than this was recorded before the clock was set back."""
ProviderData = QuotesResult | MarketTotals | FearGreed
PriceAndState = tuple[PublishedPrice, AggregationState]


@dataclass(frozen=True, slots=True)
class ProviderCall:
    """One call to one provider."""

    provider: str
    role: Role
    cost: int
    fetch: Callable[[], ProviderData]


@dataclass(frozen=True, slots=True)
class CallResult:
    call: ProviderCall
    answer: ProviderData | ProviderError


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """The result of a refresh: successful calls, failed calls with messages, number of changed figures."""

    answered: tuple[str, ...]
    failed: Mapping[str, str]
    changed: int


class Refresher:
    """Refreshes one realm's figures. Its schedule runs one tick at a time across all processes."""

    def __init__(self, database: Database, market: Market) -> None:
        self._database = database
        self._market = market
        self._realm = market.sources.realm
        self._has_run = False

    def tick(self, now: datetime) -> RefreshReport:
        """Poll every provider that is due at ``now``, aggregate all quotes again, store the changes."""
        with metrics.REFRESH_SECONDS.time():
            with self._database.read() as connection:
                states = load_states(connection, self._market)
                gap_start = price_history.find_gap_start(connection, self._realm, now)
                totals_gap_start = totals_history.find_gap_start(
                    connection, self._realm, now - retention_policy.TOTALS_RETENTION, now
                )
            if not self._has_run:  # after a restart of the worker, our own backoff does not apply
                states = {name: state.after_restart() for name, state in states.items()}
            results = self._run_calls(self._list_due_calls(states, now))
            self._has_run = True
            past_candles = self._load_past_candles(gap_start, now)
            past_totals = self._load_past_totals(totals_gap_start, now)
            with self._database.write() as connection:
                totals_history.store_totals(connection, self._realm, past_totals)
                report = self._store_results(connection, results, past_candles, now)
            self._store_image_urls(results, now)
            return report

    # -- polling -----------------------------------------------------------------------------

    def _list_due_calls(self, states: Mapping[str, ProviderState], now: datetime) -> list[ProviderCall]:
        sources, assets = self._market.sources, self._market.registry.enabled
        calls = []
        for source in sources.quotes:
            if self._is_due(source.name, "quotes", states, now):
                calls.append(self._call(source.name, "quotes", partial(source.quotes, assets, now)))
        active = self._list_active_sources(sources.overview, "overview", states, now)
        needed = {sources.rates_provider, *(source.name for source in active)}
        for overview in sources.overview:
            if overview.name in needed and self._is_due(overview.name, "overview", states, now):
                calls.append(self._call(overview.name, "overview", partial(overview.market_totals, now)))
        for index in self._list_active_sources(sources.fear_greed, "fear_greed", states, now):
            if self._is_due(index.name, "fear_greed", states, now):
                calls.append(self._call(index.name, "fear_greed", partial(index.fear_greed, now)))
        return calls

    def _call(self, provider: str, role: Role, fetch: Callable[[], ProviderData]) -> ProviderCall:
        return ProviderCall(provider, role, self._market.polling_plan.schedules[provider].cost(role), fetch)

    def _list_active_sources(
        self, sources: Sequence[N], role: Role, states: Mapping[str, ProviderState], now: datetime
    ) -> Iterable[N]:
        """The first source, and each next one while the ones before it do not respond."""
        for source in sources:
            yield source
            state, schedule = states[source.name], self._market.polling_plan.schedules[source.name]
            is_usable = state.breaker.is_allowed(now) and state.budget.can_spend(schedule.cost(role), now)
            if is_usable and not state.breaker.failures and role not in state.unsupported_roles:
                return

    def _is_due(self, name: str, role: Role, states: Mapping[str, ProviderState], now: datetime) -> bool:
        state, schedule = states[name], self._market.polling_plan.schedules[name]
        if not state.breaker.is_allowed(now) or not state.budget.can_spend(schedule.cost(role), now):
            return False
        last = state.polled.get(role)
        interval = self._market.polling_plan.interval(name, role)
        stretched = state.budget.stretch_interval(interval, now, schedule.credits_per_month)
        if last is None or last > now + MAX_CLOCK_SKEW:
            return True
        # Slightly early is on time: a tick starts up to a tenth of its period late, the next may not.
        return now - last >= stretched - min(stretched / 5, MAX_EARLY_POLL)

    def _run_calls(self, calls: Sequence[ProviderCall]) -> list[CallResult]:
        if not calls:
            return []
        with ThreadPoolExecutor(max_workers=len(calls)) as pool:
            return list(pool.map(_run_call, calls))

    def _load_past_candles(self, gap_start: datetime | None, now: datetime) -> price_history.CandlesByAsset:
        source = self._market.sources.history
        if source is None or gap_start is None:
            return {}
        return source.past_candles(self._market.registry.enabled, gap_start, now)

    def _load_past_totals(self, gap_start: datetime | None, now: datetime) -> Sequence[MarketTotals]:
        source = self._market.sources.history
        if source is None or gap_start is None:
            return ()
        return source.past_totals(gap_start, totals_history.floor_to_hour(now))

    # -- storing -----------------------------------------------------------------------------

    def _store_results(
        self,
        connection: Connection,
        results: Sequence[CallResult],
        past_candles: price_history.CandlesByAsset,
        now: datetime,
    ) -> RefreshReport:
        states = load_states(connection, self._market, lock=True)
        quotes_results = [result.answer for result in results if isinstance(result.answer, QuotesResult)]
        self._store_states(connection, states, results, now)
        quotes = self._store_quotes(connection, quotes_results)
        before = self._load_published(connection)
        after, events = self._aggregate_all(quotes, before, now)
        changed = [asset_id for asset_id, updated in after.items() if before.get(asset_id) != updated]
        rows = [
            published_price_to_row(self._realm, after[asset_id][0], after[asset_id][1].to_json())
            for asset_id in changed
        ]
        upsert(connection, published_figures, rows)
        incident_log.record_incidents(connection, self._realm, events, now)
        overview = [result.answer for result in results if isinstance(result.answer, MarketTotals)]
        indexes = [result.answer for result in results if isinstance(result.answer, FearGreed)]
        indicator_rows = [market_indicator_to_row(self._realm, "global", item) for item in overview]
        indicator_rows += [market_indicator_to_row(self._realm, "fear_greed", item) for item in indexes]
        upsert(connection, market_figures, indicator_rows)
        totals_history.store_totals(connection, self._realm, overview)
        self._update_history(
            connection, [published for published, _ in after.values()], quotes_results, past_candles, now
        )
        if changed or indicator_rows or quotes_results:
            bump(connection, CHANGE_TOPIC)
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
        return RefreshReport(answered, failed, len(changed))

    def _store_states(
        self,
        connection: Connection,
        states: dict[str, ProviderState],
        results: Sequence[CallResult],
        now: datetime,
    ) -> None:
        failing_providers = {
            result.call.provider
            for result in results
            if isinstance(result.answer, ProviderError)
            and not _is_unsupported_role(states[result.call.provider], result.call.role, result.answer)
        }
        for result in results:
            name, answer = result.call.provider, result.answer
            if isinstance(answer, ProviderError):
                states[name] = _record_failure(states[name], result.call.role, answer, now)
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
                states[name] = (
                    states[name]
                    .record_poll(result.call.role, now)
                    .record_success(answer, answer.credits, now)
                )
                if name in failing_providers:  # a success in another role must not hide this failure
                    states[name] = replace(states[name], breaker=before)
                metrics.PROVIDER_CALLS.labels(name, "ok").inc()
        store_states(
            connection,
            self._realm,
            {result.call.provider: states[result.call.provider] for result in results},
        )

    def _store_quotes(
        self, connection: Connection, quotes_results: Sequence[QuotesResult]
    ) -> dict[str, list[Quote]]:
        """Store the new quotes and return every provider's newest quote by asset."""
        new_quotes = {
            (quote.provider, quote.asset_id): quote
            for result in quotes_results
            for quote in result.quotes.values()
        }
        upsert(
            connection, provider_quotes, [quote_to_row(self._realm, quote) for quote in new_quotes.values()]
        )
        rows = connection.execute(
            sa.select(provider_quotes).where(provider_quotes.c.realm == self._realm)
        ).mappings()
        provider_names = self._market.sources.names
        by_asset: dict[str, list[Quote]] = {}
        for row in rows:
            if row["provider"] in provider_names:
                by_asset.setdefault(row["asset_id"], []).append(quote_from_row(row))
        return by_asset

    def _load_published(self, connection: Connection) -> dict[str, PriceAndState]:
        rows = connection.execute(
            sa.select(published_figures).where(published_figures.c.realm == self._realm)
        ).mappings()
        pairs = (published_price_from_row(row) for row in rows)
        return {
            published.asset_id: (published, AggregationState.from_json(state)) for published, state in pairs
        }

    def _aggregate_all(
        self, quotes: Mapping[str, Sequence[Quote]], before: Mapping[str, PriceAndState], now: datetime
    ) -> tuple[dict[str, PriceAndState], list[IncidentEvent]]:
        policy = self._market.policy
        published_prices, states = {}, {}
        events: list[IncidentEvent] = []
        for asset in self._market.registry.enabled:
            previous, state = before.get(asset.id, (None, AggregationState()))
            outcome = aggregate(
                quotes.get(asset.id, ()), previous, state, now=now, policy=policy, asset=build_traits(asset)
            )
            published_prices[asset.id], states[asset.id] = outcome.published, outcome.state
            events += outcome.events
        current_ranks = collect_ranks(
            (quote for asset_quotes in quotes.values() for quote in asset_quotes), now=now, policy=policy
        )
        ranked = assign_ranks(published_prices, current_ranks, policy.order)
        return {asset_id: (published, states[asset_id]) for asset_id, published in ranked.items()}, events

    def _update_history(
        self,
        connection: Connection,
        published_prices: Sequence[PublishedPrice],
        quotes_results: Sequence[QuotesResult],
        past_candles: price_history.CandlesByAsset,
        now: datetime,
    ) -> None:
        if past_candles:
            price_history.backfill(connection, self._realm, past_candles)
        if quotes_results:
            price_history.store_price_points(connection, self._realm, published_prices, now)
        usable = {
            published.asset_id: published
            for published in published_prices
            if published.price is not None and not published.stale
        }
        sources_by_asset = {key: item.source or "" for key, item in usable.items()}
        if past_candles:  # past candles exist also for assets without a current quote
            sources_by_asset = (
                dict.fromkeys(past_candles, source_label((self._market.sources.ohlc.name,)) or "")
                | sources_by_asset
            )
        price_history.store_half_hour_json(connection, self._realm, sources_by_asset, now)
        if quotes_results:
            prices = {key: item.price for key, item in usable.items() if item.price is not None}
            price_history.update_candles(connection, self._realm, prices, now)
        for quotes in quotes_results:
            if quotes.sparklines:
                price_history.store_weekly_candles_json(connection, self._realm, quotes, now)
                break

    def _store_image_urls(self, results: Sequence[CallResult], now: datetime) -> None:
        for result in results:
            if isinstance(result.answer, QuotesResult) and result.answer.images:
                icon_store.store_image_urls(self._database, result.answer.images, now)


def _record_failure(state: ProviderState, role: Role, error: ProviderError, now: datetime) -> ProviderState:
    """Record a failure. The role does not count as polled: the next tick retries until the breaker opens.

    Only a request for one asset may be answered with "not found". A provider that does not know the endpoint
    of a poll fails: its address is wrong, or its API has moved.
    """
    if _is_unsupported_role(state, role, error):
        return state.record_unsupported_role(role, now)
    if error.kind is ErrorKind.NOT_FOUND:
        error = ProviderError(error.provider, ErrorKind.UNAVAILABLE, error.message)
    return state.record_failure(error, jitter(), now)


def _is_unsupported_role(state: ProviderState, role: Role, error: ProviderError) -> bool:
    """Whether only ``role`` is missing in the provider's plan.

    The provider refuses such an endpoint like a wrong key, or does not know it. That must not stop the
    quotes, so only this role waits for its next turn.
    """
    is_missing = error.kind in (ErrorKind.NOT_FOUND, *NOT_ALLOWED)
    return is_missing and role != "quotes" and "quotes" in state.polled


def _run_call(call: ProviderCall) -> CallResult:
    try:
        return CallResult(call, call.fetch())
    except ProviderError as error:
        return CallResult(call, error)
    except Exception:
        # An error in one provider's adapter must not prevent storing the others' figures.
        log.exception("provider_adapter_failed", provider=call.provider, role=call.role)
        return CallResult(
            call, ProviderError(call.provider, ErrorKind.MALFORMED, "Its answer could not be understood.")
        )
