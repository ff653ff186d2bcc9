"""Tests ``chainproof scan``: findings, corrections and reports for files, archives and streams."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from backend.articles.files import scanner
from backend.articles.files.file_io import list_sources
from backend.articles.matching.rule_set import CompiledPack
from backend.articles.rules.rules_loader import load_rules
from backend.cli import scan as command
from backend.cli.commands import app
from tests.support.apps.article_app import PACK

TEXT = "# Zorbkoin rises\r\n\r\n`Zorbkoin` and Zorb Token, says Zorby.\nsee zorbkoin.org"
FIXED = TEXT.replace("# Zorbkoin", "# Zorbcoin")
Scan = Callable[..., Result]
LOAD_SCAN_RULES = command.load_scan_rules


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> CompiledPack:
    """Load the shipped rules and a few test rules once, since that takes a second."""
    folder = tmp_path_factory.mktemp("rules")
    (folder / "own.yaml").write_text(PACK)
    return load_rules(folder, must_exist=True)


@pytest.fixture
def scan(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, rules: CompiledPack) -> Scan:
    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "load_scan_rules", lambda: rules)

    def run(*words: str, stdin: str | None = None) -> Result:
        return CliRunner().invoke(app, ["scan", "--jobs", "0", *words], input=stdin)

    return run


def lines(*articles: Any) -> bytes:
    return b"".join(json.dumps(article, ensure_ascii=False).encode() + b"\n" for article in articles)


def test_findings_show_line_column_rule_and_correction(scan: Scan) -> None:
    Path("a.md").write_bytes(TEXT.encode())
    result = scan("a.md")
    assert result.exit_code == 1
    assert "1:3       error   Zorbkoin → Zorbcoin  zorbcoin-typo" in result.stdout
    assert "3:16      warning Zorb Token → Zorbcoin  (to approve)  zorbcoin-old" in result.stdout
    assert "3:33      info    Zorby  (to decide)  zorby" in result.stdout
    assert "3 findings; 1 can be corrected with --fix." in result.stderr


def test_a_correct_text_has_no_findings(scan: Scan) -> None:
    Path("a.md").write_text("Zorbcoin rises")
    result = scan("a.md")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "nothing to correct" in result.stderr


def test_a_diff_is_not_followed_by_nothing_to_correct(scan: Scan) -> None:
    Path("a.md").write_text("Zorbkoin rose.\n")
    result = scan("a.md", "--diff")
    assert "+Zorbcoin rose." in result.stdout
    assert "1 file scanned, 1 correction shown, to make with --fix: nothing left to correct." in result.stderr


def test_fix_makes_only_the_safe_corrections(scan: Scan) -> None:
    Path("a.md").write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    result = scan("a.md", "--fix")
    assert Path("a.md").read_bytes() == b"\xef\xbb\xbf" + FIXED.encode()
    assert "1 correction made: 2 findings left." in result.stderr
    assert result.exit_code == 1
    written_at = Path("a.md").stat().st_mtime_ns
    scan("a.md", "--fix")
    assert Path("a.md").stat().st_mtime_ns == written_at


def test_diff_shows_the_corrections_and_writes_nothing(scan: Scan) -> None:
    Path("a.md").write_bytes(TEXT.encode())
    result = scan("a.md", "--diff")
    assert result.exit_code == 1
    assert "-# Zorbkoin rises\n+# Zorbcoin rises\n" in result.stdout  # the runner drops carriage returns
    assert Path("a.md").read_bytes() == TEXT.encode()


def test_standard_input_is_corrected_to_standard_output_and_findings_go_to_standard_error(scan: Scan) -> None:
    result = scan("-", "--fix", stdin="Zorbkoin, says Zorby")
    assert result.stdout == "Zorbcoin, says Zorby"
    assert "Zorby  (to decide)" in result.stderr


def test_findings_below_the_minimum_severity_are_not_reported(scan: Scan) -> None:
    Path("a.md").write_text("says Zorby")
    assert scan("a.md", "--severity", "warning").exit_code == 0
    assert scan("a.md", "--severity", "info").exit_code == 1


def test_only_the_corrected_fields_of_an_archive_change(scan: Scan) -> None:
    clean = b'{"id":"1", "content" : "Zorbcoin", "x": 1.50}\n\n'
    wrong = b'{"id": "2", "title": "Zorbkoin \\u2014", "more": {"a": [1]}, "tags": ["Zorbcoyn"]}\n'
    Path("a.jsonl").write_bytes(clean + wrong + b"not json\n")
    result = scan("a.jsonl", "--fix")
    assert Path("a.jsonl").read_bytes() == (
        clean + wrong.replace(b"Zorbkoin", b"Zorbcoin").replace(b"Zorbcoyn", b"Zorbcoin") + b"not json\n"
    )
    assert "a.jsonl:4: invalid JSON at column 1" in result.stderr
    assert result.exit_code == 2


def test_the_corrected_archive_can_be_written_to_another_file(scan: Scan) -> None:
    Path("a.jsonl").write_bytes(lines({"content": "Zorbkoin"}))
    result = scan("a.jsonl", "--fix", "--out", "b.jsonl")
    assert result.exit_code == 0
    assert b"Zorbkoin" in Path("a.jsonl").read_bytes()
    assert Path("b.jsonl").read_bytes() == lines({"content": "Zorbcoin"})


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'"text"', "must be a JSON object"),
        (b'{"content": 5}', "content: Input should be a valid string"),
        (b'{"content": "\\ud83d"}', "content must not contain a lone surrogate"),
        (b'{"language": "fr"}', "language:"),
        (b"\xff", "not UTF-8 at byte 0"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_the_error_names_an_invalid_line_and_the_reason(scan: Scan, line: bytes, reason: str) -> None:
    Path("a.jsonl").write_bytes(b"\n" + line + b"\n")
    result = scan("a.jsonl")
    assert f"a.jsonl:2: {reason}" in " ".join(result.stderr.split())
    assert result.exit_code == 2


def test_the_error_names_a_file_that_is_not_text_and_the_others_are_scanned(scan: Scan) -> None:
    Path("a.md").write_bytes("暗号".encode("shift-jis"))
    Path("b.md").write_text("Zorbkoin")
    result = scan("a.md", "b.md", "gone.md")
    assert "a.md:1: not UTF-8 at byte 0" in result.stderr
    assert "gone.md: No such file" in result.stderr
    assert "Zorbkoin" in result.stdout
    assert result.exit_code == 2


def test_json_contains_every_finding_with_its_position(scan: Scan) -> None:
    Path("a.md").write_text("x Zorbkoin")
    report = json.loads(scan("a.md", "--format", "json").stdout)
    (finding,) = report["findings"]
    assert report["rules_version"]
    assert (finding["file"], finding["line"], finding["column"]) == ("a.md", 1, 3)
    assert (finding["corrected_text"], finding["reason"]) == ("Zorbcoin", "A frequent slip.")


def test_the_reason_of_a_finding_has_the_language_of_the_article_and_that_of_a_rule_is_english(
    scan: Scan,
) -> None:
    Path("a.md").write_text("Zorbkoinが上昇したと発表されました。")
    (finding,) = json.loads(scan("a.md", "--format", "json").stdout)["findings"]
    assert (finding["language"], finding["reason"]) == ("ja", "よくある誤りです。")
    run = json.loads(scan("a.md", "--format", "sarif").stdout)["runs"][0]
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["fullDescription"]["text"] == "A frequent slip."


def test_sarif_contains_regions_rules_and_fixes(scan: Scan) -> None:
    Path("文 1.md").write_text("𝒳 Zorbkoin, says Zorby")
    run = json.loads(scan("文 1.md", "--format", "sarif").stdout)["runs"][0]
    typo, unclear = run["results"]
    assert run["columnKind"] == "unicodeCodePoints"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["zorbcoin-typo", "zorby"]
    place = typo["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "%E6%96%87%201.md"
    assert place["region"] == {"startLine": 1, "startColumn": 3, "endLine": 1, "endColumn": 11}
    (replacement,) = typo["fixes"][0]["artifactChanges"][0]["replacements"]
    assert replacement["insertedContent"] == {"text": "Zorbcoin"}
    assert (unclear["level"], "fixes" in unclear) == ("note", False)


def test_several_processes_find_the_same_as_one(scan: Scan, tmp_path: Path, rules: CompiledPack) -> None:
    del scan
    archive = tmp_path / "big.jsonl"
    archive.write_bytes(lines({"id": "a", "content": "Zorbkoin " + "x" * 100_000}) * 15)
    archive_sources = list_sources([archive], "")
    single, parallel = (
        list(scanner.FileScanner(rules, fix=True, jobs=jobs).outcomes(archive_sources, None))
        for jobs in (0, 2)
    )
    assert single == parallel
    assert sum(outcome.corrections for outcome in parallel) == 15


def test_invalid_own_rules_are_an_error(scan: Scan, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "own.yaml").write_text("version: 1\nrules: [{id: x}]\n")
    monkeypatch.setattr(command, "load_scan_rules", LOAD_SCAN_RULES)
    monkeypatch.setenv("CHAINPROOF_RULES_DIR", str(folder))
    result = scan("-", stdin="Zorbkoin")
    assert result.exit_code == 2
    assert "own.yaml:2" in result.stderr.replace("\n", "")


@pytest.mark.parametrize("words", [["--out", "x"], ["--out", "x", "--fix", "a.md", "b.md"]])
def test_out_needs_fix_and_one_file(scan: Scan, words: list[str]) -> None:
    result = scan(*words, stdin="")
    assert result.exit_code == 2
    assert "--out needs --fix and exactly one file" in result.stderr
