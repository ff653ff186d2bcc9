"""Import of CSV tables whose headers are the field names of a run."""

from pathlib import Path

import pytest

from backend.timelines.model import Metrics, ScoreAdjustment
from tests.support.runs.run_files import Reading

HEADERS = "run_id,timestamp,case_id,profile,success,raw_score,max_score"


def write_file(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    (folder / "runs.csv").write_text(text, encoding=encoding, newline="")
    return folder / "runs.csv"


def test_every_field_can_be_a_column(tmp_path: Path) -> None:
    text = (
        f"{HEADERS},total_score,normalized_score,finished_at,metrics.read_file_calls,read_write_ratio,"
        "deductions,bonuses,model,cost_usd,machinery_failure,error\n"
        "r1,2026-03-01T10:00:00Z,c,p,no,4,5,3.5,0.7,2026-03-01T10:00:01Z,2,0.5,"
        '"[{""name"":""late"",""points"":1,""description"":""why,\nso""}]","[{""name"":""b"",""points"":0.5}]",'
        "gpt-4o,0.25,TRUE,boom\n"
    )
    run = Reading(write_file(tmp_path, text)).only
    assert (run.success, run.total_score, run.normalized_score, run.infrastructure_failure) == (
        False,
        3.5,
        0.7,
        True,
    )
    assert (run.deductions, run.bonuses) == (
        (ScoreAdjustment("late", 1, "why,\nso"),),
        (ScoreAdjustment("b", 0.5),),
    )
    assert run.metrics == Metrics(read_file_calls=2, read_write_ratio=0.5)
    assert (run.model, run.cost_usd, run.error) == ("gpt-4o", 0.25, "boom")


def test_columns_added_by_an_export_are_ignored(tmp_path: Path) -> None:
    text = (
        f"{HEADERS},source,as_of,note\nr1,2026-03-01T10:00:00Z,c,p,no,4,5,chainproof,2026-03-02T00:00:00Z,\n"
    )
    run = Reading(write_file(tmp_path, text)).only
    assert (run.run_id, run.normalized_score) == ("r1", 0.8)


@pytest.mark.parametrize(("mark", "encoding"), [(",", "utf-8-sig"), (";", "utf-8"), ("\t", "utf-8")])
def test_missing_totals_are_computed(tmp_path: Path, mark: str, encoding: str) -> None:
    row = "r1,2026-03-01T10:00:00Z,c,p,1,4,5"
    reading = Reading(write_file(tmp_path, f"{HEADERS}\n{row}\n".replace(",", mark), encoding))
    assert (reading.only.total_score, reading.only.normalized_score) == (4, 0.8)
    assert sum(reading.notes.conversions.values()) == 1


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("r1,2026-03-01T10:00:00Z,c,p,maybe,4,5", ":2: success: is neither true nor false"),
        ("r1,2026-03-01T10:00:00Z,c,p,yes,four,5", ":2: raw_score: must be a number"),
        ("r1,2026-03-01T10:00:00Z,c,p,yes,4,", ":2: max_score: is missing"),
        ("r1,2026-03-01T10:00:00Z,c,p,yes,4,0", ":2: max_score: must be a number above 0.0"),
        (",2026-03-01T10:00:00Z,c,p,yes,4,5", ":2: run_id: is missing"),
        ("r1,2026-03-01T10:00:00Z,c,p,yes,4,5,6", ":2: has 8 cells under 7 headers"),
    ],
)
def test_a_wrong_cell_is_reported_with_line_and_column(tmp_path: Path, row: str, reason: str) -> None:
    assert Reading(write_file(tmp_path, f"{HEADERS}\n{row}\n")).errors == [reason]


def test_line_numbers_are_those_of_the_file(tmp_path: Path) -> None:
    good = 'r{},2026-03-01T10:00:00Z,"a\nb",p,yes,4,5'
    text = "\n".join([HEADERS, good.format(1), "", good.format(2), "r3,x,c,p,perhaps,4,5"])
    reading = Reading(write_file(tmp_path, text))
    assert [item.line for item in reading.found] == [2, 5, 7]


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ("run_id,case_id", ":1: the headers lack timestamp, success, raw_score, max_score"),
        (f"{HEADERS},points", ":1: no field of a run is named points"),
        (f"{HEADERS},profile", ":1: a header occurs twice"),
    ],
)
def test_missing_unknown_and_repeated_headers_are_reported(tmp_path: Path, headers: str, reason: str) -> None:
    assert Reading(write_file(tmp_path, f"{headers}\n1,2\n")).errors == [reason]


def test_a_file_that_is_no_csv_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"\xff\xfe\x00")
    assert Reading(tmp_path / "a.csv", "csv").errors == [": is not UTF-8"]
    parts = f"{HEADERS},deductions\nr1,2026-03-01T10:00:00Z,c,p,yes,4,5,nothing\n"
    assert "must be a JSON array of" in Reading(write_file(tmp_path, parts)).errors[0]
