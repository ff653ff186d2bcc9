"""Article endpoints: the requests that are sent, and the problems without a response."""

import json
from collections.abc import Callable

import httpx
import pytest

from dashboard.client import articles, connection
from dashboard.client.article_schemas import build_blank_article
from dashboard.client.http import ApiClient
from tests.support.articles.scans import article


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[httpx.Request]]:
    """Sets the response of the service and returns the list of its requests."""

    def set_answer(
        answer: Callable[[httpx.Request], httpx.Response], key: Callable[[], str] = lambda: "key"
    ) -> list[httpx.Request]:
        requests: list[httpx.Request] = []

        def handle(request: httpx.Request) -> httpx.Response:
            requests.append(request)
            return answer(request)

        client = ApiClient("http://service.test", key, transport=httpx.MockTransport(handle))
        monkeypatch.setattr(connection, "get_client", lambda: client)
        return requests

    return set_answer


def test_a_scan_request_states_whether_to_store_violations(
    service: Callable[..., list[httpx.Request]],
) -> None:
    requests = service(lambda _: httpx.Response(200, json=[], headers={"X-Rules-Version": "v1"}))
    for persist in (False, True):
        answer = articles.scan([build_blank_article()], persist=persist)
        assert answer.data == []
        assert articles.get_rules_version(answer) == "v1"
    assert [json.loads(request.content)["persist"] for request in requests] == [False, True]
    assert all(request.headers["CP-X-API-KEY"] == "key" for request in requests)


def test_applying_sends_the_article_unchanged(service: Callable[..., list[httpx.Request]]) -> None:
    requests = service(lambda _: httpx.Response(200, json=[]))
    sent_article = article(content="か\u3099\r\n𠮷")
    articles.apply([sent_article])
    assert json.loads(requests[0].content) == {"articles": [sent_article]}


@pytest.mark.parametrize(
    ("response", "title", "status"),
    [
        (
            httpx.Response(400, json={"code": "invalid_request", "detail": "articles[0].content: no"}),
            "invalid_request",
            400,
        ),
        (
            httpx.Response(413, json={"code": "payload_too_large", "detail": "large"}),
            "payload_too_large",
            413,
        ),
        (httpx.Response(502, text="<html>"), "http_error", 502),
        (httpx.Response(200, text="<html>"), "malformed", 200),
    ],
)
def test_an_error_response_becomes_a_problem_in_the_words_of_the_service(
    service: Callable[..., list[httpx.Request]], response: httpx.Response, title: str, status: int
) -> None:
    service(lambda _: response)
    error = articles.scan([build_blank_article()], persist=False).error
    assert error is not None
    assert (error.title, error.status) == (title, status)
    assert error.request_id


@pytest.mark.parametrize(
    ("fault", "title"),
    [(httpx.ConnectError("refused"), "unreachable"), (httpx.ReadTimeout("slow"), "timeout")],
)
def test_a_missing_response_becomes_a_problem_instead_of_an_exception(
    service: Callable[..., list[httpx.Request]], fault: Exception, title: str
) -> None:
    def fail(_: httpx.Request) -> httpx.Response:
        raise fault

    service(fail)
    answer = articles.apply([build_blank_article()])
    assert answer.data is None
    assert answer.error is not None
    assert answer.error.title == title


def test_a_new_key_is_read_after_a_401(service: Callable[..., list[httpx.Request]]) -> None:
    keys = iter(["old", "new"])

    def judge(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200 if request.headers["CP-X-API-KEY"] == "new" else 401, json=[])

    requests = service(judge, lambda: next(keys))
    assert articles.scan([], persist=False).data == []
    assert len(requests) == 2


def test_rules_are_requested_once_per_version(service: Callable[..., list[httpx.Request]]) -> None:
    requests = service(lambda _: httpx.Response(200, json={"version": "v1", "entities": [], "rules": []}))
    for version in ("v1", "v1", "v2", "v1"):
        assert articles.fetch_rules(version).data is not None
    assert [request.url.query for request in requests] == [b"version=v1", b"version=v2"]


def test_filters_and_cursor_are_sent_as_query(service: Callable[..., list[httpx.Request]]) -> None:
    requests = service(lambda _: httpx.Response(200, json={"data": [], "next_cursor": None}))
    articles.fetch_violations({"rule_id": "a b&c"}, limit=5, cursor="x=y")
    articles.fetch_violation_summary({})
    assert dict(requests[0].url.params) == {"rule_id": "a b&c", "limit": "5", "cursor": "x=y"}
    assert str(requests[1].url) == "http://service.test/articles/violations/summary"
