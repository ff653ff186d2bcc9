"""Lists the evaluations of profiles, and what changed between two neighbours."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from backend.timelines.columns.run_arrays import Ints, RunArrays
from backend.timelines.statistics.distributions import Interval
from backend.timelines.statistics.means import Mean
from backend.timelines.statistics.score_intervals import score_intervals

ChangedField = Literal[
    "model", "model_vendor", "inference_provider", "provider", "revision", "config_digest", "cases"
]
_COMPARED: tuple[ChangedField, ...] = (
    "model",
    "model_vendor",
    "inference_provider",
    "provider",
    "revision",
    "config_digest",
)


@dataclass(frozen=True, slots=True)
class Change:
    """A difference from the evaluation before. Of ``cases``, the values count gone and new ones."""

    field: ChangedField
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Runs of ``profile`` (an index) with one evaluation id.

    ``started_us`` and ``last_run_us`` are the times of the first and the last run, in UTC microseconds.
    ``values`` holds the distinct known values of each column, joined by commas. ``cases`` are indexes.
    ``shared`` counts the cases that the previous evaluation of the same profile and suite also has; None for
    the first one. ``breaks`` is true if a line to this point breaks.
    """

    profile: int
    id: str
    started_us: int
    last_run_us: int
    suite: str | None
    values: dict[str, str]
    mean: Mean
    cases: Ints
    runs: int
    shared: int | None
    breaks: bool
    changes: tuple[Change, ...]


def is_break(shared: int, cases: int, cases_before: int) -> bool:
    """True if two neighbours share fewer than half of the cases of the larger one."""
    return 2 * shared < max(cases, cases_before)


def list_evaluations(selection: RunArrays) -> tuple[Evaluation, ...]:
    """List the evaluations in the order of profile and start. Runs without an evaluation id are left out."""
    codes, ids = selection.names("evaluation_id")
    known = codes >= 0
    if not known.any():
        return ()
    runs, codes = selection.where(known), codes[known]
    keys, group = np.unique(runs.profile * len(ids) + codes, return_inverse=True)
    count = len(keys)
    cells = np.unique(group * len(runs.cases) + runs.case)
    cases = np.split(cells % len(runs.cases), _find_bounds(cells // len(runs.cases), count))
    means = _compute_means(runs, group, count)
    values = {name: _join_values(runs, name, group, count) for name in ("suite", *_COMPARED)}
    started = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(started, group, runs.start)
    last = np.full(count, np.iinfo(np.int64).min)
    np.maximum.at(last, group, runs.time)
    evaluation_ids = [ids[key] for key in (keys % len(ids)).tolist()]
    profiles = (keys // len(ids)).tolist()
    evaluations: list[Evaluation] = []
    newest: dict[tuple[int, str | None], Evaluation] = {}
    for place in sorted(
        range(count), key=lambda place: (profiles[place], started[place], evaluation_ids[place])
    ):
        suite = values["suite"][place] or None
        evaluation = _add_neighbour(
            Evaluation(
                profiles[place],
                evaluation_ids[place],
                int(started[place]),
                int(last[place]),
                suite,
                {name: values[name][place] for name in _COMPARED},
                means[place],
                cases[place],
                means[place].runs,
                None,
                False,
                (),
            ),
            newest.get((profiles[place], suite)),
        )
        newest[profiles[place], suite] = evaluation
        evaluations.append(evaluation)
    return tuple(evaluations)


def _find_bounds(group: Ints, count: int) -> Ints:
    """Find where each group but the first begins in sorted ``group``."""
    bounds: Ints = np.searchsorted(group, np.arange(1, count))
    return bounds


def _compute_means(runs: RunArrays, group: Ints, count: int) -> list[Mean]:
    """Compute the mean of the case means of each group, with its interval."""
    cells, cell_of = np.unique(group * len(runs.cases) + runs.case, return_inverse=True)
    case_means = np.bincount(cell_of, weights=runs.score) / np.bincount(cell_of)
    group_of = cells // len(runs.cases)
    low, high = score_intervals(case_means, group_of, count)
    numbers = np.bincount(group, minlength=count).tolist()
    means = []
    for place, part in enumerate(np.split(case_means, _find_bounds(group_of, count))):
        has_interval = len(part) > 1
        error = float(part.std(ddof=1) / np.sqrt(len(part))) if has_interval else None
        interval = Interval(float(low[place]), float(high[place])) if has_interval else None
        means.append(Mean(float(part.mean()), error, interval, len(part), numbers[place]))
    return means


def _join_values(runs: RunArrays, column: str, group: Ints, count: int) -> list[str]:
    """Join the distinct known values of a column in each group."""
    codes, names = runs.names(column)
    joined: list[list[str]] = [[] for _ in range(count)]
    if names:
        for pair in np.unique((group * len(names) + codes)[codes >= 0]).tolist():
            joined[pair // len(names)].append(names[pair % len(names)])
    return [", ".join(sorted(values)) for values in joined]


def _add_neighbour(evaluation: Evaluation, before: Evaluation | None) -> Evaluation:
    """Add what an evaluation shares with its neighbour before, and what changed."""
    if before is None:
        return evaluation
    shared = len(np.intersect1d(evaluation.cases, before.cases, assume_unique=True))
    return replace(
        evaluation,
        shared=shared,
        breaks=is_break(shared, len(evaluation.cases), len(before.cases)),
        changes=_find_changes(before, evaluation.values, evaluation.cases, shared),
    )


def _find_changes(before: Evaluation, values: dict[str, str], cases: Ints, shared: int) -> tuple[Change, ...]:
    """Find the changes of known values. A value that one of both does not know is no change."""
    changes = [
        Change(name, before.values[name], values[name])
        for name in _COMPARED
        if before.values[name] and values[name] and before.values[name] != values[name]
    ]
    gone, new = len(before.cases) - shared, len(cases) - shared
    return (*changes, *([Change("cases", str(gone), str(new))] if gone or new else []))
