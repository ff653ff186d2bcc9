"""Lists the changes at which a profile can be compared with itself, and writes them for the URL. Pure."""

from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np

from backend.timelines.analysis.alerts import alerts, watch_profiles
from backend.timelines.analysis.evaluations import list_evaluations
from backend.timelines.analysis.self_comparison import (
    Split,
    find_split,
    split_at_alert,
    split_at_evaluation,
    split_at_instant,
    split_at_revision,
)
from backend.timelines.columns.run_arrays import RunArrays, datetime_to_micros, instant
from dashboard.app_pages.timelines.selection import SplitKind, format_split, parse_instant

MAX_SPLITS = 6
"""Maximum number of splits of each kind; the newest."""
_KINDS: Sequence[SplitKind] = ("alert", "revision", "evaluation", "instant")
"""In the order of the list."""


def list_splits(arrays: RunArrays, profile: str, chosen: Split | None = None) -> list[Split]:
    """List the splits of ``profile``: at its alerts, revisions and evaluations, and at the middle of its
    runs; those of a kind newest first.

    ``chosen`` is added in its place. A chosen day replaces the middle of the runs.
    """
    runs = arrays.of(profile)
    if not len(runs):
        return [] if chosen is None else [chosen]
    found = alerts(watch_profiles(runs))
    evaluations = list_evaluations(runs)[1:][::-1]
    known_revisions = set(runs.names("revision")[1])
    revisions = dict.fromkeys(
        change.after
        for evaluation in evaluations
        for change in evaluation.changes
        if change.field == "revision" and change.after in known_revisions
    )
    middle = instant(int(np.median(runs.start))).replace(hour=0, minute=0, second=0, microsecond=0)
    splits = [split_at_alert(alert, found) for alert in found[:MAX_SPLITS]]
    splits += [split_at_revision(runs, profile, name) for name in list(revisions)[:MAX_SPLITS]]
    splits += [split_at_evaluation(runs, profile, each.id) for each in evaluations[:MAX_SPLITS]]
    if chosen is None or chosen.kind != "instant":
        splits.append(split_at_instant(middle))
    unique = {write(split): split for split in (*splits, *([chosen] if chosen else []))}
    return sorted(unique.values(), key=lambda split: (_KINDS.index(split.kind), -split.at))


def find_default(arrays: RunArrays, profile: str) -> Split | None:
    """Find the first listed split with runs on both sides, else a day or a moment in the middle of them.

    Returns None if the runs cannot be divided.
    """
    starts = arrays.of(profile).start
    if not len(starts):
        return None
    middle = instant(int(np.median(starts)))
    next_day = middle.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    last = instant(int(starts.max()))
    candidates = [*list_splits(arrays, profile), *map(split_at_instant, (next_day, middle, last))]
    return next(
        (
            split
            for split in candidates
            if bool((starts < split.at).any()) and bool((starts >= split.at).any())
        ),
        None,
    )


def find(arrays: RunArrays, profile: str, kind: SplitKind, value: str) -> Split:
    """Find the split that :func:`write` wrote. Raises :class:`ValueError` if these runs do not have it."""
    if kind != "alert":
        return find_split(arrays, profile, kind, value)
    start = parse_instant(value)
    found = alerts(watch_profiles(arrays.of(profile)))
    for alert in found:
        if start is not None and alert.since == datetime_to_micros(start):
            return split_at_alert(alert, found)
    raise ValueError(f"{profile} has no alert since {value}")


def write(split: Split) -> str:
    """Write a split for the URL."""
    if split.kind in ("evaluation", "revision"):
        return format_split(split.kind, split.name)
    return format_split(split.kind, f"{instant(split.at):%Y-%m-%dT%H:%M:%S.%fZ}")


def find_day(split: Split) -> date:
    """Find the day of a split, in UTC."""
    return instant(split.at).date()
