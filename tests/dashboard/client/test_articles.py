"""Calls to the article endpoints: what is sent, and what is said when there is no answer."""

import json
from collections.abc import Callable

import httpx
import pytest

from dashboard.client import api, articles
from dashboard.client.article_schemas import blank_article
from dashboard.client.http import ApiClient
from tests.support.scans import article


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[httpx.Request]]:
    """Answers with what it is given, and gives the requests that came."""

    def answering(
        answer: Callable[[httpx.Request], httpx.Response], key: Callable[[], str] = lambda: "key"
    ) -> list[httpx.Request]:
        seen: list[httpx.Request] = []

        def handle(request: httpx.Request) -> httpx.Response:
            seen.append(request)
            return answer(request)

        client = ApiClient("http://service.test", key, transport=httpx.MockTransport(handle))
        monkeypatch.setattr(api, "client", lambda: client)
        return seen

    return answering


def test_a_scan_says_outright_whether_it_is_stored(service: Callable[..., list[httpx.Request]]) -> None:
    seen = service(lambda _: httpx.Response(200, json=[], headers={"X-Rules-Version": "v1"}))
    for persist in (False, True):
        answer = articles.scan([blank_article()], persist=persist)
        assert answer.data == []
        assert articles.rules_version(answer) == "v1"
    assert [json.loads(request.content)["persist"] for request in seen] == [False, True]
    assert all(request.headers["CP-X-API-KEY"] == "key" for request in seen)


def test_applying_sends_the_article_as_it_is(service: Callable[..., list[httpx.Request]]) -> None:
    seen = service(lambda _: httpx.Response(200, json=[]))
    sent = article(content="か\u3099\r\n𠮷")
    articles.apply([sent])
    assert json.loads(seen[0].content) == {"articles": [sent]}


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
def test_a_refusal_is_told_in_the_services_own_words(
    service: Callable[..., list[httpx.Request]], response: httpx.Response, title: str, status: int
) -> None:
    service(lambda _: response)
    error = articles.scan([blank_article()], persist=False).error
    assert error is not None
    assert (error.title, error.status) == (title, status)
    assert error.request_id


@pytest.mark.parametrize(
    ("fault", "title"),
    [(httpx.ConnectError("refused"), "unreachable"), (httpx.ReadTimeout("slow"), "timeout")],
)
def test_a_service_that_does_not_answer_is_a_problem_and_no_exception(
    service: Callable[..., list[httpx.Request]], fault: Exception, title: str
) -> None:
    def fail(_: httpx.Request) -> httpx.Response:
        raise fault

    service(fail)
    answer = articles.apply([blank_article()])
    assert answer.data is None
    assert answer.error is not None
    assert answer.error.title == title


def test_a_key_that_was_made_just_now_is_read_anew(service: Callable[..., list[httpx.Request]]) -> None:
    keys = iter(["old", "new"])

    def judge(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200 if request.headers["CP-X-API-KEY"] == "new" else 401, json=[])

    seen = service(judge, lambda: next(keys))
    assert articles.scan([], persist=False).data == []
    assert len(seen) == 2


def test_rules_are_asked_for_once_a_version(service: Callable[..., list[httpx.Request]]) -> None:
    seen = service(lambda _: httpx.Response(200, json={"version": "v1", "entities": [], "rules": []}))
    for version in ("v1", "v1", "v2", "v1"):
        assert articles.rules(version).data is not None
    assert [request.url.query for request in seen] == [b"version=v1", b"version=v2"]


def test_filters_and_the_cursor_of_a_page_are_sent(service: Callable[..., list[httpx.Request]]) -> None:
    seen = service(lambda _: httpx.Response(200, json={"data": [], "next_cursor": None}))
    articles.violations({"rule_id": "a b&c"}, limit=5, cursor="x=y")
    articles.violation_summary({})
    assert dict(seen[0].url.params) == {"rule_id": "a b&c", "limit": "5", "cursor": "x=y"}
    assert str(seen[1].url) == "http://service.test/articles/violations/summary"
