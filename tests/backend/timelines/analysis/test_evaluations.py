"""Tests the list of evaluations, what changed between neighbours, and where lines break."""

from collections.abc import Iterable

import numpy as np
import pytest

from backend.timelines.analysis.evaluation_sentences import break_sentence, changes_sentence
from backend.timelines.analysis.evaluations import Evaluation, list_evaluations
from backend.timelines.analysis.scores_over_time import DAY, HOUR, build_evaluation_lines, build_score_lines
from backend.timelines.model import Run
from tests.support.runs.scored_runs import arrays, run


def _build(name: str, hour: float, cases: Iterable[str], *, profile: str = "A", **more: object) -> list[Run]:
    """Build an evaluation with a run of each case, one an hour."""
    return [
        run(profile, case, 0.5, hour + n, evaluation_id=name, run_id=f"{profile} {name} {case}", **more)
        for n, case in enumerate(cases)
    ]


def _list(*groups: list[Run]) -> tuple[Evaluation, ...]:
    return list_evaluations(arrays([each for group in groups for each in group]))


def test_evaluations_are_listed_by_start_with_their_cases_and_runs() -> None:
    first, second = _list(
        _build("late", 30, "xy"), _build("early", 0, "xyz"), [run("A", "x", 1, 5), run("A", "y", 1, 6)]
    )
    assert (first.id, len(first.cases), first.runs, first.shared) == ("early", 3, 3, None)
    assert (second.id, second.shared, second.changes[0].field) == ("late", 2, "cases")
    assert first.mean.mean == 0.5
    assert _list([run("A", "x", 1)]) == ()


def test_overlapping_evaluations_stay_apart_even_if_they_start_together() -> None:
    found = _list(_build("b", 0, "xyz"), _build("a", 0, "xyz"), _build("c", 1, "xyz"))
    assert [(evaluation.id, evaluation.runs) for evaluation in found] == [("a", 3), ("b", 3), ("c", 3)]


def test_an_id_that_two_profiles_use_is_an_evaluation_of_each() -> None:
    found = _list(_build("e", 0, "xy"), _build("e", 5, "xy", profile="B"))
    assert [(evaluation.profile, evaluation.started_us) for evaluation in found] == [
        (0, found[0].started_us),
        (1, found[0].started_us + 5 * HOUR),
    ]


def test_changes_name_what_differs_from_the_neighbour() -> None:
    _, second = _list(
        _build("1", 0, "wxyz", revision="old", model="m", config_digest="c"),
        _build("2", 9, "xyzv", revision="new", model="m"),
    )
    assert changes_sentence(second) == "Changed: revision old → new; cases: 1 new, 1 gone."
    assert changes_sentence(second, "zh") == "变化：修订版old→new；用例：新增1个，移除1个。"


def test_the_first_evaluation_and_one_without_a_change_say_so() -> None:
    first, second = _list(_build("1", 0, "xy"), _build("2", 9, "xy"))
    assert (changes_sentence(first), changes_sentence(second)) == ("First evaluation.", "No change recorded.")


def test_neighbours_belong_to_one_suite() -> None:
    found = _list(
        _build("1", 0, "abc", suite="s"), _build("2", 9, "xyz", suite="t"), _build("3", 18, "abc", suite="s")
    )
    assert [evaluation.shared for evaluation in found] == [None, None, 3]


@pytest.mark.parametrize(
    ("before", "after", "breaks"),
    [
        ("abcd", "abxy", False),
        ("abcd", "axyz", True),
        ("abcd", "a", True),
        ("abcd", "ab", False),
        ("a", "x", True),
    ],
)
def test_a_line_breaks_where_fewer_than_half_of_the_cases_are_shared(
    before: str, after: str, breaks: bool
) -> None:
    runs = [*_build("1", 0, before), *_build("2", 24, after)]
    (line,) = build_evaluation_lines(arrays(runs)).lines
    assert line.breaks.tolist() == [False, breaks]
    assert list_evaluations(arrays(runs))[1].breaks is breaks
    (by_day,) = build_score_lines(arrays(runs), DAY).lines
    assert by_day.breaks.tolist() == [False, breaks]


def test_the_sentence_of_a_break_counts_the_cases() -> None:
    expected = "The line breaks: only 1 of 4 cases are the same as before."
    assert break_sentence(1, 4) == expected


def test_a_window_never_cuts_an_evaluation_in_two() -> None:
    selection = arrays([*_build("night", 22, "abcdef"), *_build("next", 46, "abcdef")])
    (line,) = build_score_lines(selection, DAY).lines
    assert line.runs.tolist() == [6, 6]
    assert (line.start % DAY).tolist() == [0, 0]
    without = arrays([run("A", case, 0.5, 22 + n) for n, case in enumerate("abcdef")])
    assert build_score_lines(without, DAY).lines[0].runs.tolist() == [2, 4]


def test_points_by_evaluation_are_separate_for_each_suite() -> None:
    selection = arrays(
        [
            *_build("1", 0, "ab", suite="s"),
            *_build("2", 1, "xy", suite="t"),
            *_build("3", 24, "ab", suite="s"),
            run("A", "a", 0.25, 30),
        ]
    )
    lines = build_evaluation_lines(selection, DAY).lines
    assert [(line.suite, line.evaluations) for line in lines] == [
        (None, (None,)),
        ("s", ("1", "3")),
        ("t", ("2",)),
    ]
    assert lines[1].breaks.tolist() == [False, False]
    assert lines[1].start.tolist() == sorted(lines[1].start.tolist())


def test_points_by_evaluation_have_the_mean_and_interval_of_their_runs() -> None:
    selection = arrays([*_build("1", 0, "abcd"), *_build("2", 2, "abcd")])
    (line,) = build_evaluation_lines(selection).lines
    for index, evaluation in enumerate(list_evaluations(selection)):
        assert evaluation.mean.interval is not None
        ends = (line.mean[index], line.low[index], line.high[index])
        assert ends == pytest.approx((evaluation.mean.mean, *evaluation.mean.interval))


def test_nothing_has_no_lines() -> None:
    assert build_evaluation_lines(arrays([])).lines == ()
    assert np.array_equal(arrays([]).start, arrays([]).time)


def test_filters_by_time_keep_an_evaluation_whole() -> None:
    runs = _build("1", 0, "abcd")
    middle = arrays(runs).time[2]
    assert len(arrays(runs, until=_to_datetime(middle))) == 4
    assert len(arrays(runs, since=_to_datetime(middle))) == 0


def _to_datetime(micros: np.int64) -> object:
    from backend.timelines.columns.run_arrays import instant

    return instant(micros)
