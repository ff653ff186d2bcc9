"""Tests keys, prices, migration and the doctor on the command line, and the environment of children."""

import contextlib
import json
import os
import sqlite3
import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner

from backend import cli
from backend.auth import key_format
from backend.cli import commands
from backend.cli.commands import app
from backend.runtime import logs
from tests.support.store.data_folders import set_up_home

run = CliRunner()


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    return set_up_home(tmp_path, monkeypatch)


def test_a_created_key_is_shown_once_and_listed_without_its_secret() -> None:
    result = run.invoke(
        app,
        [
            "keys",
            "create",
            "--name",
            "ci",
            "--scope",
            "read",
            "--scope",
            "write",
            "--expires",
            "90d",
            "--json",
        ],
    )
    assert result.exit_code == 0, result.output
    created = json.loads(result.stdout)
    assert key_format.parse(created["key"]) is not None
    assert created["scopes"] == ["read", "write"]
    assert created["expires_at"].endswith("Z")
    listed = run.invoke(app, ["keys", "list", "--json"])
    assert [key["id"] for key in json.loads(listed.stdout)] == [created["id"]]
    assert created["key"] not in listed.stdout
    assert created["key"] not in run.invoke(app, ["keys", "list"]).stdout


def test_a_revoked_key_is_listed_as_revoked() -> None:
    created = json.loads(run.invoke(app, ["keys", "create", "--name", "ci", "--json"]).stdout)
    revoked = run.invoke(app, ["keys", "revoke", created["id"]])
    assert revoked.exit_code == 0
    assert json.loads(run.invoke(app, ["keys", "list", "--json"]).stdout)[0]["state"] == "revoked"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["keys", "create", "--name", "x", "--scope", "everything"], "read, write, ingest, admin"),
        (["keys", "create", "--name", "x", "--expires", "soon"], "90d"),
        (["keys", "create", "--name", "x", "--env", "LIVE"], "env"),
        (["keys", "create", "--name", "x", "--terminal", "--scope", "read"], "--terminal or --scope"),
        (["keys", "create", "--name", "x", "--feed", "--scope", "read"], "web feeds alone"),
        (["keys", "create", "--name", "x", "--feed", "--terminal"], "web feeds alone"),
        (["keys", "revoke", "nobody"], "keys list"),
        (["prices", "show", "no-such-coin"], "no-such-coin"),
    ],
)
def test_wrong_usage_is_a_sentence_and_exit_code_2(arguments: list[str], word: str) -> None:
    result = run.invoke(app, arguments)
    assert result.exit_code == 2
    assert word in " ".join(result.stderr.split())
    assert "Traceback" not in result.output


def test_the_error_names_an_invalid_setting() -> None:
    result = run.invoke(app, ["migrate"], env={"CHAINPROOF_PORT": "many"})
    assert result.exit_code == 2
    assert "CHAINPROOF_PORT" in result.stderr


def test_an_unreachable_store_is_exit_code_3_without_its_password() -> None:
    address = "postgresql://chain:hunter2@127.0.0.1:1/none"
    result = run.invoke(app, ["keys", "list"], env={"CHAINPROOF_DATABASE_URL": address})
    assert result.exit_code == 3
    assert "does not answer" in result.stderr
    assert "hunter2" not in result.output


def test_prices_are_fetched_if_none_are_stored_and_name_their_source() -> None:
    result = run.invoke(app, ["prices", "show", "btc", "ethereum", "--json"])
    assert result.exit_code == 0, result.output
    records = json.loads(result.stdout)
    assert [record["id"] for record in records] == ["bitcoin", "ethereum"]
    assert all(record["source"] == "sample" and record["price_usd"] for record in records)
    table = run.invoke(app, ["prices", "show", "--limit", "3"], env={"COLUMNS": "160"})
    assert "BTC" in table.stdout
    assert "sample" in table.stdout


def test_the_doctor_reports_a_fresh_machine_without_faults(home: Path) -> None:
    result = run.invoke(app, ["doctor", "--json"], env={"CHAINPROOF_PORT": "1"})
    findings = {finding["subject"]: finding for finding in json.loads(result.stdout)}
    assert result.exit_code == 0
    assert findings["Store"]["state"] in ("ok", "note")
    assert findings["Assets"]["state"] == "ok"
    assert "not running" in findings["Service"]["sentence"]


def test_the_doctor_finds_a_key_file_that_others_can_read(home: Path) -> None:
    assert run.invoke(app, ["migrate"]).exit_code == 0
    file = home / "local.key"
    file.write_text(key_format.generate("local"))
    file.chmod(0o644)
    result = run.invoke(app, ["doctor"])
    assert result.exit_code == 3
    assert "chmod 600" in result.stdout
    assert stat.S_IMODE(file.stat().st_mode) == 0o644  # reported, not changed


def test_the_doctor_names_the_error_in_a_users_asset_file(home: Path) -> None:
    home.mkdir(parents=True)
    (home / "assets.yaml").write_text("assets:\n  - id: bitcoin\n    colour: orange\n")
    result = run.invoke(app, ["doctor"])
    assert result.exit_code == 3
    assert "colour" in result.stdout


def test_the_doctor_reports_why_own_rules_are_refused(home: Path) -> None:
    (home / "rules").mkdir(parents=True)
    (home / "rules" / "own.yaml").write_text("version: 1\nrules: [{id: x}]\n")
    result = run.invoke(app, ["doctor"])
    assert "Your own rules are refused, so the built-in ones apply:" in " ".join(result.stdout.split())
    assert "own.yaml:2" in result.stdout.replace("\n", "")


@pytest.mark.parametrize(
    ("variable", "before", "after"),
    [
        ("OPENBLAS_NUM_THREADS", None, "1"),
        ("OPENBLAS_NUM_THREADS", "3", "3"),
        ("MALLOC_ARENA_MAX", None, "2"),
        ("MALLOC_ARENA_MAX", "7", "7"),
    ],
)
def test_children_get_few_blas_threads_and_arenas_unless_the_operator_sets_more(
    monkeypatch: pytest.MonkeyPatch, variable: str, before: str | None, after: str
) -> None:
    for name in ("PYTHONSAFEPATH", "OPENBLAS_NUM_THREADS", "MALLOC_ARENA_MAX"):
        monkeypatch.setenv(name, "")  # the program sets it; the test restores it
    if before is None:
        monkeypatch.delenv(variable)
    else:
        monkeypatch.setenv(variable, before)
    seen: list[str] = []
    monkeypatch.setattr(logs, "report_errors_only", lambda: None)
    monkeypatch.setattr(commands, "app", lambda: seen.append(os.environ[variable]))
    cli.main()
    assert seen == [after]


def test_migrate_leaves_a_newer_store_and_says_so(home: Path) -> None:
    assert run.invoke(app, ["migrate"]).stdout == "The store is at the newest schema.\n"
    with contextlib.closing(sqlite3.connect(home / "chainproof.db")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0099'")
        connection.commit()
    result = run.invoke(app, ["migrate"])
    assert result.exit_code == 0
    assert "schema 0099, newer than" in result.stdout
