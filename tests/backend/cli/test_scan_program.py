"""``chainproof-scan`` is called as linters are, and reads the rules of the folder that it is called in."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.cli import scan_program
from tests.backend.articles.packs import ship
from tests.support.homes import own_home

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
    """Calls the program in a folder with a text, rules and the file that names them; gives its exit code."""
    ship(tmp_path, monkeypatch, name="Solana", wrong="Sollana")
    own_home(tmp_path, monkeypatch)
    monkeypatch.setenv("PYTHONSAFEPATH", "")  # put back behind the test, since the program sets it
    Path("names").mkdir()
    Path("names/own.yaml").write_text(OWN)
    Path("chainproof.toml").write_text('rules_dir = "names"')
    Path("a.md").write_text("Sollana and Solannna")

    def run(*arguments: str) -> int:
        monkeypatch.setattr("sys.argv", ["chainproof-scan", *arguments])
        with pytest.raises(SystemExit) as ended:
            scan_program.main()
        return int(ended.value.code or 0)

    return run


@pytest.mark.parametrize("words", [(), ("scan",)])
def test_files_may_follow_at_once(
    call: Call, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*words, "a.md", "--format", "json") == 1
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [(finding["rule_id"], finding["corrected_text"]) for finding in found] == [
        ("shipped", "Solana"),
        ("own", "Solana"),
    ]
    assert call(*words, "--fix", "a.md") == 1  # one is left to decide
    assert Path("a.md").read_text() == "Sollana and Solana"


def test_rules_are_checked_and_tested(call: Call, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("rules", "test", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"specs": 2, "rules": 2, "failed": []}
    assert call("rules", "check") == 0
    Path("names/own.yaml").write_text(OWN.replace("to: Solana", "to: Solano"))
    assert call("rules", "check") == 1
    assert "own.yaml:9: error:" in capsys.readouterr().out


def test_the_help_tells_of_all_that_it_does(call: Call, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--help") == 0
    told = capsys.readouterr().out
    assert "chainproof-scan [OPTIONS]" in told
    for word in ("--fix", "--diff", "--format", "chainproof-scan rules --help", "--version"):
        assert word in told


def test_wrong_use_is_told_by_its_name(call: Call, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--fixx", "a.md") == 2
    assert "No such option" in capsys.readouterr().err
    Path("chainproof.toml").write_text("rules_dir =")
    assert call("a.md") == 2
    assert "chainproof.toml: cannot be read: Invalid value" in capsys.readouterr().err
