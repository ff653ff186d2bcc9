"""Tests ``GET /v1/evaluations`` and ``chainproof runs evaluations``."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from backend.cli.runs import app as runs_app
from tests.support.runs.timeline_app import TimelinesApp, build_run_json


def _post(service: TimelinesApp, name: str, day: int, cases: str, profile: str = "one", **more: Any) -> None:
    service.add(
        profile,
        *(
            build_run_json(
                f"{profile} {name} {case}",
                case_id=case,
                timestamp=f"2026-03-{day:02}T10:0{n}:00Z",
                evaluation_id=name,
                **more,
            )
            for n, case in enumerate(cases)
        ),
    )


@pytest.fixture
def filled(service: TimelinesApp) -> TimelinesApp:
    _post(service, "e1", 1, "abcd", suite="s", revision="old", finished_at="2026-03-01T11:00:00Z")
    _post(service, "e2", 2, "axyz", suite="s", revision="new")
    _post(service, "e3", 3, "ab", profile="two", suite="t")
    service.add("one", build_run_json("alone"))
    return service


def _ids(service: TimelinesApp, query: str) -> list[str]:
    return [row["evaluation_id"] for row in service.json(f"/v1/evaluations?{query}")["evaluations"]]


def test_evaluations_are_listed_newest_first_with_what_changed(filled: TimelinesApp) -> None:
    newest, oldest = filled.json("/v1/evaluations?profile=one")["evaluations"]
    assert (oldest["evaluation_id"], oldest["cases"], oldest["runs"]) == ("e1", 4, 4)
    assert (oldest["started_at"], oldest["finished_at"]) == ("2026-03-01T10:00:00Z", "2026-03-01T11:00:00Z")
    assert (oldest["mean"], oldest["source"], oldest["model"]) == (0.85, None, "m-1")
    assert (newest["shared_cases"], newest["line_breaks"], newest["finished_at"]) == (1, True, None)
    assert newest["changes"][0] == {"field": "revision", "before": "old", "after": "new"}
    assert newest["text"] == (
        "Changed: revision old → new; cases: 3 new, 3 gone. "
        "The line breaks: only 1 of 4 cases are the same as before."
    )


def test_suites_revisions_and_a_limit_filter_the_list(filled: TimelinesApp) -> None:
    assert _ids(filled, "profile=one&profile=two") == ["e3", "e2", "e1"]
    assert _ids(filled, "profile=one&profile=two&suite=t") == ["e3"]
    assert _ids(filled, "profile=one&revision=old") == ["e1"]
    assert _ids(filled, "profile=one&limit=1") == ["e2"]
    assert _ids(filled, "profile=one&limit=0&suite=") == ["e2", "e1"]


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("", 400),
        ("&".join(["profile=one"] * 21), 400),
        ("profile=one&limit=-1", 400),
        ("profile=one&lang=fr", 400),
        ("profile=nobody", 404),
    ],
)
def test_wrong_input_is_refused(refusing: TimelinesApp, query: str, status: int) -> None:
    assert refusing.get(f"/v1/evaluations?{query}").status == status


def test_the_command_lists_imported_evaluations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path))
    runner, file = CliRunner(), tmp_path / "night.jsonl"
    run = {**build_run_json("r", evaluation_id="e1", suite="s"), "profile": "mine"}
    file.write_text(json.dumps(run) + "\n")
    assert runner.invoke(runs_app, ["import", str(file), "--add-profiles"]).exit_code == 0
    (row,) = json.loads(runner.invoke(runs_app, ["evaluations", "mine", "--json"]).stdout)
    assert (row["evaluation_id"], row["source"], row["suite"]) == ("e1", "night.jsonl", "s")
    table = runner.invoke(runs_app, ["evaluations", "mine"]).stdout
    assert "First evaluation." in table
    assert runner.invoke(runs_app, ["evaluations", "nobody"]).exit_code == 2
