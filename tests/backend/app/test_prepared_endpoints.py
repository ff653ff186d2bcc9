"""Tests that prepared responses have the same bytes as computed ones, with entity tags and encodings."""

import gzip
import re

import pytest

from tests.backend.app.paths import HOT
from tests.support.apps.market_app import Running
from tests.support.http.asgi import Answer, send


@pytest.mark.parametrize("path", HOT)
def test_prepared_responses_have_a_strong_etag_and_cache_control(running: Running, path: str) -> None:
    headers = running.get(path).headers
    assert re.fullmatch(r'"[^"]+"', headers["etag"])
    assert headers["cache-control"] == "private, no-cache"
    assert {"accept-encoding", "cp-x-api-key", "authorization"} <= set(
        re.split(r",\s*", headers["vary"].lower())
    )


@pytest.mark.parametrize("path", HOT)
def test_gzip_response_is_sent_on_request_with_its_own_etag(running: Running, path: str) -> None:
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
def test_gzip_is_not_sent_to_clients_that_reject_it(running: Running, accept: str) -> None:
    for path in ("/prices", "/rankings?limit=8"):
        assert "content-encoding" not in running.get(path, accept_encoding=accept).headers


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
@pytest.mark.parametrize("path", [*HOT, "/rankings?limit=8", "/assets/bitcoin/icon"])
def test_matching_etag_returns_304_without_a_body(running: Running, path: str, encoding: str) -> None:
    first = running.get(path, accept_encoding=encoding)
    etag = first.headers["etag"]
    for condition in (etag, f'"other", {etag}', f"W/{etag}", "*"):
        not_modified = running.get(path, accept_encoding=encoding, if_none_match=condition)
        assert (not_modified.status, not_modified.body) == (304, b"")
        assert not_modified.headers["etag"] == etag
        for name in ("cache-control", "vary"):
            assert not_modified.headers[name] == first.headers[name]
        assert "content-encoding" not in not_modified.headers
    assert running.get(path, accept_encoding=encoding, if_none_match='"other"').status == 200


def test_etag_of_one_encoding_does_not_match_the_other(running: Running) -> None:
    plain_etag = running.get("/prices").headers["etag"]
    zipped = running.get("/prices", accept_encoding="gzip").headers["etag"]
    assert running.get("/prices", accept_encoding="gzip", if_none_match=plain_etag).status == 200
    assert running.get("/prices", if_none_match=zipped).status == 200


def list_headers_without_id(answer: Answer) -> dict[str, str]:
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
def test_prepared_response_equals_the_application_response(
    running: Running, path: str, headers: dict[str, str]
) -> None:
    path_without_query, _, query = path.partition("?")
    query += "".join(
        f"&{name}={len(value)}" for name, value in sorted(headers.items())
    )  # not asked for before
    view = running.market.view
    assert view.find(path_without_query, query.encode()) is None
    through_the_application = running.get(f"{path_without_query}?{query}", **headers)
    assert view.find(path_without_query, query.encode()) is not None
    short_cut = running.get(f"{path_without_query}?{query}", **headers)
    assert short_cut.status == through_the_application.status
    assert short_cut.body == through_the_application.body
    assert list_headers_without_id(short_cut) == list_headers_without_id(through_the_application)


@pytest.mark.parametrize(
    "headers",
    [
        [("Accept-Encoding", "br"), ("Accept-Encoding", "gzip")],
        [("Accept-Encoding", "gzip"), ("Accept-Encoding", "br")],
    ],
)
def test_repeated_header_lines_give_the_same_prepared_and_application_response(
    running: Running, headers: list[tuple[str, str]]
) -> None:
    path = f"/rankings?lines={headers[0][1]}"
    sent = [("CP-X-API-KEY", running.key), *headers]
    first, second = (send(running.app, path, headers=sent) for _ in range(2))
    assert first.headers.get("content-encoding") == second.headers.get("content-encoding") == "gzip"


def test_number_of_prepared_responses_for_unknown_queries_is_bounded(running: Running) -> None:
    view = running.market.view
    for number in range(600):
        assert running.get(f"/crypto/market-overview?n={number}").status == 200
    assert len(view._responses) <= 512 + len(HOT)
    view.reload()
    assert len(view._responses) <= 32 + len(HOT)


def test_recent_query_variants_are_prepared_again_after_a_change(running: Running) -> None:
    assert running.get("/rankings?limit=2&order=asc").status == 200
    running.market.view.reload()
    assert running.market.view.find("/rankings", b"limit=2&order=asc") is not None


def test_rejected_request_does_not_create_a_prepared_response(running: Running) -> None:
    view = running.market.view
    running.get("/rankings?sort=nonsense")
    send(running.app, "/rankings?limit=6")
    assert view.find("/rankings", b"sort=nonsense") is None
    assert view.find("/rankings", b"limit=6") is None
