"""Tests ``chainproof rules``."""

import json
from pathlib import Path

import pytest
import sqlalchemy as sa
import typer
from typer.testing import CliRunner, Result

from backend.articles.rules.active_rules import CHANGED
from backend.articles.rules.json_schema import as_text
from backend.cli import rules
from backend.settings import Settings
from backend.store.database import Database, change_counters
from tests.backend.articles.packs import ship
from tests.support.store.data_folders import set_up_home

run = CliRunner()
app = typer.Typer()
app.add_typer(rules.app, name="rules")

GOOD = """
version: 1
rules:
  - id: own-solanna
    type: forbidden_variant
    entity: solana
    match: [Solannna]
    specs: [{from: Solannna fell, to: Solana fell}]
"""


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    ship(tmp_path, monkeypatch, name="Solana", wrong="Sollana")
    folder = set_up_home(tmp_path, monkeypatch)
    (folder / "rules").mkdir(parents=True)
    return folder


@pytest.fixture
def own(home: Path) -> Path:
    file = home / "rules" / "own.yaml"
    file.write_text(GOOD, encoding="utf-8")
    return file


def invoke(*arguments: object) -> Result:
    return run.invoke(app, ["rules", *map(str, arguments)])


def test_valid_rules_pass_the_check(own: Path) -> None:
    result = invoke("check", own)
    assert result.exit_code == 0, result.output
    assert "No findings." in result.stdout
    assert json.loads(invoke("check", own, "--json").stdout) == []


def test_an_error_is_a_finding_with_its_line(own: Path) -> None:
    own.write_text(GOOD.replace("match", "mach"), encoding="utf-8")
    result = invoke("check")
    assert result.exit_code == 1
    line = "7: error: rule 'own-solanna': 'mach' is not known here (did you mean 'match'?) [mistake]"
    assert f"{own}:{line}" in result.stdout
    found = json.loads(invoke("check", own, "--json").stdout)
    assert [(entry["line"], entry["kind"]) for entry in found] == [(7, "mistake")]


def test_a_doubtful_rule_is_a_finding_with_advice(own: Path) -> None:
    own.write_text(GOOD.replace("[Solannna]", "[Solannna, near]\n    auto_fix: true"), encoding="utf-8")
    result = invoke("check", own)
    assert result.exit_code == 1
    assert "'near' is an ordinary word (en)" in result.stdout
    assert json.loads(invoke("check", own, "--json").stdout)[0]["rule"] == "own-solanna"


def test_the_check_also_reports_failed_specs(own: Path) -> None:
    own.write_text(GOOD.replace("to: Solana fell", "to: Solana rose"), encoding="utf-8")
    result = invoke("check", own)
    assert result.exit_code == 1
    assert f"{own}:8: error: rule 'own-solanna': spec 1: 'Solannna fell' should become" in result.stdout
    assert json.loads(invoke("check", own, "--json").stdout)[0]["kind"] == "spec"


def test_a_missing_file_is_wrong_usage(tmp_path: Path) -> None:
    result = invoke("check", tmp_path / "none.yaml")
    assert result.exit_code == 2
    assert "does not exist" in result.stderr


def test_specs_are_run_and_counted(own: Path, tmp_path: Path) -> None:
    result = invoke("test", own)
    assert result.exit_code == 0, result.output
    assert "1 spec of 1 rule: all passed." in result.stdout
    assert json.loads(invoke("test", own.parent, "--json").stdout) == {"specs": 1, "rules": 1, "failed": []}


def test_a_failing_spec_shows_the_expected_and_the_actual_text(own: Path) -> None:
    own.write_text(GOOD.replace("to: Solana fell", "to: Solana rose"), encoding="utf-8")
    result = invoke("test", own)
    assert result.exit_code == 1
    for words in (f"{own}:8:", "from    'Solannna fell'", "wanted  'Solana rose'", "got     'Solana fell'"):
        assert words in result.stdout
    failed = json.loads(invoke("test", own, "--json").stdout)["failed"]
    assert [(entry["line"], entry["got"]) for entry in failed] == [(8, "Solana fell")]


