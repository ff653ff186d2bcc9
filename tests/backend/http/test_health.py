"""Tests the health checks and metrics for operators."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from backend.app import create_management_app
from tests.support.apps.market_app import Clock, Running, enable_only, run_app, settings_in
from tests.support.http.asgi import send


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    enable_only(tmp_path, ("bitcoin",))
    running = run_app(settings_in(tmp_path), Clock())
    yield running
    running.close()


def test_healthz_returns_ok(running: Running) -> None:
    assert send(running.app, "/healthz").json() == {"status": "ok"}


def test_readyz_returns_ok_when_all_dependencies_respond(running: Running) -> None:
    answer = send(running.app, "/readyz")
    assert answer.status == 200
    assert answer.json()["status"] == "ok"
    assert {check["ok"] for check in answer.json()["checks"].values()} == {True}


def test_unresponsive_database_makes_the_service_unready_but_not_unhealthy(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise ConnectionError("secret address")

    monkeypatch.setattr(running.database, "ping", refuse)
    monkeypatch.setattr(running.inner.state.workers, "state", lambda: pytest.fail("It waited again."))
    answer = send(running.app, "/readyz")
    assert answer.status == 503
    assert answer.json()["checks"]["worker"]["detail"] == "Not known, because the store does not answer."
    assert int(answer.headers["retry-after"]) > 0
    assert answer.json()["checks"]["store"]["ok"] is False
    assert b"secret" not in answer.body
    assert send(running.app, "/healthz").status == 200


def test_management_app_serves_only_health_readiness_and_metrics(
    running: Running,
) -> None:
    management = create_management_app(running.app)
    for path in ("/healthz", "/readyz"):
        answer = send(management, path)
        assert (answer.status, answer.json()["status"]) == (200, "ok")
        assert "x-request-id" in answer.headers
    assert b"chainproof_http_requests_total" in send(management, "/metrics").body
    assert send(management, "/metrics", client="192.0.2.7").status == 403
    for path in ("/prices", "/openapi.json", "/docs"):
        answer = send(management, path, headers={"CP-X-API-KEY": running.key})
        assert (answer.status, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("seconds_ago", [60.0, None])
def test_stale_change_watcher_makes_the_service_unready(running: Running, seconds_ago: float | None) -> None:
    watcher = running.inner.state.watcher
    watcher.last_success = None if seconds_ago is None else time.monotonic() - seconds_ago
    answer = send(running.app, "/readyz")
    assert answer.status == 503
    assert answer.json()["checks"]["watcher"]["ok"] is False
    watcher.poll()
    assert send(running.app, "/readyz").status == 200


def test_metrics_are_served_only_to_local_clients_by_default(running: Running) -> None:
    for client in ("127.0.0.1", "127.8.9.1", "::1"):
        answer = send(running.app, "/metrics", client=client)
        assert answer.status == 200
        assert b"chainproof_http_requests_total" in answer.body
    for client in ("192.0.2.7", "10.0.0.1", "::ffff:192.0.2.7", "2001:db8::1"):
        answer = send(running.app, "/metrics", client=client)
        assert answer.status == 403
        assert answer.json()["code"] == "loopback_only"


def test_metrics_can_be_made_public(tmp_path: Path) -> None:
    enable_only(tmp_path, ("bitcoin",))
    running = run_app(settings_in(tmp_path, metrics_public=True), Clock())
    assert send(running.app, "/metrics", client="192.0.2.7").status == 200
    running.close()


def test_unavailable_redis_is_reported_without_making_the_service_unready(tmp_path: Path) -> None:
    enable_only(tmp_path, ("bitcoin",))
    gone = SecretStr("redis://127.0.0.1:1/0")
    running = run_app(settings_in(tmp_path, rate_limit="5/minute", redis_url=gone), Clock())
    answer = send(running.app, "/readyz")
    assert answer.status == 200
    assert "Redis does not answer" in answer.json()["checks"]["limits"]["detail"]
    running.close()


def test_missing_worker_is_reported_without_making_the_service_unready(tmp_path: Path) -> None:
    enable_only(tmp_path, ("bitcoin",))
    clock = Clock()
    running = run_app(settings_in(tmp_path), clock)
    assert send(running.app, "/readyz").json()["checks"]["worker"]["ok"] is True
    clock.move(seconds=31)
    answer = send(running.app, "/readyz")
    assert (answer.status, answer.json()["status"]) == (200, "ok")
    worker = answer.json()["checks"]["worker"]
    assert worker["ok"] is False
    assert worker["detail"].startswith("No worker has run on this store. Start one with 'chainproof worker'")
    running.close()
