"""The topic endpoints follow the interface exactly."""

from datetime import timedelta

import pytest

from backend.topics.insights.sections import build_parts
from backend.topics.model import Category, Media, Topic, TopicText
from backend.topics.store import generation_records, topic_store
from backend.topics.store.generation_records import Record
from tests.backend.topics.conftest import Service

ITEM = ["id", "title", "subtitle", "summary", "summary_bullets", "category", "lang", "published_at", "url"]
WHOLE = {
    "title": "T",
    "subtitle": "S",
    "summary": "Sum",
    "summary_bullets": [["one", "two"], ["three"]],
    "terms_concepts": [{"term": "halving", "definition": "every four years"}],
}


def test_a_list_item_has_the_fields_of_the_interface_and_a_number_for_its_category(service: Service) -> None:
    number = service.add(
        texts={"en": WHOLE}, category=1, published_at="2026-03-01T08:00:00+09:00", url="https://a.example/x"
    )
    build_insight = service.get("/topics").json()
    assert list(build_insight) == ["code", "message", "data", "total"]
    assert (build_insight["code"], build_insight["message"], build_insight["total"]) == (0, "ok", 1)
    assert list(build_insight["data"][0]) == ITEM
    assert build_insight["data"][0] == {
        "id": number,
        "title": "T",
        "subtitle": "S",
        "summary": "Sum",
        "summary_bullets": [["one", "two"], ["three"]],
        "category": 1,
        "lang": "en",
        "published_at": "2026-02-28T23:00:00Z",
        "url": "https://a.example/x",
    }


def test_the_detail_has_a_word_for_its_category_and_terms_and_a_cover(service: Service) -> None:
    number = service.add(texts={"en": WHOLE}, category=0, cover_img="https://a.example/x.png")
    detail = service.data(f"/topics/{number}")
    assert list(detail) == [*ITEM, "terms_concepts", "cover_img"]
    assert detail["category"] == "Breaking"
    assert detail["terms_concepts"] == [{"term": "halving", "definition": "every four years"}]
    assert detail["cover_img"] == "https://a.example/x.png"


def test_missing_fields_are_null_and_missing_arrays_empty(service: Service) -> None:
    detail = service.data(f"/topics/{service.add()}")
    assert [detail[name] for name in ("subtitle", "summary", "cover_img")] == [None] * 3
    assert (detail["summary_bullets"], detail["terms_concepts"]) == ([], [])


def test_topics_are_listed_newest_first_then_by_id_descending(service: Service) -> None:
    old = service.add(published_at=service.ago(days=3))
    first, second = service.add(), service.add()
    newest = service.add(published_at=service.ago(minutes=1))
    assert [item["id"] for item in service.data("/topics")] == [newest, second, first, old]


def test_publish_after_is_inclusive_and_publish_before_exclusive(service: Service) -> None:
    days = [service.add(published_at=f"2026-01-0{day}T00:00:00Z") for day in range(1, 6)]
    found = service.data("/topics?publish_after=2026-01-02T00:00:00Z&publish_before=2026-01-04T00:00:00Z")
    assert [item["id"] for item in found] == [days[2], days[1]]
    backwards = service.get("/topics?publish_after=2026-01-04T00:00:00Z&publish_before=2026-01-02T00:00:00Z")
    assert (backwards.json()["data"], backwards.json()["total"]) == ([], 0)


def test_total_counts_all_that_match_on_every_page(service: Service) -> None:
    service.post("/topics", [service.topic(category=number % 2) for number in range(7)])
    for page, count in ((1, 2), (2, 2), (3, 0), (2**63 - 1, 0)):
        build_insight = service.get(f"/topics?category=0&page_size=2&page={page}").json()
        assert (build_insight["total"], len(build_insight["data"])) == (4, count)


def test_a_page_has_at_most_a_hundred_topics(service: Service) -> None:
    service.post("/topics", [service.topic() for _ in range(103)])
    for page_size in ("100", "101", "5000", str(2**63 - 1), str(10**40)):
        assert len(service.data(f"/topics?page_size={page_size}")) == 100
    assert len(service.data("/topics?page_size=100&page=2")) == 3
    assert len(service.data("/topics")) == 20


