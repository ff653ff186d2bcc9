"""The runs that the Timelines page shows, and what is worked out of them: once for all sessions.

The client keeps an answer's identity as long as nothing changed, so identity is the cache's key, as it is
for the rankings (:mod:`dashboard.app_pages.rankings.data`).
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
from dashboard.app_pages.timelines.selection import TimelinesState
from dashboard.app_pages.timelines.selection import shown_profiles as shown_of
from dashboard.client import Fetched, timelines
from dashboard.client.timelines import ConfiguredProfile

KEPT = 24
"""Results kept, all of the newest table: some selections of some sessions, each of 4 MB at the most."""
MOST_ALERTS = 8
PATIENCE = 0.15
"""Seconds that a page waits for the rates of false alarms before it goes on without them."""
QUICK = 20_000
"""Runs of which the rates may be had in that time; for more, to wait is of no use."""

T = TypeVar("T")
_lock = threading.Lock()
_kept: OrderedDict[Hashable, tuple[object, Any]] = OrderedDict()
_behind = ThreadPoolExecutor(max_workers=2, thread_name_prefix="alerts")


@dataclass(frozen=True, slots=True)
class Gathered:
    """``table`` is null when the runs cannot be had at all; the answers say what came of asking."""

    answer: Fetched[pa.Table]
    configured: Fetched[dict[str, ConfiguredProfile]]

    @property
    def table(self) -> pa.Table | None:
        return self.answer.data

    @property
    def profiles(self) -> Mapping[str, ConfiguredProfile]:
        return self.configured.data or {}


def gather() -> Gathered:
    return Gathered(timelines.fetch_runs(), timelines.fetch_profiles())


def whole(table: pa.Table) -> RunArrays:
    """Every run, failures of the machinery too."""
    return _once(table, "whole", lambda: select(table, leave_out_machinery=False))


def chosen(table: pa.Table, state: TimelinesState) -> RunArrays:
    """The runs that ``state`` lets through, of any profile where it names none."""

    def make() -> RunArrays:
        return select(
            table,
            profiles=state.profiles or None,
            cases=state.cases or None,
            since=state.since,
            until=state.until,
            leave_out_machinery=state.leave_out_machinery,
            model_vendor=state.model_vendor,
            inference_provider=state.inference_provider,
        )

    return _once(table, ("chosen", state.profiles, *_narrowed(state)), make)


def shown(table: pa.Table, state: TimelinesState) -> tuple[RunArrays, TimelinesState]:
    """What the page draws: the runs of the profiles chosen, or of those that it chooses itself, and the state
    with these."""
    everybody = chosen(table, replace(state, profiles=()))
    settled = replace(state, profiles=shown_of(everybody, state))
    return chosen(table, settled), settled


def failures(table: pa.Table, state: TimelinesState) -> int:
    """Failures of the machinery among the runs that ``state`` lets through, left out or not."""
    arrays = chosen(table, replace(state, leave_out_machinery=True))
    return int(arrays.left_out.sum())


@dataclass(frozen=True, slots=True)
class Alarms:
    """The newest alerts of a selection, ``more`` that are older, and whether rates are still awaited."""

    arrays: RunArrays
    watched: tuple[Watched, ...]
    shown: tuple[Alert, ...]
    more: int
    awaited: bool


def alarms(table: pa.Table, state: TimelinesState, *, patience: float = PATIENCE) -> Alarms:
    """Of all profiles that ``state`` lets through. Rates that take longer than ``patience`` follow."""
    arrays = chosen(table, state)
    key = (state.profiles, *_narrowed(state))
    watched = _once(table, ("watched", *key), lambda: watch_profiles(arrays))
    every = alerts(watched)
    newest = every[:MOST_ALERTS]
    future: Future[tuple[Alert, ...]] = _once(
        table,
        ("add_false_alarm_rates", *key),
        lambda: _behind.submit(add_false_alarm_rates, arrays, watched, newest),
    )
    wait([future], patience if len(arrays) <= QUICK else 0)
    told = future.result() if future.done() else newest
    return Alarms(arrays, watched, told, len(every) - len(newest), not future.done())


def prepare() -> None:
    """Make what the next visit needs: the page as it opens without a choice, and its nearest choice."""
    table = timelines.fetch_runs().data
    if table is None or not table.num_rows:
        return
    for left_out in (True, False):
        state = TimelinesState(leave_out_machinery=left_out)
        shown(table, state)
        alarms(table, state)


def _narrowed(state: TimelinesState) -> tuple[Hashable, ...]:
    return (
        state.cases,
        state.since,
        state.until,
        state.leave_out_machinery,
        state.model_vendor,
        state.inference_provider,
    )


def _once(table: pa.Table, key: Hashable, make: Callable[[], T]) -> T:
    """What ``make`` gives for ``table``, which is kept with it so that its identity is not given away."""
    name = (id(table), key)
    with _lock:
        if name in _kept:
            _kept.move_to_end(name)
            found: T = _kept[name][1]
            return found
    made = make()  # two sessions may make the same at once: that is cheaper than to wait in a row
    with _lock:
        for old in [other for other, (whose, _) in _kept.items() if whose is not table]:
            del _kept[old]
        _kept[name] = (table, made)
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return made
