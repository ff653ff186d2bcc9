"""What a repository accepts, and the check of it."""

from pathlib import Path

import pytest

from backend.articles.files.author_checks import check_remarks, check_settings_file
from backend.articles.files.file_io import list_sources
from backend.articles.files.repository_settings import load_settings
from backend.articles.files.scanner import FileScanner
from backend.articles.matching.rule_set import CompiledPack, compile_rules
from backend.articles.rules.errors import InvalidRulesError
from tests.backend.articles.packs import pack_of

PACK = pack_of("Ethereum", "Etherium")
COMPILED = CompiledPack(PACK, compile_rules([PACK]))


def found(*paths: Path) -> list[str]:
    scanner = FileScanner(COMPILED, fix=False, jobs=0)
    outcomes = list(scanner.outcomes(list_sources(paths, "stdin.md"), None))
    return [finding.violation["matched_text"] for outcome in outcomes for finding in outcome.findings]


def test_the_nearest_file_above_a_text_says_what_is_accepted(tmp_path: Path) -> None:
    (tmp_path / ".chainproof.yaml").write_text("accept: [Etherium Labs]\n", encoding="utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("Etherium Labs and Etherium", encoding="utf-8")
    (tmp_path / "docs" / "b.jsonl").write_text('{"content": "Etherium Labs"}\n', encoding="utf-8")
    assert found(tmp_path / "docs") == ["Etherium"]


def test_an_invalid_file_is_an_error_with_its_line(tmp_path: Path) -> None:
    (tmp_path / ".chainproof.yaml").write_text("accept: [a]\naccepted: [b]\n", encoding="utf-8")
    with pytest.raises(InvalidRulesError, match=r"\.chainproof\.yaml:2: accepted"):
        load_settings(tmp_path)


def test_an_accepted_text_without_effect_is_pointed_out(tmp_path: Path) -> None:
    file = tmp_path / ".chainproof.yaml"
    file.write_text("accept:\n- Etherium Labs\n- Foo\n- Etherium Labs\n", encoding="utf-8")
    findings = [(one.line, one.kind) for one in check_settings_file(file, COMPILED.rules)]
    assert findings == [(3, "unreachable"), (4, "repeated")]


def test_a_remark_that_names_no_rule_is_pointed_out(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("x\n<!-- chainproof-disable ethereum, ethereum-speling -->\n", encoding="utf-8")
    assert [(one.line, one.rule) for one in check_remarks(file, COMPILED.rules)] == [(2, "ethereum-speling")]