def test_a_topic_is_listed_in_the_languages_that_it_has_text_in(service: Service) -> None:
    number = service.add(texts={"ja": {"title": "見出し"}, "zh": {"title": "标题"}})
    assert service.data("/topics") == []
    (item,) = service.data("/topics?lang=ja")
    assert (item["id"], item["title"], item["lang"]) == (number, "見出し", "ja")
    for path in (f"/topics/{number}", f"/ai_insights/{number}"):
        build_insight = service.get(path)
        assert build_insight.status == 404
        assert build_insight.json() == {
            "code": 404,
            "message": f"Topic {number} has no text in en. Set lang to one of its languages: ja, zh.",
            "data": None,
        }


@pytest.mark.parametrize(
    "path", ["/topics/{}", "/topics/{}/media", "/ai_insights/{}", "/ai_insights/{}/sections"]
)
@pytest.mark.parametrize("number", ["999999", "0", "-1", str(2**63 - 1)])
def test_an_unknown_topic_is_404_in_the_envelope(service: Service, path: str, number: str) -> None:
    build_insight = service.get(path.format(number))
    body = build_insight.json()
    assert (build_insight.status, body["code"], body["data"]) == (404, 404, None)
    assert number in body["message"]


WRONG = [
    "/topics?category=3",
    "/topics?category=-1",
    "/topics?category=Breaking",
    "/topics?category=",
    "/topics?page=0",
    "/topics?page=x",
    "/topics?page=1.0",
    "/topics?page=1_0",
    "/topics?page=%EF%BC%91",
    f"/topics?page={2**63}",
    "/topics?page_size=0",
    f"/topics?page_size=-{10**40}",
    "/topics?lang=fr",
    "/topics?lang=EN",
    "/topics?lang=",
    "/topics?publish_before=yesterday",
    "/topics?publish_after=2026-01-01",
    "/topics?publish_after=2026-02-30T00:00:00Z",
    "/topics?lang=%FF",
    "/topics/x",
    "/topics/1.0",
    f"/topics/{2**64}",
    "/topics/1?lang=de",
    "/topics/x/media",
    "/topics/1/media?lang=de",
    "/ranking_topics?top=0",
    "/ranking_topics?top=51",
    "/ranking_topics?top=five",
    "/ranking_topics?lang=xx",
    "/ranking_topics?kind=sport",
    "/ai_insights/x",
    "/ai_insights/1?lang=xx",
]


def test_every_invalid_parameter_is_400_in_the_envelope(service: Service) -> None:
    for path in WRONG:
        build_insight = service.get(path)
        body = build_insight.json()
        assert (build_insight.status, body["code"], body["data"]) == (400, 400, None), path
        assert list(body) == ["code", "message", "data"]
        assert body["message"], path
        assert build_insight.headers["content-type"] == "application/json"


def test_unknown_parameters_are_ignored(service: Service) -> None:
    number = service.add()
    for path in ("/topics?sort=x&page=1", "/ranking_topics?limit=-4"):
        assert [item["id"] for item in service.data(path)] == [number]
    assert service.data(f"/topics/{number}?page=0")["id"] == number


def test_the_ranking_lists_the_last_24_hours_by_score_with_ties_newest_first(service: Service) -> None:
    def add_ranked_topic(hours: float, score: float | None) -> int:
        return service.add(published_at=service.ago(hours=hours), total_tweet_score=score)

    old, edge, tie_old, tie_new = (
        add_ranked_topic(24.01, 900),
        add_ranked_topic(24, 3),
        add_ranked_topic(5, 7.5),
        add_ranked_topic(2, 7.5),
    )
    best, unscored, tomorrow = add_ranked_topic(20, 8), add_ranked_topic(1, None), add_ranked_topic(-1, 999)
    build_insight = service.get("/ranking_topics?top=50").json()
    assert list(build_insight) == ["code", "message", "data"]
    assert [item["id"] for item in build_insight["data"]] == [best, tie_new, tie_old, edge, unscored]
    assert list(build_insight["data"][0]) == ITEM
    assert not {old, tomorrow} & {item["id"] for item in build_insight["data"]}
    assert len(service.data("/ranking_topics?top=2")) == 2


