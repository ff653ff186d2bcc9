"""Tests ``chainproof doctor``: all checks together and each alone, before and after the first start."""

import json
import socket
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from pydantic import SecretStr
from typer.testing import CliRunner

from backend import migrations
from backend.cli.commands import app
from backend.doctor import installation_checks, runner
from backend.doctor.installation_checks import (
    Readiness,
    check_dashboard_port,
    check_data_folder,
    check_service,
    check_store,
    check_worker,
)
from backend.doctor.runner import Finding, run_checks
from backend.jobs.heartbeat import Heartbeat
from backend.markets import configuration
from backend.markets.doctor_checks import check_coverage
from backend.markets.refresh import Refresher
from backend.settings import Settings
from backend.store.database import Database
from tests.support.apps.market_app import CALM, FEW, Clock, enable_only
from tests.support.jobs.submitted_jobs import NOW
from tests.support.processes.running import free_port
from tests.support.store.data_folders import set_up_home

REFUSING_URL = "http://127.0.0.1:1"
"""Refuses every connection at once."""
RECORDINGS = Path(__file__).parents[2] / "docs" / "examples" / "replay"
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
    return set_up_home(tmp_path, monkeypatch)


def build_settings(home: Path, **values: Any) -> Settings:
    return Settings(**{"home": home, "port": free_port(), "dashboard_port": free_port(), **values})


def find_one(findings: list[Finding], check: str) -> tuple[str, str]:
    """Return state and sentence of the only finding of a check."""
    [only] = [finding for finding in findings if finding.check == check]
    return only.state, only.sentence


def find_first(findings: list[Finding], check: str) -> tuple[str, str]:
    """Return state and sentence of the first finding of a check."""
    return next((finding.state, finding.sentence) for finding in findings if finding.check == check)


def test_before_the_first_start_every_check_runs_and_creates_nothing(home: Path) -> None:
    live = {
        "coingecko_base_url": REFUSING_URL,
        "alternative_me_base_url": REFUSING_URL,
        "search_searxng_url": REFUSING_URL,
    }
    findings = run_checks(build_settings(home, mode="live", **live))
    assert list(dict.fromkeys(finding.check for finding in findings)) == [
        *CHECKS[:6],
        "providers",
        *CHECKS[6:],
    ]
    faults = [finding.subject for finding in findings if finding.state == "fault"]
    assert faults == ["coingecko", "alternative.me", "SearXNG"]
    assert find_one(findings, "store") == (
        "note",
        f"{home}/chainproof.db does not exist yet; the first start creates it.",
    )
    assert not home.exists()


def test_the_content_of_an_up_to_date_store_is_checked(home: Path) -> None:
    enable_only(home, ("bitcoin", "ethereum"))
    settings = build_settings(home)
    migrations.upgrade(settings.app_database_url)
    findings = run_checks(settings)
    assert [finding.check for finding in findings] == CHECKS
    assert not [finding for finding in findings if finding.state == "fault"]
    assert find_one(findings, "worker")[0] == "note", "no running service needs a worker"


