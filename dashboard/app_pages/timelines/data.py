"""Loads the runs of the Timelines page, and caches selections and alerts for all sessions.

The client returns the same table object until the data changes, so the object's identity is the cache key,
as in :mod:`dashboard.app_pages.rankings.data`.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import pyarrow as pa

from backend.timelines.analysis.alerts import Alert, Watched, add_false_alarm_rates, alerts, watch_profiles
from backend.timelines.columns.run_arrays import RunArrays, select
from dashboard.app_pages.timelines.selection import TimelinesState, select_profiles
from dashboard.client import Fetched, timelines
from dashboard.client.timelines import ConfiguredProfile

CACHE_SIZE = 24
"""Maximum number of cached results, all of the newest table. Each takes at most 4 MB."""
MAX_ALERTS = 8
RATES_TIMEOUT_SECONDS = 0.15
"""Time that a page waits for the false alarm rates before it is drawn without them."""
MAX_RUNS_TO_WAIT_FOR = 20_000
"""Maximum number of runs whose rates are computed within the timeout; for more, pages do not wait."""

T = TypeVar("T")
_cache_lock = threading.Lock()
_cache: OrderedDict[Hashable, tuple[object, Any]] = OrderedDict()
_executor = ThreadPoolExecutor(max_workers=2, thread_name_prefix="alerts")


@dataclass(frozen=True, slots=True)
class TimelinesData:
    """Responses of the service. ``table`` is null if no runs could be loaded."""

    answer: Fetched[pa.Table]
    configured: Fetched[dict[str, ConfiguredProfile]]

    @property
    def table(self) -> pa.Table | None:
        return self.answer.data

    @property
    def profiles(self) -> Mapping[str, ConfiguredProfile]:
        return self.configured.data or {}


def load() -> TimelinesData:
    return TimelinesData(timelines.fetch_runs(), timelines.fetch_profiles())


def select_all_runs(table: pa.Table) -> RunArrays:
    """Select every run, including those with infrastructure errors."""
    return _get_or_compute(table, "select_all_runs", lambda: select(table, leave_out_machinery=False))


def select_runs(table: pa.Table, state: TimelinesState) -> RunArrays:
    """Select the runs that match the filters of ``state``; without ``profiles``, those of all profiles."""

    def compute() -> RunArrays:
        return select(
            table,
            profiles=state.profiles or None,
            cases=state.cases or None,
            since=state.since,
            until=state.until,
            leave_out_machinery=state.exclude_infrastructure_errors,
            model_vendor=state.model_vendor,
            inference_provider=state.inference_provider,
        )

    return _get_or_compute(table, ("select_runs", state.profiles, *_filter_key(state)), compute)


def select_visible_runs(table: pa.Table, state: TimelinesState) -> tuple[RunArrays, TimelinesState]:
    """Select the runs to draw; returns them with the state in which default profiles are filled in."""
    all_profiles = select_runs(table, replace(state, profiles=()))
    state = replace(state, profiles=select_profiles(all_profiles, state))
    return select_runs(table, state), state


def count_infrastructure_errors(table: pa.Table, state: TimelinesState) -> int:
    """Count the runs with infrastructure errors that match the other filters, excluded or not."""
    arrays = select_runs(table, replace(state, exclude_infrastructure_errors=True))
    return int(arrays.excluded_runs.sum())


@dataclass(frozen=True, slots=True)
class AlertsResult:
    """The newest alerts of a selection, the number of older ones, and whether rates are pending."""

    arrays: RunArrays
    watched: tuple[Watched, ...]
    shown: tuple[Alert, ...]
    older: int
    rates_pending: bool


def find_alerts(
    table: pa.Table, state: TimelinesState, *, timeout_seconds: float = RATES_TIMEOUT_SECONDS
) -> AlertsResult:
    """Find the alerts of all profiles that match ``state``.

    Rates that take longer than ``timeout_seconds`` are missing from the result.
    """
    arrays = select_runs(table, state)
    key = (state.profiles, *_filter_key(state))
    watched = _get_or_compute(table, ("watched", *key), lambda: watch_profiles(arrays))
    all_alerts = alerts(watched)
    newest = all_alerts[:MAX_ALERTS]
    future: Future[tuple[Alert, ...]] = _get_or_compute(
        table,
        ("add_false_alarm_rates", *key),
        lambda: _executor.submit(add_false_alarm_rates, arrays, watched, newest),
    )
    wait([future], timeout_seconds if len(arrays) <= MAX_RUNS_TO_WAIT_FOR else 0)
    shown = future.result() if future.done() else newest
    return AlertsResult(arrays, watched, shown, len(all_alerts) - len(newest), not future.done())


def prepare() -> None:
    """Fill the cache for the page without filters, with and without infrastructure errors."""
    table = timelines.fetch_runs().data
    if table is None or not table.num_rows:
        return
    for excluded in (True, False):
        state = TimelinesState(exclude_infrastructure_errors=excluded)
        select_visible_runs(table, state)
        find_alerts(table, state)


def _filter_key(state: TimelinesState) -> tuple[Hashable, ...]:
    return (
        state.cases,
        state.since,
        state.until,
        state.exclude_infrastructure_errors,
        state.model_vendor,
        state.inference_provider,
    )


def _get_or_compute(table: pa.Table, key: Hashable, compute: Callable[[], T]) -> T:
    """Return the cached result for ``table`` or compute it.

    The cache also holds ``table``, so that its id is not reused for another table.
    """
    cache_key = (id(table), key)
    with _cache_lock:
        if cache_key in _cache:
            _cache.move_to_end(cache_key)
            cached: T = _cache[cache_key][1]
            return cached
    result = compute()  # two sessions may compute the same at once: cheaper than to hold the lock
    with _cache_lock:
        for outdated in [other for other, (owner, _) in _cache.items() if owner is not table]:
            del _cache[outdated]
        _cache[cache_key] = (table, result)
        while len(_cache) > CACHE_SIZE:
            _cache.popitem(last=False)
    return result
