"""Ranks deductions by the points that profiles A and B lost by them, for a Pareto chart."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from backend.timelines.columns.run_arrays import MAX_ABS_SCORE, RunArrays, coded
from backend.timelines.statistics.distributions import Floats

MAX_NAMES = 20


@dataclass(frozen=True, slots=True)
class DeductionRanking:
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


def rank_deductions(
    selection: RunArrays, a: str, b: str | None = None, max_names: int = MAX_NAMES
) -> DeductionRanking:
    """Compute the points lost by ``a`` and ``b`` over their shared cases."""
    sides = [selection.of(name) for name in (a, b) if name is not None]
    ran = [np.bincount(side.case, minlength=len(selection.cases)) > 0 for side in sides]
    shared = np.logical_and.reduce(ran)
    count = int(shared.sum())
    sides = [side.where(shared[side.case]) for side in sides]
    losses_by_side = [_compute_losses_by_name(side, count) for side in sides]
    names = sorted({name for losses in losses_by_side for name in losses})
    table = np.array(
        [[losses.get(name, 0.0) for name in names] for losses in (*losses_by_side, {})[:2]]
    ).reshape(2, -1)
    order = np.argsort(-table.sum(axis=0), kind="stable")
    listed, unlisted = order[:max_names], order[max_names:]
    in_all = max(float(table.sum()), np.finfo(float).tiny)
    return DeductionRanking(
        tuple(names[index] for index in listed),
        table[0, listed],
        table[1, listed],
        np.cumsum(table.sum(axis=0)[listed]) / in_all,
        len(unlisted),
        float(table[0, unlisted].sum()),
        float(table[1, unlisted].sum()),
        count,
    )


def _compute_losses_by_name(side: RunArrays, cases: int) -> dict[str, float]:
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
        share = np.minimum(points / side.numeric_column("max_score")[run_of], MAX_ABS_SCORE)
    weight = 1 / runs_of_case[side.case] / cases
    losses = np.bincount(code, weights=share * weight[run_of], minlength=len(names))
    return {name: float(loss) for name, loss in zip(names, losses, strict=True) if loss > 0}
