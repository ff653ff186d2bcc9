"""Loads the runs of the Timelines page, and caches selections and alerts for all sessions.

The client returns the same table object until the data changes, so the object's identity is the cache key,
as in :mod:`dashboard.app_pages.rankings.data`.
"""

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from backend.timelines.analysis.alerts import Alert, Watched, add_false_alarm_rates, alerts, watch_profiles
from backend.timelines.analysis.comparison import build_profile_groups, compare_runs
from backend.timelines.analysis.pairwise_comparison import PairMatrix, pair_matrix
from backend.timelines.analysis.self_comparison import (
    build_split_groups,
    format_mark,
    split_at_alert,
)
from backend.timelines.columns.run_arrays import RunArrays, select
from dashboard.app_pages.timelines import self_splits
from dashboard.app_pages.timelines.comparison_data import Comparison, Sides, choose_pair, rank_profiles
from dashboard.app_pages.timelines.selection import (
    TimelinesState,
    format_alert_id,
    parse_split,
    select_profiles,
)
from dashboard.client import Fetched, timelines
from dashboard.client.timelines import ConfiguredProfile
from dashboard.i18n import language, t

CACHE_SIZE = 24
"""Maximum number of cached results, all of the newest table. Each takes at most 4 MB."""
MAX_ALERTS = 8
MAX_RUNS_PER_PROFILE = 1024
"""Maximum number of runs of a profile that the service gives the page, the newest ones."""
ALERTS_TIMEOUT_SECONDS = 0.15
"""Time that a page waits for false alarm rates and alerts of hidden profiles before it is drawn."""
MAX_RUNS_TO_WAIT_FOR = 20_000
"""Maximum number of runs for which these are computed within the timeout; for more, pages do not wait."""

T = TypeVar("T")
_cache_lock = threading.Lock()
_cache: OrderedDict[Hashable, tuple[object, Any]] = OrderedDict()
_executor = ThreadPoolExecutor(max_workers=2, thread_name_prefix="alerts")


@dataclass(frozen=True, slots=True)
class TimelinesData:
    """Responses of the service. ``table`` is None if no runs could be loaded."""

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
    return _get_or_compute(
        table, "select_all_runs", lambda: select(table, exclude_infrastructure_failures=False)
    )


def select_runs(table: pa.Table, state: TimelinesState) -> RunArrays:
    """Select the runs that match the filters of ``state``; without ``profiles``, those of all profiles."""

    def compute() -> RunArrays:
        return select(
            table,
            profiles=state.profiles or None,
            cases=state.cases or None,
            since=state.since,
            until=state.until,
            exclude_infrastructure_failures=state.exclude_infrastructure_errors,
            model_vendor=state.model_vendor,
            inference_provider=state.inference_provider,
        )

    return _get_or_compute(table, ("select_runs", state.profiles, *_filter_key(state)), compute)


def select_visible_runs(table: pa.Table, state: TimelinesState) -> tuple[RunArrays, TimelinesState]:
    """Select the runs to draw; returns them with the state in which default profiles are filled in."""
    key = (
        "select_profiles",
        state.profiles,
        state.profile_a,
        state.profile_b,
        state.alert,
        *_filter_key(state),
    )
    all_profiles = replace(state, profiles=())
    drawn = replace(
        state,
        profiles=_get_or_compute(
            table, key, lambda: select_profiles(select_runs(table, all_profiles), state)
        ),
    )
    return select_runs(table, drawn), drawn


def find_newest_run(table: pa.Table, drawn: TimelinesState) -> int | None:
    """Find the time of the newest run of the profiles to draw, whatever the dates, in microseconds."""
    arrays = select_runs(table, replace(drawn, since=None, until=None))
    return int(arrays.time.max()) if len(arrays) else None


def has_profile_at_limit(table: pa.Table, drawn: TimelinesState) -> bool:
    """True if a profile to draw has as many runs as the page reads, and so may have older ones."""
    arrays = select_all_runs(table)
    counts = np.bincount(arrays.profile, minlength=len(arrays.profiles)).tolist()
    full = {name for name, runs in zip(arrays.profiles, counts, strict=True) if runs >= MAX_RUNS_PER_PROFILE}
    return not full.isdisjoint(drawn.profiles)


def has_split(arrays: RunArrays, drawn: TimelinesState) -> bool:
    """Whether the chosen split is one of the visible runs."""
    chosen = parse_split(drawn.self_split)
    if drawn.profile_a is None or chosen is None:
        return False
    try:
        self_splits.find(arrays, drawn.profile_a, *chosen)
    except ValueError:
        return False
    return True


def has_alert(arrays: RunArrays, drawn: TimelinesState) -> bool:
    """Whether the opened alert is one of the visible runs."""
    result = find_alerts(arrays, drawn, timeout_seconds=0)
    return any(
        format_alert_id(arrays.profiles[alert.profile], alert.since) == drawn.alert
        for alert in list_all_alerts(result)
    )


def count_infrastructure_errors(table: pa.Table, state: TimelinesState) -> int:
    """Count the runs with infrastructure errors that match the other filters, excluded or not."""
    arrays = select_runs(table, replace(state, exclude_infrastructure_errors=True))
    return int(arrays.excluded_runs.sum())


