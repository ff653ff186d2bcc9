"""The real service under the dashboard: the sample market in its calm week, served on loopback."""

import functools
import ssl
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from backend import migrations
from backend.app import create_app
from backend.markets import configuration
from backend.markets.refresh import Refresher
from backend.settings import Settings
from backend.store.database import Database
from dashboard.client import connection, http, research
from dashboard.client.cache_entries import CacheKey
from dashboard.client.http import ApiClient
from dashboard.sign_in import service
from tests.support.dashboard.transport import CuttableTransport
from tests.support.http.uvicorn_thread import serve_app
from tests.support.waiting import LIMIT_SECONDS

CALM = datetime(2026, 11, 18, 10, 7, 42, tzinfo=UTC)
"""In the sample market's calm week: no view fails."""


@pytest.fixture(scope="session", autouse=True)
def _installed_components_are_looked_up_once() -> Iterator[None]:
    """Streamlit reads the metadata of every installed package for each page that its harness makes, which
    takes longer than the page; what is installed stays the same."""
    with pytest.MonkeyPatch.context() as patch:
        looked_up = functools.cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", looked_up)
        yield


@pytest.fixture(scope="session", autouse=True)
def _certificates_are_read_once() -> Iterator[None]:
    """A new client reads the certificates of all authorities, which takes longer than most requests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", functools.cache(ssl.create_default_context))
        yield


@pytest.fixture(scope="session", autouse=True)
def _rule_sets_are_decoded_once() -> Iterator[None]:
    """The clients of all tests share the decoded rule sets, as all sessions of a dashboard do."""
    decode, rule_sets = http.decode_response, dict[tuple[str, CacheKey], Any]()

    def decode_once(response: httpx.Response, key: CacheKey) -> Any:
        etag = response.headers.get("etag")
        if etag is None or not key.path.startswith("/articles/rules?"):
            return decode(response, key)
        if (etag, key) not in rule_sets:
            rule_sets[etag, key] = decode(response, key)
        return rule_sets[etag, key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(http, "decode_response", decode_once)
        yield


@pytest.fixture(autouse=True)
def _the_main_module_stays() -> Iterator[None]:
    """Streamlit's harness leaves a page's script as the main module, which processes started by later tests
    of the same worker would run as theirs."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@dataclass(frozen=True)
class Backend:
    url: str
    key: str


@pytest.fixture(scope="session")
def served_market(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    settings = Settings(home=tmp_path_factory.mktemp("home"), log_level="error")
    migrations.upgrade(settings.app_database_url)
    database = Database(settings.app_database_url)
    refresher = Refresher(database, configuration.build_market(settings, database))
    for seconds in (0, 15):
        refresher.tick(CALM + timedelta(seconds=seconds))
    database.dispose()
    app = create_app(settings, now=lambda: CALM + timedelta(seconds=20))
    key = settings.local_key_file.read_text().strip()
    with serve_app(app) as url:
        yield Backend(url, key)


@pytest.fixture
def dashboard_backend(served_market: Backend, monkeypatch: pytest.MonkeyPatch) -> Backend:
    """The service's address and key in the environment, where the dashboard looks for them."""
    monkeypatch.setenv("CHAINPROOF_BASE_URL", served_market.url)
    monkeypatch.setenv("CHAINPROOF_API_KEY", served_market.key)
    return served_market


@pytest.fixture
def transport(dashboard_backend: Backend, monkeypatch: pytest.MonkeyPatch) -> CuttableTransport:
    """The way to the service, which the test may cut; nothing that came over it is kept."""
    transport = CuttableTransport()
    client = ApiClient(dashboard_backend.url, lambda: dashboard_backend.key, transport=transport, lifetime=0)
    monkeypatch.setattr(connection, "get_client", lambda: client)
    return transport


@pytest.fixture
def app(request: pytest.FixtureRequest) -> AppTest:
    """The test module's function ``page`` as a page."""
    return AppTest.from_function(request.module.page, default_timeout=LIMIT_SECONDS)


@pytest.fixture(autouse=True)
def _pages_wait_for_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages give a slow service up after seconds, which a busy machine may need for any answer."""
    for name in ("TIMEOUT_SECONDS", "PATIENCE_SECONDS", "SHORT_PATIENCE_SECONDS"):
        monkeypatch.setattr(http, name, LIMIT_SECONDS)
    monkeypatch.setattr(research, "TIMEOUT_SECONDS", LIMIT_SECONDS)


@pytest.fixture(autouse=True)
def _own_client() -> Iterator[None]:
    """No answer of one test serves another, and nobody is signed in by one for another."""
    service.close_service()
    yield
    connection.close_client()
    service.close_service()
