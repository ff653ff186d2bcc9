from datetime import timedelta

import msgspec
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.timelines.analysis.deductions import rank_deductions
from backend.timelines.columns.arrow_schema import SCHEMA
from backend.timelines.columns.run_arrays import instant, select
from backend.timelines.columns.run_columns import columns_of
from backend.timelines.model import Metrics, Profile, ScoreAdjustment
from tests.support.runs.scored_runs import START, arrays, run

RUNS = [
    run("b", "y", 0.5, 2),
    run("a", "x", 1.0, 1),
    run("a", "y", 0.25, 0, infrastructure_failure=True),
    run("b", "x", 0.0, 3, model="other"),
    run("b", "x", 0.75, 4),
]


def test_columns_have_the_schema_and_missing_fields_come_from_the_profile() -> None:
    table = columns_of(RUNS, {"b": Profile(model="usual", model_vendor="vendor")})
    assert table.schema == SCHEMA
    rows = [(row["profile"], row["model"], row["model_vendor"]) for row in table.to_pylist()]
    assert rows == [
        ("a", None, None),
        ("a", None, None),
        ("b", "usual", "vendor"),
        ("b", "other", "vendor"),
        ("b", "usual", "vendor"),
    ]
    assert columns_of([]).schema == SCHEMA


def test_runs_are_in_the_order_of_profile_and_time() -> None:
    chosen = arrays(RUNS)
    assert chosen.profiles == ("a", "b")
    assert chosen.cases == ("x", "y")
    assert chosen.profile.tolist() == [0, 1, 1, 1]
    assert chosen.score.tolist() == [1.0, 0.5, 0.0, 0.75]
    assert instant(chosen.time[0]) == START + timedelta(hours=1)


def test_infrastructure_failures_are_excluded_and_counted() -> None:
    assert arrays(RUNS).excluded_runs.tolist() == [1, 0]
    everything = arrays(RUNS, exclude_infrastructure_failures=False)
    assert (len(everything), everything.excluded_runs.tolist()) == (5, [0, 0])


@pytest.mark.parametrize(
    ("chosen", "scores"),
    [
        ({"profiles": ["a"]}, [1.0]),
        ({"cases": ["y"]}, [0.5]),
        ({"since": START + timedelta(hours=3)}, [0.0, 0.75]),
        ({"until": START + timedelta(hours=3)}, [1.0, 0.5]),
        ({"model": "other"}, [0.0]),
        ({"model": "unknown"}, []),
        ({"profiles": ["nobody"]}, []),
    ],
)
def test_a_selection_contains_the_matching_runs(chosen: dict[str, object], scores: list[float]) -> None:
    assert arrays(RUNS, **chosen).score.tolist() == scores


def test_an_unknown_filter_raises() -> None:
    with pytest.raises(TypeError, match="knows no agent"):
        arrays(RUNS, agent="x")


def test_means_by_cell_are_nan_without_runs() -> None:
    means, counts = arrays(RUNS).by_cell
    assert counts.tolist() == [[1, 0], [2, 1]]
    assert np.allclose(means, [[1.0, np.nan], [0.375, 0.5]], equal_nan=True)
    assert [scores.tolist() for scores in arrays(RUNS).trials()] == [[1.0], [0.0, 0.75], [0.5]]


def test_an_empty_selection_is_valid() -> None:
    nothing = select(SCHEMA.empty_table())
    assert (len(nothing), nothing.profiles, nothing.trials()) == (0, (), [])
    assert nothing.names("model")[0].tolist() == []


def test_missing_values_are_nan_and_missing_names_minus_one() -> None:
    chosen = arrays([run("a", "x", 1, 0, metrics=Metrics(read_file_calls=3)), run("a", "x", 1, 1)])
    assert np.array_equal(chosen.numeric_column("read_file_calls"), [3, np.nan], equal_nan=True)
    assert chosen.names("model")[0].tolist() == [-1, -1]


@settings(max_examples=20)
@given(st.permutations(list(range(12))))
def test_the_order_of_rows_does_not_matter_even_for_equal_times(order: list[int]) -> None:
    runs = [run("a", f"case {n % 3}", n / 12, 0, run_id=f"run {n:02}") for n in range(12)]
    table = columns_of(runs)
    shuffled = select(table.take(pa.array(order)))
    assert shuffled.score.tolist() == select(table).score.tolist()


def test_pieces_with_their_own_dictionaries_are_read_together() -> None:
    deductions = (ScoreAdjustment("late", 0.25), ScoreAdjustment("wrong", 0.25))
    first, second = (
        run("a", "x", 0.5, 0, deductions=deductions),
        run("b", "x", 0.5, 0, deductions=deductions[::-1]),
    )
    joined = pa.concat_tables([columns_of([second]), columns_of([first])])
    found = rank_deductions(select(joined), "a", "b")
    assert found.names == ("late", "wrong")
    assert found.a.tolist() == found.b.tolist() == [0.25, 0.25]


def test_a_run_without_a_profile_or_with_a_wrong_time_is_named() -> None:
    with pytest.raises(ValueError, match="run nameless: names no profile"):
        columns_of([msgspec.structs.replace(run("a", "x", 1, run_id="nameless"), profile=None)])
    with pytest.raises(ValueError, match="run late: its time must be an RFC 3339 instant"):
        columns_of([run("a", "x", 1, run_id="late", timestamp="yesterday")])
