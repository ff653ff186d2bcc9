"""The Timelines page's address, choice of profiles, windows, alerts' cases and files."""

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
from backend.timelines.model import Points
from dashboard.app_pages.timelines import alert_data as alarms
from dashboard.app_pages.timelines import score_data as scores
from dashboard.app_pages.timelines import selection as reading
from dashboard.app_pages.timelines.export import SAMPLE_NOTE, Runs, to_csv, to_parquet
from dashboard.app_pages.timelines.selection import FEW_PROFILES, FIELDS, MAX_LINES, TimelinesState
from tests.support.scored_runs import arrays, rounds, run

NOW = datetime(2026, 4, 1, 12, tzinfo=UTC)
NAMES = st.lists(st.text(min_size=1, max_size=12), max_size=5, unique=True).map(tuple)


@settings(max_examples=60, deadline=None)
@given(NAMES)
def test_any_names_come_back_out_of_a_link(chosen: tuple[str, ...]) -> None:
    assert reading.names(reading.listed(chosen)) == chosen


def test_a_state_comes_back_out_of_its_address() -> None:
    state = TimelinesState(
        profiles=("a, b", "c\\d / e"),
        cases=("x",),
        model_vendor="v",
        inference_provider="i",
        since=datetime(2026, 3, 1, tzinfo=UTC),
        until=datetime(2026, 3, 2, 1, 2, 3, 500, tzinfo=timezone(timedelta(hours=9))),
        leave_out_machinery=False,
        a="p",
        b="q",
        case="k",
        run="r/1",
        alert="2026-03-01@p",
        hidden=("q",),
        window=3600,
        same_cases=True,
    )
    said = {name: reading.to_text(field, getattr(state, field)) for field, name in FIELDS.items()}
    assert all(said.values())
    assert reading.from_address(said) == state


def test_nothing_chosen_leaves_the_address_bare() -> None:
    assert reading.address(TimelinesState()) == "/timelines?"
    assert reading.from_address({}) == TimelinesState()
    assert not TimelinesState().narrows


@pytest.mark.parametrize(
    "text", ["2026-02-30", "2026-3-1", "yesterday", "2026-03-01T00:00:00+09:00", "٢٠٢٦-03-01"]
)
def test_what_is_no_instant_counts_as_not_said(text: str) -> None:
    assert reading.moment(text) is None


def test_few_profiles_are_all_shown_and_of_many_those_that_ran_last() -> None:
    few = arrays([run(f"p{n:02}", "c", 0.5, n) for n in range(FEW_PROFILES)])
    assert reading.shown_profiles(few, TimelinesState()) == few.profiles
    many = arrays([run(f"p{n:02}", "c", 0.5, n) for n in range(FEW_PROFILES + 1)])
    assert reading.shown_profiles(many, TimelinesState()) == many.profiles[-MAX_LINES:]
    assert reading.shown_profiles(many, TimelinesState(profiles=("p01",), b="p00")) == ("p01", "p00")


def test_only_profiles_of_the_sample_are_called_so() -> None:
    assert reading.is_sample(["sample one", "sample two"])
    assert not reading.is_sample(["sample one", "mine"])
    assert not reading.is_sample([])


# --- scores


def line(low: list[float], high: list[float], mean: list[float]) -> Line:
    times = np.arange(len(mean), dtype=np.int64)
    count = np.ones(len(mean), dtype=np.int64)
    return Line(0, times, times, np.array(mean), np.array(low), np.array(high), count, count)


def test_a_band_stays_within_what_can_be_scored() -> None:
    low, high = scores.clipped(line([-0.2, 0.3, 0.9], [0.4, 1.3, 1.5], [0.1, 0.8, 1.2]))
    assert low.tolist() == [0, 0.3, 0.9]
    assert high.tolist() == [0.4, 1, 1.2]  # bonuses carried the last beyond all points


def test_a_band_has_gaps_where_a_window_holds_one_case() -> None:
    nan = float("nan")
    found = scores.bands(line([0.1, nan, 0.2, 0.2], [0.3, nan, 0.4, 0.4], [0.2, 0.5, 0.3, 0.3]))
    assert [(band.first, band.end) for band in found] == [(0, 1), (2, 4)]


def test_windows_draw_no_more_points_than_a_screen_shows() -> None:
    long = arrays([run("p", "c", 0.5, hour) for hour in range(0, 24 * 400, 24)])
    offered = scores.windows(long)
    assert min(offered) * scores.MAX_POINTS >= 399 * 86_400
    assert (
        scores.drawn(long, 60, same_cases=False).window == scores.drawn(long, None, same_cases=False).window
    )
    assert scores.windows(arrays([])) == ()


def test_a_window_is_named_by_its_largest_unit() -> None:
    hour = 3_600_000_000
    assert [scores.unit_of(n * hour) for n in (1, 24, 168, 336)] == [
        ("hour", 1), ("day", 1), ("week", 1), ("week", 2)
    ]  # fmt: skip


# --- alerts


def fallen() -> RunArrays:
    level = {f"c{case}": [0.7 + 0.05 * ((case + day) % 2) for day in range(20)] for case in range(8)}
    for case in ("c0", "c1", "c2", "c3"):
        level[case] = [score - (0.5 if day >= 12 else 0) for day, score in enumerate(level[case])]
    return arrays(rounds("p", level))


def test_the_cases_that_fell_come_first_with_their_runs_on_both_sides() -> None:
    chosen = fallen()
    watched = watch_profiles(chosen)
    (alert,) = (one for each in watched for one in each.alerts)
    assert alarms.named(chosen, watched, reading.alert_name("p", alert.since)) == alert
    assert alarms.stretch(watched, alert) == (None, None)
    changes = alarms.case_changes(chosen, alert, None, None)
    assert [one.case for one in changes[:4]] == ["c0", "c1", "c2", "c3"]
    assert changes[0].change == pytest.approx(-0.5, abs=0.05)
    assert (changes[0].runs_before, changes[0].runs_since) == (12, 8)


def test_an_alert_by_another_name_is_none() -> None:
    chosen = fallen()
    assert alarms.named(chosen, watch_profiles(chosen), "2020-01-01@p") is None


# --- files


def taken() -> Runs:
    lost = (Points("=cmd()", 0.5, "told"),)
    own = run("=mine", "c", 0.5, deductions=lost, cost_usd=0.25)
    return Runs(arrays([own, run("sample one", "c", 1)]), NOW, "http://here/timelines?")


def test_a_csv_has_source_and_as_of_and_runs_no_formula() -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(taken()).decode("utf-8-sig"))))
    assert [row["profile"] for row in rows] == ["'=mine", "sample one"]
    assert {row["as_of"] for row in rows} == {"2026-04-01T12:00:00Z"}
    assert [row["note"] for row in rows] == ["", SAMPLE_NOTE]
    assert rows[0]["timestamp"] == "2026-03-01T00:00:00Z"
    assert json.loads(rows[0]["deductions"]) == [{"name": "=cmd()", "points": 0.5}]
    assert float(rows[0]["cost_usd"]) == 0.25
    assert rows[0]["finished_at"] == ""


def test_a_parquet_file_keeps_types_and_tells_where_it_is_from() -> None:
    table = pq.read_table(io.BytesIO(to_parquet(taken())))
    assert table.column("normalized_score").to_pylist() == [0.5, 1.0]
    assert table.column("deductions").to_pylist()[0] == [{"name": "=cmd()", "points": 0.5}]
    assert table.schema.metadata[b"link"] == b"http://here/timelines?"
    assert table.schema.metadata[b"note"] == SAMPLE_NOTE.encode()
