"""Tests that every response has the security headers."""

from collections.abc import Iterator

import pytest

from backend.http.security_headers import add_default_headers, build_default_headers
from tests.support.apps.market_app import Running, sample_app
from tests.support.http.asgi import Answer, send


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with sample_app(tmp_path_factory.mktemp("headers"), ("bitcoin",)) as running:
        yield running


def assert_safe(answer: Answer) -> None:
    names = [name.lower() for name, _ in answer.raw_headers]
    assert len(names) == len(set(names))
    result = answer.headers
    assert result["x-content-type-options"] == "nosniff"
    assert result["referrer-policy"] == "no-referrer"
    assert result["content-security-policy"].startswith("default-src 'none'")
    assert result["cross-origin-resource-policy"] in ("same-origin", "cross-origin")
    assert result["x-request-id"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/prices", 200),
        ("/prices/bitcoin/quotes", 200),
        ("/nothing", 404),
        ("/rankings?sort=x", 400),
        ("/topics", 200),
        ("/topics/x", 400),
        ("/healthz", 200),
        ("/readyz", 200),
        ("/metrics", 200),
        ("/docs", 200),
        ("/openapi.json", 200),
        ("/assets/bitcoin/icon", 200),
    ],
)
def test_every_response_has_security_headers_including_304_and_head(
    running: Running, path: str, status: int
) -> None:
    running.poll_changes()  # without which it is ready for some seconds alone
    answer = running.get(path)
    assert answer.status == status
    assert_safe(answer)
    assert_safe(send(running.app, path, method="HEAD", headers={"CP-X-API-KEY": running.key}))
    if "etag" in answer.headers:
        not_modified = running.get(path, if_none_match=answer.headers["etag"])
        assert not_modified.status == 304
        assert_safe(not_modified)


def test_401_and_405_responses_have_security_headers_and_are_not_cached(running: Running) -> None:
    refused = send(running.app, "/prices")
    wrong = send(running.app, "/prices", method="PUT")
    assert (refused.status, wrong.status) == (401, 405)
    for answer in (refused, wrong):
        assert_safe(answer)
        assert answer.headers["cache-control"] == "no-store"


def test_data_responses_forbid_framing_and_pages_have_their_own_policy(running: Running) -> None:
    assert "frame-ancestors 'none'" in running.get("/prices").headers["content-security-policy"]
    assert "script-src 'self'" in running.get("/docs").headers["content-security-policy"]
    assert "sandbox" in running.get("/assets/bitcoin/icon").headers["content-security-policy"]


def test_hsts_header_is_sent_only_for_an_https_public_url() -> None:
    names = [{name for name, _ in build_default_headers("live", https=https)} for https in (True, False)]
    assert names[0] - names[1] == {b"strict-transport-security"}


def test_default_headers_do_not_override_response_headers_of_any_case() -> None:
    own = [(b"Referrer-Policy", b"same-origin"), (b"Cache-Control", b"max-age=5")]
    result = add_default_headers(own, 404, [(b"referrer-policy", b"no-referrer"), (b"x-more", b"1")])
    assert result == [*own, (b"x-more", b"1")]
