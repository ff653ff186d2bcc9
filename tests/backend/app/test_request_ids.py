"""Tests that every response has an id: the request's own if it is valid."""

import re
from typing import Any

import pytest

from tests.backend.app.paths import BODY_LIMIT, COLD, HOT, post
from tests.support.apps.market_app import Running
from tests.support.http.asgi import Answer, send


def request_every_status(running: Running, **headers: str) -> dict[int, Answer]:
    """One answer of each status, through the short cut, the application and what the framework says."""
    etag = running.get("/prices").headers["etag"]
    long = b'{"text":"' + b"x" * BODY_LIMIT + b'"}'
    request_headers: Any = {name.replace("_", "-"): value for name, value in headers.items()}
    return {
        200: running.get("/prices", **headers),
        201: running.get("/markets/status", **headers),
        304: running.get("/prices", if_none_match=etag, **headers),
        400: running.get("/rankings?sort=x", **headers),
        401: send(running.app, "/prices", headers=request_headers),
        404: running.get("/nothing", **headers),
        4041: running.get("/assets/nothing", **headers),
        405: send(running.app, "/prices", method="POST", headers=request_headers),
        413: post(running, long, **request_headers),
        500: running.get("/broken", **headers),
        503: running.get("/locked", **headers),
    }


def test_every_response_has_one_request_id_and_the_data_mode(running: Running) -> None:
    for answer in request_every_status(running).values():
        names = [name.lower() for name, _ in answer.raw_headers]
        assert names.count(b"x-request-id") == 1
        assert names.count(b"x-data-mode") == 1
        assert answer.headers["x-data-mode"] == "sample"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert re.fullmatch(r"[A-Za-z0-9._\-]{1,128}", answer.headers["x-request-id"])


def test_every_response_echoes_a_valid_request_id(running: Running) -> None:
    for answer in request_every_status(running, x_request_id="My-Request_0.7").values():
        assert answer.headers["x-request-id"] == "My-Request_0.7"


@pytest.mark.parametrize("sent", ["", " ", "a b", "a\tb", "x" * 129, "a;b", "é", "<script>", 'a"b', "a/b"])
def test_invalid_request_id_is_replaced(running: Running, sent: str) -> None:
    for path in ("/prices", "/nothing", "/markets/status"):
        request_id = running.get(path, x_request_id=sent).headers["x-request-id"]
        assert request_id != sent
        assert re.fullmatch(r"[A-Za-z0-9._\-]{1,128}", request_id)


def test_no_two_requests_get_the_same_id(running: Running) -> None:
    ids = [running.get(path).headers["x-request-id"] for path in HOT + COLD for _ in range(3)]
    assert len(set(ids)) == len(ids)
