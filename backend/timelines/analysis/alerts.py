"""Detects profiles whose scores fell or rose, with start, size and false alarm rate."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from backend.timelines.columns.run_arrays import Ints, RunArrays
from backend.timelines.statistics.cusum import REFERENCE, H, K, Watch, watch
from backend.timelines.statistics.distributions import Floats
from backend.timelines.statistics.false_alarms import false_alarm_rate
from backend.timelines.statistics.paired_comparison import Paired, compare
from backend.timelines.statistics.passes import pass_numbers


@dataclass(frozen=True, slots=True)
class Alert:
    """A change of ``profile`` since ``since`` (pass ``start``), detected at ``noticed`` (pass ``at``).

    Passes count from 1. ``size`` compares the case means from the change to the next alert with those from
    the previous alert to the change; None without shared cases. ``rate`` is the share of unchanged profiles
    that raise such an alert within 100 passes; None until computed. ``standing``: no later alert followed.
    """

    profile: int
    fell: bool
    since: int
    noticed: int
    start: int
    at: int
    size: Paired | None
    rate: float | None
    standing: bool


@dataclass(frozen=True, slots=True)
class Watched:
    """The monitoring result of one profile. ``time`` holds the time of the first run of each pass; ``judged``
    counts the passes that were monitored."""

    profile: int
    time: Ints
    watch: Watch
    alerts: tuple[Alert, ...]
    passes: int
    judged: int


def watch_profiles(chosen: RunArrays, k: float = K, h: float = H) -> tuple[Watched, ...]:
    """Monitor every profile. Alerts have no rates yet: see :func:`add_false_alarm_rates`."""
    return tuple(
        _watched(chosen.where(chosen.profile == place), int(place), k, h)
        for place in np.unique(chosen.profile)
    )


def alerts(watched: tuple[Watched, ...]) -> tuple[Alert, ...]:
    """List all alerts, newest first."""
    return tuple(sorted((one for each in watched for one in each.alerts), key=_noticed, reverse=True))


def _noticed(alert: Alert) -> tuple[int, int]:
    return alert.noticed, alert.profile


def _watched(mine: RunArrays, place: int, k: float, h: float) -> Watched:
    numbers = pass_numbers(mine.case)
    passes = int(numbers[-1]) + 1
    held, case = np.unique(mine.case, return_inverse=True)
    first = np.searchsorted(numbers, np.arange(passes))
    time = mine.time[first]
    if passes <= REFERENCE:
        nothing = np.zeros(passes)
        return Watched(place, time, Watch(np.full(passes, np.nan), nothing, nothing, ()), (), passes, 0)
    sums, counts = _by_pass(mine.score, numbers, case, passes, len(held))
    seen = watch(sums, counts, k, h)
    found_alerts = _alerts(place, seen, sums, counts, time)
    return Watched(place, time, seen, found_alerts, passes, int((~np.isnan(seen.z)).sum()))


def _by_pass(score: Floats, numbers: Ints, case: Ints, passes: int, cases: int) -> tuple[Floats, Floats]:
    cell, size = numbers * cases + case, passes * cases
    sums = np.bincount(cell, weights=score, minlength=size).astype(np.float64)
    counts = np.bincount(cell, minlength=size).astype(np.float64)
    return sums.reshape(passes, cases), counts.reshape(passes, cases)


def add_false_alarm_rates(
    chosen: RunArrays, watched: Sequence[Watched], shown: Sequence[Alert], k: float = K, h: float = H
) -> tuple[Alert, ...]:
    """Add the false alarm rates to the alerts in ``shown``; takes about 0.1 s for each profile.

    The rates are resampled from the runs of ``chosen``, the selection of ``watched``. Each run counts as its
    deviation from the mean of its case between two alarms, so that a fall does not count as noise.
    """
    changes = {each.profile: [alert.since for alert in each.alerts] for each in watched}
    rates = {
        place: _rate(chosen.where(chosen.profile == place), changes[place], k, h)
        for place in {alert.profile for alert in shown}
    }
    return tuple(replace(alert, rate=rates[alert.profile]) for alert in shown)


def _rate(mine: RunArrays, changes: Sequence[int], k: float, h: float) -> float | None:
    stretch = np.searchsorted(changes, mine.time, side="right")
    cell = stretch * len(mine.cases) + mine.case
    means = np.bincount(cell, weights=mine.score) / np.maximum(np.bincount(cell), 1)
    noise = mine.score - means[cell]
    order = np.argsort(mine.case, kind="stable")
    trials = np.split(noise[order], np.flatnonzero(np.diff(mine.case[order])) + 1)
    return false_alarm_rate(trials, k=k, h=h)


def _alerts(place: int, seen: Watch, sums: Floats, counts: Floats, time: Ints) -> tuple[Alert, ...]:
    starts = [alarm.start for alarm in seen.alarms]
    found = []
    for number, alarm in enumerate(seen.alarms):
        last = starts[number - 1] if number else 0
        following = starts[number + 1] if number + 1 < len(starts) else len(sums)
        before = _means(sums[last : alarm.start], counts[last : alarm.start])
        since = _means(sums[alarm.start : following], counts[alarm.start : following])
        found.append(
            Alert(
                place,
                alarm.fell,
                int(time[alarm.start]),
                int(time[alarm.at]),
                alarm.start + 1,
                alarm.at + 1,
                compare(before, since),
                None,
                number + 1 == len(starts),
            )
        )
    return tuple(found)


def _means(sums: Floats, counts: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        means: Floats = sums.sum(axis=0) / counts.sum(axis=0)
    return means
