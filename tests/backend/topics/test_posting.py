"""Topics and media that API clients send: added, updated, or refused as a whole."""

from typing import Any

import pytest

from tests.backend.topics.conftest import Service


def test_one_topic_and_an_array_get_the_same_response_shape(service: Service) -> None:
    answer = service.post("/topics", service.topic(external_id="a"))
    assert answer.status == 201
    first = answer.json()["data"][0]["id"]
    assert answer.json() == {"code": 0, "message": "ok", "data": [{"id": first, "external_id": "a"}]}
    answer = service.post("/topics", [service.topic(), service.topic(external_id="b")])
    ids = [topic["id"] for topic in answer.json()["data"]]
    assert [topic["external_id"] for topic in answer.json()["data"]] == [None, "b"]
    assert len({first, *ids}) == 3
    assert service.post("/topics", []).json() == {"code": 0, "message": "ok", "data": []}


def test_a_topic_without_an_external_id_is_always_new(service: Service) -> None:
    assert service.add() != service.add()
    assert service.get("/topics").json()["total"] == 2


def test_a_known_external_id_updates_that_topic_and_keeps_its_other_texts(service: Service) -> None:
    first = service.add(external_id="a", category=0, texts={"en": {"title": "Old"}, "ja": {"title": "旧"}})
    published_at = service.ago(days=40)
    assert (
        service.add(external_id="a", category=2, published_at=published_at, texts={"en": {"title": "New"}})
        == first
    )
    (item,) = service.data("/topics?category=2")
    assert (item["title"], item["published_at"]) == ("New", published_at)
    (item,) = service.data("/topics?category=2&lang=ja")
    assert (item["title"], item["published_at"]) == ("旧", published_at)
    assert service.get("/topics?category=0").json()["total"] == 0
    assert service.get("/topics?category=0&lang=ja").json()["total"] == 0


def test_of_two_topics_with_one_external_id_the_later_updates_the_earlier(service: Service) -> None:
    sent_topics = [
        service.topic("One", external_id="a"),
        service.topic(external_id="b"),
        service.topic("Two", external_id="a"),
    ]
    ids = [topic["id"] for topic in service.post("/topics", sent_topics).json()["data"]]
    assert ids[0] == ids[2] != ids[1]
    assert service.data(f"/topics/{ids[0]}")["title"] == "Two"


def test_a_topic_is_visible_as_soon_as_the_response_is_sent(service: Service) -> None:
    for expected_count in range(1, 4):
        service.add()
        assert service.get("/topics").json()["total"] == expected_count
        assert len(service.data("/ranking_topics")) == expected_count


WRONG: list[tuple[str, Any]] = [
    ("category", 3),
    ("category", "1"),
    ("category", True),
    ("category", 1.5),
    ("category", None),
    ("published_at", "2026-01-01"),
    ("published_at", 1767225600),
    ("url", "javascript:alert(1)"),
    ("url", "ftp://a.example/"),
    ("url", "https://]a.example/"),
    ("url", ""),
    ("cover_img", "data:image/png;base64,AAAA"),
    ("total_tweet_score", "5"),
    ("total_tweet_score", 1e300),
    ("texts", {}),
    ("texts", {"fr": {"title": "T"}}),
    ("texts", {"en": {}}),
    ("texts", {"en": {"title": " "}}),
    ("texts", {"en": {"title": "a\0b"}}),
    ("texts", {"en": {"title": "T", "summary_bullets": ["flat"]}}),
    ("texts", {"en": {"title": "T", "terms_concepts": [{"term": "x"}]}}),
    ("external_id", ""),
    ("external_id", "x" * 201),
    ("external_id", 7),
]


@pytest.mark.parametrize("as_array", [False, True])
def test_a_wrong_field_is_400_and_nothing_is_added(service: Service, as_array: bool) -> None:
    for name, value in WRONG:
        wrong = service.topic(**{name: value})
        answer = service.post("/topics", [service.topic(), wrong] if as_array else wrong)
        body = answer.json()
        assert (answer.status, body["code"], body["data"]) == (400, 400, None), (name, value)
        assert name in body["message"]
        assert ("body.1." in body["message"]) is as_array
    assert service.get("/topics").json()["total"] == 0


def test_a_body_that_is_no_topic_is_400_in_the_envelope(service: Service) -> None:
    for raw in (b"", b"null", b'"x"', b"{broken", b"[1]", b'{"category":1e999}', b'["\\ud800"]'):
        answer = service.post("/topics", None, raw=raw)
        assert (answer.status, answer.json()["code"]) == (400, 400), raw
    assert service.post("/topics", None, key="read", raw=b"{broken").status == 403


MEDIA: dict[str, Any] = {
    "primary_sources": [
        {
            "url": "https://sec.example/1",
            "title": "Filing",
            "summary": "Says so.",
            "published_at": "2026-03-01T00:00:00Z",
            "site_name": "The regulator",
        }
    ],
    "articles": [{"entry_url": "https://a.example/1", "title": "News"}],
    "tweets": [{"entry_url": "https://x.example/1", "summary": "Post", "score": 5}],
}