def test_market_reports_rank_behind_news_with_the_same_score(service: Service) -> None:
    def build_topic(hours: float, event: str | None) -> Topic:
        at, texts = service.clock() - timedelta(hours=hours), {"en": TopicText("A")}
        return Topic(Category.NORMAL, at, "https://a.example/", texts, realm="sample", event=event)

    with service.database.write() as connection:
        report, news = topic_store.store_topics(
            connection, [build_topic(1, "wrap"), build_topic(9, None)], now=service.clock()
        )
    service.running.poll_changes()
    assert [item["id"] for item in service.data("/ranking_topics")] == [news, report]
    assert [item["id"] for item in service.data("/ranking_topics?top=1")] == [news]


def test_news_and_market_reports_are_ranked_apart(service: Service) -> None:
    at, texts = service.clock() - timedelta(hours=1), {"en": TopicText("A")}
    post = Media("tweet", "https://x.example/1", published_at=at, score=5.0)
    topics = [
        Topic(Category.NORMAL, at, "https://a.example/", texts, realm="sample", event=event, media=media)
        for event, media in (("wrap", (post,)), (None, ()), ("dao-hack", ()))
    ]
    with service.database.write() as connection:
        report, news, anniversary = topic_store.store_topics(connection, topics, now=service.clock())
    service.running.poll_changes()
    ranked_news = service.get("/ranking_topics?kind=news")
    assert [item["id"] for item in ranked_news.json()["data"]] == [anniversary, news]
    assert ranked_news.headers["x-ranked-by"] == "coverage"
    ranked_reports = service.get("/ranking_topics?kind=report")
    assert [item["id"] for item in ranked_reports.json()["data"]] == [report]
    assert ranked_reports.headers["x-ranked-by"] == "posts"


def store_covered_topics(service: Service, *figures: tuple[float, float]) -> list[int]:
    """Topics of the mode's own, each told so many hours ago and covered so much; newest first in the id."""
    new_topics = [
        Topic(
            Category.NORMAL,
            service.clock() - timedelta(hours=hours),
            "https://a.example/",
            {"en": TopicText("A")},
            realm="sample",
            coverage=coverage,
        )
        for hours, coverage in figures
    ]
    with service.database.write() as connection:
        ids = topic_store.store_topics(connection, new_topics, now=service.clock())
    service.running.poll_changes()
    return ids


def test_without_posts_the_ranking_is_by_coverage_and_says_so(service: Service) -> None:
    low, high, old = store_covered_topics(service, (1, 0.5), (5, 2.0), (25, 9.0))
    for _ in range(2):  # made, then ready
        build_insight = service.get("/ranking_topics")
        assert build_insight.headers["x-ranked-by"] == "coverage"
        assert [item["id"] for item in build_insight.json()["data"]] == [high, low]
    assert old not in {item["id"] for item in build_insight.json()["data"]}


def test_one_topic_with_posts_makes_posts_the_basis_until_it_leaves_the_window(service: Service) -> None:
    low, high = store_covered_topics(service, (1, 0.5), (5, 2.0))
    by_coverage = service.get("/ranking_topics")
    posts = {"tweets": [{"entry_url": "https://x.com/a/status/1", "score": 0.25}]}
    assert service.post(f"/topics/{low}/media", posts).status == 201
    by_posts = service.get("/ranking_topics")
    assert by_posts.headers["x-ranked-by"] == "posts"
    assert [item["id"] for item in by_posts.json()["data"]] == [low, high]
    assert service.get("/topics").headers.get("x-ranked-by") is None
    not_modified = service.get("/ranking_topics", if_none_match=by_posts.headers["etag"])
    assert (not_modified.status, not_modified.headers["x-ranked-by"]) == (304, "posts")
    service.clock.move(hours=23, microseconds=1)
    assert service.get("/ranking_topics").headers["x-ranked-by"] == "coverage"
    assert by_coverage.headers["etag"] != by_posts.headers["etag"]


