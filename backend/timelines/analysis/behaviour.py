"""Relates an agent's behaviour and cost to its score."""

from dataclasses import dataclass

import numpy as np

from backend.timelines.columns.run_arrays import Ints, RunArrays
from backend.timelines.statistics.distributions import Floats
from backend.timelines.statistics.means import Mean, mean_of_cases
from backend.timelines.statistics.score_intervals import SCORE_BOUNDS

METRICS = (
    "read_write_ratio",
    "pre_write_read_coverage",
    "read_file_calls",
    "write_file_calls",
    "list_dir_calls",
)
MAX_POINTS = 2_000


@dataclass(frozen=True, slots=True)
class Scatter:
    """Runs with a known metric: at most ``MAX_POINTS``, sampled evenly by profile and time.

    ``run`` holds indexes into the selection. ``known`` of ``runs`` runs have the metric. ``correlation`` is
    Pearson's, with both variables centred by profile and case, so that hard cases or good models create no
    spurious correlation; None if undefined.
    """

    metric: str
    run: Ints
    profile: Ints
    x: Floats
    score: Floats
    known: int
    runs: int
    correlation: float | None


def relate_metric_to_score(selection: RunArrays, metric: str, max_points: int = MAX_POINTS) -> Scatter:
    """Relate ``metric`` (one of :data:`METRICS`) to the score. Raises :class:`ValueError` for another
    metric."""
    if metric not in METRICS:
        raise ValueError(f"{metric} is not a metric. Use one of {', '.join(METRICS)}.")
    values = selection.numeric_column(metric)
    known_rows = np.flatnonzero(~np.isnan(values))
    known_runs = selection.where(~np.isnan(values))
    correlation = _correlate_within_cells(known_runs, values[known_rows])
    sampled_rows = known_rows
    if len(known_rows) > max_points:
        sampled_rows = known_rows[np.linspace(0, len(known_rows) - 1, max_points).astype(np.int64)]
    x, score = values[sampled_rows], selection.score[sampled_rows]
    return Scatter(
        metric,
        sampled_rows,
        selection.profile[sampled_rows],
        x,
        score,
        len(known_rows),
        len(selection),
        correlation,
    )


def _correlate_within_cells(known_runs: RunArrays, values: Floats) -> float | None:
    cell = known_runs.profile * len(known_runs.cases) + known_runs.case
    x, y = (
        values - known_runs.cell_means(values)[0].ravel()[cell],
        known_runs.score - known_runs.by_cell[0].ravel()[cell],
    )
    scale = float(np.sqrt(np.square(x).sum() * np.square(y).sum()))
    return float((x * y).sum()) / scale if scale > 1e-12 else None


@dataclass(frozen=True, slots=True)
class Cost:
    """A profile's mean score and mean cost of a run in USD, both means of case means, over runs of known
    cost.

    ``frontier``: no other profile reaches at least this score at a lower cost.
    """

    profile: int
    score: Mean
    cost: Mean
    frontier: bool


def relate_cost_to_score(selection: RunArrays) -> tuple[Cost, ...]:
    """List the profiles with a known cost, the cheapest first."""
    cost = selection.numeric_column("cost_usd")
    known_runs, cost = selection.where(~np.isnan(cost)), cost[~np.isnan(cost)]
    means_by_profile: list[tuple[int, Mean, Mean]] = []
    for profile in np.unique(known_runs.profile):
        is_profile = known_runs.profile == profile
        score, mean_cost = (
            mean_of_cases(values[is_profile], known_runs.case[is_profile], bounds=bounds)
            for values, bounds in ((known_runs.score, SCORE_BOUNDS), (cost, None))
        )
        if score is not None and mean_cost is not None:
            means_by_profile.append((int(profile), score, mean_cost))
    means_by_profile.sort(key=_get_cost_order)
    best, costs = -np.inf, []
    for profile, score, mean_cost in means_by_profile:
        costs.append(Cost(profile, score, mean_cost, score.mean > best))
        best = max(best, score.mean)
    return tuple(costs)


def _get_cost_order(profile_means: tuple[int, Mean, Mean]) -> tuple[float, float]:
    return profile_means[2].mean, -profile_means[1].mean
