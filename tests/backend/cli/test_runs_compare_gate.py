"""Tests the gate and the output formats of ``chainproof runs compare``."""

import json
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
import typer
from typer.testing import CliRunner, Result

from backend.cli.runs import compare_runs
from tests.support.runs.scored_runs import run

program = typer.Typer()
program.command()(compare_runs.app)
runner = CliRunner()
GAINS = (0.12, 0.05, 0.1, 0.08, 0.14, 0.02, 0.1, 0.07)
MIXED = (0.3, -0.3, 0.2, -0.2, 0.1, -0.1, 0, 0)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    runs = [run("old", f"case {n}", 0.5, n) for n in range(8)]
    runs += [run("new", f"case {n}", 0.5 + gain, n) for n, gain in enumerate(GAINS)]
    runs += [run("mixed", f"case {n}", 0.5 + gain, n) for n, gain in enumerate(MIXED)]
    runs += [run("far", "elsewhere", 0.5), run("a|b <i>\x01", "case 1", 0.5)]
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"\n".join(map(msgspec.json.encode, runs)))
    return path


def _run(file: Path, *arguments: str) -> Result:
    return runner.invoke(program, [*arguments, "--file", str(file)])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["old", "new", "--fail-if-behind", "2"], 0),
        (["new", "old", "--fail-if-behind", "2"], 1),
        (["new", "old", "--fail-if-behind", "20"], 0),
        (["old", "mixed", "--fail-if-behind", "2"], 0),
        (["old", "mixed", "--fail-if-behind", "2", "--fail-if-unsure"], 1),
        (["old", "new", "--fail-if-behind", "2", "--fail-if-unsure"], 0),
        (["old", "far", "--fail-if-behind", "2"], 2),
    ],
)
@pytest.mark.parametrize("format", ["text", "json", "markdown", "junit"])
def test_the_exit_code_tells_the_outcome_in_every_format(
    file: Path, arguments: list[str], code: int, format: str
) -> None:
    assert _run(file, *arguments, "--format", format).exit_code == code


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--fail-if-unsure"], "--fail-if-unsure needs --fail-if-behind POINTS."),
        (["--fail-if-behind", "-1"], "must be a number of points from 0 on"),
        (["--fail-if-behind", "nan"], "must be a number of points from 0 on"),
        (["--fail-if-behind", "2", "--all-pairs"], "compares two profiles"),
        (["--format", "junit", "--all-pairs"], "prints text or JSON, not junit"),
        (["--format", "junit", "--json"], "exclude each other"),
    ],
)
def test_wrong_options_are_a_sentence(file: Path, arguments: list[str], sentence: str) -> None:
    result = _run(file, "old", "new", *arguments)
    assert result.exit_code == 2
    assert sentence in " ".join(result.output.split())


def test_text_ends_with_the_outcome(file: Path) -> None:
    output = _run(file, "new", "old", "--fail-if-behind", "2").stdout
    assert output.splitlines()[-1] == "old is behind new by 8.5 points; the limit is 2."


def test_json_holds_the_outcome(file: Path) -> None:
    gate = json.loads(_run(file, "new", "old", "--fail-if-behind", "2", "--format", "json").stdout)["gate"]
    assert (gate["outcome"], gate["limit"], gate["failed"]) == ("behind", 0.02, True)
    assert json.loads(_run(file, "new", "old", "--json").stdout)["gate"] is None


def test_markdown_escapes_names_and_lists_the_largest_differences(file: Path) -> None:
    output = _run(file, "old", "new", "--fail-if-behind", "2", "--format", "markdown").stdout
    assert output.startswith("### new and old\n\n**Passed.** new is not behind old")
    assert "| case 4 | 50.0 | 64.0 | \\+14.0 |" in output
    assert "### a\\|b \\<i\\>" in _run(file, "old", "a|b <i>\x01", "--format", "markdown").stdout


def _read_junit(file: Path, *arguments: str) -> ElementTree.Element:
    return ElementTree.fromstring(_run(file, *arguments, "--format", "junit").stdout)


@pytest.mark.parametrize(
    ("arguments", "tag", "attribute"),
    [
        (["new", "old", "--fail-if-behind", "2"], "failure", "failures"),
        (["old", "mixed", "--fail-if-behind", "2"], "skipped", "skipped"),
        (["old", "mixed", "--fail-if-behind", "2", "--fail-if-unsure"], "failure", "failures"),
        (["old", "far"], "error", "errors"),
    ],
)
def test_junit_reports_the_outcome_as_a_test(
    file: Path, arguments: list[str], tag: str, attribute: str
) -> None:
    suite = _read_junit(file, *arguments)
    assert suite.find(f"testcase/{tag}") is not None
    assert suite.get(attribute) == "1"


def test_junit_passes_without_a_finding_and_stands_any_name(file: Path) -> None:
    suite = _read_junit(file, "old", "a|b <i>\x01")
    test = suite.find("testcase")
    assert test is not None
    assert (test.get("name"), suite.get("failures")) == ("a|b <i>\ufffd is not behind old", "0")


@pytest.fixture
def evaluations(tmp_path: Path) -> Path:
    runs = [
        run("A", f"case {n}", 0.5 + day * gain, 24 * day + n, evaluation_id=f"e{day}", revision=f"r{day}")
        for day in range(2)
        for n, gain in enumerate(GAINS)
    ]
    path = tmp_path / "evaluations.jsonl"
    path.write_bytes(b"\n".join(map(msgspec.json.encode, runs)))
    return path


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["--split-at", "2026-03-02T00:00:00Z"], "A since 2 Mar 2026"),
        (["--split-evaluation", "e1"], "A since evaluation e1"),
        (["--split-revision", "r1"], "A since revision r1"),
        (["--evaluation", "e0", "--evaluation", "e1"], "A in evaluation e1"),
    ],
)
def test_a_profile_is_compared_with_itself(evaluations: Path, arguments: list[str], name: str) -> None:
    result = json.loads(_run(evaluations, "A", *arguments, "--json").stdout)
    assert result["b"]["profile"] == name
    assert result["comparison"]["difference"] == pytest.approx(0.085)
    assert _run(evaluations, "A", *arguments, "--fail-if-behind", "1").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["A", "--split-revision", "r9"], "A has no run of the revision 'r9'"),
        (["A", "--split-alert", "latest"], "A has no alert"),
        (["A", "--split-at", "soon"], "must be an RFC 3339 instant"),
        (["A", "--evaluation", "e0"], "Name two different evaluations"),
        (["A", "--evaluation", "e0", "--evaluation", "e0"], "Name two different evaluations"),
        (["A", "--split-revision", "r1", "--split-evaluation", "e1"], "Use either"),
        (["A", "B", "--split-revision", "r1"], "Name one profile"),
        (["A"], "Name two profiles"),
    ],
)
def test_wrong_splits_are_a_sentence(evaluations: Path, arguments: list[str], sentence: str) -> None:
    result = _run(evaluations, *arguments)
    assert result.exit_code == 2
    assert sentence in " ".join(result.output.split())