def test_media_responses_use_the_fields_of_the_interface(service: Service) -> None:
    number = service.add()
    answer = service.post(f"/topics/{number}/media", MEDIA)
    assert answer.status == 201
    media = service.data(f"/topics/{number}/media")
    assert answer.json()["data"] == media
    (source,), (article,), (tweet,) = (
        media["primary_sources"],
        media["articles"],
        media["tweets"],
    )
    assert list(source) == ["id", "topic_id", "url", "title", "summary", "published_at", "site_name"]
    assert (source["topic_id"], source["site_name"]) == (number, "The regulator")
    assert list(article) == ["id", "topic_id", "entry_url", "title", "published_at"]
    assert list(tweet) == ["id", "topic_id", "entry_url", "summary", "published_at"]
    assert article["published_at"] is None
    empty = service.data(f"/topics/{service.add()}/media")
    assert empty == {"primary_sources": [], "articles": [], "tweets": []}


def test_media_sent_again_replace_the_old_ones_and_score_once(service: Service) -> None:
    low, high = service.add(total_tweet_score=10), service.add(total_tweet_score=12)
    assert [item["id"] for item in service.data("/ranking_topics")] == [high, low]
    for _ in range(3):
        service.post(f"/topics/{low}/media", {"tweets": [MEDIA["tweets"][0]] * 2})
    assert [item["id"] for item in service.data("/ranking_topics")] == [low, high]
    assert len(service.data(f"/topics/{low}/media")["tweets"]) == 1
    service.post(f"/topics/{high}/media", {"tweets": [{**MEDIA["tweets"][0], "score": 3.5}]})
    assert [item["id"] for item in service.data("/ranking_topics")] == [high, low]


def test_the_score_of_posts_stays_when_the_topic_is_sent_again(service: Service) -> None:
    first_id, second_id = service.add(external_id="a"), service.add(total_tweet_score=4)
    service.post(f"/topics/{first_id}/media", MEDIA)
    assert service.add(external_id="a", total_tweet_score=0) == first_id
    assert [item["id"] for item in service.data("/ranking_topics")] == [first_id, second_id]


def test_media_are_listed_in_the_language_or_else_in_the_topics_own(service: Service) -> None:
    number = service.add(texts={"ja": {"title": "見出し"}, "en": {"title": "A title"}})
    sent_media = {
        "articles": [
            {"entry_url": f"https://a.example/{lang}", "lang": None if lang == "all" else lang}
            for lang in ("en", "ja", "all")
        ],
        "tweets": [{"entry_url": f"https://x.example/{lang}", "lang": lang} for lang in ("ja", "zh")],
    }
    service.post(f"/topics/{number}/media", sent_media)

    def list_languages(lang: str, kind: str) -> set[str]:
        media = service.data(f"/topics/{number}/media?lang={lang}")
        return {item["entry_url"].rpartition("/")[2] for item in media[kind]}

    assert [list_languages(lang, "articles") for lang in ("en", "ja", "zh")] == [
        {"en", "all"},
        {"ja", "all"},
        {"all"},
    ]
    assert [list_languages(lang, "tweets") for lang in ("en", "ja", "zh")] == [{"ja"}, {"ja"}, {"zh"}]


def test_media_are_listed_newest_first_and_undated_ones_last(service: Service) -> None:
    number = service.add()
    days = {"a": "2026-01-02", "b": None, "c": "2026-01-03", "d": "2026-01-01"}
    items = [
        {"entry_url": f"https://a.example/{name}", "published_at": day and f"{day}T00:00:00Z"}
        for name, day in days.items()
    ]
    service.post(f"/topics/{number}/media", {"articles": items})
    published_at = service.data(f"/topics/{number}/media")["articles"]
    assert [item["entry_url"][-1] for item in published_at] == ["c", "a", "d", "b"]


def test_invalid_media_are_400_and_media_of_an_unknown_topic_are_404(service: Service) -> None:
    number = service.add()
    for wrong in (
        {"articles": [{"entry_url": "javascript:x"}]},
        {"articles": [{"entry_url": "https://a.example]#x"}]},
        {"tweets": [{"summary": "x"}]},
        {"tweets": [{"entry_url": "https://x.example/1", "score": "9"}]},
        {"primary_sources": [{"url": "https://x.example/1", "lang": "fr"}]},
        {"articles": {}},
        [],
    ):
        answer = service.post(f"/topics/{number}/media", wrong)
        assert (answer.status, answer.json()["code"]) == (400, 400), wrong
    assert service.post("/topics/99999/media", MEDIA).json()["code"] == 404
    assert service.post("/topics/x/media", MEDIA).json()["code"] == 400
    assert service.post(f"/topics/{number}/media", MEDIA, key="read").json()["code"] == 403
    assert service.data(f"/topics/{number}/media")["articles"] == []
