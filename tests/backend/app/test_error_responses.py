"""Every refusal is a problem in words: unknown paths, methods, bodies, faults, a store that is away."""

from typing import Any

import pytest

from tests.backend.app.paths import BODY_LIMIT, HOT, post
from tests.support.asgi import send
from tests.support.market_app import Clock, Running, enable_only, run_app, settings_in
from tests.support.problems import assert_problem


@pytest.mark.parametrize(
    "path", ["/nothing", "/prices/", "/Prices", "/assets/bitcoin/icon/", "/%00", "//prices"]
)
def test_an_unknown_path_is_404(running: Running, path: str) -> None:
    assert_problem(running.get(path), 404, "not_found")


@pytest.mark.parametrize(
    ("path", "method"),
    [("/prices", "POST"), ("/rankings", "DELETE"), ("/assets/bitcoin", "PUT"), ("/healthz", "PATCH")],
)
def test_a_method_that_a_path_lacks_is_405_and_told_which_it_has(
    running: Running, path: str, method: str
) -> None:
    answer = send(running.app, path, method=method, headers={"CP-X-API-KEY": running.key})
    assert_problem(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "GET, HEAD"


def test_a_body_is_judged_in_the_order_401_415_413_400(running: Running) -> None:
    long = b'{"text":"' + b"x" * BODY_LIMIT + b'"}'
    assert_problem(post(running, long, declared=len(long), **{"CP-X-API-KEY": "no"}), 401, "unauthorized")
    plain: Any = {"Content-Type": "text/plain"}
    assert_problem(post(running, long, declared=len(long), **plain), 415, "unsupported_media_type")
    assert_problem(post(running, long, declared=len(long)), 413, "payload_too_large")
    assert_problem(post(running, b"{broken", declared=7), 400, "invalid_request")
    assert post(running, b'{"text":"abc"}', declared=14).json() == {"length": 3}


def test_a_body_that_declares_no_length_is_stopped_at_the_limit(running: Running) -> None:
    long = b'{"text":"' + b"x" * BODY_LIMIT + b'"}'
    chunked: Any = {"Transfer-Encoding": "chunked"}
    problem = assert_problem(post(running, long, **chunked), 413, "payload_too_large")
    assert str(BODY_LIMIT) in problem["detail"]


def test_a_fault_of_our_own_is_a_500_that_says_nothing_of_its_cause(running: Running) -> None:
    answer = running.get("/broken", x_request_id="abc-1")
    problem = assert_problem(answer, 500, "internal_error")
    assert "abc-1" in problem["detail"]
    assert b"secret" not in answer.body
    assert "traceback" not in answer.body.decode().lower()


def test_a_store_that_does_not_answer_is_503_and_says_when_to_ask_again(running: Running) -> None:
    answer = running.get("/locked")
    assert_problem(answer, 503, "dependency_unavailable")
    assert int(answer.headers["retry-after"]) > 0
    assert b"secret" not in answer.body


def test_hot_answers_need_no_store(tmp_path_factory: pytest.TempPathFactory) -> None:
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
