"""Validation of a run before it is stored."""

from typing import Any

import msgspec
import pytest

from backend.timelines.model import Metrics, Run, ScoreAdjustment
from backend.timelines.validation.run_preparation import prepare_runs
from tests.support.runs.timeline_app import build_run, build_run_json


def decoded(**more: Any) -> Run:
    return msgspec.convert(build_run_json(**more), Run)


def find_faults(run: Run, *, shape_is_valid: bool = True) -> list[tuple[str, str]]:
    return [
        (error.field, error.fault.kind)
        for error in prepare_runs([run], profile="one", shape_is_valid=shape_is_valid).errors
    ]


@pytest.mark.parametrize(
    "right",
    [
        {},
        {"finished_at": "2026-03-01T10:00:00Z"},
        {"total_score": 8.51},
        {"normalized_score": 0.855},
        {"raw_score": -1, "total_score": -1.5, "normalized_score": -0.15},
        {"profile": "one"},
        {"max_score": 1e-3, "normalized_score": 8500},
        {"raw_score": 1e300, "total_score": 1e300, "max_score": 1e300, "normalized_score": 1},
        {"timestamp": "0001-01-01T00:00:00Z", "finished_at": "9999-12-31T23:59:59.999999Z"},
        {"run_id": "漢" * 500, "case_id": "'; --"},
    ],
)
def test_a_run_that_follows_the_rules_is_valid(right: dict[str, Any]) -> None:
    assert find_faults(decoded(**right)) == []


@pytest.mark.parametrize(
    ("wrong", "found"),
    [
        ({"timestamp": "2026-03-01"}, ("timestamp", "instant")),
        ({"timestamp": "2026-02-30T00:00:00Z"}, ("timestamp", "instant")),
        ({"timestamp": "2026-03-01T10:00:00"}, ("timestamp", "instant")),
        ({"finished_at": "soon"}, ("finished_at", "instant")),
        ({"finished_at": "2026-03-01T09:59:59.999999Z"}, ("finished_at", "order")),
        ({"finished_at": "2026-03-01T11:00:00+02:00"}, ("finished_at", "order")),
        ({"total_score": 8.52}, ("total_score", "sum")),
        ({"normalized_score": 85}, ("normalized_score", "ratio")),
        ({"normalized_score": 0.86}, ("normalized_score", "ratio")),
        ({"max_score": 5e-324}, ("normalized_score", "ratio")),
        ({"profile": "two"}, ("profile", "profile")),
        ({"run_id": "a\0"}, ("run_id", "null_character")),
        ({"model": "\0"}, ("model", "null_character")),
        ({"bonuses": [{"name": "a", "points": 1e308}] * 3}, ("deductions", "sum")),
    ],
)
def test_a_run_that_breaks_a_rule_is_refused_by_its_field(
    wrong: dict[str, Any], found: tuple[str, str]
) -> None:
    assert found in find_faults(decoded(**wrong))


def test_all_faults_of_all_runs_are_reported_with_their_index() -> None:
    wrong = decoded(timestamp="no", total_score=0)
    result = prepare_runs([decoded(), wrong, decoded(), wrong], profile="one", shape_is_valid=True)
    assert [error.index for error in result.errors] == [1, 1, 1, 3, 3, 3]
    assert [error.field for error in result.errors[:3]] == [
        "timestamp",
        "total_score",
        "normalized_score",
    ]
    assert len(result.runs) == 2
    assert "which is 8.5" in result.errors[1].reason


@pytest.mark.parametrize(
    ("wrong", "found"),
    [
        ({"total_score": float("nan")}, ("total_score", "finite")),
        ({"raw_score": float("inf")}, ("raw_score", "finite")),
        ({"deductions": (ScoreAdjustment("a", float("inf")),)}, ("deductions.0.points", "finite")),
        ({"max_score": 0.0}, ("max_score", "range")),
        ({"max_score": "1"}, ("max_score", "type")),
        ({"run_id": ""}, ("run_id", "range")),
        ({"metrics": Metrics(read_file_calls=-1)}, ("metrics.read_file_calls", "range")),
        ({"deductions": (ScoreAdjustment("a", -1.0),)}, ("deductions.0.points", "range")),
        ({"case_id": "\ud800"}, ("", "string_unicode")),
    ],
)
def test_constructed_runs_are_validated_too(wrong: dict[str, Any], found: tuple[str, str]) -> None:
    assert find_faults(build_run(**wrong), shape_is_valid=False) == [found]


