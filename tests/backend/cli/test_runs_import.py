"""Tests ``chainproof runs import``, and that HTTP returns the imported runs."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from backend.cli.commands import app
from backend.settings import Settings
from tests.support.apps.market_app import Clock, Running, enable_only, run_app
from tests.support.runs.run_files import (
    INSPECT_HEADER,
    inspect_sample,
    own_run,
    write_eval,
    write_json,
    write_lines,
)
from tests.support.store import databases
from tests.support.store.data_folders import set_up_home

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    enable_only(set_up_home(tmp_path, monkeypatch), ["bitcoin"])
    monkeypatch.setenv("COLUMNS", "200")
    with databases.create_database("sqlite", tmp_path) as url:
        monkeypatch.setenv("CHAINPROOF_DATABASE_URL", url)
    return lambda *words: CliRunner().invoke(app, ["runs", "import", *words])


@pytest.fixture
def service(run: Run) -> Iterator[Running]:
    """The application over the store that the command writes to."""
    running = run_app(Settings(log_level="error"), Clock())
    running.inner.state.credentials.reload()
    yield running
    running.close()


def test_imported_runs_are_returned_over_http(run: Run, service: Running) -> None:
    error = {"message": "no sandbox"}
    samples = [inspect_sample(), inspect_sample(id=2, uuid="u2", scores=None, error=error)]
    members = {f"samples/{sample['id']}_epoch_1.json": sample for sample in samples}
    write_eval(Path("log.eval"), {"header.json": INSPECT_HEADER, **members})
    result = run("log.eval", "--add-profiles")
    assert result.exit_code == 0, result.stderr
    assert "log.eval: Inspect log, 2 runs" in result.stdout
    assert "null       cost_usd in 2: the log holds no cost" in result.stdout
    assert result.stdout.endswith("1 profile added: «openai/gpt-4o (react)».\n2 added, 0 known.\n")
    assert run("log.eval").stdout.endswith("0 added, 2 known.\n")
    timeline = service.get("/v1/timelines").json()["profiles"]["openai/gpt-4o (react)"]
    assert timeline["model"] == "gpt-4o"
    assert [(entry["run_id"], entry["success"]) for entry in timeline["entries"]] == [
        ("sampleUuid1", True),
        ("u2", False),
    ]
    run_json = service.get("/v1/runs/u2").json()
    assert (run_json["machinery_failure"], run_json["error"], run_json["agent"]) == (
        True,
        "no sandbox",
        "react",
    )


def test_json_reports_the_conversion_of_each_field(run: Run) -> None:
    write_lines(Path("a.jsonl"), own_run())
    write_json(Path("a.profiles.json"), {"alpha": {"model": "gpt"}})
    report = json.loads(run("a.jsonl", "--add-profiles", "--json").stdout)
    assert (report["added"], report["known"], report["mistakes"], report["new_profiles"]) == (
        1,
        0,
        0,
        ["alpha"],
    )
    (file,) = report["files"]
    assert (file["format"], file["runs"]) == ("chainproof", 1)
    assert file["left_null"]["finished_at"] == {"runs": 1, "reason": "the file says null or nothing"}


def test_mistakes_are_reported_with_their_lines_and_nothing_is_added(run: Run) -> None:
    write_lines(Path("a.jsonl"), own_run(profile="beta"), own_run(run_id="r2", timestamp="now"))
    result = run("a.jsonl")
    assert result.exit_code == 2
    assert "a.jsonl:1: profile: «beta» is not configured" in result.stderr
    assert "a.jsonl:2: timestamp: must be an RFC 3339 instant" in result.stderr
    assert "Nothing was added. Use --partial to import the valid entries." in result.stderr
    partial = run("a.jsonl", "--partial", "--add-profiles")
    assert (partial.exit_code, partial.stdout.splitlines()[-1]) == (2, "1 added, 0 known.")


def test_a_dry_run_adds_nothing(run: Run) -> None:
    write_lines(Path("a.jsonl"), own_run())
    result = run("a.jsonl", "--dry-run", "--add-profiles")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "Valid: 1 run. Nothing was added.")
    assert run("a.jsonl", "--add-profiles").stdout.endswith("1 added, 0 known.\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("missing.jsonl",), "missing.jsonl: cannot be read: No such file or directory"),
        (("a.jsonl", "--at", "noon"), "must be an RFC 3339 instant"),
        (("a.jsonl", "--profile", "{name}"), "--profile has no placeholder {name}"),
        ((".",), "cannot be read: Is a directory"),
    ],
)
def test_wrong_usage_is_a_sentence(run: Run, words: tuple[str, ...], sentence: str) -> None:
    write_lines(Path("a.jsonl"), own_run())
    result = run(*words)
    assert result.exit_code != 0
    assert sentence in result.stderr
    assert result.exception is None or isinstance(result.exception, SystemExit)
