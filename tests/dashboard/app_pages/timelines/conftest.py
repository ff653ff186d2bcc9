"""The service under the Timelines page: scored runs instead of market data."""

from collections.abc import Iterator

import pytest

from tests.dashboard.conftest import Backend
from tests.support.runs.served_runs import serve_scored_runs


@pytest.fixture(scope="module")
def runs_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    with serve_scored_runs(tmp_path_factory.mktemp("home")) as (url, key):
        yield Backend(url, key)


@pytest.fixture
def dashboard_backend(runs_service: Backend, monkeypatch: pytest.MonkeyPatch) -> Backend:
    """A service with scored runs instead of market data."""
    monkeypatch.setenv("CHAINPROOF_BASE_URL", runs_service.url)
    monkeypatch.setenv("CHAINPROOF_API_KEY", runs_service.key)
    return runs_service
