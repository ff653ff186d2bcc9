"""Tests how the command starts the dashboard."""

import tomllib
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
def streamlit_arguments(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Record the arguments that the command passes to Streamlit."""
    recorded: list[str] = []

    def main(arguments: list[str], **_: Any) -> None:
        recorded.extend(arguments)

    monkeypatch.setattr(streamlit_cli, "main", main)
    monkeypatch.setattr(serve, "exit_on_stop_signals", Mock())
    monkeypatch.setattr(logs, "configure", Mock())  # it would log to a stream that closes with the command
    monkeypatch.setattr(config, "get_config_files", config.get_config_files)  # the command replaces it
    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path))
    monkeypatch.setenv("CHAINPROOF_DASHBOARD_HOST", "127.0.0.1")  # --host sets it; the test restores it
    monkeypatch.setenv("CHAINPROOF_DASHBOARD_PORT", "0")  # any free port
    monkeypatch.delenv("STREAMLIT_SERVER_ALLOWED_HOSTS", raising=False)
    return recorded


def allowed_hosts(arguments: list[str]) -> list[str]:
    return [
        argument.partition("=")[2] for argument in arguments if argument.startswith("--server.allowedHosts=")
    ]


def test_a_local_dashboard_allows_only_local_host_names(streamlit_arguments: list[str]) -> None:
    assert CliRunner().invoke(app, ["dashboard"]).exit_code == 0
    before = config.get_option("server.allowedHosts")
    config.set_option("server.allowedHosts", allowed_hosts(streamlit_arguments))
    try:
        for host in ("127.0.0.1:8501", "localhost:8501", "[::1]:8501", "LOCALHOST"):
            assert is_host_allowed(host), host
        for host in ("other.example", "other.example:8501", "localhost.other.example", "127.0.0.1.other", ""):
            assert not is_host_allowed(host), host
    finally:
        config.set_option("server.allowedHosts", before)


def test_a_public_dashboard_or_one_with_configured_hosts_gets_no_allowed_hosts(
    streamlit_arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert CliRunner().invoke(app, ["dashboard", "--host", "0.0.0.0"]).exit_code == 0
    monkeypatch.setenv("STREAMLIT_SERVER_ALLOWED_HOSTS", "dashboard.example")
    assert CliRunner().invoke(app, ["dashboard"]).exit_code == 0
    assert allowed_hosts(streamlit_arguments) == []


def test_behind_a_proxy_the_public_host_and_origin_are_allowed_too(
    streamlit_arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINPROOF_DASHBOARD_PUBLIC_URL", "https://dash.example:8443")
    assert CliRunner().invoke(app, ["dashboard"]).exit_code == 0
    assert allowed_hosts(streamlit_arguments) == ["localhost", "127.0.0.1", "::1", "dash.example"]
    assert "--server.corsAllowedOrigins=https://dash.example:8443" in streamlit_arguments


def test_a_dashboard_on_all_addresses_asks_no_other_host_for_its_address(
    streamlit_arguments: list[str],
) -> None:
    assert CliRunner().invoke(app, ["dashboard", "--host", "0.0.0.0"]).exit_code == 0
    assert "--browser.serverAddress=127.0.0.1" in streamlit_arguments


def test_the_command_prints_the_address_in_place_of_streamlits_greeting(
    streamlit_arguments: list[str],
) -> None:
    result = CliRunner().invoke(app, ["dashboard"], env={"CHAINPROOF_DASHBOARD_PUBLIC_URL": ""})
    assert result.stdout.startswith("Dashboard: http://127.0.0.1:0 (Ctrl-C stops it)")
    with Path(config.get_config_files("config.toml")[0]).open("rb") as file:
        assert tomllib.load(file)["logger"]["hideWelcomeMessage"]