def test_an_exception_in_a_check_becomes_a_finding_and_the_other_checks_run(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise ZeroDivisionError("line 7 of secret.py")

    def fail_in_the_store(*_: Any) -> Any:
        raise sa.exc.OperationalError("SELECT x", {}, Exception("no such table:\n jobs"))

    monkeypatch.setattr(installation_checks, "check_rules", fail)
    monkeypatch.setattr(runner, "check_rate_limit", fail_in_the_store)
    findings = run_checks(build_settings(home))
    assert find_one(findings, "rules") == (
        "fault",
        "This check failed unexpectedly (ZeroDivisionError), so its result is unknown.",
    )
    assert find_one(findings, "limits") == (
        "fault",
        "The store cannot be read for this check: no such table: jobs.",
    )
    assert {finding.check for finding in findings} == set(CHECKS)


def test_invalid_settings_are_reported_and_the_other_checks_use_the_defaults(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINPROOF_DATABASE_URL", "mysql://u:hush@h/db")
    monkeypatch.setenv("CHAINPROOF_PROT", "1")
    result = CliRunner().invoke(app, ["doctor", "--json"])
    findings = json.loads(result.stdout)
    assert result.exit_code == 3
    assert all(list(finding) == ["check", "subject", "state", "sentence"] for finding in findings)
    reported = [
        (finding["state"], finding["sentence"]) for finding in findings if finding["check"] == "settings"
    ]
    assert [state for state, _ in reported] == ["fault", "note"]
    assert reported[0][1].startswith(
        "CHAINPROOF_DATABASE_URL: the value is not accepted. It must be a PostgreSQL"
    )
    assert reported[1][1].endswith("Did you mean CHAINPROOF_PORT?")
    assert {finding["check"] for finding in findings} == set(CHECKS)
    assert "hush" not in result.stdout


def test_a_file_as_data_folder_is_a_fault_with_a_fitting_hint(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for home in (tmp_path / "file", tmp_path / "file" / "below"):
        [(_, state, sentence)] = check_data_folder(build_settings(home))
        assert (state, sentence) == ("fault", f"{tmp_path}/file is a file. Set CHAINPROOF_HOME to a folder.")
        result, database = check_store(build_settings(home))
        assert (result.state, database) == ("fault", None)
    [(_, state, sentence)] = check_data_folder(build_settings(tmp_path))
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
            "schema 0999, newer than",
        ),
        ("UPDATE alembic_version SET version_num = 'abc'", "fault", "at schema 'abc', which no version"),
        ("DROP TABLE alembic_version", "fault", "is the database of another program"),
    ],
)
def test_the_check_reports_the_schema_of_the_store(home: Path, change: str, state: str, words: str) -> None:
    settings = build_settings(home)
    migrations.upgrade(settings.app_database_url)
    with sqlite3.connect(home / "chainproof.db") as connection:
        connection.execute(change)
    connection.close()
    result, database = check_store(settings)
    assert (result.state, words in result.sentence) == (state, True), result.sentence
    assert (database is not None) is ("newer" in words)
    if database is not None:
        database.dispose()


def test_an_unreachable_postgresql_is_one_sentence_without_its_password() -> None:
    url = SecretStr("postgresql://u:hush@127.0.0.1:1/db")
    result, _ = check_store(Settings(database_url=url))
    assert result.state == "fault"
    assert result.sentence.startswith("PostgreSQL does not answer: ")
    assert result.sentence.endswith("Check CHAINPROOF_DATABASE_URL and that PostgreSQL runs.")
    assert "hush" not in result.sentence
    assert "\n" not in result.sentence


def test_a_missing_worker_is_a_fault_only_while_the_service_runs(
    sqlite_database: Database,
) -> None:
    clock = Clock(NOW)

    def find_state(service: Readiness) -> str:
        [result] = check_worker(sqlite_database, service, clock.at)
        return result.state

    stopped, running = Readiness(0, None), Readiness(200, {"store": {"ok": True}})
    assert (find_state(stopped), find_state(running)) == ("note", "fault")
    heartbeat = Heartbeat(sqlite_database, clock=clock)
    heartbeat.start()
    assert find_state(running) == "note"
    heartbeat.beat()
    assert find_state(stopped) == "ok"
    clock.move(seconds=31)
    assert (find_state(stopped), find_state(running)) == ("note", "fault")


def test_the_check_distinguishes_the_service_from_another_program_and_from_an_unready_service() -> None:
    def check(status: int, checks: dict[str, Any] | None) -> tuple[str, str]:
        [(_, state, sentence)] = check_service(Settings(port=port), Readiness(status, checks))
        return state, sentence

    port = free_port()
    url = f"http://127.0.0.1:{port}"
    unready = {"store": {"ok": False, "detail": "The store does not answer."}, "watcher": {"ok": True}}
    assert check(0, None) == ("note", f"not running at {url}.")
    assert check(200, {"store": {"ok": True}}) == ("ok", f"running and ready at {url}.")
    assert check(503, unready) == ("fault", f"running at {url}, but not ready. The store does not answer.")
    assert check(404, {})[1].startswith(f"Another program answers at {url}.")


