"""Topics and their media are evidence documents for source finding while they exist."""

from datetime import datetime
from pathlib import Path

from backend.articles.rules.active_rules import ActiveRules
from backend.documents.model import Document
from backend.documents.store import DocumentStore
from backend.settings import Settings
from backend.sources.schemas import SourcesRequest
from backend.sources.service import ImmediateSteps, SourceFinder
from backend.store.database import Database
from backend.topics.canonical_urls import build_page_key, hash_text
from backend.topics.model import Media, Topic, TopicText
from backend.topics.store import topic_store
from backend.topics.tables import news_items
from tests.backend.topics.conftest import Make

ARTICLE = "https://press.example/fund"
POST = "https://x.com/someone/status/1"


def load_documents(database: Database) -> list[Document]:
    return DocumentStore(database).recent(limit=50)


def put(database: Database, now: datetime, *topics: Topic) -> list[int]:
    with database.write() as connection:
        return topic_store.store_topics(connection, topics, now=now)


def build_full_topic(make: Make, **more: object) -> Topic:
    texts = {
        "en": TopicText("Fund opens", "Monday", "It opens. It trades.", (("It trades.", "It costs 1 %."),)),
        "ja": TopicText("ファンド開始"),
    }
    media = (
        Media("article", ARTICLE, "A fund opens", "It opens on Monday.", language="en"),
        Media("primary_source", "https://sec.example/order", title="The order"),
        Media("primary_source", "https://sec.example/bare"),
        Media("tweet", POST, summary="It is done."),
    )
    return make(external_id="fund", entities=("sec",), texts=texts, media=media, **more)


def test_a_topic_and_its_media_are_each_one_document(database: Database, make: Make, now: datetime) -> None:
    for _ in range(2):
        (number,) = put(database, now, build_full_topic(make))
    found = {
        (document.kind, document.language, document.url): document for document in load_documents(database)
    }
    assert len(found) == len(load_documents(database)) == 5  # an address that says nothing is none
    topic = found["topic", "en", "https://news.example/1"]
    assert topic.text == "Monday\nIt opens. It trades.\nIt costs 1 %."
    assert (topic.external_id, topic.entities, topic.published_at) == (f"{number}:en", ("sec",), now)
    assert found["article", "en", ARTICLE].text == "It opens on Monday."
    assert found["article", None, POST].title == "It is done."


def test_a_feed_article_keeps_the_full_text_of_its_feed(
    database: Database, make: Make, now: datetime
) -> None:
    row = {
        "feed_id": "press",
        "guid_key": hash_text(ARTICLE),
        "url_key": build_page_key(ARTICLE),
        "url": ARTICLE,
        "title": "A fund opens",
        "text": "It opens on Monday. The custodian is a bank.",
        "language": "en",
        "published_at": now,
        "fetched_at": now,
        "simhash": 0,
        "entities": "[]",
        "figures": "[]",
    }
    with database.write() as connection:
        connection.execute(news_items.insert(), row)
    put(database, now, build_full_topic(make))
    (hit,) = DocumentStore(database).search("custodian bank", kinds=["article"])
    assert hit.document.url == ARTICLE


def test_sample_figures_reports_and_events_of_the_archive_are_no_evidence(
    database: Database, make: Make, now: datetime
) -> None:
    put(
        database,
        now,
        build_full_topic(make, realm="sample"),
        build_full_topic(make, realm="live", event="halving-2024"),
    )
    assert load_documents(database) == []


def test_documents_are_deleted_with_their_topics_and_media(
    database: Database, make: Make, now: datetime
) -> None:
    first, second = put(
        database,
        now,
        build_full_topic(make),
        make("Fund opens, too", media=(Media("article", ARTICLE, "A fund opens"),)),
    )
    with database.write() as connection:
        topic_store.store_topics(
            connection, [make(id=first, texts={"en": TopicText("Fund opens")})], now=now, replace=True
        )
        topic_store.remove_media(connection, first, "article", [ARTICLE], now=now)
        topic_store.remove_media(connection, first, "tweet", [POST], now=now)
    assert {document.url for document in load_documents(database) if document.kind == "article"} == {
        ARTICLE,
        "https://sec.example/order",
    }
    assert {document.external_id for document in load_documents(database) if document.kind == "topic"} == {
        f"{first}:en",
        f"{second}:en",
    }
    with database.write() as connection:
        topic_store.merge_topic(connection, second, first, now=now)
    assert {document.external_id for document in load_documents(database) if document.kind == "topic"} == {
        f"{first}:en"
    }
    assert ARTICLE in {document.url for document in load_documents(database)}


def test_source_finding_cites_a_topic_and_its_primary_source(
    sqlite_database: Database, tmp_path: Path, make: Make, now: datetime
) -> None:
    source_text = "Ripple Labs bought the custodian Metaco for 250 million dollars in May 2023."
    source = Media("primary_source", "https://ripple.com/insights/metaco", "Ripple buys Metaco", source_text)
    put(sqlite_database, now, make("Ripple Labs buys Metaco", entities=("ripple",), media=(source,)))
    settings = Settings(home=tmp_path, mode="sample")
    finder = SourceFinder(settings, sqlite_database, ActiveRules(settings), now=lambda: now)
    request = SourcesRequest(statement="Ripple Labs bought Metaco for 250 million dollars in May 2023.")
    result = finder.find(request, ImmediateSteps(lambda _name: None, seconds=60))
    cited = {document["url"]: document for document in result["primary_sources"]}
    assert "https://ripple.com/insights/metaco" in cited
    assert cited["https://ripple.com/insights/metaco"]["is_news_like"] is False
