"""``chainproof doctor``: every check, each by itself, before and after the first start."""

import json
import sqlite3
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from pydantic import SecretStr
from typer.testing import CliRunner

from backend import migrations
from backend.cli.commands import app
from backend.doctor import installation_checks, runner
from backend.doctor.installation_checks import Service, check_home, check_service, check_worker, open_store
from backend.doctor.runner import Finding, examine
from backend.jobs.heartbeat import Heartbeat
from backend.markets import configuration
from backend.markets.refresh import Refresher
from backend.settings import Settings
from backend.store.database import Database
from tests.support.homes import own_home
from tests.support.market_app import CALM, FEW, Clock, enable_only
from tests.support.submitted_jobs import NOW

NOWHERE = "http://127.0.0.1:1"
"""Refuses every connection at once."""
CHECKS = [
    *(
        "settings",
        "data_folder",
        "rules",
        "dashboard",
        "store",
        "assets",
        "keys",
        "figures",
        "worker",
        "jobs",
    ),
    *("documents", "sign_in", "feeds", "model", "x", "profiles", "search", "limits", "service"),
]


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    return own_home(tmp_path, monkeypatch)


def settings_of(home: Path, **given: Any) -> Settings:
    return Settings(home=home, port=1, **given)


def of(findings: list[Finding], check: str) -> tuple[str, str]:
    """State and sentence of the one finding of a check."""
    [found] = [finding for finding in findings if finding.check == check]
    return found.state, found.sentence


def test_before_the_first_start_every_check_is_made_and_nothing_is_created(home: Path) -> None:
    live = {
        "coingecko_base_url": NOWHERE,
        "alternative_me_base_url": NOWHERE,
        "search_searxng_url": NOWHERE,
    }
    findings = examine(settings_of(home, mode="live", **live))
    assert list(dict.fromkeys(finding.check for finding in findings)) == [
        *CHECKS[:6],
        "providers",
        *CHECKS[6:],
    ]
    faults = [finding.subject for finding in findings if finding.state == "fault"]
    assert faults == ["coingecko", "alternative.me", "SearXNG"]
    assert of(findings, "store") == (
        "note",
        f"{home}/chainproof.db does not exist yet; the first start creates it.",
    )
    assert not home.exists()


def test_a_store_that_is_up_to_date_is_asked_what_it_holds(home: Path) -> None:
    enable_only(home, ("bitcoin", "ethereum"))
    settings = settings_of(home)
    migrations.upgrade(settings.app_database_url)
    findings = examine(settings)
    assert [finding.check for finding in findings] == CHECKS
    assert not [finding for finding in findings if finding.state == "fault"]
    assert of(findings, "worker")[0] == "note", "no service runs that would need one"