def test_an_address_at_which_no_program_could_listen_is_reported() -> None:
    stopped = Readiness(0, None)
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        port = mute.getsockname()[1]
        settings = Settings(port=port, dashboard_port=port)
        [service], [dashboard] = check_service(settings, stopped), check_dashboard_port(settings)
    assert (service.state, dashboard.state) == ("fault", "note")
    used = f"Port {port} is in use by another program. Stop it, or set CHAINPROOF_"
    assert service.sentence == f"{used}PORT to another port."
    assert dashboard.sentence == f"{used}DASHBOARD_PORT to another port."
    [unknown] = check_service(Settings(host="no.such.host.invalid", port=port), stopped)
    assert (unknown.state, "Correct CHAINPROOF_HOST" in unknown.sentence) == ("fault", True)
    assert not list(check_dashboard_port(Settings(dashboard_port=free_port())))


def test_a_damaged_store_is_a_fault_that_names_its_file(home: Path) -> None:
    settings = build_settings(home)
    migrations.upgrade(settings.app_database_url)
    file = home / "chainproof.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    content = bytearray(file.read_bytes())
    content[len(content) // 3 : len(content) // 2] = b"\xaa" * (len(content) // 2 - len(content) // 3)
    file.write_bytes(content)
    result, database = check_store(settings)
    assert (result.state, database) == ("fault", None)
    assert f"{file} is damaged" in result.sentence


@pytest.mark.parametrize(
    ("later", "state", "words"),
    [
        (timedelta(seconds=20), "ok", "7 of 7 assets have a quote; last refreshed 20 s ago."),
        (
            timedelta(hours=2),
            "fault",
            "7 of 7 assets have a quote, 7 of them stale; last refreshed 2 h ago. "
            "See the line on the worker.",
        ),
    ],
)
def test_the_check_reports_the_share_of_assets_with_a_quote(
    home: Path, later: timedelta, state: str, words: str
) -> None:
    ids = ("bitcoin", "ethereum", "tether", "solana", "litecoin", "dogecoin", "cardano")
    enable_only(home, ids)
    settings = build_settings(home)
    migrations.upgrade(settings.app_database_url)
    database = Database(settings.app_database_url)
    market = configuration.build_market(settings, database)
    Refresher(database, market).tick(CALM)
    assert check_coverage(market, database, CALM + later, settings) == ("Figures", state, words)
    enable_only(home, (*ids, *FEW))
    result = check_coverage(
        configuration.build_market(settings, database), database, CALM + timedelta(seconds=20), settings
    )
    assert (result[1], result[2].partition(";")[0]) == ("note", "7 of 12 assets have a quote")
    database.dispose()


@pytest.mark.parametrize(
    ("options", "states", "words"),
    [
        ({}, {"note"}, "The others are not recorded in"),
        ({"replay_faults": "coingecko=503"}, {"fault"}, "CHAINPROOF_REPLAY_FAULTS asks for this fault."),
    ],
)
def test_a_replay_is_checked_by_its_recordings_and_its_faults(
    home: Path, options: dict[str, Any], states: set[str], words: str
) -> None:
    settings = build_settings(home, mode="replay", replay_dir=RECORDINGS, replay_restamp=True, **options)
    migrations.upgrade(settings.app_database_url)
    database = Database(settings.app_database_url)
    Refresher(database, configuration.build_market(settings, database)).tick(datetime.now(UTC))
    database.dispose()
    findings = run_checks(settings)
    explained = [finding for finding in findings if words in finding.sentence]
    assert {finding.state for finding in explained} == states
    assert not [finding for finding in findings if finding.state == "fault" and finding not in explained]


def test_a_missing_file_is_reported_with_its_setting(home: Path) -> None:
    findings = run_checks(build_settings(home, feeds_file=home / "none.yaml"))
    assert find_first(findings, "settings") == (
        "fault",
        f"CHAINPROOF_FEEDS_FILE: {home}/none.yaml is not a file. Create it, or remove the setting.",
    )
