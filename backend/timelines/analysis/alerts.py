"""Detects profiles whose scores fell or rose, with start, size and false alarm rate."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from backend.timelines.columns.run_arrays import Ints, RunArrays
from backend.timelines.statistics.cusum import REFERENCE, H, K, Watch, watch
from backend.timelines.statistics.distributions import Floats
from backend.timelines.statistics.false_alarms import centre_passes, false_alarm_rate, family_rate
from backend.timelines.statistics.paired_comparison import Paired, compare
from backend.timelines.statistics.passes import pass_numbers

MAX_DATING_ERROR = 3
"""Passes by which the estimated start of a change may be wrong."""


@dataclass(frozen=True, slots=True)
class Alert:
    """A change of ``profile`` since ``since`` (pass ``start``), detected at ``noticed`` (pass ``at``).

    Passes count from 1. ``size`` compares the case means from the change to the next alert with those from
    the previous alert to the change; None without shared cases. ``rate`` is the share of unchanged profiles
    like this one that raise an alert within 100 passes, and ``family_rate`` the chance that any of the
    ``family`` monitored profiles does; None until computed. ``standing``: no later alert followed.
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
    family_rate: float | None = None
    family: int = 0


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


def watch_profiles(selection: RunArrays, k: float = K, h: float = H) -> tuple[Watched, ...]:
    """Monitor every profile. Alerts have no rates yet: see :func:`add_false_alarm_rates`."""
    return tuple(
        _watch_profile(selection.where(selection.profile == profile), int(profile), k, h)
        for profile in np.unique(selection.profile)
    )


def alerts(watched: tuple[Watched, ...]) -> tuple[Alert, ...]:
    """List all alerts, newest first."""
    return tuple(
        sorted((alert for entry in watched for alert in entry.alerts), key=_get_detection_order, reverse=True)
    )


def _get_detection_order(alert: Alert) -> tuple[int, int]:
    return alert.noticed, alert.profile


def _watch_profile(profile_runs: RunArrays, profile: int, k: float, h: float) -> Watched:
    numbers = pass_numbers(profile_runs.case)
    passes = int(numbers[-1]) + 1
    time = profile_runs.time[np.searchsorted(numbers, np.arange(passes))]
    if passes <= REFERENCE:
        nothing = np.zeros(passes)
        return Watched(profile, time, Watch(np.full(passes, np.nan), nothing, nothing, ()), (), passes, 0)
    sums, counts = sum_by_pass(profile_runs, numbers)
    result = watch(sums, counts, k, h)
    found_alerts = _build_alerts(profile, result, sums, counts, time)
    return Watched(profile, time, result, found_alerts, passes, int((~np.isnan(result.z)).sum()))


def sum_by_pass(profile_runs: RunArrays, numbers: Ints | None = None) -> tuple[Floats, Floats]:
    """Compute sums and counts of the scores by pass and case (passes, cases)."""
    numbers = pass_numbers(profile_runs.case) if numbers is None else numbers
    cases_run, case = np.unique(profile_runs.case, return_inverse=True)
    shape = (int(numbers[-1]) + 1, len(cases_run))
    cell, size = numbers * shape[1] + case, shape[0] * shape[1]
    sums = np.bincount(cell, weights=profile_runs.score, minlength=size).astype(np.float64)
    counts = np.bincount(cell, minlength=size).astype(np.float64)
    return sums.reshape(shape), counts.reshape(shape)


def add_false_alarm_rates(
    selection: RunArrays,
    watched: Sequence[Watched],
    alerts_to_rate: Sequence[Alert],
    k: float = K,
    h: float = H,
) -> tuple[Alert, ...]:
    """Add the false alarm rates to the alerts in ``alerts_to_rate``; takes about 0.1 s for each profile.

    The rates are resampled from the passes of ``selection``, the selection of ``watched``. Each run counts as
    its deviation from the mean of its case between two alarms, so that a fall does not count as noise. In the
    family, a monitored profile without an alert to rate has the mean rate of the others.
    """
    by_profile = {entry.profile: entry for entry in watched}
    rates = {
        profile: _compute_false_alarm_rate(
            selection.where(selection.profile == profile), by_profile[profile], k, h
        )
        for profile in sorted({alert.profile for alert in alerts_to_rate})
    }
    known = [rate for rate in rates.values() if rate is not None]
    family = sum(entry.judged > 0 for entry in watched)
    any_rate = None
    if known:
        any_rate = family_rate([*known, *[float(np.mean(known))] * (family - len(known))])
    return tuple(
        replace(alert, rate=rates[alert.profile], family_rate=any_rate, family=family)
        for alert in alerts_to_rate
    )


def _compute_false_alarm_rate(profile_runs: RunArrays, entry: Watched, k: float, h: float) -> float | None:
    sums, counts = sum_by_pass(profile_runs)
    starts = _refine_starts(sums, counts, [alert.start - 1 for alert in entry.alerts])
    centred = [centre_passes(sums[start:end], counts[start:end]) for start, end in itertools.pairwise(starts)]
    return false_alarm_rate(
        np.concatenate([part[0] for part in centred]), np.concatenate([part[1] for part in centred]), k=k, h=h
    )


def _refine_starts(sums: Floats, counts: Floats, starts: Sequence[int]) -> list[int]:
    """Move each start to the pass that separates the passes around it best (least squares, Bai 1994).

    A pass on the wrong side of a fall would count as noise. Returns the starts with both ends added.
    """
    refined = [0]
    for start, following in itertools.pairwise([*starts, len(sums)]):
        part = slice(refined[-1], following)
        with np.errstate(invalid="ignore", divide="ignore"):
            deviations = sums[part] - counts[part] * (sums[part].sum(axis=0) / counts[part].sum(axis=0))
            by_pass = np.nansum(deviations, axis=1) / counts[part].sum(axis=1)
        before = np.arange(1, len(by_pass))
        after = len(by_pass) - before
        gaps = np.square(np.cumsum(by_pass)[:-1]) * (1 / before + 1 / after)
        near = np.abs(before + refined[-1] - start) <= MAX_DATING_ERROR
        if near.any():
            refined.append(refined[-1] + int(before[near][gaps[near].argmax()]))
    return [*refined, len(sums)]


def _build_alerts(
    profile: int, watch_result: Watch, sums: Floats, counts: Floats, time: Ints
) -> tuple[Alert, ...]:
    starts = [alarm.start for alarm in watch_result.alarms]
    alerts_found = []
    for number, alarm in enumerate(watch_result.alarms):
        last = starts[number - 1] if number else 0
        following = starts[number + 1] if number + 1 < len(starts) else len(sums)
        before = _compute_case_means(sums[last : alarm.start], counts[last : alarm.start])
        since = _compute_case_means(sums[alarm.start : following], counts[alarm.start : following])
        alerts_found.append(
            Alert(
                profile,
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
    return tuple(alerts_found)


def _compute_case_means(sums: Floats, counts: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        means: Floats = sums.sum(axis=0) / counts.sum(axis=0)
    return means
