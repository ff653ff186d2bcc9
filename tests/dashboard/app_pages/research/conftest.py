"""Fixtures: the real service with jobs, and its address in the environment."""

from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from backend.extraction.tables import entity_sightings
from backend.jobs.tables import job_steps, jobs, submissions
from dashboard.client import connection
from dashboard.client import research as research_client
from dashboard.client.http import ApiClient
from tests.support.apps.research_app import Research, research_app
from tests.support.dashboard.transport import CuttableTransport


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Research]:
    with research_app(tmp_path_factory.mktemp("home")) as research:
        yield research


@pytest.fixture
def service(served: Research, monkeypatch: pytest.MonkeyPatch) -> Research:
    """The service without jobs, and a client without a cache."""
    monkeypatch.setattr(research_client, "JOB_LIFETIME_SECONDS", 0.0)
    monkeypatch.setenv("CHAINPROOF_BASE_URL", served.url)
    monkeypatch.setenv("CHAINPROOF_API_KEY", served.key)
    with served.database.write() as connection:
        for table in (job_steps, submissions, entity_sightings, jobs):
            connection.execute(sa.delete(table))
    return served


@pytest.fixture
def transport(service: Research, monkeypatch: pytest.MonkeyPatch) -> CuttableTransport:
    """The connection to the service, which the test may cut; responses are not cached."""
    transport = CuttableTransport()
    client = ApiClient(service.url, lambda: service.key, transport=transport, lifetime=0)
    monkeypatch.setattr(connection, "get_client", lambda: client)
    return transport
