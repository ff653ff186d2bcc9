"""Computes the Pareto chart of deductions: lost points by reason, for A and B."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from backend.timelines.columns.run_arrays import MAX_ABS_SCORE, RunArrays, coded
from backend.timelines.statistics.distributions import Floats

MAX_NAMES = 20


@dataclass(frozen=True, slots=True)
class Pareto:
    """Lost shares of the maximum score by deduction name: means of case means, so that they add up.

    ``a`` and ``b`` are in the order of ``names``, the largest loss of both together first. ``rest_a`` and
    ``rest_b`` belong to the ``rest`` names that are not shown. ``cumulative`` is the share of all losses of A
    and B up to and including each name. Without B its figures are zero.
    """

    names: tuple[str, ...]
    a: Floats
    b: Floats
    cumulative: Floats
    rest: int
    rest_a: float
    rest_b: float
    cases: int


def deduction_pareto(chosen: RunArrays, a: str, b: str | None = None, most: int = MAX_NAMES) -> Pareto:
    """Compute the points lost by ``a`` and ``b`` over their shared cases."""
    sides = [chosen.of(name) for name in (a, b) if name is not None]
    ran = [np.bincount(side.case, minlength=len(chosen.cases)) > 0 for side in sides]
    shared = np.logical_and.reduce(ran)
    count = int(shared.sum())
    sides = [side.where(shared[side.case]) for side in sides]
    lost = [_lost_by_name(side, count) for side in sides]
    names = sorted({name for each in lost for name in each})
    table = np.array([[each.get(name, 0.0) for name in names] for each in (*lost, {})[:2]]).reshape(2, -1)
    order = np.argsort(-table.sum(axis=0), kind="stable")
    shown, rest = order[:most], order[most:]
    in_all = max(float(table.sum()), np.finfo(float).tiny)
    return Pareto(
        tuple(names[place] for place in shown),
        table[0, shown],
        table[1, shown],
        np.cumsum(table.sum(axis=0)[shown]) / in_all,
        len(rest),
        float(table[0, rest].sum()),
        float(table[1, rest].sum()),
        count,
    )


def _lost_by_name(side: RunArrays, cases: int) -> dict[str, float]:
    """Compute the mean over ``cases`` of the mean share that the runs of a case lost, by deduction name."""
    if not len(side) or not cases:
        return {}
    joined = side.table.column("deductions").take(pa.array(side.rows)).combine_chunks()
    parts = joined.flatten()
    run_of = np.asarray(joined.value_parent_indices().to_numpy(), dtype=np.int64)
    code, names = coded(pa.chunked_array([parts.field("name")]))
    points = parts.field("points").to_numpy(zero_copy_only=False)
    runs_of_case = np.bincount(side.case)
    with np.errstate(over="ignore"):
        share = np.minimum(points / side.number("max_score")[run_of], MAX_ABS_SCORE)
    weight = 1 / runs_of_case[side.case] / cases
    lost = np.bincount(code, weights=share * weight[run_of], minlength=len(names))
    return {name: float(share) for name, share in zip(names, lost, strict=True) if share > 0}