def test_a_check_that_ends_unexpectedly_is_a_finding_and_ends_no_other(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise ZeroDivisionError("line 7 of secret.py")

    def refuse(*_: Any) -> Any:
        raise sa.exc.OperationalError("SELECT x", {}, Exception("no such table:\n jobs"))

    monkeypatch.setattr(installation_checks, "check_rules", fail)
    monkeypatch.setattr(runner, "limits_checkup", refuse)
    findings = examine(settings_of(home))
    assert of(findings, "rules") == (
        "fault",
        "This check ended unexpectedly (ZeroDivisionError), so nothing is known of it.",
    )
    assert of(findings, "limits") == (
        "fault",
        "The store cannot be read for this check: no such table: jobs.",
    )
    assert {finding.check for finding in findings} == set(CHECKS)


def test_mistakes_in_settings_are_told_and_the_other_checks_are_made_with_the_defaults(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINPROOF_DATABASE_URL", "mysql://u:hush@h/db")
    monkeypatch.setenv("CHAINPROOF_PROT", "1")
    answer = CliRunner().invoke(app, ["doctor", "--json"])
    findings = json.loads(answer.stdout)
    assert answer.exit_code == 3
    assert all(list(finding) == ["check", "subject", "state", "sentence"] for finding in findings)
    told = [(finding["state"], finding["sentence"]) for finding in findings if finding["check"] == "settings"]
    assert [state for state, _ in told] == ["fault", "note"]
    assert told[0][1].startswith(
        "CHAINPROOF_DATABASE_URL: the value is not accepted. It must be a PostgreSQL"
    )
    assert told[1][1].endswith("Did you mean CHAINPROOF_PORT?")
    assert {finding["check"] for finding in findings} == set(CHECKS)
    assert "hush" not in answer.stdout


def test_a_data_folder_that_cannot_be_one_is_a_fault_with_the_one_hint_that_fits(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for home in (tmp_path / "file", tmp_path / "file" / "below"):
        [(_, state, sentence)] = check_home(settings_of(home))
        assert (state, sentence) == ("fault", f"{tmp_path}/file is a file. Set CHAINPROOF_HOME to a folder.")
        noted, database = open_store(settings_of(home))
        assert (noted.state, database) == ("fault", None)
    [(_, state, sentence)] = check_home(settings_of(tmp_path))
    assert (state, sentence) == ("ok", f"{tmp_path} can be written.")


@pytest.mark.parametrize(
    ("change", "state", "words"),
    [
        (
            "UPDATE alembic_version SET version_num = '0009'",
            "note",
            "at schema 0009; 'chainproof migrate'",
        ),
        (
            "UPDATE alembic_version SET version_num = '0999'",
            "note",
            "schema 0999 is newer than this",
        ),
        ("UPDATE alembic_version SET version_num = 'abc'", "fault", "at schema 'abc', which no version"),
        ("DROP TABLE alembic_version", "fault", "is the database of another program"),
    ],
)
def test_the_schema_of_the_store_is_told(home: Path, change: str, state: str, words: str) -> None:
    settings = settings_of(home)
    migrations.upgrade(settings.app_database_url)
    with sqlite3.connect(home / "chainproof.db") as connection:
        connection.execute(change)
    connection.close()
    noted, database = open_store(settings)
    assert (noted.state, words in noted.sentence) == (state, True), noted.sentence
    assert (database is not None) is ("newer" in words)
    if database is not None:
        database.dispose()


def test_a_postgresql_that_does_not_answer_is_one_sentence_without_its_password() -> None:
    url = SecretStr("postgresql://u:hush@127.0.0.1:1/db")
    noted, _ = open_store(Settings(database_url=url))
    assert noted.state == "fault"
    assert noted.sentence.startswith("PostgreSQL does not answer: ")
    assert noted.sentence.endswith("Check CHAINPROOF_DATABASE_URL and that PostgreSQL runs.")
    assert "hush" not in noted.sentence
    assert "\n" not in noted.sentence


def test_a_worker_that_never_ran_is_a_fault_beside_a_service_and_one_that_is_gone_always(
    sqlite_database: Database,
) -> None:
    clock = Clock(NOW)

    def state(service: Service) -> str:
        [noted] = check_worker(sqlite_database, service, clock.at)
        return noted.state

    nothing, runs = Service(0, None), Service(200, {"store": {"ok": True}})
    assert (state(nothing), state(runs)) == ("note", "fault")
    heartbeat = Heartbeat(sqlite_database, clock=clock)
    heartbeat.start()
    assert state(runs) == "note"
    heartbeat.beat()
    assert state(nothing) == "ok"
    clock.move(seconds=31)
    assert (state(nothing), state(runs)) == ("fault", "fault")


def test_the_service_is_told_apart_from_another_program_and_from_one_that_is_not_ready() -> None:
    def told(status: int, checks: dict[str, Any] | None) -> tuple[str, str]:
        [(_, state, sentence)] = check_service(Settings(port=1), Service(status, checks))
        return state, sentence

    url = "http://127.0.0.1:1"
    store = {"store": {"ok": False, "detail": "The store does not answer."}, "watcher": {"ok": True}}
    assert told(0, None) == ("note", f"not running at {url}.")
    assert told(200, {"store": {"ok": True}}) == ("ok", f"running and ready at {url}.")
    assert told(503, store) == ("fault", f"running at {url}, but not ready. The store does not answer.")
    assert told(404, {})[1].startswith(f"Another program answers at {url}.")


@pytest.mark.parametrize(
    ("later", "state", "words"),
    [
        (timedelta(seconds=20), "ok", "7 of 7 assets have a quote; last refreshed 20 s ago."),
        (
            timedelta(hours=2),
            "fault",
            "7 of 7 assets have a quote, 7 of them stale; last refreshed 2 h ago.",
        ),
    ],
)
def test_the_share_of_assets_that_have_a_quote_is_told(
    home: Path, later: timedelta, state: str, words: str
) -> None:
    ids = ("bitcoin", "ethereum", "tether", "solana", "litecoin", "dogecoin", "cardano")
    enable_only(home, ids)
    settings = settings_of(home)
    migrations.upgrade(settings.app_database_url)
    database = Database(settings.app_database_url)
    market = configuration.prepare(settings, database)
    Refresher(database, market).tick(CALM)
    assert runner._coverage(market, database, CALM + later) == ("Figures", state, words)
    enable_only(home, (*ids, *FEW))
    found = runner._coverage(
        configuration.prepare(settings, database), database, CALM + timedelta(seconds=20)
    )
    assert (found[1], found[2].partition(";")[0]) == ("note", "7 of 12 assets have a quote")
    database.dispose()
