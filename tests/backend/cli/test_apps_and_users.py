"""``chainproof apps`` and ``chainproof users``."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from backend.auth.oauth import passwords
from backend.cli.commands import app
from tests.support.homes import own_home
from tests.support.oauth_app import CALLBACK, CHEAP

run = CliRunner()
PASSWORD = "correct horse battery\n"


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(passwords, "hasher", CHEAP)
    return own_home(tmp_path, monkeypatch)


def do(*arguments: str, typed: str | None = None) -> Result:
    return run.invoke(app, list(arguments), input=typed)


def done(*arguments: str, typed: str | None = None) -> str:
    answer = do(*arguments, typed=typed)
    assert answer.exit_code == 0, answer.output
    return answer.stdout


def test_an_application_is_registered_listed_and_revoked() -> None:
    made = json.loads(done("apps", "create", "--name", "[b]Desk", "--redirect-uri", CALLBACK, "--json"))
    assert made["redirect_uris"] == [CALLBACK]
    assert json.loads(done("apps", "list", "--json")) == [made]
    assert "[b]Desk" in done("apps", "list")
    done("apps", "revoke", made["client_id"])
    assert json.loads(done("apps", "list", "--json"))[0]["state"] == "revoked"


def test_without_json_the_client_id_stands_alone_on_its_line() -> None:
    told = done("apps", "create", "--name", "Desk", "--redirect-uri", CALLBACK).splitlines()
    assert told[-1] == json.loads(done("apps", "list", "--json"))[0]["client_id"]


def test_an_account_is_made_listed_disabled_enabled_and_given_another_password() -> None:
    made = json.loads(done("users", "create", "Ada", "--password-stdin", "--json", typed=PASSWORD))
    assert (made["username"], made["scopes"], made["state"]) == ("Ada", ["read", "write", "ingest"], "active")
    assert json.loads(done("users", "list", "--json")) == [made]
    assert "Ada" in done("users", "list")
    done("users", "disable", "ada")
    assert json.loads(done("users", "list", "--json"))[0]["state"] == "disabled"
    done("users", "enable", "ada")
    assert json.loads(done("users", "list", "--json"))[0]["state"] == "active"
    assert "revoked" in done("users", "password", "ada", "--password-stdin", typed="another password\r\n")


def test_the_browsers_in_which_people_stay_signed_in_are_listed_and_signed_out() -> None:
    from backend.auth.oauth import sign_in_sessions
    from backend.cli.open_store import open_database

    now, database = datetime.now(UTC), open_database()
    people = [
        json.loads(done("users", "create", name, "--password-stdin", "--json", typed=PASSWORD))
        for name in ("ada", "ben")
    ]
    with database.write() as connection:
        for account in (people[0], people[0], people[1]):
            sign_in_sessions.start(connection, account["id"], user_agent="Linux Firefox/1", now=now)
    database.dispose()

    def listed(*of: str) -> list[str]:
        return [row["username"] for row in json.loads(done("users", "sessions", *of, "--json"))]

    assert (listed(), listed("ben")) == (["ada", "ada", "ben"], ["ben"])
    first = json.loads(done("users", "sessions", "ada", "--json"))[0]
    assert "Firefox on Linux" in done("users", "sessions")
    assert "1 session ended" in done("users", "sessions", "--end", first["id"])
    assert listed() == ["ada", "ben"]
    assert "1 session ended" in done("users", "sessions", "ada", "--end-all")
    assert listed() == ["ben"]


@pytest.mark.parametrize(
    ("arguments", "typed", "word"),
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
def test_wrong_use_is_a_sentence_and_exit_code_2(arguments: list[str], typed: str | None, word: str) -> None:
    answer = do(*arguments, typed=typed)
    assert answer.exit_code == 2
    assert word in " ".join(answer.stderr.split())
    assert "Traceback" not in answer.output


def test_a_name_is_given_once() -> None:
    done("users", "create", "ada", "--password-stdin", typed=PASSWORD)
    answer = do("users", "create", "Ada", "--password-stdin", typed=PASSWORD)
    assert (answer.exit_code, "already" in answer.stderr) == (2, True)


@pytest.mark.parametrize(
    ("issuer", "people", "state", "word"),
    [
        (None, False, "note", "users create"),
        (None, True, "ok", "http://127.0.0.1"),
        ("https://desk.example", True, "ok", "https://desk.example"),
        ("http://desk.example", True, "note", "CHAINPROOF_ISSUER"),
    ],
)
def test_doctor_tells_of_sign_in(
    monkeypatch: pytest.MonkeyPatch, issuer: str | None, people: bool, state: str, word: str
) -> None:
    from backend.auth.oauth.doctor_checks import check_sign_in
    from backend.cli.open_store import open_database
    from backend.settings import Settings

    settings, database = Settings(issuer=issuer), open_database()
    assert check_sign_in(settings, database).state == "ok"
    done("apps", "create", "--name", "Desk", "--redirect-uri", CALLBACK)
    if people:
        done("users", "create", "ada", "--password-stdin", typed=PASSWORD)
    result = check_sign_in(settings, database)
    assert result.state == state
    assert word in result.sentence
    database.dispose()
