"""Two services on one PostgreSQL, which share what is to be done and lose nothing with one of them; and
one service whose PostgreSQL goes away."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.support.processes import programs
from tests.support.processes.running import wait_for
from tests.support.store import databases
from tests.support.store.databases import OwnServer

pytestmark = [
    pytest.mark.processes,
    pytest.mark.parametrize("empty_database_url", ["postgres"], indirect=True),
]

TICK_SECONDS = 2
TICKS = 4


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    with programs.create_home(tmp_path) as folder:
        yield folder


def test_two_services_on_one_store_refresh_once_a_tick_and_agree_on_keys(
    empty_database_url: str, home: Path
) -> None:
    settings = {"CHAINPROOF_DATABASE_URL": empty_database_url, "CHAINPROOF_TICK_SECONDS": str(TICK_SECONDS)}
    first, second = (programs.start(home, "serve", **settings) for _ in range(2))
    for service in (first, second):  # both make the schema and the local key at the same time
        service.wait_until_ready()
    began = max(refreshes(empty_database_url))

    created = programs.run(home, "keys", "create", "--name", "both", "--json", settings=settings)
    key, key_id = (json.loads(created.stdout)[name] for name in ("key", "id"))
    for service in (first, second):
        wait_for(partial(answers_with, service, 200, key), "The key")
    assert programs.run(home, "keys", "revoke", key_id, settings=settings).returncode == 0
    for service in (first, second):
        wait_for(partial(answers_with, service, 401, key), "The end")

    wait_for(lambda: sum(at > began for at in refreshes(empty_database_url)) >= TICKS, "Enough ticks")
    assert_once_a_tick(empty_database_url, began)

    worker = first.child("worker")
    first.kill()
    wait_for(lambda: programs.has_ended(worker), "The end of its worker")
    second.wait_until_refreshed()
    second.wait_until_refreshed()
    assert_once_a_tick(empty_database_url, began, attempts=2)  # one may have been under way
    assert second.stop() == 0
    assert "Traceback" not in first.words + second.words


def answers_with(service: programs.Program, status: int, key: str) -> bool:
    return service.get("/prices", key=key).status_code == status


def refreshes(url: str) -> list[datetime]:
    """The instant of every refresh that brought prices."""
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.connect() as connection:
        at = connection.execute(sa.text("SELECT DISTINCT at FROM price_points ORDER BY at")).scalars()
        return list(at)


def assert_once_a_tick(url: str, since: datetime, *, attempts: int = 1) -> None:
    """No tick has two refreshes, however late it comes, and the engine began none more often than that."""
    began = [at for at in refreshes(url) if at > since]
    assert len(began) >= TICKS
    intervals = [later - earlier for earlier, later in pairwise(began)]
    assert min(intervals) >= 0.8 * timedelta(seconds=TICK_SECONDS), intervals
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.connect() as connection:
        rows = connection.execute(
            sa.text(
                "SELECT workflow_uuid, recovery_attempts FROM dbos.workflow_status "
                "WHERE workflow_uuid LIKE '%market-refresh%' AND status = 'SUCCESS'"
            )
        ).all()
    assert rows
    assert all(row.recovery_attempts <= attempts for row in rows), rows


@pytest.fixture
def own_server(empty_database_url: str) -> Iterator[OwnServer]:
    """Asks for the shared one first, since that says where PostgreSQL cannot be had."""
    folder = Path(tempfile.mkdtemp(prefix="chainproof-pg-", dir="/tmp"))  # a socket's path must be short
    try:
        yield OwnServer(folder / "pgdata")
    finally:
        databases.stop_server(folder / "pgdata")
        shutil.rmtree(folder, ignore_errors=True)


def test_a_service_outlives_its_database_and_heals_by_itself(own_server: OwnServer, home: Path) -> None:
    settings = {
        "CHAINPROOF_DATABASE_URL": own_server.url,
        "CHAINPROOF_TICK_SECONDS": "1",
        "CHAINPROOF_LOG_LEVEL": "info",
    }
    service = programs.start(home, "serve", **settings).wait_until_ready()
    worker = service.child("worker")
    wait_for(lambda: "worker_started" in service.words, "A worker that has its slot")
    own_server.stop()

    for path in ("/prices", "/rankings?with_candles=24h", "/assets", "/crypto/market-overview"):
        assert service.get(path).status_code == 200, f"{path} is answered from memory."
    assert service.get("/healthz").status_code == 200
    for path in ("/readyz", "/prices/bitcoin/quotes", "/markets/status"):
        answer = service.get(path)
        assert answer.status_code == 503, path
        assert int(answer.headers["Retry-After"]) > 0
    wait_for(lambda: "store_wait_started" in service.words, "A worker that waits for its database")
    refused = programs.run(home, "keys", "create", "--name", "now", settings=settings)
    assert refused.returncode == 3
    assert "does not answer" in refused.stderr
    assert service.get("/prices").status_code == 200

    own_server.start()
    wait_for(service.is_ready, "Readiness")
    service.wait_until_refreshed()
    assert service.get("/prices/bitcoin/quotes").status_code == 200
    assert not programs.has_ended(worker)
    assert service.stop() == 0
    assert "process_died" not in service.words
    assert "unhandled_error" not in service.words
    assert programs.has_no_processes(home)
