"""Tests that HEAD has the status and headers of GET without a body (RFC 9110, 9.3.2)."""

import http.client
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.support.apps.market_app import Running, sample_app
from tests.support.http.asgi import Answer, send
from tests.support.http.uvicorn_thread import serve_app
from tests.support.waiting import LIMIT_SECONDS

READY = ("/rankings", "/rankings?with_candles=24h", "/prices", "/prices/all", "/markets/figures", "/assets")
OTHERS = (
    *("/assets/bitcoin", "/assets/bitcoin/icon", "/assets/bitcoin/candles", "/prices/bitcoin/quotes"),
    *("/aggregation/btc", "/rankings?limit=1", "/markets/incidents", "/markets/status"),
    *("/", "/healthz", "/readyz", "/docs", "/openapi.json"),
)
REFUSED = ("/nothing", "/assets/nothing", "/rankings?sort=x", "/markets/incidents?open=maybe")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with sample_app(tmp_path_factory.mktemp("head"), ("bitcoin", "ethereum")) as running:
        yield running


def head(running: Running, path: str, **headers: str) -> Answer:
    request_headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return send(running.app, path, method="HEAD", headers={"CP-X-API-KEY": running.key, **request_headers})


def summarize_response(answer: Answer) -> tuple[int, dict[str, str]]:
    return answer.status, {name: value for name, value in answer.headers.items() if name != "x-request-id"}


@pytest.mark.parametrize("path", [*READY, *OTHERS, *REFUSED])
def test_head_response_has_the_status_and_headers_of_get_without_a_body(running: Running, path: str) -> None:
    running.poll_changes()  # or the readiness would tell how long ago, in more digits for one of the two
    full_answer, head_answer = running.get(path), head(running, path)
    if "problem" in full_answer.headers["content-type"]:  # it names its request, whose id is as long as it is
        full_answer = running.get(path, x_request_id="of-the-test")
        head_answer = head(running, path, x_request_id="of-the-test")
    assert summarize_response(head_answer) == summarize_response(full_answer)
    assert head_answer.body == b""
    assert int(head_answer.headers["content-length"]) == len(full_answer.body) > 0


@pytest.mark.parametrize("path", ["/rankings", "/prices", "/markets/incidents"])
def test_head_supports_if_none_match_and_accept_encoding_like_get(running: Running, path: str) -> None:
    zipped = head(running, path, accept_encoding="gzip")
    assert summarize_response(zipped) == summarize_response(running.get(path, accept_encoding="gzip"))
    not_modified = head(running, path, if_none_match=running.get(path).headers["etag"])
    assert (not_modified.status, not_modified.body) == (304, b"")
    assert "content-length" not in not_modified.headers


@pytest.mark.parametrize("path", ["/prices", "/markets/status"])
def test_head_requires_the_same_key_as_get(running: Running, path: str) -> None:
    for headers in ({}, {"CP-X-API-KEY": "nonsense"}):
        refused = send(running.app, path, method="HEAD", headers=headers)
        assert (refused.status, refused.body) == (401, b"")
        assert "ApiKey" in refused.headers["www-authenticate"]


def test_head_response_sends_no_body_and_keeps_the_connection_open(running: Running) -> None:
    with serve_app(running.app) as url:
        line = http.client.HTTPConnection(urlsplit(url).netloc, timeout=LIMIT_SECONDS)
        for path in ("/prices", "/markets/status", "/assets/nothing", "/openapi.json"):
            lengths = []
            for method in ("HEAD", "GET", "HEAD"):
                line.request(method, path, headers={"CP-X-API-KEY": running.key, "X-Request-ID": "a"})
                answer = line.getresponse()
                lengths.append(answer.headers["content-length"])
                assert len(answer.read()) == (int(lengths[-1]) if method == "GET" else 0)
            assert len(set(lengths)) == 1
        line.close()
