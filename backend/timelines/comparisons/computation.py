"""Computes the response of the comparison endpoint from stored runs."""

from collections.abc import Mapping

import orjson

from backend.errors import NotFound
from backend.store.database import Database
from backend.timelines.analysis.comparison import RunGroup, build_profile_groups, compare_runs
from backend.timelines.analysis.comparison_report import build_report, correct_family
from backend.timelines.analysis.self_comparison import (
    build_evaluation_groups,
    build_split_groups,
    find_split,
)
from backend.timelines.analysis.verdicts import verdict
from backend.timelines.columns.run_arrays import RunArrays, select
from backend.timelines.comparisons.comparison_request import ComparisonRequest
from backend.timelines.store_snapshot import Timeline
from backend.timelines.stored_columns import list_cut_notes, load_columns, share_runs


def compute_response(
    database: Database, timelines: Mapping[str, Timeline], request: ComparisonRequest
) -> bytes:
    """Compute the response in JSON. Raises :class:`~backend.errors.NotFound`, also for an unknown split."""
    runs = select_runs(database, timelines, request)
    first, *others = request.profiles
    limits = share_runs(timelines, request.profiles)
    reports = []
    for (a, b), other in zip(build_groups(runs, request), others or [first], strict=True):
        result = compare_runs(a, b)
        report = build_report(result, verdict(result, request.language), runs.cases, request.language)
        compared = {name: limits[name] for name in dict.fromkeys((first, other))}
        report["notes"] += list_cut_notes(timelines, compared, request.language)
        reports.append(report)
    return orjson.dumps({"comparisons": reports, "family": correct_family(reports, request.language)})


def build_groups(runs: RunArrays, request: ComparisonRequest) -> list[tuple[RunGroup, RunGroup]]:
    """Build the sides of each comparison. Raises :class:`~backend.errors.NotFound` for an unknown split."""
    a, *others = request.profiles
    try:
        if request.evaluations:
            first, second = request.evaluations
            return [build_evaluation_groups(runs, a, (first, second), request.language)]
        if request.split:
            return [build_split_groups(runs, a, find_split(runs, a, *request.split), request.language)]
    except ValueError as error:
        raise NotFound(f"{error}.") from None
    return [build_profile_groups(runs, a, b) for b in others]


def select_runs(
    database: Database, timelines: Mapping[str, Timeline], request: ComparisonRequest
) -> RunArrays:
    """Select the runs of the profiles. Raises :class:`~backend.errors.NotFound` for an unknown profile."""
    return select(
        load_columns(
            database,
            timelines,
            request.profiles,
            limits=share_runs(timelines, request.profiles),
        ),
        cases=request.cases or None,
        since=request.since,
        until=request.until,
        exclude_infrastructure_failures=not request.keep_infrastructure_failures,
    )
