"""Tests texts of runs: imported on request, shown by ``compare --why``, removed by ``redact``."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from backend.cli.runs import app
from tests.support.runs.run_files import INSPECT_HEADER, inspect_sample, write_json


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for model, value, completion in (("x/a", "C", "two"), ("x/b", "I", "three, says [bold]Bob")):
        spec = {**INSPECT_HEADER["eval"], "model": model, "eval_id": model}
        score = {"match": {"value": value, "answer": completion, "explanation": f"{completion} it is"}}
        sample = inspect_sample(uuid=model, scores=score, output={"completion": completion})
        write_json(tmp_path / f"{model[-1]}.json", {**INSPECT_HEADER, "eval": spec, "samples": [sample]})
    return tmp_path


A, B = "x/a (react)", "x/b (react)"


def _import(*more: str) -> Result:
    return _run("import", "a.json", "b.json", "--add-profiles", *more)


def _why() -> str:
    return " ".join(_run("compare", A, B, "--why", "3").stdout.split())


def test_answers_and_graders_are_shown_side_by_side(folder: Path) -> None:
    assert _import("--with-texts").exit_code == 0
    shown = _why()
    assert "question: What is 1 + 1?" in shown
    assert "answer: three, says [bold]Bob" in shown
    assert "match: C answer: two two it is" in shown
    (row,) = json.loads(_run("compare", A, B, "--why", "3", "--json").stdout)["why"]
    assert (row["a"]["answer"], row["b"]["run_id"]) == ("two", "x/b")


def test_without_texts_the_deductions_are_shown(folder: Path) -> None:
    assert _import().exit_code == 0
    assert "−1 match three, says [bold]Bob it is" in _why()
    assert "question" not in _why()


def test_texts_are_limited_and_redacted_on_import(folder: Path) -> None:
    assert _import("--with-texts", "--redact", "Bob", "--text-limit", "30").exit_code == 0
    assert "answer: three, says [bold][redacted]" in _why()


def test_stored_texts_are_redacted_and_deleted(folder: Path) -> None:
    _import("--with-texts")
    assert _run("redact", B, "--pattern", "Bob").stdout == "Texts of 1 run redacted.\n"
    assert "[bold][redacted]" in _why()
    assert _run("redact", A, B, "--delete").stdout == "Texts of 2 runs deleted.\n"
    assert "question" not in _why()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["import", "a.json", "--redact", "x"], "need --with-texts"),
        (["import", "a.json", "--with-texts", "--redact", "("], "is wrong"),
        (["import", "a.json", "--with-texts", "--redact", "x*"], "also matches an empty text"),
        (["redact", "x"], "Use either --pattern PATTERN or --delete."),
        (["redact", "x", "--delete", "--pattern", "y"], "Use either --pattern PATTERN or --delete."),
        (["compare", "x", "y", "--file", "a.json", "--why", "3"], "--why reads stored runs"),
    ],
)
def test_wrong_usage_is_a_sentence(folder: Path, arguments: list[str], sentence: str) -> None:
    result = _run(*arguments)
    assert result.exit_code == 2
    assert sentence in " ".join(result.output.split())
