"""The application as clients meet it: credentials, refusals, request ids, what stands ready."""

import gzip
import re
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from pydantic import BaseModel

from backend.auth import service as auth_service
from backend.auth.gate import gated_router
from backend.auth.tables import api_keys
from backend.errors import PROBLEM_JSON
from tests.support.market_app import (
    Answer,
    Clock,
    Running,
    enable_only,
    run_app,
    send,
    settings_in,
    worker_of,
)

FEW = ("bitcoin", "ethereum", "usdc", "monero", "unus-sed-leo", "litecoin", "stellar", "cosmos", "dogecoin")
HOT = (
    "/assets",
    "/prices",
    "/prices/all",
    "/rankings",
    "/rankings?with_candles=24h",
    "/rankings?with_candles=7d",
    "/crypto/market-overview",
    "/markets/figures",
)
COLD = (
    "/assets/bitcoin",
    "/assets/bitcoin/candles",
    "/prices/bitcoin/quotes",
    "/aggregation/btc",
    "/markets/status",
)
BODY_LIMIT = 4096


class Note(BaseModel):
    text: str


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A few assets after one refresh, and beside the market a route that takes a body and one that breaks."""
    home, clock = tmp_path_factory.mktemp("app"), Clock()
    enable_only(home, FEW)
    running = run_app(settings_in(home, body_limit_bytes=BODY_LIMIT), clock)
    worker_of(running).tick()
    running.look()
    router = gated_router(scope="read")

    @router.post("/notes")
    def add_note(note: Note) -> dict[str, int]:
        return {"length": len(note.text)}

    @router.get("/broken")
    def broken() -> dict[str, int]:
        raise RuntimeError("secret words that no client may see")

    @router.get("/locked")
    def locked() -> dict[str, int]:
        raise sa.exc.OperationalError("SELECT secret", {}, sqlite3.OperationalError("database is locked"))

    running.inner.include_router(router)
    yield running
    running.close()


def post(running: Running, body: bytes, *, declared: int | None = None, **headers: Any) -> Answer:
    length = {} if declared is None else {"Content-Length": str(declared)}
    named = {"CP-X-API-KEY": running.key, "Content-Type": "application/json", **length, **headers}
    pieces = [body[start : start + 1000] for start in range(0, len(body), 1000)] or [b""]
    return send(running.app, "/notes", method="POST", headers=named, body=pieces)


def is_problem(answer: Answer, status: int, code: str) -> dict[str, Any]:
    """Check that the answer is an RFC 9457 problem and give it."""
    assert answer.status == status, answer.body
    assert answer.headers["content-type"] == PROBLEM_JSON
    problem: dict[str, Any] = answer.json()
    assert problem["status"] == status
    assert problem["code"] == code
    assert problem["type"] == f"urn:chainproof:problem:{code}"
    assert problem["title"]
    assert re.fullmatch(r"\S.*[.]", problem["detail"], re.DOTALL), problem["detail"]
    assert problem["instance"] == f"urn:chainproof:request:{answer.headers['x-request-id']}"
    return problem


# -- credentials -------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [*HOT, *COLD])
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"CP-X-API-KEY": ""},
        {"CP-X-API-KEY": "nonsense"},
        {"CP-X-API-KEY": "cp_livev1" + "0" * 32 + "_000000"},
        {"CP-X-API-KEY": "ключ".encode().decode("latin-1")},
        {"Authorization": "Basic Zm9vOmJhcg=="},
        {"Authorization": "Bearer"},
        {"X-CP-TERMINAL-API-KEY": "cpt_livev1" + "0" * 32 + "_000000"},
    ],
)
def test_data_are_refused_without_a_valid_key(running: Running, path: str, headers: dict[str, str]) -> None:
    answer = send(running.app, path, headers=headers)
    is_problem(answer, 401, "unauthorized")
    assert "ApiKey" in answer.headers["www-authenticate"]
    assert "Bearer" in answer.headers["www-authenticate"]


@pytest.mark.parametrize("path", [*HOT, *COLD])
def test_a_key_without_read_is_forbidden(running: Running, path: str) -> None:
    created = auth_service.create_key(
        running.database, name="writer", scopes=("write",), now=datetime.now(UTC)
    )
    running.look()
    problem = is_problem(running.get(path, key=created.key), 403, "insufficient_scope")
    assert "'read'" in problem["detail"]


@pytest.mark.parametrize("path", ["/prices", "/markets/status"])
def test_a_key_serves_as_a_bearer_value_too_and_a_disagreeing_pair_does_not(
    running: Running, path: str
) -> None:
    bearer = {"Authorization": f"Bearer {running.key}"}
    assert send(running.app, path, headers=bearer).status == 200
    both = {**bearer, "CP-X-API-KEY": running.key}
    assert send(running.app, path, headers=both).status == 200
    other = auth_service.create_key(running.database, name="other", scopes=("read",), now=datetime.now(UTC))
    running.look()
    is_problem(send(running.app, path, headers={**bearer, "CP-X-API-KEY": other.key}), 401, "unauthorized")


@pytest.mark.parametrize("path", ["/prices", "/markets/status"])
def test_a_revoked_key_is_refused_after_the_next_look_at_the_store(running: Running, path: str) -> None:
    created = auth_service.create_key(running.database, name="brief", scopes=("read",), now=datetime.now(UTC))
    running.look()
    assert running.get(path, key=created.key).status == 200
    auth_service.revoke_key(running.database, created.key, datetime.now(UTC))
    running.inner.state.keyring.reload()
    is_problem(running.get(path, key=created.key), 401, "unauthorized")


@pytest.mark.parametrize("path", ["/prices", "/markets/status"])
def test_an_expired_key_is_refused(running: Running, path: str) -> None:
    begun = datetime.now(UTC) - timedelta(days=2)
    created = auth_service.create_key(
        running.database, name="old", scopes=("read",), expires_in=timedelta(days=1), now=begun
    )
    running.look()
    assert "expired" in is_problem(running.get(path, key=created.key), 401, "unauthorized")["detail"]


def test_the_key_that_the_service_made_for_this_machine_reads(running: Running) -> None:
    local = running.inner.state.settings.local_key_file.read_text().strip()
    assert running.get("/prices", key=local).status == 200


def test_a_short_cut_counts_as_a_use_of_the_key(running: Running) -> None:
    created = auth_service.create_key(running.database, name="used", scopes=("read",), now=datetime.now(UTC))
    running.look()
    assert running.get("/prices", key=created.key).status == 200
    running.inner.state.keyring.flush_last_used()
    with running.database.read() as connection:
        query = sa.select(api_keys.c.last_used_at).where(api_keys.c.name == "used")
        assert connection.execute(query).scalar_one() is not None


@pytest.mark.parametrize(
    "path", ["/healthz", "/readyz", "/docs", "/openapi.json", "/assets/bitcoin/icon", "/metrics"]
)
def test_open_paths_need_no_key(running: Running, path: str) -> None:
    answer = send(running.app, path)
    assert answer.status == 200
    assert answer.headers["x-request-id"]


# -- refusals ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/", "/nothing", "/prices/", "/Prices", "/assets/bitcoin/icon/", "/%00", "//prices"]
)
def test_an_unknown_path_is_404(running: Running, path: str) -> None:
    is_problem(running.get(path), 404, "not_found")


@pytest.mark.parametrize(
    ("path", "method"),
    [("/prices", "POST"), ("/rankings", "DELETE"), ("/assets/bitcoin", "PUT"), ("/healthz", "PATCH")],
)
def test_a_method_that_a_path_lacks_is_405_and_told_which_it_has(
    running: Running, path: str, method: str
) -> None:
    answer = send(running.app, path, method=method, headers={"CP-X-API-KEY": running.key})
    is_problem(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "GET, HEAD"


def test_a_body_is_judged_in_the_order_401_415_413_400(running: Running) -> None:
    long = b'{"text":"' + b"x" * BODY_LIMIT + b'"}'
    is_problem(post(running, long, declared=len(long), **{"CP-X-API-KEY": "no"}), 401, "unauthorized")
    plain: Any = {"Content-Type": "text/plain"}
    is_problem(post(running, long, declared=len(long), **plain), 415, "unsupported_media_type")
    is_problem(post(running, long, declared=len(long)), 413, "payload_too_large")
    is_problem(post(running, b"{broken", declared=7), 400, "invalid_request")
    assert post(running, b'{"text":"abc"}', declared=14).json() == {"length": 3}


def test_a_body_that_declares_no_length_is_stopped_at_the_limit(running: Running) -> None:
    long = b'{"text":"' + b"x" * BODY_LIMIT + b'"}'
    chunked: Any = {"Transfer-Encoding": "chunked"}
    problem = is_problem(post(running, long, **chunked), 413, "payload_too_large")
    assert str(BODY_LIMIT) in problem["detail"]


def test_a_fault_of_our_own_is_a_500_that_says_nothing_of_its_cause(running: Running) -> None:
    answer = running.get("/broken", x_request_id="abc-1")
    problem = is_problem(answer, 500, "internal_error")
    assert "abc-1" in problem["detail"]
    assert b"secret" not in answer.body
    assert "traceback" not in answer.body.decode().lower()


def test_a_store_that_does_not_answer_is_503_and_says_when_to_ask_again(running: Running) -> None:
    answer = running.get("/locked")
    is_problem(answer, 503, "dependency_unavailable")
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
        is_problem(running.get(path), 503, "dependency_unavailable")
    running.close()


# -- request ids -------------------------------------------------------------------------------------


def every_kind(running: Running, **headers: str) -> dict[int, Answer]:
    """One answer of each status, through the short cut, the application and what the framework says."""
    etag = running.get("/prices").headers["etag"]
    long = b'{"text":"' + b"x" * BODY_LIMIT + b'"}'
    named: Any = {name.replace("_", "-"): value for name, value in headers.items()}
    return {
        200: running.get("/prices", **headers),
        201: running.get("/markets/status", **headers),
        304: running.get("/prices", if_none_match=etag, **headers),
        400: running.get("/rankings?sort=x", **headers),
        401: send(running.app, "/prices", headers=named),
        404: running.get("/nothing", **headers),
        4041: running.get("/assets/nothing", **headers),
        405: send(running.app, "/prices", method="POST", headers=named),
        413: post(running, long, **named),
        500: running.get("/broken", **headers),
        503: running.get("/locked", **headers),
    }


def test_every_kind_of_answer_carries_one_request_id_and_the_mode(running: Running) -> None:
    for answer in every_kind(running).values():
        names = [name.lower() for name, _ in answer.raw_headers]
        assert names.count(b"x-request-id") == 1
        assert names.count(b"x-data-mode") == 1
        assert answer.headers["x-data-mode"] == "sample"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert re.fullmatch(r"[A-Za-z0-9._\-]{1,128}", answer.headers["x-request-id"])


def test_every_kind_of_answer_echoes_a_sane_request_id(running: Running) -> None:
    for answer in every_kind(running, x_request_id="My-Request_0.7").values():
        assert answer.headers["x-request-id"] == "My-Request_0.7"


@pytest.mark.parametrize("sent", ["", " ", "a b", "a\tb", "x" * 129, "a;b", "é", "<script>", 'a"b', "a/b"])
def test_a_request_id_that_is_not_sane_is_replaced(running: Running, sent: str) -> None:
    for path in ("/prices", "/nothing", "/markets/status"):
        given = running.get(path, x_request_id=sent).headers["x-request-id"]
        assert given != sent
        assert re.fullmatch(r"[A-Za-z0-9._\-]{1,128}", given)


def test_no_two_requests_get_the_same_id(running: Running) -> None:
    ids = [running.get(path).headers["x-request-id"] for path in HOT + COLD for _ in range(3)]
    assert len(set(ids)) == len(ids)


# -- what stands ready -------------------------------------------------------------------------------


@pytest.mark.parametrize("path", HOT)
def test_hot_answers_carry_a_strong_tag_and_say_how_to_cache(running: Running, path: str) -> None:
    headers = running.get(path).headers
    assert re.fullmatch(r'"[^"]+"', headers["etag"])
    assert headers["cache-control"] == "private, no-cache"
    assert {"accept-encoding", "cp-x-api-key", "authorization"} <= set(
        re.split(r",\s*", headers["vary"].lower())
    )


@pytest.mark.parametrize("path", HOT)
def test_gzip_is_sent_where_it_is_asked_for_with_a_tag_of_its_own(running: Running, path: str) -> None:
    plain, zipped = running.get(path), running.get(path, accept_encoding="gzip, br")
    assert "content-encoding" not in plain.headers
    assert int(plain.headers["content-length"]) == len(plain.body)
    if len(plain.body) < 1024:
        assert zipped.body == plain.body
        return
    assert zipped.headers["content-encoding"] == "gzip"
    assert zipped.headers["etag"] != plain.headers["etag"]
    assert int(zipped.headers["content-length"]) == len(zipped.body) < len(plain.body)
    assert gzip.decompress(zipped.body) == plain.body


@pytest.mark.parametrize(
    "accept", ["gzip;q=0", "identity", "gzip;q=0, *", "br", "gzip;q=0.3, identity;q=0.9"]
)
def test_a_client_that_does_not_want_gzip_gets_none(running: Running, accept: str) -> None:
    for path in ("/prices", "/rankings?limit=8"):
        assert "content-encoding" not in running.get(path, accept_encoding=accept).headers


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
@pytest.mark.parametrize("path", [*HOT, "/rankings?limit=8", "/assets/bitcoin/icon"])
def test_a_client_that_holds_the_answer_is_told_so_without_a_body(
    running: Running, path: str, encoding: str
) -> None:
    first = running.get(path, accept_encoding=encoding)
    etag = first.headers["etag"]
    for condition in (etag, f'"other", {etag}', f"W/{etag}", "*"):
        again = running.get(path, accept_encoding=encoding, if_none_match=condition)
        assert (again.status, again.body) == (304, b"")
        assert again.headers["etag"] == etag
        for name in ("cache-control", "vary"):
            assert again.headers[name] == first.headers[name]
        assert "content-encoding" not in again.headers
    assert running.get(path, accept_encoding=encoding, if_none_match='"other"').status == 200


def test_the_tag_of_one_encoding_does_not_stand_for_the_other(running: Running) -> None:
    plain = running.get("/prices").headers["etag"]
    zipped = running.get("/prices", accept_encoding="gzip").headers["etag"]
    assert running.get("/prices", accept_encoding="gzip", if_none_match=plain).status == 200
    assert running.get("/prices", if_none_match=zipped).status == 200


def without_id(answer: Answer) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name != "x-request-id"}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"accept_encoding": "gzip"},
        {"accept_encoding": "gzip;q=0"},
        {"if_none_match": "*"},
        {"accept_encoding": "gzip", "if_none_match": "*"},
    ],
)
@pytest.mark.parametrize(
    "path",
    [
        "/rankings?order=asc&limit=5",
        "/rankings?with_candles=24h&sort=pct_change_7d",
        "/prices?x=1",
        "/prices/all?x=1",
        "/assets?filter=all",
        "/crypto/market-overview?x=1",
    ],
)
def test_the_short_cut_answers_what_the_application_answers(
    running: Running, path: str, headers: dict[str, str]
) -> None:
    bare, _, query = path.partition("?")
    query += "".join(
        f"&{name}={len(value)}" for name, value in sorted(headers.items())
    )  # not asked for before
    view = running.market.view
    assert view.find(bare, query.encode()) is None
    through_the_application = running.get(f"{bare}?{query}", **headers)
    assert view.find(bare, query.encode()) is not None
    short_cut = running.get(f"{bare}?{query}", **headers)
    assert short_cut.status == through_the_application.status
    assert short_cut.body == through_the_application.body
    assert without_id(short_cut) == without_id(through_the_application)


@pytest.mark.parametrize(
    "headers",
    [
        [("Accept-Encoding", "br"), ("Accept-Encoding", "gzip")],
        [("Accept-Encoding", "gzip"), ("Accept-Encoding", "br")],
    ],
)
def test_a_header_in_several_lines_means_the_same_to_the_short_cut_and_the_application(
    running: Running, headers: list[tuple[str, str]]
) -> None:
    path = f"/rankings?lines={headers[0][1]}"
    sent = [("CP-X-API-KEY", running.key), *headers]
    first, second = (send(running.app, path, headers=sent) for _ in range(2))
    assert first.headers.get("content-encoding") == second.headers.get("content-encoding") == "gzip"


def test_foreign_spellings_of_a_query_fill_no_memory(running: Running) -> None:
    view = running.market.view
    for number in range(600):
        assert running.get(f"/crypto/market-overview?n={number}").status == 200
    assert len(view._ready) <= 512 + len(HOT)
    view.reload()
    assert len(view._ready) <= 32 + len(HOT)


def test_the_latest_spellings_stand_ready_again_after_a_change(running: Running) -> None:
    assert running.get("/rankings?limit=2&order=asc").status == 200
    running.market.view.reload()
    assert running.market.view.find("/rankings", b"limit=2&order=asc") is not None


def test_a_refused_request_leaves_nothing_standing_ready(running: Running) -> None:
    view = running.market.view
    running.get("/rankings?sort=nonsense")
    send(running.app, "/rankings?limit=6")
    assert view.find("/rankings", b"sort=nonsense") is None
    assert view.find("/rankings", b"limit=6") is None
