"""Selects runs as NumPy arrays by profile, case and time. No I/O; fast at 100,000 runs."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from backend.timelines.statistics.distributions import Floats

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MAX_ABS_SCORE = 1e6
"""Limit on scores, which a tiny ``max_score`` could make huge, so that sums stay finite."""
MAX_ABS_NUMBER = 1e100
"""Limit on other numbers, so that their squares can be added."""
_BY_RUN = ("rows", "profile", "case", "time", "start", "score")
MODEL_COLUMNS = ("model", "model_vendor", "inference_provider", "provider")


@dataclass(frozen=True)
class RunArrays:
    """Runs in the order of profile, time and run id; each array has one value for each run.

    ``profile`` and ``case`` are indexes into ``profiles`` and ``cases``, both sorted by name. These contain
    the names with runs in the whole table, so that a part of a selection keeps the same codes. ``time`` is in
    UTC microseconds, and ``start`` is the first time of the run's evaluation (without one, its own time). It
    decides the window of a run. ``score`` is the normalised score (a fraction). ``rows`` are indexes into
    ``table``, whose other columns are read on request. ``excluded_runs`` counts infrastructure failures
    by profile, and ``failures`` holds them.
    """

    table: pa.Table
    profiles: tuple[str, ...]
    cases: tuple[str, ...]
    rows: Ints
    profile: Ints
    case: Ints
    time: Ints
    start: Ints
    score: Floats
    excluded_runs: Ints
    failures: "RunArrays | None" = None

    def __len__(self) -> int:
        return len(self.rows)

    def where(self, mask: Bools) -> "RunArrays":
        """Return the runs for which ``mask`` is true."""
        narrowed = {name: getattr(self, name)[mask] for name in _BY_RUN}
        return replace(self, **narrowed)

    def of(self, profile: str) -> "RunArrays":
        """Return the runs of one profile; empty for an unknown name."""
        profile_index = self.place_of(profile)
        return self.where(
            np.zeros(len(self), dtype=bool) if profile_index is None else self.profile == profile_index
        )

    def place_of(self, profile: str) -> int | None:
        return self.profiles.index(profile) if profile in self.profiles else None

    def numeric_column(self, column: str) -> Floats:
        """Return a column of numbers or booleans as floats, NaN for missing values."""
        values = self.table.column(column).take(pa.array(self.rows)).cast(pa.float64())
        numbers = np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64)
        return np.clip(numbers, -MAX_ABS_NUMBER, MAX_ABS_NUMBER)

    def names(self, column: str) -> tuple[Ints, list[str]]:
        """Return a column of names as indexes into its distinct names, -1 for missing values."""
        return coded(self.table.column(column).take(pa.array(self.rows)))

    def run_ids(self, indexes: Ints) -> list[str]:
        ids: list[str] = self.table.column("run_id").take(pa.array(self.rows[indexes])).to_pylist()
        return ids

    @cached_property
    def by_cell(self) -> tuple[Floats, Ints]:
        """Mean score and number of runs by profile and case; NaN for a case without runs."""
        return self.cell_means(self.score)

    def cell_means(self, values: Floats) -> tuple[Floats, Ints]:
        """Compute the means of ``values`` (one for each run, NaN if unknown) by profile and case, and the
        numbers of known values."""
        is_known = ~np.isnan(values)
        shape = (len(self.profiles), len(self.cases))
        cell = (self.profile * len(self.cases) + self.case)[is_known]
        count = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
        total = np.bincount(cell, weights=values[is_known], minlength=shape[0] * shape[1]).reshape(shape)
        with np.errstate(invalid="ignore", divide="ignore"):
            return total / count, count

    def trials(self) -> list[Floats]:
        """Return the scores of each cell with runs, by profile and case."""
        cell = self.profile * len(self.cases) + self.case
        order = np.argsort(cell, kind="stable")
        starts = np.flatnonzero(np.diff(cell[order])) + 1
        return np.split(self.score[order], starts) if len(self) else []


def select(
    table: pa.Table,
    *,
    profiles: Collection[str] | None = None,
    cases: Collection[str] | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    exclude_infrastructure_failures: bool = True,
    **model_filters: str | None,
) -> RunArrays:
    """Select the runs of ``table`` (``columns.SCHEMA``) that match all filters.

    ``since`` is inclusive, ``until`` exclusive. Both compare with the start of a run's evaluation, so that no
    evaluation is cut in two. ``model_filters`` may name :data:`MODEL_COLUMNS`, the run's own provider and
    models. Raises :class:`TypeError` for another name."""
    unknown = model_filters.keys() - set(MODEL_COLUMNS)
    if unknown:
        raise TypeError(f"a selection knows no {', '.join(sorted(unknown))}")
    profile, profile_names = _encode_by_name(table.column("profile"))
    case, case_names = _encode_by_name(table.column("case_id"))
    time = _to_micros(table.column("timestamp"))
    mask = np.ones(len(time), dtype=bool)
    if profiles is not None:
        mask &= np.isin(profile, _find_indexes(profile_names, profiles))
    if cases is not None:
        mask &= np.isin(case, _find_indexes(case_names, cases))
    start = _find_starts(table, profile, time)
    if since is not None:
        mask &= start >= datetime_to_micros(since)
    if until is not None:
        mask &= start < datetime_to_micros(until)
    for column, value in model_filters.items():
        if value is not None:
            codes, names = coded(table.column(column))
            mask &= np.isin(codes, _find_indexes(names, (value,)))
    failed = (
        table.column("machinery_failure").to_numpy().astype(bool) & mask & exclude_infrastructure_failures
    )
    score = np.clip(table.column("normalized_score").to_numpy(), -MAX_ABS_SCORE, MAX_ABS_SCORE)

    def build(chosen: Bools, failures: RunArrays | None = None) -> RunArrays:
        rows = _sort_rows(table, profile, time, np.flatnonzero(chosen))
        return RunArrays(
            table=table,
            profiles=tuple(profile_names),
            cases=tuple(case_names),
            rows=rows,
            profile=profile[rows],
            case=case[rows],
            time=time[rows],
            start=start[rows],
            score=score[rows],
            excluded_runs=np.bincount(profile[failed], minlength=len(profile_names)),
            failures=failures,
        )

    return build(mask & ~failed, build(failed))


def _find_starts(table: pa.Table, profile: Ints, time: Ints) -> Ints:
    """Return the first time of the evaluation of each run; its own time for a run without one."""
    codes, ids = coded(table.column("evaluation_id"))
    if not ids:
        return time
    has_evaluation = codes >= 0
    keys, evaluation = np.unique(
        profile[has_evaluation] * len(ids) + codes[has_evaluation], return_inverse=True
    )
    first = np.full(len(keys), np.iinfo(np.int64).max)
    np.minimum.at(first, evaluation, time[has_evaluation])
    starts = time.copy()
    starts[has_evaluation] = first[evaluation]
    return starts


def _sort_rows(table: pa.Table, profile: Ints, time: Ints, rows: Ints) -> Ints:
    """Sort ``rows`` by profile, time and run id; ids are read only for equal times."""
    rows = rows[np.lexsort((time[rows], profile[rows]))]
    equal = (np.diff(profile[rows]) == 0) & (np.diff(time[rows]) == 0)
    is_tied = np.append(equal, False) | np.insert(equal, 0, False) if len(rows) else equal
    if not is_tied.any():
        return rows
    ids = np.array(table.column("run_id").take(pa.array(rows[is_tied])).to_pylist(), dtype=object)
    rank = np.zeros(len(rows), dtype=np.int64)
    rank[is_tied] = np.unique(ids, return_inverse=True)[1]
    ordered: Ints = rows[np.lexsort((rank, time[rows], profile[rows]))]
    return ordered


def coded(column: pa.ChunkedArray) -> tuple[Ints, list[str]]:
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    joined = column.unify_dictionaries().combine_chunks()
    if isinstance(joined, pa.ChunkedArray):  # of no chunk, or of several that are empty
        joined = pa.concat_arrays(joined.chunks) if joined.num_chunks else pa.array([], column.type)
    codes = pc.fill_null(joined.indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    return codes, joined.dictionary.to_pylist()


def _encode_by_name(column: pa.ChunkedArray) -> tuple[Ints, list[str]]:
    """Return indexes into the sorted names that the column contains."""
    codes, names = coded(column)
    used = np.unique(codes).tolist()
    order = sorted(used, key=names.__getitem__)
    rank_of_code = np.zeros(len(names), dtype=np.int64)
    rank_of_code[order] = np.arange(len(order))
    return rank_of_code[codes], [names[code] for code in order]


def _find_indexes(names: Collection[str], selected: Collection[str]) -> list[int]:
    selected_names = set(selected)
    return [index for index, name in enumerate(names) if name in selected_names]


def _to_micros(column: pa.ChunkedArray) -> Ints:
    return np.asarray(column.cast(pa.int64()).to_numpy(), dtype=np.int64)


def datetime_to_micros(moment: datetime) -> int:
    since_epoch = moment - EPOCH
    return (since_epoch.days * 86_400 + since_epoch.seconds) * 1_000_000 + since_epoch.microseconds


def instant(micros: int | float) -> datetime:
    """Convert a time in this selection's unit to UTC."""
    return EPOCH + timedelta(microseconds=int(micros))
