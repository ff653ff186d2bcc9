"""Articles and posts of sample mode retell the topic, name its record and are labelled."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import orjson
import pytest

from backend.articles.rules import rules_loader
from backend.articles.rules.active_rules import ActiveRules
from backend.documents import landmark_archive
from backend.sources.authority import Authorities
from backend.topics.model import Category, Topic, TopicText
from backend.topics.reports.landmarks import build_anniversary_topics, build_archive_topics
from backend.topics.reports.publishing import ReportPublisher
from backend.topics.reports.sample_media import add_sample_media
from tests.support.apps.market_app import Running, build_worker, sample_app

NOW = datetime(2026, 11, 18, 10, tzinfo=UTC)
URL = "http://127.0.0.1:8000"
LABELS = {"en": "Sample", "ja": "サンプル", "zh": "示例"}


@pytest.fixture(scope="module")
def topics() -> list[Topic]:
    archive = landmark_archive.load_landmarks()
    authorities = Authorities(rules_loader.load_shipped().rules.entities)
    built = build_archive_topics(archive, authorities)
    built += build_anniversary_topics(archive, NOW, authorities, "sample")
    return [add_sample_media(topic, NOW, URL) for topic in built]


def test_every_archive_topic_has_each_kind_of_media_in_each_language(topics: list[Topic]) -> None:
    for topic in topics:
        for language in ("en", "ja", "zh"):
            kinds = [item.kind for item in topic.media if item.language in (language, None)]
            assert kinds.count("article") >= 2, topic.external_id
            assert kinds.count("tweet") >= 2
            assert "primary_source" in kinds


def test_sample_media_are_labelled_name_their_record_and_belong_to_nobody(topics: list[Topic]) -> None:
    for topic in topics:
        record = topic.url.split("/")[2].removeprefix("www.")
        for item in topic.media:
            if item.kind == "primary_source":
                continue
            shown = item.title if item.kind == "article" else item.summary
            assert item.language is not None
            assert shown.startswith(LABELS[item.language])
            assert item.is_sample
            assert record in shown
            assert item.url.split("/")[2].endswith(".example")


def test_sample_media_say_no_more_than_the_topic(topics: list[Topic]) -> None:
    for topic in topics:
        for item in topic.media:
            if item.kind != "primary_source" and item.language:
                text = topic.texts[item.language]
                shown = item.title if item.kind == "article" else item.summary
                assert text.title.rstrip(".。") in shown or text.summary in shown


def test_no_sample_item_is_of_the_future_and_each_has_its_own_address(topics: list[Topic]) -> None:
    for topic in topics:
        assert all(item.published_at and item.published_at <= NOW for item in topic.media)
        addresses = [(item.kind, item.url) for item in topic.media]
        assert len(set(addresses)) == len(addresses)


def test_scores_are_positive_and_the_same_in_every_store(topics: list[Topic]) -> None:
    for topic in topics:
        scores = [item.score for item in topic.media if item.kind == "tweet"]
        assert all(score > 0 for score in scores)
        again = add_sample_media(topic, NOW, URL).media[len(topic.media) :]
        assert [item.score for item in again if item.kind == "tweet"] == scores


def test_a_market_report_is_retold_by_posts_alone_that_name_the_sample_market() -> None:
    text = TopicText("Sample market: Bitcoin rises", summary="Bitcoin stands at $1.")
    report = Topic(
        Category.NORMAL, NOW, f"{URL}/rankings", {"en": text}, external_id="sample:wrap", realm="sample"
    )
    shown = [item.title or item.summary for item in add_sample_media(report, NOW, URL).media]
    assert shown == [
        "Sample post: Bitcoin rises. Source: the sample market",
        "Sample post: Bitcoin stands at $1. Source: the sample market",
    ]


def test_market_reports_rank_behind_the_events_of_the_archive(topics: list[Topic]) -> None:
    texts = topics[0].texts
    report = Topic(
        Category.IMPORTANT, NOW, f"{URL}/rankings", texts, external_id="sample:wrap", realm="sample"
    )
    reported = sum(item.score for item in add_sample_media(report, NOW, URL).media)
    assert 0 < reported < min(sum(item.score for item in topic.media) for topic in topics)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    many = (
        "bitcoin",
        "ethereum",
        "litecoin",
        "monero",
        "solana",
        "xrp",
        "dogecoin",
        "cardano",
        "tron",
        "bnb",
    )
    with sample_app(tmp_path, (*many, "bnb", "usdc", "chainlink", "stellar")) as running:
        build_worker(running).tick()
        yield running


def test_sample_mode_ranks_by_scores_and_stores_each_topic_once(running: Running) -> None:
    settings = running.inner.state.settings
    publisher = ReportPublisher(settings, running.database, ActiveRules(settings))
    now = running.clock()
    assert publisher.publish(now) > 200
    assert publisher.publish(now) == 0
    publisher.close()
    running.poll_changes()
    ranking = running.get("/ranking_topics?top=50")
    assert ranking.headers["x-ranked-by"] == "posts"
    ranked = orjson.loads(ranking.text)["data"]
    assert ranked
    for topic in ranked:
        media = running.json(f"/topics/{topic['id']}/media")["data"]
        assert media["tweets"]
        assert all(post["summary"].startswith("Sample") for post in media["tweets"])


def test_samples_confirm_nothing_in_an_insight(running: Running) -> None:
    settings = running.inner.state.settings
    publisher = ReportPublisher(settings, running.database, ActiveRules(settings))
    publisher.publish(running.clock())
    publisher.close()
    running.poll_changes()
    for lang in LABELS:
        for topic in running.json(f"/topics?lang={lang}&category=0&page_size=5")["data"]:
            insight = running.json(f"/ai_insights/{topic['id']}?lang={lang}")["data"]
            assert insight["conclusion"]
            assert not any(word in str(insight) for word in ("Sample Wire", "サンプル通信", "示例通讯社"))
