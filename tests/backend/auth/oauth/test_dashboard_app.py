"""Tests that the dashboard is registered once and found again, and never against the operator's will."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from backend.auth.oauth import apps, dashboard_app
from backend.auth.oauth.doctor_checks import check_dashboard
from backend.settings import Settings
from backend.store.database import Database

NOW = datetime(2026, 11, 21, tzinfo=UTC)
HERE = "http://127.0.0.1:8501/sign-in/callback"
THERE = "https://chainproof.example/sign-in/callback"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "dashboard-client.json"


def read_client_id(file: Path) -> str:
    body = json.loads(file.read_text())
    assert set(body) == {"client_id", "redirect_uri"}
    return str(body["client_id"])


def test_dashboard_app_is_registered_once_with_its_redirect_uri(
    sqlite_database: Database, file: Path
) -> None:
    for _ in range(2):
        dashboard_app.ensure_registered(sqlite_database, file, HERE, NOW)
    (app,) = apps.list_all(sqlite_database)
    assert (app.name, app.redirect_uris) == (dashboard_app.NAME, (HERE,))
    assert read_client_id(file) == app.client_id


def test_missing_or_corrupt_file_is_rewritten_for_the_same_application(
    sqlite_database: Database, file: Path
) -> None:
    dashboard_app.ensure_registered(sqlite_database, file, HERE, NOW)
    before = read_client_id(file)
    for broken in (None, "", "{", "[]", '{"client_id": 1, "redirect_uri": 2}', "\u20ac"):
        file.unlink() if broken is None else file.write_text(broken, encoding="utf-8")
        dashboard_app.ensure_registered(sqlite_database, file, HERE, NOW)
        assert read_client_id(file) == before
    assert len(apps.list_all(sqlite_database)) == 1


def test_different_redirect_uri_registers_a_different_application(
    sqlite_database: Database, file: Path
) -> None:
    dashboard_app.ensure_registered(sqlite_database, file, HERE, NOW)
    before = read_client_id(file)
    dashboard_app.ensure_registered(sqlite_database, file, THERE, NOW)
    assert read_client_id(file) != before
    dashboard_app.ensure_registered(sqlite_database, file, HERE, NOW)
    assert read_client_id(file) == before


def test_revoked_dashboard_app_is_not_registered_again(sqlite_database: Database, file: Path) -> None:
    dashboard_app.ensure_registered(sqlite_database, file, HERE, NOW)
    before = read_client_id(file)
    apps.revoke(sqlite_database, before, NOW)
    dashboard_app.ensure_registered(sqlite_database, file, HERE, NOW)
    assert read_client_id(file) == before
    assert [app.state for app in apps.list_all(sqlite_database)] == ["revoked"]


def test_invalid_redirect_uri_does_not_prevent_startup(sqlite_database: Database, file: Path) -> None:
    dashboard_app.ensure_registered(sqlite_database, file, "http://192.168.1.5:8501/sign-in/callback", NOW)
    assert not file.exists()
    assert apps.list_all(sqlite_database) == []


@pytest.mark.parametrize(
    ("settings", "state", "words"),
    [
        ({}, "ok", "this machine alone"),
        ({"dashboard_sign_in": "always"}, "ok", "people sign in at http://127.0.0.1:8501"),
        ({"dashboard_host": "0.0.0.0"}, "note", "CHAINPROOF_DASHBOARD_PUBLIC_URL"),
        ({"dashboard_host": "192.168.1.5"}, "fault", "CHAINPROOF_DASHBOARD_PUBLIC_URL"),
        ({"dashboard_host": "::", "dashboard_public_url": "https://c.example"}, "ok", "https://c.example"),
        (
            {"dashboard_host": "::", "dashboard_sign_in": "never", "dashboard_open_to_all": True},
            "note",
            "open to all",
        ),
    ],
)
def test_doctor_check_reports_who_can_open_the_dashboard(
    settings: dict[str, Any], state: str, words: str
) -> None:
    result = check_dashboard(Settings(**settings))
    assert result.state == state
    assert words in result.sentence
