"""The dashboard as a server: what it has ready, and that it starts without the service."""

import re
from importlib import import_module

import httpx
import pytest

from dashboard import asgi
from dashboard.client import api
from tests.dashboard.conftest import Backend


def test_what_is_imported_ahead_is_there() -> None:
    for name in asgi.USED_BY_PAGES:
        import_module(name)


def test_the_first_pages_answers_are_asked_for_at_the_start(dashboard_backend: Backend) -> None:
    asgi.warm()
    kept = api.client().kept(re.compile("(.*)"))
    assert {"/crypto/market-overview", "/prices", "/rankings?with_candles=24h"} <= set(kept)


def test_a_service_that_is_down_does_not_keep_the_dashboard_from_starting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CHAINPROOF_BASE_URL", "http://127.0.0.1:1")
    asgi.warm()
    error = api.overview().error
    assert error is not None
    assert error.unreachable


def test_settings_that_cannot_be_read_do_not_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_PORT", "seventy")
    asgi.warm()
    with pytest.raises(api.SettingsError):
        api.client()


def test_proxies_of_the_environment_are_not_asked_for_the_local_service(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.test:3128")
    monkeypatch.setenv("CHAINPROOF_BASE_URL", "http://127.0.0.1:1")
    http = api.client()._http
    assert isinstance(http, httpx.Client)
    assert not http.trust_env
