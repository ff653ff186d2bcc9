"""How the command starts the dashboard."""

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from streamlit import config
from streamlit.web import cli as streamlit_cli
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed
from typer.testing import CliRunner

from backend.cli import serve
from backend.cli.commands import app
from backend.runtime import logs


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """What Streamlit is told, once the command ran."""
    told: list[str] = []

    def main(arguments: list[str], **_: Any) -> None:
        told.extend(arguments)

    monkeypatch.setattr(streamlit_cli, "main", main)
    monkeypatch.setattr(serve, "exit_on_stop_signals", Mock())
    monkeypatch.setattr(logs, "configure", Mock())  # it would log into a stream that ends with the command
    monkeypatch.setattr(config, "get_config_files", config.get_config_files)  # which the command replaces
    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path))
    monkeypatch.setenv("CHAINPROOF_DASHBOARD_HOST", "127.0.0.1")  # which --host writes to; undone at the end
    monkeypatch.setenv("CHAINPROOF_DASHBOARD_PORT", "0")  # any free one: the command looks whether it is free
    monkeypatch.delenv("STREAMLIT_SERVER_ALLOWED_HOSTS", raising=False)
    return told


def hosts(arguments: list[str]) -> list[str]:
    return [each.partition("=")[2] for each in arguments if each.startswith("--server.allowedHosts=")]


def test_a_dashboard_of_this_machine_answers_to_this_machines_names_alone(started: list[str]) -> None:
    assert CliRunner().invoke(app, ["dashboard"]).exit_code == 0
    before = config.get_option("server.allowedHosts")
    config.set_option("server.allowedHosts", hosts(started))
    try:
        for host in ("127.0.0.1:8501", "localhost:8501", "[::1]:8501", "LOCALHOST"):
            assert is_host_allowed(host), host
        for host in ("other.example", "other.example:8501", "localhost.other.example", "127.0.0.1.other", ""):
            assert not is_host_allowed(host), host
    finally:
        config.set_option("server.allowedHosts", before)


def test_one_for_others_or_with_names_of_the_operators_own_is_left_to_those(
    started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert CliRunner().invoke(app, ["dashboard", "--host", "0.0.0.0"]).exit_code == 0
    monkeypatch.setenv("STREAMLIT_SERVER_ALLOWED_HOSTS", "dashboard.example")
    assert CliRunner().invoke(app, ["dashboard"]).exit_code == 0
    assert hosts(started) == []


def test_behind_a_proxy_it_answers_to_its_public_name_and_its_pages_too(
    started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINPROOF_DASHBOARD_PUBLIC_URL", "https://dash.example:8443")
    assert CliRunner().invoke(app, ["dashboard"]).exit_code == 0
    assert hosts(started) == ["localhost", "127.0.0.1", "::1", "dash.example"]
    assert "--server.corsAllowedOrigins=https://dash.example:8443" in started


def test_where_it_listens_on_every_address_it_asks_no_other_host_for_this_machines(
    started: list[str],
) -> None:
    assert CliRunner().invoke(app, ["dashboard", "--host", "0.0.0.0"]).exit_code == 0
    assert "--browser.serverAddress=127.0.0.1" in started
