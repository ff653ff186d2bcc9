"""URL state, default profiles, windows, cases of alerts, and exports of the Timelines page."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.timelines.analysis.alerts import watch_profiles
from backend.timelines.analysis.scores_over_time import Line
from backend.timelines.columns.run_arrays import RunArrays
from backend.timelines.model import Run, ScoreAdjustment
from dashboard.app_pages.timelines import alert_data, score_data, selection
from dashboard.app_pages.timelines.export import SAMPLE_NOTE, RunsExport, to_csv, to_parquet
from dashboard.app_pages.timelines.selection import FEW_PROFILES, MAX_LINES, QUERY_PARAMS, TimelinesState
from tests.support.runs.scored_runs import arrays, build_daily_runs, run

NOW = datetime(2026, 4, 1, 12, tzinfo=UTC)
NAMES = st.lists(st.text(min_size=1, max_size=12), max_size=5, unique=True).map(tuple)


@settings(max_examples=60, deadline=None)
@given(NAMES)
def test_any_names_survive_a_round_trip_through_a_link(chosen: tuple[str, ...]) -> None:
    assert selection.split_names(selection.join_names(chosen)) == chosen


def test_a_state_survives_a_round_trip_through_its_url() -> None:
    state = TimelinesState(
        profiles=("a, b", "c\\d / e"),
        cases=("x",),
        model_vendor="v",
        inference_provider="i",
        since=datetime(2026, 3, 1, tzinfo=UTC),
        until=datetime(2026, 3, 2, 1, 2, 3, 500, tzinfo=timezone(timedelta(hours=9))),
        exclude_infrastructure_errors=False,
        profile_a="p",
        profile_b="q",
        self_split="evaluation:e:1",
        open_case="k",
        run="r/1",
        tab="cases",
        alert="2026-03-01@p",
        hidden_profiles=("q",),
        score_window_seconds=3600,
        center_cases=True,
    )
    params = {
        name: selection.format_field(field, getattr(state, field)) for field, name in QUERY_PARAMS.items()
    }
    assert all(params.values())
    assert selection.parse_state(params) == state


def test_the_default_state_has_no_url_parameters() -> None:
    assert selection.build_url(TimelinesState()) == "/timelines?"
    assert selection.parse_state({}) == TimelinesState()
    assert not TimelinesState().is_filtered


@pytest.mark.parametrize(
    "text", ["2026-02-30", "2026-3-1", "yesterday", "2026-03-01T00:00:00+09:00", "٢٠٢٦-03-01"]
)
def test_an_invalid_instant_is_ignored(text: str) -> None:
    assert selection.parse_instant(text) is None


def build_suite(prefix: str, count: int, *, began: float, cases: int = 6) -> list[Run]:
    """Profiles that run the same cases one after the other."""
    return [
        run(f"{prefix}{n:02}", f"{prefix} case {case}", 0.5, began + n)
        for n in range(count)
        for case in range(cases)
    ]


def test_a_small_suite_is_drawn_whole_and_of_a_large_one_the_most_recent() -> None:
    small = arrays(build_suite("p", FEW_PROFILES, began=0))
    assert selection.select_profiles(small, TimelinesState()) == small.profiles
    large = arrays(build_suite("p", FEW_PROFILES + 1, began=0))
    assert selection.select_profiles(large, TimelinesState()) == large.profiles[-MAX_LINES:]
    assert selection.select_profiles(large, TimelinesState(profiles=("p01",), profile_b="p00")) == (
        "p01",
        "p00",
    )


def test_profiles_of_another_suite_are_not_drawn_by_default() -> None:
    mixed = arrays(
        [
            *build_suite("newest", 3, began=100),
            *build_suite("other", 12, began=80),
            *build_suite("old", 2, began=0),
        ]
    )
    assert selection.select_profiles(mixed, TimelinesState()) == ("newest00", "newest01", "newest02")


def test_any_two_profiles_of_a_default_suite_share_five_cases() -> None:
    both = [run("both", f"{suite} case {case}", 0.5, 200) for suite in ("x", "y") for case in range(6)]
    few = [run("few", f"x case {case}", 0.5, 150) for case in range(4)]
    found = arrays([*both, *few, *build_suite("x", 2, began=100), *build_suite("y", 2, began=50)])
    assert selection.select_profiles(found, TimelinesState()) == ("both", "x00", "x01")


def test_a_newest_profile_with_few_cases_is_joined_by_those_that_ran_them_all() -> None:
    found = arrays(
        [*build_suite("x", 2, began=0), *(run("smoke", f"x case {case}", 0.5, 100) for case in range(2))]
    )
    assert selection.select_profiles(found, TimelinesState()) == ("smoke", "x00", "x01")


def test_the_profile_of_an_opened_alert_is_drawn() -> None:
    found = arrays([*build_suite("x", 2, began=100), *build_suite("y", 1, began=0)])
    drawn = selection.select_profiles(found, TimelinesState(alert="2026-03-01T00:00:00Z@y00"))
    assert drawn == ("x00", "x01", "y00")


@pytest.mark.parametrize(
    ("state", "tab"),
    [
        (TimelinesState(), "trend"),
        (TimelinesState(profile_a="p", profile_b="q"), "trend"),
        (TimelinesState(open_case="c"), "runs"),
        (TimelinesState(run="r"), "runs"),
        (TimelinesState(run="r", tab="trend"), "trend"),
    ],
)
def test_the_tab_of_a_link_without_one_shows_what_it_opens(state: TimelinesState, tab: str) -> None:
    assert state.open_tab == tab


def test_only_sample_profiles_count_as_sample() -> None:
    assert selection.is_sample(["sample one", "sample two"])
    assert not selection.is_sample(["sample one", "mine"])
    assert not selection.is_sample([])


# --- scores


def build_line(low: list[float], high: list[float], mean: list[float]) -> Line:
    times = np.arange(len(mean), dtype=np.int64)
    count = np.ones(len(mean), dtype=np.int64)
    return Line(0, times, times, np.array(mean), np.array(low), np.array(high), count, count)


def test_a_band_has_gaps_at_windows_with_one_case() -> None:
    nan = float("nan")
    found = score_data.find_bands(
        build_line([0.1, nan, 0.2, 0.2], [0.3, nan, 0.4, 0.4], [0.2, 0.5, 0.3, 0.3])
    )
    assert [(band.first, band.end) for band in found] == [(0, 1), (2, 4)]


def test_windows_never_give_more_than_the_maximum_of_points() -> None:
    long = arrays([run("p", "c", 0.5, hour) for hour in range(0, 24 * 400, 24)])
    offered = score_data.list_windows(long)
    assert min(offered) * score_data.MAX_POINTS >= 399 * 86_400
    assert (
        score_data.build_lines(long, 60, same_cases=False).window
        == score_data.build_lines(long, None, same_cases=False).window
    )
    assert score_data.list_windows(arrays([])) == ()


def test_a_window_is_named_by_its_largest_unit() -> None:
    hour = 3_600_000_000
    assert [score_data.find_unit(n * hour) for n in (1, 24, 168, 336)] == [
        ("hour", 1), ("day", 1), ("week", 1), ("week", 2)
    ]  # fmt: skip


# --- alerts


def build_fallen_runs() -> RunArrays:
    level = {f"c{case}": [0.7 + 0.05 * ((case + day) % 2) for day in range(20)] for case in range(8)}
    for case in ("c0", "c1", "c2", "c3"):
        level[case] = [score - (0.5 if day >= 12 else 0) for day, score in enumerate(level[case])]
    return arrays(build_daily_runs("p", level))


def test_cases_that_fell_come_first_with_their_runs_before_and_since() -> None:
    chosen = build_fallen_runs()
    watched = watch_profiles(chosen)
    (alert,) = (profile_alert for profile_result in watched for profile_alert in profile_result.alerts)
    assert alert_data.find_alert(chosen, watched, selection.format_alert_id("p", alert.since)) == alert
    assert alert_data.find_adjacent_alerts(watched, alert) == (None, None)
    changes = alert_data.compute_case_changes(chosen, alert, None, None)
    assert [change.case for change in changes[:4]] == ["c0", "c1", "c2", "c3"]
    assert changes[0].change == pytest.approx(-0.5, abs=0.05)
    assert (changes[0].runs_before, changes[0].runs_since) == (12, 8)


def test_an_unknown_alert_id_finds_no_alert() -> None:
    chosen = build_fallen_runs()
    assert alert_data.find_alert(chosen, watch_profiles(chosen), "2020-01-01@p") is None


# --- files


def build_export() -> RunsExport:
    deductions = (ScoreAdjustment("=cmd()", 0.5, "told"),)
    own = run("=mine", "c", 0.5, deductions=deductions, cost_usd=0.25)
    return RunsExport(arrays([own, run("sample one", "c", 1)]), NOW, "http://here/timelines?")


def test_a_csv_has_source_and_as_of_and_escapes_formulas() -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(build_export()).decode("utf-8-sig"))))
    assert [row["profile"] for row in rows] == ["'=mine", "sample one"]
    assert {row["as_of"] for row in rows} == {"2026-04-01T12:00:00Z"}
    assert [row["note"] for row in rows] == ["", SAMPLE_NOTE]
    assert rows[0]["timestamp"] == "2026-03-01T00:00:00Z"
    assert json.loads(rows[0]["deductions"]) == [{"name": "=cmd()", "points": 0.5}]
    assert float(rows[0]["cost_usd"]) == 0.25
    assert rows[0]["finished_at"] == ""


def test_a_parquet_file_keeps_types_and_holds_its_origin() -> None:
    table = pq.read_table(io.BytesIO(to_parquet(build_export())))
    assert table.column("normalized_score").to_pylist() == [0.5, 1.0]
    assert table.column("deductions").to_pylist()[0] == [{"name": "=cmd()", "points": 0.5}]
    assert table.schema.metadata[b"link"] == b"http://here/timelines?"
    assert table.schema.metadata[b"note"] == SAMPLE_NOTE.encode()


def test_a_split_of_an_unknown_kind_or_without_a_value_counts_as_none() -> None:
    assert selection.parse_split("evaluation:e:1") == ("evaluation", "e:1")
    assert [selection.parse_split(text) for text in (None, "", "evaluation:", "month:1", "e")] == [None] * 5


def test_a_date_of_the_link_that_does_not_exist_is_listed() -> None:
    assert selection.list_invalid_values(
        {"from": "2026-99-99", "since": "2026-99-99", "until": "2026-01-01"}
    ) == ["since=2026-99-99"]
