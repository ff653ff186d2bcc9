"""Relates an agent's behaviour and cost to its score."""

from dataclasses import dataclass

import numpy as np

from backend.timelines.columns.run_arrays import Ints, RunArrays
from backend.timelines.statistics.distributions import Floats
from backend.timelines.statistics.means import Mean, mean_of_cases

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


def against_score(chosen: RunArrays, metric: str, most: int = MAX_POINTS) -> Scatter:
    """Relate ``metric`` (one of :data:`METRICS`) to the score. Raises :class:`ValueError` for another
    metric."""
    if metric not in METRICS:
        raise ValueError(f"{metric} is not a metric. Use one of {', '.join(METRICS)}.")
    values = chosen.number(metric)
    known = np.flatnonzero(~np.isnan(values))
    known_runs = chosen.where(~np.isnan(values))
    correlation = _within_cells(known_runs, values[known])
    shown = known
    if len(known) > most:
        shown = known[np.linspace(0, len(known) - 1, most).astype(np.int64)]
    x, score = values[shown], chosen.score[shown]
    return Scatter(metric, shown, chosen.profile[shown], x, score, len(known), len(chosen), correlation)


def _within_cells(known_runs: RunArrays, values: Floats) -> float | None:
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


def cost_against_score(chosen: RunArrays) -> tuple[Cost, ...]:
    """List the profiles with a known cost, the cheapest first."""
    cost = chosen.number("cost_usd")
    known_runs, cost = chosen.where(~np.isnan(cost)), cost[~np.isnan(cost)]
    found: list[tuple[int, Mean, Mean]] = []
    for place in np.unique(known_runs.profile):
        mine = known_runs.profile == place
        score, spent = (
            mean_of_cases(values[mine], known_runs.case[mine]) for values in (known_runs.score, cost)
        )
        if score is not None and spent is not None:
            found.append((int(place), score, spent))
    found.sort(key=_cheapest_first)
    best, shown = -np.inf, []
    for place, score, spent in found:
        shown.append(Cost(place, score, spent, score.mean > best))
        best = max(best, score.mean)
    return tuple(shown)


def _cheapest_first(one: tuple[int, Mean, Mean]) -> tuple[float, float]:
    return one[2].mean, -one[1].mean
