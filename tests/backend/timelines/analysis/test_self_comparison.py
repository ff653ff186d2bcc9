"""Tests comparisons of a profile with itself."""

from datetime import timedelta

import pytest

from backend.timelines.analysis import self_comparison
from backend.timelines.analysis.alerts import alerts, watch_profiles
from backend.timelines.analysis.comparison import ProfileComparison
from backend.timelines.analysis.self_comparison import (
    compare_before_and_after,
    compare_evaluations,
    find_split,
    split_at_alert,
)
from backend.timelines.analysis.verdicts import verdict
from backend.timelines.columns.run_arrays import RunArrays
from backend.timelines.model import Run, SplitKind
from tests.support.runs.scored_runs import START, arrays, build_daily_runs, run

FALLS = (0.2, 0.3, 0.25, 0.4, 0.35, 0.3)
"""How far each case falls from the third evaluation on."""


def _build_evaluations(*, profile: str = "A") -> list[Run]:
    """Build four daily evaluations of two hours; the revision changes with the third one."""
    return [
        run(
            profile,
            f"case {case}",
            0.9 - (fall if day >= 2 else 0.01 * day),
            24 * day + case * 0.4,
            evaluation_id=f"nightly {day}",
            revision="old" if day < 2 else "new",
        )
        for day in range(4)
        for case, fall in enumerate(FALLS)
    ]


def _sides(result: ProfileComparison) -> tuple[str, int, str, int]:
    return result.a.profile, result.a.runs, result.b.profile, result.b.runs


def _split(selection: RunArrays, kind: SplitKind, value: str) -> ProfileComparison:
    return compare_before_and_after(selection, "A", find_split(selection, "A", kind, value))


@pytest.mark.parametrize(
    ("kind", "value", "mark"),
    [
        ("instant", "2026-03-03T00:00:00Z", "3 Mar 2026"),
        ("evaluation", "nightly 2", "evaluation nightly 2"),
        ("revision", "new", "revision new"),
    ],
)
def test_runs_before_and_after_a_change_are_compared_by_case(kind: SplitKind, value: str, mark: str) -> None:
    from scipy import stats

    result = _split(arrays([*_build_evaluations(), run("B", "case 0", 0.1)]), kind, value)
    assert _sides(result) == (f"A before {mark}", 12, f"A since {mark}", 12)
    assert result.paired is not None
    differences = [0.005 - fall for fall in FALLS]
    assert result.paired.p == pytest.approx(stats.ttest_1samp(differences, 0).pvalue, abs=1e-12)
    assert verdict(result).kind == "ahead"


def test_an_instant_within_an_evaluation_does_not_cut_it() -> None:
    result = _split(arrays(_build_evaluations()), "instant", "2026-03-03T01:00:00Z")
    assert (result.a.runs, result.b.runs) == (18, 6)
    assert result.b.profile == "A since 3 Mar 2026 01:00"


def test_two_evaluations_are_compared_even_if_they_overlap() -> None:
    overlapping = [
        run("A", f"case {n}", score, n + offset, evaluation_id=name)
        for offset, (name, score) in enumerate((("x", 0.5), ("y", 0.7)))
        for n in range(6)
    ]
    result = compare_evaluations(arrays(overlapping), "A", ("x", "y"))
    assert _sides(result) == ("A in evaluation x", 6, "A in evaluation y", 6)
    assert result.paired is not None
    assert result.paired.difference == pytest.approx(0.2)


def test_infrastructure_failures_are_counted_on_their_side() -> None:
    failure = run("A", "case 1", 0.0, 50, evaluation_id="nightly 2", infrastructure_failure=True)
    selection = arrays([*_build_evaluations(), failure])
    result = _split(selection, "revision", "new")
    assert (result.a.excluded_runs, result.b.excluded_runs) == (0, 1)
    both = compare_evaluations(selection, "A", ("nightly 2", "nightly 3"))
    assert (both.a.excluded_runs, both.b.excluded_runs) == (1, 0)


def test_a_side_without_runs_is_refused_in_a_sentence() -> None:
    result = _split(arrays(_build_evaluations()), "evaluation", "nightly 0")
    assert verdict(result).text == (
        "No comparison: the selection has no runs of A before evaluation nightly 0."
    )


def _build_two_falls() -> RunArrays:
    steps = [0.0] * 12 + [0.3] * 12 + [0.6] * 12
    wobble = (0.01, -0.01, 0.0, 0.02, -0.02)
    scores = {
        f"case {case}": [0.9 - step + wobble[(day + case) % 5] for day, step in enumerate(steps)]
        for case in range(6)
    }
    return arrays(build_daily_runs("A", scores))


def test_an_alert_is_compared_between_its_neighbours() -> None:
    selection = _build_two_falls()
    found = alerts(watch_profiles(selection))
    assert len(found) == 2
    for alert in found:
        result = compare_before_and_after(selection, "A", split_at_alert(alert, found))
        assert alert.size is not None
        assert result.paired is not None
        assert result.paired.difference == pytest.approx(alert.size.difference, abs=1e-12)


def test_the_latest_alert_or_one_by_an_instant_can_be_named() -> None:
    selection = _build_two_falls()
    newest, oldest = alerts(watch_profiles(selection))
    assert find_split(selection, "A", "alert", "latest").at == newest.since
    day_20 = START + timedelta(days=20)
    assert find_split(selection, "A", "alert", day_20.isoformat()).at == oldest.since
    with pytest.raises(ValueError, match="A has no alert up to then"):
        find_split(selection, "A", "alert", "2020-01-01T00:00:00Z")


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        ("instant", "soon", "must be an RFC 3339 instant"),
        ("evaluation", "none", "A has no run of the evaluation 'none'"),
        ("revision", "none", "A has no run of the revision 'none'"),
        ("alert", "latest", "A has no alert$"),
    ],
)
def test_an_unknown_change_is_named(kind: SplitKind, value: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        find_split(arrays(_build_evaluations()), "A", kind, value)


def test_names_of_both_sides_follow_the_language() -> None:
    split = self_comparison.split_at_revision(arrays(_build_evaluations()), "A", "new")
    result = compare_before_and_after(arrays(_build_evaluations()), "A", split, "ja")
    assert result.b.profile == "A（リビジョンnew以降）"
