"""The dashboard as a server: what it has ready, and that it starts without the service."""

from importlib import import_module

import httpx
import pytest

from dashboard import asgi
from dashboard.client import connection, markets
from dashboard.client.http import ApiClient
from tests.dashboard.conftest import Backend
from tests.support.line import Line


def test_what_is_imported_ahead_is_there() -> None:
    for name in asgi.PRELOADED_MODULES:
        import_module(name)


def test_the_first_pages_answers_are_at_hand_from_the_start(
    dashboard_backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = Line()
    client = ApiClient(dashboard_backend.url, lambda: dashboard_backend.key, transport=line, lifetime=1e9)
    monkeypatch.setattr(connection, "get_client", lambda: client)
    asgi.warm_caches()
    line.cut = True
    answers = (
        markets.fetch_overview(),
        markets.fetch_prices(),
        markets.fetch_figures(),
        markets.fetch_assets(),
        markets.fetch_rankings("24h"),
    )
    assert [answer.error for answer in answers if answer.data] == [None] * 5


def test_a_service_that_is_down_does_not_keep_the_dashboard_from_starting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CHAINPROOF_BASE_URL", "http://127.0.0.1:1")
    asgi.warm_caches()
    error = markets.fetch_overview().error
    assert error is not None
    assert error.is_unreachable


def test_settings_that_cannot_be_read_do_not_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_PORT", "seventy")
    asgi.warm_caches()
    with pytest.raises(connection.SettingsError):
        connection.get_client()


def test_proxies_of_the_environment_are_not_asked_for_the_local_service(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.test:3128")
    monkeypatch.setenv("CHAINPROOF_BASE_URL", "http://127.0.0.1:1")
    http = connection.get_client()._http
    assert isinstance(http, httpx.Client)
    assert not http.trust_env
