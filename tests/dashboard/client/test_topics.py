"""Topic endpoints: the requests that are sent, and the data unwrapped from the envelope."""

import httpx
import pytest

from dashboard.app_pages.topics.filter_params import Filters, build_query
from dashboard.client import connection, topics
from dashboard.client.http import ApiClient

ITEM = {"id": 7, "title": "T", "category": 1}


def service(monkeypatch: pytest.MonkeyPatch, answer: httpx.Response) -> list[httpx.Request]:
    requests: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return answer

    client = ApiClient("http://service.test", lambda: "key", transport=httpx.MockTransport(handle))
    monkeypatch.setattr(connection, "get_client", lambda: client)
    return requests


def test_a_page_request_sends_its_filters_and_returns_the_total(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer = httpx.Response(200, json={"code": 0, "message": "ok", "data": [ITEM], "total": 41})
    requests = service(monkeypatch, answer)
    found = topics.fetch_page(build_query(Filters("zh", "important", page=2)))
    assert found.data == {"topics": [ITEM], "total": 41}
    assert dict(requests[0].url.params) == {"lang": "zh", "page": "2", "page_size": "25", "category": "1"}
    assert requests[0].headers["CP-X-API-KEY"] == "key"


def test_topics_of_a_coin_are_requested_by_its_id(monkeypatch: pytest.MonkeyPatch) -> None:
    requests = service(monkeypatch, httpx.Response(200, json={"code": 0, "data": [ITEM], "total": 41}))
    assert topics.fetch_entity_topics("bitcoin-cash", "ja", limit=3).data == {"topics": [ITEM], "total": 41}
    assert dict(requests[0].url.params) == {"entity": "bitcoin-cash", "lang": "ja", "page_size": "3"}


@pytest.mark.parametrize(
    ("call", "path"),
    [
        (lambda: topics.fetch_detail(7, "ja"), "/topics/7"),
        (lambda: topics.fetch_media(7, "ja"), "/topics/7/media"),
        (lambda: topics.fetch_insight(7, "ja"), "/ai_insights/7/sections"),
    ],
)
def test_each_part_of_a_topic_is_requested_in_its_language(
    monkeypatch: pytest.MonkeyPatch, call: object, path: str
) -> None:
    requests = service(monkeypatch, httpx.Response(200, json={"code": 0, "message": "ok", "data": {"a": 1}}))
    assert callable(call)
    assert call().data == {"a": 1}
    assert (requests[0].url.path, requests[0].url.params["lang"]) == (path, "ja")


@pytest.mark.parametrize("basis", ["posts", "coverage", None])
def test_a_ranking_has_its_criterion(monkeypatch: pytest.MonkeyPatch, basis: str | None) -> None:
    headers = {"X-Ranked-By": basis} if basis else {}
    answer = httpx.Response(200, json={"code": 0, "message": "ok", "data": [ITEM]}, headers=headers)
    requests = service(monkeypatch, answer)
    assert topics.fetch_ranking("ja", "news", top=5).data == {"topics": [ITEM], "by": basis}
    assert (requests[0].url.path, dict(requests[0].url.params)) == (
        "/ranking_topics",
        {"top": "5", "lang": "ja", "kind": "news"},
    )


def test_an_error_response_becomes_a_problem_in_the_words_of_the_service(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    body = {
        "code": 404,
        "message": "Topic 7 has no text in ja. Set lang to one of its languages: en.",
        "data": None,
    }
    service(monkeypatch, httpx.Response(404, json=body))
    problem = topics.fetch_detail(7, "ja").error
    assert problem is not None
    assert (problem.status, problem.detail) == (404, body["message"])


def test_a_response_without_a_total_is_malformed(monkeypatch: pytest.MonkeyPatch) -> None:
    service(monkeypatch, httpx.Response(200, json={"code": 0, "message": "ok", "data": []}))
    problem = topics.fetch_page({}).error
    assert problem is not None
    assert problem.title == "malformed"