def test_a_reload_is_announced_to_every_process(own: Path) -> None:
    result = invoke("reload")
    assert result.exit_code == 0, result.output
    database = Database(Settings().app_database_url)
    with database.read() as connection:
        counters = dict(connection.execute(sa.select(change_counters.c.topic, change_counters.c.n)).all())
    database.dispose()
    assert counters[CHANGED] == 1


def test_refused_rules_are_not_announced(own: Path) -> None:
    own.write_text("rules: [", encoding="utf-8")
    result = invoke("reload")
    assert result.exit_code == 1
    assert f"{own}:1: must be valid YAML" in result.stdout
    assert "refused: 1 error." in result.stderr
    assert not (own.parents[1] / "chainproof.db").exists()


def test_the_schema_is_printed_or_written(tmp_path: Path) -> None:
    assert invoke("schema").stdout == as_text()
    assert invoke("schema", "--out", tmp_path / "schema.json").exit_code == 0
    assert (tmp_path / "schema.json").read_text(encoding="utf-8") == as_text()


def test_rules_are_listed_with_their_files_and_searched(own: Path) -> None:
    listed = json.loads(invoke("list", "own-solanna", "--json").stdout)
    assert [(entry["id"], entry["file"], entry["enabled"]) for entry in listed] == [
        ("own-solanna", str(own), True)
    ]
    table = invoke("list", "Solannna")
    assert table.exit_code == 0
    assert "own-solanna" in table.stdout


PRH = "rules:\n  - {expected: Foochain, pattern: Fuchain}\n  - {expected: x, pattern: /a+/}\n"


def test_an_import_prints_a_pack_and_the_rules_that_it_could_not_convert(tmp_path: Path) -> None:
    (tmp_path / "rules.yml").write_text(PRH, encoding="utf-8")
    result = invoke("import", "rules.yml")
    assert result.exit_code == 0, result.output
    assert "id: rules-foochain" in result.stdout
    assert "not converted: rules.yml:3: x: '+' repeats without a limit" in result.stderr
    assert "1 rule converted, 1 not." in result.stderr


def test_an_import_can_write_to_the_rules_folder(home: Path, tmp_path: Path) -> None:
    (tmp_path / "rules.yml").write_text(PRH, encoding="utf-8")
    target = home / "rules" / "foo.yaml"
    result = invoke(
        "import", "rules.yml", "--format", "prh", "--out", target, "--auto-fix", "--language", "en", "--json"
    )
    assert result.exit_code == 0, result.output
    counts = json.loads(result.stdout)
    assert (counts["format"], counts["rules"], len(counts["skipped"])) == ("prh", 1, 1)
    assert invoke("test").exit_code == 0
    (entry,) = json.loads(invoke("list", "rules-foochain", "--json").stdout)
    assert (entry["auto_fix"], entry["languages"]) == (True, ["en"])
    repeated = invoke("import", "rules.yml", "--out", target)
    assert repeated.exit_code == 2
    assert "--force" in repeated.stderr
    assert invoke("import", "rules.yml", "--out", target, "--force").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["rules.yml", "--format", "word"], 2, "prh, vale, terminology, csv"),
        (["rules.yml", "--language", "fr"], 2, "en, ja, zh"),
        (["none.yml"], 2, "cannot be read"),
        (["empty.csv"], 1, "0 rules converted"),
        (["notes.txt"], 2, "name it with --format"),
    ],
)
def test_a_failed_import_is_a_sentence(tmp_path: Path, arguments: list[str], code: int, words: str) -> None:
    (tmp_path / "rules.yml").write_text(PRH, encoding="utf-8")
    (tmp_path / "empty.csv").write_text("", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("", encoding="utf-8")
    result = invoke("import", *arguments)
    assert result.exit_code == code
    assert words in " ".join(result.output.split())
