"""Prepared pages have the same bytes as built ones, until a topic or the clock changes them."""

from typing import Any

import pytest

from backend.topics.model import Category, Topic, TopicText
from backend.topics.queries import prepared_pages
from backend.topics.queries.prepared_pages import PreparedPages, RenderedPage
from backend.topics.service import TopicService
from backend.topics.store import topic_store
from tests.backend.topics.conftest import Service


def is_prepared(service: Service, path: str) -> bool:
    path_without_query, _, query = path.partition("?")
    topics: TopicService = service.running.inner.state.topics
    return topics.prepared_pages.find(path_without_query, query.encode()) is not None


def test_the_first_pages_are_prepared_before_any_request(service: Service) -> None:
    service.add()
    service.running.poll_changes()
    for path in ("/topics", "/ranking_topics"):
        assert is_prepared(service, path)
        assert service.get(path).body == service.get(f"{path}?nothing=1").body


@pytest.mark.parametrize("path", ["/topics", "/topics?lang=en&nothing=1", "/ranking_topics?top=3"])
def test_a_requested_list_is_cached_with_the_same_bytes(service: Service, path: str) -> None:
    service.add()
    assert not is_prepared(service, path)
    built = service.get(path)
    assert is_prepared(service, path)
    ready_one = service.get(path)
    assert (built.status, built.body) == (ready_one.status, ready_one.body)
    for name in ("etag", "cache-control", "vary", "content-type", "content-length"):
        assert built.headers[name] == ready_one.headers[name]
    assert "etag" in built.headers


def test_a_list_supports_304_and_compression(service: Service) -> None:
    for _ in range(9):
        service.add()
    for _ in range(2):  # made, then ready
        plain = service.get("/topics")
        zipped = service.get("/topics", accept_encoding="gzip")
        assert zipped.headers["content-encoding"] == "gzip"
        assert zipped.text == plain.body
        assert zipped.headers["etag"] != plain.headers["etag"]
        assert service.get("/topics", if_none_match=plain.headers["etag"]).status == 304
        refused = service.get("/topics", accept_encoding="gzip;q=0")
        assert refused.body == plain.body


def test_a_detail_and_media_support_304(service: Service) -> None:
    number = service.add()
    for path in (f"/topics/{number}", f"/topics/{number}/media", f"/ai_insights/{number}"):
        tag = service.get(path).headers["etag"]
        assert service.get(path, if_none_match=tag).status == 304


def test_a_prepared_list_without_a_valid_key_is_401(service: Service) -> None:
    assert service.get("/topics").status == 200
    assert service.running.get("/topics", key="cp_livev1nonsense").status == 401
    assert service.get("/topics", key="ingest").json()["code"] == 403


def test_a_topic_of_another_process_is_visible_after_the_next_check(service: Service) -> None:
    service.add()
    assert service.get("/topics").json()["total"] == 1
    topic = Topic(Category.NORMAL, service.clock(), "https://a.example/", {"en": TopicText("Another's")})
    with service.database.write() as connection:
        topic_store.store_topics(connection, [topic], now=service.clock())
    assert service.get("/topics").json()["total"] == 1
    service.running.poll_changes()
    assert service.get("/topics").json()["total"] == 2


def test_the_ranking_changes_by_the_clock_alone(service: Service) -> None:
    old = service.add(published_at=service.ago(hours=23), total_tweet_score=5)
    coming = service.add(published_at=service.ago(hours=-2), total_tweet_score=9)

    def list_ranked_ids() -> list[Any]:
        return [item["id"] for item in service.data("/ranking_topics")]

    assert list_ranked_ids() == [old]
    assert is_prepared(service, "/ranking_topics")
    service.clock.move(hours=1)
    assert list_ranked_ids() == [old]
    service.clock.move(microseconds=1)
    assert not is_prepared(service, "/ranking_topics")
    assert list_ranked_ids() == []
    service.clock.move(hours=1)
    assert list_ranked_ids() == [coming]


def test_topics_of_the_other_mode_are_hidden_everywhere(service: Service) -> None:
    with service.database.write() as connection:
        live, sample = topic_store.store_topics(
            connection,
            [
                Topic(
                    Category.NORMAL,
                    service.clock(),
                    "https://a.example/",
                    {"en": TopicText(realm)},
                    realm=realm,
                    external_id="one",
                )
                for realm in ("live", "sample")
            ],
            now=service.clock(),
        )
    service.running.poll_changes()
    for path in ("/topics", "/topics?category=2", "/ranking_topics"):
        assert [item["id"] for item in service.data(path)] == [sample]
    for path in ("/topics/{}", "/topics/{}/media", "/ai_insights/{}"):
        assert service.get(path.format(live)).status == 404
        assert service.get(path.format(sample)).status == 200
    assert service.post(f"/topics/{live}/media", {}).status == 404


def test_the_cache_is_bounded_in_entries_and_bytes(monkeypatch: pytest.MonkeyPatch, service: Service) -> None:
    monkeypatch.setattr(prepared_pages, "MAX_PAGES", 3)
    monkeypatch.setattr(prepared_pages, "MAX_BYTES", 100)
    pages = PreparedPages(service.clock)

    def request(number: int, length: int) -> None:
        pages.render(("/topics", b"%d" % number), lambda: RenderedPage(b"x" * length))

    def list_cached() -> list[int]:
        return [n for n in range(7) if pages._cache.pages.get(("/topics", b"%d" % n))]

    for number in range(5):
        request(number, 10)
    assert list_cached() == [2, 3, 4]
    assert pages.find("/topics", b"2") is not None  # requested last
    request(5, 85)
    assert list_cached() == [2, 5]


def test_a_page_built_before_a_change_is_not_cached_after_it(service: Service) -> None:
    pages = PreparedPages(service.clock)

    def render_during_a_change() -> RenderedPage:
        pages.clear()
        return RenderedPage(b"old")

    pages.render(("/topics", b""), render_during_a_change)
    assert pages.find("/topics", b"") is None
    pages.rebuild()  # the same function again changes the topics meanwhile
    assert pages.find("/topics", b"") is None


def test_a_change_elsewhere_rebuilds_the_most_recently_requested_pages(service: Service) -> None:
    pages, text = PreparedPages(service.clock), ["one"]
    for number in range(prepared_pages.MAX_REGISTERED_PAGES + 1):
        pages.render(("/topics", b"%d" % number), lambda: RenderedPage(text[0].encode()))
    text[0] = "two"
    pages.rebuild()
    assert pages.find("/topics", b"0") is None
    last = pages.find("/topics", b"%d" % prepared_pages.MAX_REGISTERED_PAGES)
    assert last is not None
    assert last.body == b"two"
