"""Computes the heatmap of profiles by cases, including cases that were not run."""

from dataclasses import dataclass

import numpy as np

from backend.timelines.columns.run_arrays import Ints, RunArrays
from backend.timelines.statistics.distributions import Floats

MAX_CASES = 200


@dataclass(frozen=True, slots=True)
class Heatmap:
    """Mean scores. Rows: ``profiles``, best first. Columns: ``cases``, most disputed first. NaN: not run.

    ``disagreement`` is the standard deviation of a case's means over profiles, NaN if only one profile ran
    it. ``hidden_count`` counts cases beyond the maximum."""

    profiles: Ints
    cases: Ints
    mean: Floats
    runs: Ints
    disagreement: Floats
    hidden_count: int


def heatmap(selection: RunArrays, max_cases: int = MAX_CASES) -> Heatmap:
    """Build the heatmap. Cases that only one profile ran come last; ties are ordered by name."""
    means, counts = selection.by_cell
    rows = np.flatnonzero(counts.sum(axis=1) > 0)
    columns = np.flatnonzero(counts.sum(axis=0) > 0)
    means, counts = means[np.ix_(rows, columns)], counts[np.ix_(rows, columns)]
    ran = counts > 0
    across = ran.sum(axis=0)
    middle = np.nansum(means, axis=0) / np.maximum(across, 1)
    squares = np.where(ran, np.square(means - middle), 0.0).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        disagreement = np.where(across > 1, np.sqrt(squares / (across - 1)), np.nan)
    level = np.nansum(means, axis=1) / np.maximum(ran.sum(axis=1), 1)
    up = np.argsort(-level, kind="stable")
    column_order = np.argsort(-np.nan_to_num(np.round(disagreement, 12), nan=-1.0), kind="stable")[:max_cases]
    return Heatmap(
        rows[up],
        columns[column_order],
        means[np.ix_(up, column_order)],
        counts[np.ix_(up, column_order)],
        disagreement[column_order],
        max(0, len(columns) - max_cases),
    )
