"""The ASGI application: preloading, and startup without the service or with invalid settings."""

from importlib import import_module

import httpx
import pytest

from dashboard import asgi
from dashboard.client import connection, markets
from dashboard.client.http import ApiClient
from tests.dashboard.conftest import Backend
from tests.support.dashboard.transport import CuttableTransport


def test_every_preloaded_module_exists() -> None:
    for name in asgi.PRELOADED_MODULES:
        import_module(name)


def test_the_data_of_the_first_page_is_loaded_at_startup(
    dashboard_backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    transport = CuttableTransport()
    client = ApiClient(
        dashboard_backend.url, lambda: dashboard_backend.key, transport=transport, lifetime=1e9
    )
    monkeypatch.setattr(connection, "get_client", lambda: client)
    asgi.warm_caches()
    transport.is_cut = True
    answers = (
        markets.fetch_overview(),
        markets.fetch_prices(),
        markets.fetch_figures(),
        markets.fetch_assets(),
        markets.fetch_rankings("24h"),
    )
    assert [answer.error for answer in answers if answer.data] == [None] * 5


def test_the_dashboard_starts_without_the_service(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CHAINPROOF_BASE_URL", "http://127.0.0.1:1")
    asgi.warm_caches()
    error = markets.fetch_overview().error
    assert error is not None
    assert error.is_unreachable


def test_the_dashboard_starts_with_invalid_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_PORT", "seventy")
    asgi.warm_caches()
    with pytest.raises(connection.SettingsError):
        connection.get_client()


def test_proxies_of_the_environment_are_ignored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.test:3128")
    monkeypatch.setenv("CHAINPROOF_BASE_URL", "http://127.0.0.1:1")
    http = connection.get_client()._http
    assert isinstance(http, httpx.Client)
    assert not http.trust_env
