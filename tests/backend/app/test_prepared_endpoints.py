"""Answers that stand ready: tags, codings, and the same bytes as the application would send."""

import gzip
import re

import pytest

from tests.backend.app.paths import HOT
from tests.support.asgi import Answer, send
from tests.support.market_app import Running


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
    assert len(view._responses) <= 512 + len(HOT)
    view.reload()
    assert len(view._responses) <= 32 + len(HOT)


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