def test_the_basis_of_a_ranking_changes_its_etag(service: Service) -> None:
    (only,) = store_covered_topics(service, (1, 0.5))
    before = service.get("/ranking_topics")
    service.post(f"/topics/{only}/media", {"tweets": [{"entry_url": "https://x.com/a/status/1", "score": 2}]})
    after = service.get("/ranking_topics", if_none_match=before.headers["etag"])
    assert (after.status, after.body == before.body) == (200, True)


def test_the_ranking_has_five_topics_by_default(service: Service) -> None:
    service.post("/topics", [service.topic(total_tweet_score=number) for number in range(60)])
    assert len(service.data("/ranking_topics")) == 5
    assert len(service.data("/ranking_topics?top=50")) == 50


def test_a_terminal_key_gives_access_to_media_only(service: Service) -> None:
    number = service.add()
    key = {"X-CP-TERMINAL-API-KEY": service.keys["terminal"]}
    assert send_with(service, f"/topics/{number}/media", key) == 200
    for path in (f"/topics/{number}", "/topics", "/ranking_topics", f"/ai_insights/{number}", "/prices"):
        assert send_with(service, path, key) == 401
    assert send_with(service, f"/topics/{number}/media", {"CP-X-API-KEY": service.keys["terminal"]}) == 401
    assert (
        send_with(service, f"/topics/{number}/media", {"X-CP-TERMINAL-API-KEY": service.keys["read"]}) == 401
    )


def send_with(service: Service, path: str, headers: dict[str, str]) -> int:
    from tests.support.http.asgi import send

    return send(service.running.app, path, headers=headers).status


def test_authentication_errors_use_the_envelope(service: Service) -> None:
    from tests.support.http.asgi import send

    for path in ("/topics", "/ranking_topics", "/ai_insights/1", "/topics/x"):
        build_insight = send(service.running.app, path)
        assert (build_insight.status, build_insight.json()["code"], build_insight.json()["data"]) == (
            401,
            401,
            None,
        )
        assert "www-authenticate" in build_insight.headers
    assert service.post("/topics", service.topic(), key="read").json()["code"] == 403
    assert service.get("/topics", key="write").json()["code"] == 403


def test_an_insight_names_the_confirming_sources(service: Service) -> None:
    number = service.add()
    result = service.data(f"/ai_insights/{number}")
    assert result["conclusion"] == "No source beside this topic itself is stored."
    assert result["deep_analysis"] == []


def test_model_prose_is_returned_only_for_its_own_facts(service: Service) -> None:
    number = service.add()
    topic = topic_store.load_topic(service.database, number)
    assert topic is not None
    facts = service.running.inner.state.topics.insights.facts(topic, "en")
    conclusion = build_parts(facts, "en", "")[0]
    record = Record(
        topic_id=number,
        language="en",
        kind="insight",
        outcome="partly",
        model="small-1",
        asked_by="x",
        inputs="x",
        as_of=service.clock(),
        made_at=service.clock(),
        body={conclusion.basis: "Nobody else tells it.", "of other facts": "Gone."},
    )
    with service.database.write() as connection:
        generation_records.store_record(connection, record)
    result = service.data(f"/ai_insights/{number}")
    assert result["conclusion"] == "Nobody else tells it."
    sections = service.data(f"/ai_insights/{number}/sections")
    assert sections["conclusion"] == "Nobody else tells it."
    assert [section["kind"] for section in sections["sections"]] == ["note"]
    titles = [section["title"] for section in result["deep_analysis"]]
    assert titles == ["How this was written"]
    assert "small-1" in result["deep_analysis"][-1]["expanded_explanation"]
    article = {"articles": [{"entry_url": "https://www.coindesk.com/a", "title": "x"}]}
    assert service.post(f"/topics/{number}/media", article).status == 201
    insight_after_change = service.data(f"/ai_insights/{number}")
    assert insight_after_change["conclusion"] == "Among the sources here, only CoinDesk reports this."
    assert insight_after_change["deep_analysis"] == []
