"""Tests that ``chainproof-scan`` works like a linter and reads the rules of the working folder."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.cli import scan_program
from tests.backend.articles.packs import ship
from tests.support.store.data_folders import set_up_home

Call = Callable[..., int]
OWN = """
version: 1
rules:
  - id: own
    entity: solana
    type: forbidden_variant
    match: [Solannna]
    auto_fix: true
    specs: [{from: Solannna, to: Solana}]
"""


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Run the program in a folder with a text, rules and a settings file; returns the exit code."""
    ship(tmp_path, monkeypatch, name="Solana", wrong="Sollana")
    set_up_home(tmp_path, monkeypatch)
    monkeypatch.setenv("PYTHONSAFEPATH", "")  # the program sets it; the test restores it
    Path("names").mkdir()
    Path("names/own.yaml").write_text(OWN)
    Path("chainproof.toml").write_text('rules_dir = "names"')
    Path("a.md").write_text("Sollana and Solannna")

    def run(*arguments: str) -> int:
        monkeypatch.setattr("sys.argv", ["chainproof-scan", *arguments])
        with pytest.raises(SystemExit) as exit_info:
            scan_program.main()
        return int(exit_info.value.code or 0)

    return run


@pytest.mark.parametrize("words", [(), ("scan",)])
def test_the_scan_command_can_be_omitted(
    call: Call, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*words, "a.md", "--format", "json") == 1
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert [(finding["rule_id"], finding["corrected_text"]) for finding in findings] == [
        ("shipped", "Solana"),
        ("own", "Solana"),
    ]
    assert call(*words, "--fix", "a.md") == 1  # one finding needs a decision
    assert Path("a.md").read_text() == "Sollana and Solana"


def test_rules_are_checked_and_tested(call: Call, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("rules", "test", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"specs": 2, "rules": 2, "failed": []}
    assert call("rules", "check") == 0
    Path("names/own.yaml").write_text(OWN.replace("to: Solana", "to: Solano"))
    assert call("rules", "check") == 1
    assert "own.yaml:9: error:" in capsys.readouterr().out


def test_the_help_names_all_features(call: Call, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--help") == 0
    output = capsys.readouterr().out
    assert "chainproof-scan [OPTIONS]" in output
    for word in ("--fix", "--diff", "--format", "chainproof-scan rules --help", "--version"):
        assert word in output


def test_wrong_usage_is_named(call: Call, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--fixx", "a.md") == 2
    assert "No such option" in capsys.readouterr().err
    Path("chainproof.toml").write_text("rules_dir =")
    assert call("a.md") == 2
    assert "chainproof.toml: cannot be read: Invalid value" in capsys.readouterr().err
