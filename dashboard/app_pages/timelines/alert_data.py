"""Computes the change of each case behind an alert. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from backend.timelines.analysis.alerts import Alert, Watched
from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines.selection import alert_name


@dataclass(frozen=True, slots=True)
class CaseChange:
    """One case's mean score (a fraction) and runs before and since an alert."""

    case: str
    before: float
    since: float
    runs_before: int
    runs_since: int

    @property
    def change(self) -> float:
        return self.since - self.before


def named(arrays: RunArrays, watched: Sequence[Watched], name: str) -> Alert | None:
    """Find the alert that a URL names; null if it no longer exists."""
    every = (alert for each in watched for alert in each.alerts)
    return next(
        (alert for alert in every if alert_name(arrays.profiles[alert.profile], alert.since) == name), None
    )


def stretch(watched: Sequence[Watched], alert: Alert) -> tuple[int | None, int | None]:
    """Find the times of the previous and next alert, which bound the runs before and since ``alert``."""
    mine = next((each.alerts for each in watched if each.profile == alert.profile), ())
    place = next((n for n, one in enumerate(mine) if one.since == alert.since), 0)
    first = mine[place - 1].since if place else None
    return first, mine[place + 1].since if place + 1 < len(mine) else None


def case_changes(
    arrays: RunArrays, alert: Alert, first: int | None, end: int | None
) -> tuple[CaseChange, ...]:
    """Compute the changes of cases that ran on both sides, largest in the alert's direction first.

    ``first`` and ``end`` are as :func:`stretch` gives them, in microseconds.
    """
    mine = arrays.profile == alert.profile
    if first is not None:
        mine &= arrays.time >= first
    if end is not None:
        mine &= arrays.time < end
    size = len(arrays.cases)
    sides = []
    for side in (mine & (arrays.time < alert.since), mine & (arrays.time >= alert.since)):
        runs = np.bincount(arrays.case[side], minlength=size)
        sums = np.bincount(arrays.case[side], weights=arrays.score[side], minlength=size)
        sides.append((runs, sums / np.maximum(runs, 1)))
    (runs_before, before), (runs_since, since) = sides
    both = np.flatnonzero((runs_before > 0) & (runs_since > 0))
    changes = [
        CaseChange(
            arrays.cases[at], float(before[at]), float(since[at]), int(runs_before[at]), int(runs_since[at])
        )
        for at in both
    ]
    return tuple(sorted(changes, key=_by_change, reverse=not alert.fell))


def _by_change(one: CaseChange) -> float:
    return one.change