def compare(arrays: RunArrays, drawn: TimelinesState, sides: Sides) -> Comparison:
    """Compare the two sides in the visible runs, which ``drawn`` selects.

    A split that is not in these runs has empty sides.
    """
    words = None if sides.self_split is None else language()  # the sides of a split have names in words
    key = ("compare", sides, words, drawn.profiles, *_filter_key(drawn))

    def compute() -> Comparison:
        if sides.self_split is None or words is None:
            groups, labels = build_profile_groups(arrays, sides.a, sides.b), (sides.a, sides.b)
        else:
            groups = build_split_groups(arrays, sides.a, sides.self_split, words)
            mark = format_mark(sides.self_split, words)
            labels = (t("timelines.cmp_self_before", mark=mark), t("timelines.cmp_self_since", mark=mark))
        return Comparison(compare_runs(*groups), *groups, labels)

    return _get_or_compute(arrays.table, key, compute)


def choose_comparison_sides(arrays: RunArrays, drawn: TimelinesState) -> Sides | None:
    """Choose what to compare: the chosen split or profiles, else a profile before and after its alert.

    Without any of these, the best profiles that share a case. A single profile is compared with
    itself, at its newest change. None if its runs cannot be divided.
    """
    chosen = parse_split(drawn.self_split)
    if drawn.profile_a is not None and chosen is not None:
        with contextlib.suppress(ValueError):
            return Sides(drawn.profile_a, drawn.profile_a, self_splits.find(arrays, drawn.profile_a, *chosen))
    if drawn.profile_a is None and drawn.profile_b is None:
        result = find_alerts(arrays, drawn, timeout_seconds=0)
        newest = next((alert for alert in result.shown if alert.standing), None)
        if newest is not None:
            name = arrays.profiles[newest.profile]
            return Sides(name, name, split_at_alert(newest, list_all_alerts(result)))
    pair = choose_pair(arrays, drawn.profiles, drawn.profile_a, drawn.profile_b)
    if pair is not None:
        return Sides(*pair)
    only = [drawn.profile_a] if drawn.profile_a else rank_profiles(arrays, drawn.profiles)
    if not only:
        return None
    profile = only[0]
    split = _get_or_compute(
        arrays.table,
        ("default_split", profile, drawn.profiles, *_filter_key(drawn)),
        lambda: self_splits.find_default(arrays, profile),
    )
    return None if split is None else Sides(profile, profile, split)


def compare_pairs(arrays: RunArrays, drawn: TimelinesState) -> PairMatrix:
    """Compare all pairs of profiles in the visible runs, which ``drawn`` selects."""
    key = ("compare_pairs", drawn.profiles, *_filter_key(drawn))
    return _get_or_compute(arrays.table, key, lambda: pair_matrix(arrays))


@dataclass(frozen=True, slots=True)
class AlertsResult:
    """The alerts of a selection.

    ``shown`` holds the newest alerts of the visible profiles, and ``older`` the number of the rest.
    ``others`` holds the alerts of profiles that match the filters but are not visible, newest first. While
    ``pending``, the false alarm rates and ``others`` are still missing.
    """

    arrays: RunArrays
    watched: tuple[Watched, ...]
    shown: tuple[Alert, ...]
    older: int
    others: tuple[Alert, ...]
    pending: bool


def find_alerts(
    arrays: RunArrays, drawn: TimelinesState, *, timeout_seconds: float = ALERTS_TIMEOUT_SECONDS
) -> AlertsResult:
    """Find the alerts in the visible runs, which ``drawn`` selects.

    Waits up to ``timeout_seconds`` for what takes long; without it, the result is pending.
    """
    table, key = arrays.table, (drawn.profiles, *_filter_key(drawn))
    watched = _get_or_compute(table, ("watched", *key), lambda: watch_profiles(arrays))
    all_alerts = alerts(watched)
    newest = all_alerts[:MAX_ALERTS]

    def compute() -> tuple[tuple[Alert, ...], tuple[Alert, ...]]:
        every_profile = select_runs(table, replace(drawn, profiles=()))
        hidden = ~np.isin(every_profile.profile, np.unique(arrays.profile))
        rated = add_false_alarm_rates(arrays, watched, newest)
        return rated, alerts(watch_profiles(every_profile.where(hidden)))

    future: Future[tuple[tuple[Alert, ...], tuple[Alert, ...]]] = _get_or_compute(
        table, ("alerts", *key), lambda: _executor.submit(compute)
    )
    wait([future], timeout_seconds if table.num_rows <= MAX_RUNS_TO_WAIT_FOR else 0)
    shown, others = future.result() if future.done() else (newest, ())
    return AlertsResult(arrays, watched, shown, len(all_alerts) - len(newest), others, not future.done())


def list_all_alerts(result: AlertsResult) -> tuple[Alert, ...]:
    """List every alert of the visible profiles, newest first."""
    return alerts(result.watched)


def prepare() -> None:
    """Fill the cache for the page without filters, with and without infrastructure errors."""
    table = timelines.fetch_runs().data
    if table is None or not table.num_rows:
        return
    for excluded in (True, False):
        arrays, drawn = select_visible_runs(table, TimelinesState(exclude_infrastructure_errors=excluded))
        find_alerts(arrays, drawn)
        sides = choose_comparison_sides(arrays, drawn)
        if sides is not None and sides.self_split is None:  # a split has words of the reader's language
            compare(arrays, drawn, sides)


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
