"""Calls to the topic endpoints: what is asked, and what is read out of the envelope."""

import httpx
import pytest

from dashboard.app_pages.topics.topic_text import Filters, query
from dashboard.client import api, topics
from dashboard.client.http import ApiClient

ITEM = {"id": 7, "title": "T", "category": 1}


def service(monkeypatch: pytest.MonkeyPatch, answer: httpx.Response) -> list[httpx.Request]:
    seen: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return answer

    client = ApiClient("http://service.test", lambda: "key", transport=httpx.MockTransport(handle))
    monkeypatch.setattr(api, "client", lambda: client)
    return seen


def test_a_page_is_asked_for_with_its_filters_and_read_with_its_total(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer = httpx.Response(200, json={"code": 0, "message": "ok", "data": [ITEM], "total": 41})
    seen = service(monkeypatch, answer)
    found = topics.page(query(Filters("zh", "important", page=2)))
    assert found.data == {"topics": [ITEM], "total": 41}
    assert dict(seen[0].url.params) == {"lang": "zh", "page": "2", "page_size": "25", "category": "1"}
    assert seen[0].headers["CP-X-API-KEY"] == "key"


def test_the_latest_of_a_coin_are_asked_for_by_its_id(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = service(monkeypatch, httpx.Response(200, json={"code": 0, "data": [ITEM], "total": 41}))
    assert topics.of_entity("bitcoin-cash", "ja", many=3).data == {"topics": [ITEM], "total": 41}
    assert dict(seen[0].url.params) == {"entity": "bitcoin-cash", "lang": "ja", "page_size": "3"}


@pytest.mark.parametrize(
    ("call", "path"),
    [
        (lambda: topics.detail(7, "ja"), "/topics/7"),
        (lambda: topics.media(7, "ja"), "/topics/7/media"),
        (lambda: topics.insight(7, "ja"), "/ai_insights/7"),
    ],
)
def test_each_part_of_a_topic_is_asked_for_in_its_language(
    monkeypatch: pytest.MonkeyPatch, call: object, path: str
) -> None:
    seen = service(monkeypatch, httpx.Response(200, json={"code": 0, "message": "ok", "data": {"a": 1}}))
    assert callable(call)
    assert call().data == {"a": 1}
    assert (seen[0].url.path, seen[0].url.params["lang"]) == (path, "ja")


@pytest.mark.parametrize("basis", ["posts", "coverage", None])
def test_a_ranking_is_read_with_what_it_is_by(monkeypatch: pytest.MonkeyPatch, basis: str | None) -> None:
    headers = {"X-Ranked-By": basis} if basis else {}
    answer = httpx.Response(200, json={"code": 0, "message": "ok", "data": [ITEM]}, headers=headers)
    seen = service(monkeypatch, answer)
    assert topics.ranked("ja", top=5).data == {"topics": [ITEM], "by": basis}
    assert (seen[0].url.path, dict(seen[0].url.params)) == ("/ranking_topics", {"top": "5", "lang": "ja"})


def test_a_refusal_tells_the_services_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    body = {"code": 404, "message": "Topic 7 has no text in ja. It has en: ask with lang.", "data": None}
    service(monkeypatch, httpx.Response(404, json=body))
    problem = topics.detail(7, "ja").error
    assert problem is not None
    assert (problem.status, problem.detail) == (404, body["message"])


def test_an_answer_without_its_total_is_not_in_the_documented_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    service(monkeypatch, httpx.Response(200, json={"code": 0, "message": "ok", "data": []}))
    problem = topics.page({}).error
    assert problem is not None
    assert problem.title == "malformed"
