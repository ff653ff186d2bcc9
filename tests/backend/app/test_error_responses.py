"""Tests that every error is a problem response: unknown paths, methods, bodies, faults, no store."""

from typing import Any

import pytest

from tests.backend.app.paths import BODY_LIMIT, HOT, post
from tests.support.apps.market_app import Clock, Running, enable_only, run_app, settings_in
from tests.support.http.asgi import send
from tests.support.http.problems import assert_problem


@pytest.mark.parametrize(
    "path", ["/nothing", "/prices/", "/Prices", "/assets/bitcoin/icon/", "/%00", "//prices"]
)
def test_an_unknown_path_is_404(running: Running, path: str) -> None:
    assert_problem(running.get(path), 404, "not_found")


@pytest.mark.parametrize(
    ("path", "method"),
    [("/prices", "POST"), ("/rankings", "DELETE"), ("/assets/bitcoin", "PUT"), ("/healthz", "PATCH")],
)
def test_unsupported_method_returns_405_with_the_allowed_methods(
    running: Running, path: str, method: str
) -> None:
    answer = send(running.app, path, method=method, headers={"CP-X-API-KEY": running.key})
    assert_problem(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "GET, HEAD"


def test_request_checks_return_401_415_413_400_in_this_order(running: Running) -> None:
    long = b'{"text":"' + b"x" * BODY_LIMIT + b'"}'
    assert_problem(post(running, long, declared=len(long), **{"CP-X-API-KEY": "no"}), 401, "unauthorized")
    text_headers: Any = {"Content-Type": "text/plain"}
    assert_problem(post(running, long, declared=len(long), **text_headers), 415, "unsupported_media_type")
    assert_problem(post(running, long, declared=len(long)), 413, "payload_too_large")
    assert_problem(post(running, b"{broken", declared=7), 400, "invalid_request")
    assert post(running, b'{"text":"abc"}', declared=14).json() == {"length": 3}


def test_body_without_content_length_is_rejected_at_the_size_limit(running: Running) -> None:
    long = b'{"text":"' + b"x" * BODY_LIMIT + b'"}'
    chunked: Any = {"Transfer-Encoding": "chunked"}
    problem = assert_problem(post(running, long, **chunked), 413, "payload_too_large")
    assert str(BODY_LIMIT) in problem["detail"]


def test_internal_error_returns_500_without_its_cause(running: Running) -> None:
    answer = running.get("/broken", x_request_id="abc-1")
    problem = assert_problem(answer, 500, "internal_error")
    assert "abc-1" in problem["detail"]
    assert b"secret" not in answer.body
    assert "traceback" not in answer.body.decode().lower()


def test_unresponsive_database_returns_503_with_retry_after(running: Running) -> None:
    answer = running.get("/locked")
    assert_problem(answer, 503, "dependency_unavailable")
    assert int(answer.headers["retry-after"]) > 0
    assert b"secret" not in answer.body


def test_prepared_responses_need_no_database(tmp_path_factory: pytest.TempPathFactory) -> None:
    home = tmp_path_factory.mktemp("storeless")
    enable_only(home, ("bitcoin",))
    running = run_app(settings_in(home), Clock())
    with running.database.write() as connection:
        for table in ("published_figures", "provider_quotes", "provider_states", "asset_icons"):
            connection.exec_driver_sql(f"DROP TABLE {table}")
    assert all(running.get(path).status == 200 for path in HOT)
    assert running.get("/rankings?limit=1").status == 200
    assert running.get("/assets/bitcoin/icon").status == 200  # of the sample market: drawn, not stored
    for path in ("/markets/status", "/prices/bitcoin/quotes"):
        assert_problem(running.get(path), 503, "dependency_unavailable")
    running.close()
