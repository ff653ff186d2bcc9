"""Computes the change of each case behind an alert. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from backend.timelines.analysis.alerts import Alert, Watched
from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines.selection import format_alert_id


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


def find_alert(arrays: RunArrays, watched: Sequence[Watched], alert_id: str) -> Alert | None:
    """Find the alert that a URL names; None if it no longer exists."""
    alerts = (alert for profile in watched for alert in profile.alerts)
    return next(
        (
            alert
            for alert in alerts
            if format_alert_id(arrays.profiles[alert.profile], alert.since) == alert_id
        ),
        None,
    )


def find_adjacent_alerts(watched: Sequence[Watched], alert: Alert) -> tuple[int | None, int | None]:
    """Find the times of the previous and next alert, which bound the runs before and since ``alert``."""
    alerts = next((profile.alerts for profile in watched if profile.profile == alert.profile), ())
    index = next((n for n, other in enumerate(alerts) if other.since == alert.since), 0)
    previous = alerts[index - 1].since if index else None
    return previous, alerts[index + 1].since if index + 1 < len(alerts) else None


def compute_case_changes(
    arrays: RunArrays, alert: Alert, previous: int | None, following: int | None
) -> tuple[CaseChange, ...]:
    """Compute the changes of cases that ran on both sides, largest in the alert's direction first.

    ``previous`` and ``following`` are the times that :func:`find_adjacent_alerts` returns, in microseconds.
    """
    selected = arrays.profile == alert.profile
    if previous is not None:
        selected &= arrays.time >= previous
    if following is not None:
        selected &= arrays.time < following
    size = len(arrays.cases)
    sides = []
    for side in (selected & (arrays.time < alert.since), selected & (arrays.time >= alert.since)):
        runs = np.bincount(arrays.case[side], minlength=size)
        sums = np.bincount(arrays.case[side], weights=arrays.score[side], minlength=size)
        sides.append((runs, sums / np.maximum(runs, 1)))
    (runs_before, before), (runs_since, since) = sides
    shared_cases = np.flatnonzero((runs_before > 0) & (runs_since > 0))
    changes = [
        CaseChange(
            arrays.cases[case],
            float(before[case]),
            float(since[case]),
            int(runs_before[case]),
            int(runs_since[case]),
        )
        for case in shared_cases
    ]
    return tuple(sorted(changes, key=_get_change, reverse=not alert.fell))


def _get_change(case: CaseChange) -> float:
    return case.change
