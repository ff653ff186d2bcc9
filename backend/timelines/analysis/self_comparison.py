"""Compares a profile with itself: before and after a change, or in two evaluations."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from backend.entities.model import Language
from backend.formats.timestamps import parse_instant
from backend.timelines.analysis.alerts import Alert, alerts, watch_profiles
from backend.timelines.analysis.comparison import ProfileComparison, RunGroup, compare_runs
from backend.timelines.analysis.verdict_templates import TEMPLATES
from backend.timelines.analysis.verdicts import day
from backend.timelines.columns.run_arrays import (
    Bools,
    Ints,
    RunArrays,
    datetime_to_micros,
    instant,
)
from backend.timelines.model import LATEST, SplitKind
from backend.timelines.statistics.distributions import LEVEL

_Choose = Callable[[RunArrays], Bools]


@dataclass(frozen=True, slots=True)
class Split:
    """A change of a profile at ``at``, between the runs from ``first`` on and those up to ``last``.

    Times are UTC microseconds and compare with the start of a run's evaluation, so that none is cut in two.
    ``first`` (inclusive) and ``last`` (exclusive) are None without a limit. ``name`` is the id of the
    evaluation or the revision, and empty for other kinds.
    """

    kind: SplitKind
    at: int
    name: str = ""
    first: int | None = None
    last: int | None = None


def find_split(selection: RunArrays, profile: str, kind: SplitKind, value: str) -> Split:
    """Find a split by an instant (RFC 3339), the id of an evaluation, a revision, or an alert.

    An alert is :data:`LATEST`, or an instant by which it was noticed. Raises :class:`ValueError`.
    """
    if kind == "instant":
        return split_at_instant(parse_instant(value))
    if kind == "alert":
        return find_alert_split(selection, profile, value if value == LATEST else parse_instant(value))
    split = split_at_evaluation if kind == "evaluation" else split_at_revision
    return split(selection, profile, value)


def split_at_instant(moment: datetime) -> Split:
    return Split("instant", datetime_to_micros(moment))


def split_at_evaluation(selection: RunArrays, profile: str, evaluation: str) -> Split:
    """Split at the start of an evaluation, which belongs to the time after. Raises :class:`ValueError`."""
    return Split("evaluation", _find_first_start(selection, profile, "evaluation_id", evaluation), evaluation)


def split_at_revision(selection: RunArrays, profile: str, revision: str) -> Split:
    """Split at the first evaluation of a revision. Raises :class:`ValueError` for an unknown one."""
    return Split("revision", _find_first_start(selection, profile, "revision", revision), revision)


def split_at_alert(alert: Alert, profile_alerts: tuple[Alert, ...]) -> Split:
    """Split at the start of the change that ``alert`` reports, between the alerts before and after it."""
    starts = sorted(other.since for other in profile_alerts if other.profile == alert.profile)
    place = starts.index(alert.since)
    return Split(
        "alert",
        alert.since,
        first=starts[place - 1] if place else None,
        last=starts[place + 1] if place + 1 < len(starts) else None,
    )


def find_alert_split(selection: RunArrays, profile: str, when: str | datetime = LATEST) -> Split:
    """Split at an alert of ``profile``: the newest, or the last one that was noticed by the instant ``when``.

    Raises :class:`ValueError` if there is none.
    """
    found = alerts(watch_profiles(selection.of(profile)))
    limit = None if isinstance(when, str) else datetime_to_micros(when)
    noticed = [alert for alert in found if limit is None or alert.noticed <= limit]
    if not noticed:
        raise ValueError(f"{profile} has no alert{'' if limit is None else ' up to then'}")
    return split_at_alert(noticed[0], found)


def compare_before_and_after(
    selection: RunArrays, profile: str, split: Split, language: Language = "en", level: float = LEVEL
) -> ProfileComparison:
    """Compare the runs of ``profile`` after ``split`` (B) with those before it (A). A side may be empty."""
    return compare_runs(*build_split_groups(selection, profile, split, language), level)


def build_split_groups(
    selection: RunArrays, profile: str, split: Split, language: Language = "en"
) -> tuple[RunGroup, RunGroup]:
    """Build the sides of :func:`compare_before_and_after`."""
    words, mark = TEMPLATES[language], format_mark(split, language)

    def is_before(runs: RunArrays) -> Bools:
        return (runs.start < split.at) & (runs.start >= (_MIN if split.first is None else split.first))

    def is_after(runs: RunArrays) -> Bools:
        return (runs.start >= split.at) & (runs.start < (_MAX if split.last is None else split.last))

    return (
        _build_group(selection, profile, words["before"].format(name=profile, mark=mark), is_before),
        _build_group(selection, profile, words["after"].format(name=profile, mark=mark), is_after),
    )


def compare_evaluations(
    selection: RunArrays,
    profile: str,
    evaluations: tuple[str, str],
    language: Language = "en",
    level: float = LEVEL,
) -> ProfileComparison:
    """Compare the second of two ``evaluations`` of ``profile``, given by their ids, with the first.

    Raises :class:`ValueError` for an id without runs in the selection.
    """
    return compare_runs(*build_evaluation_groups(selection, profile, evaluations, language), level)


def build_evaluation_groups(
    selection: RunArrays, profile: str, evaluations: tuple[str, str], language: Language = "en"
) -> tuple[RunGroup, RunGroup]:
    """Build the sides of :func:`compare_evaluations`, with the same error."""
    words = TEMPLATES[language]
    for evaluation in evaluations:
        _find_first_start(selection, profile, "evaluation_id", evaluation)
    first, second = (
        _build_group(
            selection,
            profile,
            words["in_evaluation"].format(name=profile, evaluation=evaluation),
            _has_value("evaluation_id", evaluation),
        )
        for evaluation in evaluations
    )
    return first, second


def format_mark(split: Split, language: Language = "en") -> str:
    """Format the place of a split, as in ``B before revision 3f2a``."""
    if split.kind in ("evaluation", "revision"):
        return TEMPLATES[language][f"{split.kind}_mark"].format(name=split.name)
    moment = instant(split.at)
    time = "" if moment.hour == moment.minute == 0 else f" {moment.hour:02}:{moment.minute:02}"
    return f"{day(split.at, language)}{time}"


_MIN, _MAX = np.iinfo(np.int64).min, np.iinfo(np.int64).max


def _build_group(selection: RunArrays, profile: str, name: str, choose: _Choose) -> RunGroup:
    runs = selection.of(profile)
    failures = None if selection.failures is None else selection.failures.of(profile)
    excluded_runs = 0 if failures is None else int(choose(failures).sum())
    return RunGroup(name, runs.where(choose(runs)), excluded_runs)


def _has_value(column: str, value: str) -> _Choose:
    def choose(runs: RunArrays) -> Bools:
        codes, names = runs.names(column)
        chosen: Bools = codes == (names.index(value) if value in names else -2)
        return chosen

    return choose


def _find_first_start(selection: RunArrays, profile: str, column: str, value: str) -> int:
    runs = selection.of(profile)
    starts: Ints = runs.start[_has_value(column, value)(runs)]
    if not len(starts):
        word = "evaluation" if column == "evaluation_id" else column
        raise ValueError(f"{profile} has no run of the {word} '{value}' in this selection")
    return int(starts.min())
