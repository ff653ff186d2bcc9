"""Tests ``chainproof apps`` and ``chainproof users``."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from backend.auth.oauth import passwords
from backend.cli.commands import app
from tests.support.apps.oauth_app import CALLBACK, FAST_PASSWORD_HASHER
from tests.support.store.data_folders import set_up_home

run = CliRunner()
PASSWORD = "correct horse battery\n"


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(passwords, "hasher", FAST_PASSWORD_HASHER)
    return set_up_home(tmp_path, monkeypatch)


def invoke(*arguments: str, stdin: str | None = None) -> Result:
    return run.invoke(app, list(arguments), input=stdin)


def run_for_output(*arguments: str, stdin: str | None = None) -> str:
    result = invoke(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_an_application_is_registered_listed_and_revoked() -> None:
    created = json.loads(
        run_for_output("apps", "create", "--name", "[b]Desk", "--redirect-uri", CALLBACK, "--json")
    )
    assert created["redirect_uris"] == [CALLBACK]
    assert json.loads(run_for_output("apps", "list", "--json")) == [created]
    assert "[b]Desk" in run_for_output("apps", "list")
    run_for_output("apps", "revoke", created["client_id"])
    assert json.loads(run_for_output("apps", "list", "--json"))[0]["state"] == "revoked"


def test_without_json_the_client_id_has_its_own_line() -> None:
    lines = run_for_output("apps", "create", "--name", "Desk", "--redirect-uri", CALLBACK).splitlines()
    assert lines[-1] == json.loads(run_for_output("apps", "list", "--json"))[0]["client_id"]


def test_an_account_is_created_listed_disabled_enabled_and_gets_a_new_password() -> None:
    created = json.loads(
        run_for_output("users", "create", "Ada", "--password-stdin", "--json", stdin=PASSWORD)
    )
    assert (created["username"], created["scopes"], created["state"]) == (
        "Ada",
        ["read", "write", "ingest"],
        "active",
    )
    assert json.loads(run_for_output("users", "list", "--json")) == [created]
    assert "Ada" in run_for_output("users", "list")
    run_for_output("users", "disable", "ada")
    assert json.loads(run_for_output("users", "list", "--json"))[0]["state"] == "disabled"
    run_for_output("users", "enable", "ada")
    assert json.loads(run_for_output("users", "list", "--json"))[0]["state"] == "active"
    assert "revoked" in run_for_output(
        "users", "password", "ada", "--password-stdin", stdin="another password\r\n"
    )


def test_sign_in_sessions_are_listed_and_ended() -> None:
    from backend.auth.oauth import sign_in_sessions
    from backend.cli.open_store import open_database

    now, database = datetime.now(UTC), open_database()
    accounts = [
        json.loads(run_for_output("users", "create", name, "--password-stdin", "--json", stdin=PASSWORD))
        for name in ("ada", "ben")
    ]
    with database.write() as connection:
        for account in (accounts[0], accounts[0], accounts[1]):
            sign_in_sessions.start(connection, account["id"], user_agent="Linux Firefox/1", now=now)
    database.dispose()

    def list_names(*arguments: str) -> list[str]:
        return [
            row["username"] for row in json.loads(run_for_output("users", "sessions", *arguments, "--json"))
        ]

    assert (list_names(), list_names("ben")) == (["ada", "ada", "ben"], ["ben"])
    first = json.loads(run_for_output("users", "sessions", "ada", "--json"))[0]
    assert "Firefox on Linux" in run_for_output("users", "sessions")
    assert "1 session ended" in run_for_output("users", "sessions", "--end", first["id"])
    assert list_names() == ["ada", "ben"]
    assert "1 session ended" in run_for_output("users", "sessions", "ada", "--end-all")
    assert list_names() == ["ben"]


@pytest.mark.parametrize(
    ("arguments", "stdin", "word"),
    [
        (["apps", "create", "--name", "x", "--redirect-uri", "http://desk.example/"], None, "Use https://"),
        (["apps", "create", "--name", "x"], None, "--redirect-uri"),
        (["apps", "revoke", "nobody"], None, "apps list"),
        (["users", "create", "x", "--password-stdin"], "short\n", "8 to 1024"),
        (["users", "create", "x", "--password-stdin"], "", "8 to 1024"),
        (["users", "create", "x"], PASSWORD, "--password-stdin"),
        (
            ["users", "create", "x", "--password-stdin", "--scope", "all"],
            PASSWORD,
            "read, write, ingest, admin",
        ),
        (["users", "create", "a b", "--password-stdin"], PASSWORD, "blanks"),
        (["users", "disable", "nobody"], None, "users list"),
        (["users", "password", "nobody", "--password-stdin"], PASSWORD, "users list"),
        (["users", "sessions", "nobody"], None, "users list"),
        (["users", "sessions", "--end", "nothing"], None, "users sessions"),
        (["users", "sessions", "--end-all"], None, "NAME"),
        (
            ["apps", "create", "--name", "x", "--redirect-uri", "com.example.x:/", "--first-party"],
            None,
            "http or https",
        ),
    ],
)
def test_wrong_usage_is_a_sentence_and_exit_code_2(
    arguments: list[str], stdin: str | None, word: str
) -> None:
    result = invoke(*arguments, stdin=stdin)
    assert result.exit_code == 2
    assert word in " ".join(result.stderr.split())
    assert "Traceback" not in result.output


def test_a_user_name_is_unique() -> None:
    run_for_output("users", "create", "ada", "--password-stdin", stdin=PASSWORD)
    result = invoke("users", "create", "Ada", "--password-stdin", stdin=PASSWORD)
    assert (result.exit_code, "already" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("issuer", "has_account", "state", "word"),
    [
        (None, False, "note", "users create"),
        (None, True, "ok", "http://127.0.0.1"),
        ("https://desk.example", True, "ok", "https://desk.example"),
        ("http://desk.example", True, "note", "CHAINPROOF_ISSUER"),
    ],
)
def test_the_doctor_checks_sign_in(
    monkeypatch: pytest.MonkeyPatch, issuer: str | None, has_account: bool, state: str, word: str
) -> None:
    from backend.auth.oauth.doctor_checks import check_sign_in
    from backend.cli.open_store import open_database
    from backend.settings import Settings

    settings, database = Settings(issuer=issuer), open_database()
    assert check_sign_in(settings, database).state == "ok"
    run_for_output("apps", "create", "--name", "Desk", "--redirect-uri", CALLBACK)
    if has_account:
        run_for_output("users", "create", "ada", "--password-stdin", stdin=PASSWORD)
    result = check_sign_in(settings, database)
    assert result.state == state
    assert word in result.sentence
    database.dispose()
