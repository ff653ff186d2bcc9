"""Tests ``chainproof runs compare``."""

import json
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest
import typer
from typer.testing import CliRunner

from backend.cli.runs import compare_runs
from backend.timelines.model import Run
from tests.support.runs.scored_runs import run

program = typer.Typer()
program.command()(compare_runs.app)
runner = CliRunner()
GAINS = (0.12, 0.05, 0.1, 0.08, 0.14, 0.02, 0.1, 0.07)


def _build_runs() -> list[Run]:
    runs = [run("A", f"case {n}", 0.5, n) for n in range(8)]
    runs += [run("B", f"case {n}", 0.5 + gain, n) for n, gain in enumerate(GAINS)]
    return [*runs, run("A", "case 0", 0.0, 9, infrastructure_failure=True), run("far", "elsewhere", 0.5)]


def _write_file(folder: Path, runs: Iterable[Run]) -> Path:
    path = folder / "runs.jsonl"
    path.write_bytes(b"\n".join(map(msgspec.json.encode, runs)) + b"\n\n")
    return path


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(_write_file(tmp_path, _build_runs()))


def _run(*arguments: str) -> tuple[int, str]:
    result = runner.invoke(program, arguments)
    return result.exit_code, " ".join(result.output.split())


def test_two_profiles_get_a_verdict(file: str) -> None:
    code, output = _run("A", "B", "--file", file)
    assert code == 0
    assert (
        "B is ahead by 8.5 points, 95% 4.4 to 11.1, 8 shared cases; "
        "with 32 shared cases, a difference of 2 points could be detected." in output
    )
    assert "1 run of A is excluded: the infrastructure failed, not the model." in output
    assert "case 4 50.0 64.0 +14.0" in output


def test_machinery_failures_can_be_kept(file: str) -> None:
    assert "8.5 points" not in _run("A", "B", "--file", file, "--keep-machinery")[1]


def test_json_contains_the_verdict_and_its_figures(file: str) -> None:
    result = json.loads(runner.invoke(program, ["A", "B", "--file", file, "--json"]).stdout)
    assert (result["verdict"], result["comparison"]["shared_cases"]) == ("ahead", 8)
    assert result["comparison"]["difference"] == pytest.approx(0.085)
    assert (result["a"]["machinery_failures_left_out"], len(result["cases"])) == (1, 8)


def test_time_windows_and_cases_filter_the_comparison(file: str) -> None:
    output = _run("A", "B", "--file", file, *(f"--case=case {n}" for n in range(6)))[1]
    assert "6 shared cases" in output
    until = _run("A", "B", "--file", file, "--until", "2026-03-01T05:00:00Z")[1]
    assert "5 shared cases" in until
    since = _run("A", "B", "--file", file, "--until", "2026-03-02T00:00:00Z", "--window", "18h")[1]
    assert "share 2, and an interval needs 5" in since


def test_profiles_that_share_no_case_are_not_compared(file: str) -> None:
    code, output = _run("A", "far", "--file", file)
    assert code == 2
    assert "A and far share no cases" in output


def test_all_pairs_are_corrected_for_multiple_tests(file: str) -> None:
    code, output = _run("--all-pairs", "--file", file)
    assert code == 0
    assert "1 of 1 without correction, 1 after Benjamini-Hochberg, 1 after Holm." in output
    result = json.loads(runner.invoke(program, ["--all-pairs", "--file", file, "--json"]).stdout)
    assert [(row["ahead"], row["behind"]) for row in result["pairs"]] == [("B", "A")]
    assert _run("A", "far", "--all-pairs", "--file", file)[0] == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["A"], "Name two profiles to compare, or use --all-pairs."),
        (["A", "C"], "has no run of the profile 'C'"),
        (["A", "B", "--window", "soon"], "--window must be a whole number"),
        (["A", "B", "--since", "soon"], "--since must be an RFC 3339 instant"),
    ],
)
def test_wrong_usage_is_a_sentence(file: str, arguments: list[str], sentence: str) -> None:
    code, output = _run(*arguments, "--file", file)
    assert code == 2
    assert sentence in output


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (b"{", "runs.jsonl:2: must be a run: "),
        (b"\xff", "runs.jsonl:2: must be a run: "),
        (b'{"run_id": 1}', "runs.jsonl:2: must be a run: Expected `str`, got `int` - at `$.run_id`."),
        (
            msgspec.json.encode(msgspec.structs.replace(_build_runs()[0], run_id="x", profile=None)),
            "2: must name a profile.",
        ),
        (
            msgspec.json.encode(msgspec.structs.replace(_build_runs()[0], run_id="x", timestamp="x")),
            "run x: its time must",
        ),
    ],
)
def test_the_error_names_an_invalid_line(tmp_path: Path, line: bytes, sentence: str) -> None:
    path = _write_file(tmp_path, _build_runs()[:1])
    path.write_bytes(path.read_bytes().rstrip() + b"\n" + line + b"\n")
    code, output = _run("A", "B", "--file", str(path))
    assert code == 2
    assert sentence in output


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    code, output = _run("A", "B", "--file", str(tmp_path / "none.jsonl"))
    assert code == 2
    assert "none.jsonl: cannot be read: No such file or directory." in output


def test_stored_sample_profiles_are_used_without_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path))
    code, output = _run("sample Meadow", "nobody")
    assert code == 2
    assert "There is no profile 'nobody'. There are 'sample Harbor Large'," in output
