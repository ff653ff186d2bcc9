"""Import of the native JSON Lines: strict, with errors located by line."""

import json
from pathlib import Path
from typing import Any

import pytest

from backend.timelines.importers import json_reader
from backend.timelines.importers.native_jsonl import profiles_beside
from backend.timelines.model import Profile
from backend.timelines.profiles.profile_files import InvalidProfilesError
from tests.support.runs.run_files import Reading, own_run, write_json, write_lines


def test_lines_and_arrays_are_imported(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", own_run(), [own_run(run_id="r2"), own_run(run_id="r3")])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n\r\n"))
    reading = Reading(path)
    assert [run.run_id for run in reading.runs] == ["r1", "r2", "r3"]
    assert [(item.line, item.place) for item in reading.found] == [(1, ""), (3, "run 0"), (3, "run 1")]
    assert sum(item.size for item in reading.found) == path.stat().st_size - 2 * len(b"\r\n")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", ":1: must be valid JSON: it is cut off before its end"),
        (json.dumps(own_run(colour="red")), ":1: colour: is not a field of a run"),
        (json.dumps(own_run(raw_score="4")), ":1: raw_score: must be a number, not a string"),
        (json.dumps(own_run(deductions=[{"name": "x", "points": -1}])), ":1: deductions.0.points: must be"),
        (json.dumps([own_run(), own_run(success=1)]), ":1: run 1: success: must be true or false"),
        (json.dumps([own_run()])[:-1], ":1: must be valid JSON"),
        ("\xff", ":1: must be valid JSON"),
        ("[" * 100_000, ":1: is nested too deeply"),
        (json.dumps(own_run()).replace("0.75", "NaN"), ":1: must be valid JSON"),
    ],
)  # fmt: skip
def test_mistakes_are_reported_with_line_and_field(tmp_path: Path, line: str, reason: str) -> None:
    (tmp_path / "a.jsonl").write_text(f"{line}\n", encoding="latin-1")
    assert Reading(tmp_path / "a.jsonl", "chainproof").errors[0].startswith(reason)


def test_a_line_beyond_the_limit_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_reader, "MAX_LINE_BYTES", 1_000)
    monkeypatch.setattr(json_reader, "_CHUNK_BYTES", 300)
    path = write_lines(tmp_path / "a.jsonl", own_run(), own_run(error="x" * 5_000), own_run(run_id="r3"))
    reading = Reading(path, "chainproof")
    assert [run.run_id for run in reading.runs] == ["r1", "r3"]
    assert reading.errors[0].startswith(":2: is longer than ")
    assert sum(item.size for item in reading.found) == path.stat().st_size


@pytest.mark.parametrize(
    ("template", "expected"),
    [("fixed", "fixed"), ("{model} by {agent}", "gpt by me"), ("{file}/{profile}", "a/alpha"), ("{}", None)],
)
def test_the_profile_option_accepts_placeholders(tmp_path: Path, template: str, expected: str | None) -> None:
    path = write_lines(tmp_path / "a.jsonl", own_run(model="gpt", agent="me"))
    if expected is None:
        with pytest.raises(
            ValueError, match=r"--profile has no placeholder .{2}. Use one of .profile., .model."
        ):
            Reading(path, profile=template)
    else:
        assert Reading(path, profile=template).only.profile == expected


def test_an_unknown_placeholder_value_is_reported(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", own_run())
    assert Reading(path, profile="{agent}").errors == [
        ":1: profile: --profile names {agent}, which the file does not say"
    ]


@pytest.mark.parametrize("profile", [None, ""])
def test_a_run_needs_a_profile(tmp_path: Path, profile: Any) -> None:
    path = write_lines(tmp_path / "a.jsonl", own_run(profile=profile))
    assert Reading(path).errors[0].startswith(":1: profile: ")


def test_profiles_beside_the_runs_are_read(tmp_path: Path) -> None:
    assert profiles_beside(tmp_path / "a.jsonl") == {}
    path = write_json(tmp_path / "a.profiles.json", {"alpha": {"model": "gpt"}})
    assert profiles_beside(tmp_path / "a.jsonl") == {"alpha": Profile(model="gpt")}
    path.write_text("[]")
    with pytest.raises(InvalidProfilesError):
        profiles_beside(tmp_path / "a.jsonl")