def test_times_keep_microseconds_and_are_written_in_utc() -> None:
    written_by_text = {
        "2026-03-01T10:00:00Z": "2026-03-01T10:00:00Z",
        "2026-03-01T10:00:00.500000Z": "2026-03-01T10:00:00.500000Z",
        "2026-03-01T10:00:00.5Z": "2026-03-01T10:00:00.500000Z",
        "2026-03-01T10:00:00.000000Z": "2026-03-01T10:00:00Z",
        "2026-03-01t12:00:00.1234567+02:00": "2026-03-01T10:00:00.123456Z",
        "1969-12-31T23:59:59.999999Z": "1969-12-31T23:59:59.999999Z",
        "2026-06-30T23:59:60Z": "2026-07-01T00:00:00Z",
    }
    for text, written in written_by_text.items():
        (prepared,) = prepare_runs([build_run(timestamp=text)], profile="one").runs
        assert msgspec.json.decode(prepared.response_json)["timestamp"] == written
    (before,) = prepare_runs([build_run(timestamp="1969-12-31T23:59:59.999999Z")], profile="one").runs
    assert before.started_us == -1


def test_an_entry_has_every_field_in_the_order_of_the_interface() -> None:
    (prepared,) = prepare_runs([decoded(cost_usd=0.5)], profile="one", shape_is_valid=True).runs
    entry = msgspec.json.decode(prepared.response_json)
    first = ["run_id", "timestamp", "finished_at", "case_id", "profile", "success"]
    scores = ["total_score", "raw_score", "max_score", "normalized_score"]
    assert list(entry) == [*first, *scores, "metrics", "deductions", "bonuses"]
    assert list(entry["metrics"].values()) == [None] * 5
    assert entry["bonuses"] == [{"name": "short", "points": 0.5, "description": ""}]
    assert prepared.additional_json == b'{"cost_usd":0.5}'


def test_without_a_common_profile_each_run_names_its_own() -> None:
    result = prepare_runs([build_run(profile="a"), build_run()])
    assert [prepared.profile for prepared in result.runs] == ["a"]
    assert [(error.index, error.field, error.reason) for error in result.errors] == [
        (1, "profile", "is missing")
    ]


def test_whole_numbers_are_written_without_a_fraction() -> None:
    run = decoded(
        total_score=85,
        raw_score=100,
        max_score=100,
        normalized_score=0.85,
        deductions=[{"name": "late", "points": 15, "description": ""}],
        bonuses=[],
        metrics={"read_write_ratio": 2, "pre_write_read_coverage": 0.5},
        cost_usd=3,
    )
    prepared = prepare_runs([run], profile="one", shape_is_valid=True).runs[0]
    entry = prepared.response_json.decode()
    assert '"total_score":85,"raw_score":100,"max_score":100,"normalized_score":0.85,' in entry
    assert '"read_write_ratio":2,"pre_write_read_coverage":0.5' in entry
    assert '"points":15,' in entry
    assert prepared.additional_json == b'{"cost_usd":3}'


@pytest.mark.parametrize("number", [-0.0, 0.5, 2.0**53, 1e300, -7.0])
def test_dropping_a_fraction_keeps_the_number(number: float) -> None:
    run = decoded(
        total_score=number, raw_score=number, max_score=1, normalized_score=number, deductions=[], bonuses=[]
    )
    prepared = prepare_runs([run], profile="one", shape_is_valid=True).runs[0]
    assert msgspec.json.decode(prepared.response_json)["total_score"] == number
