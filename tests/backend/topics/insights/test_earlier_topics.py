"""Earlier topics of the same story."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from backend.articles.rules import rules_loader
from backend.entities.model import Language
from backend.store.database import Database
from backend.topics.insights.earlier_topics import find_earlier
from backend.topics.insights.model import Report
from backend.topics.model import Category, Media, Topic, TopicText
from backend.topics.store import topic_store
from tests.backend.topics.insights.conftest import ReportFactory

AT = datetime(2026, 9, 22, 9, tzinfo=UTC)
THEFT = "Northwind Exchange Loses $84M in Hot Wallet Breach"
SEQUEL = "Northwind Hackers Move $22M to Tornado Cash"
RETOLD = (
    "The hackers who stole about $84 million from a hot wallet of crypto exchange Northwind moved coins. "
    "The exchange lost them in a breach last week."
)


def build_topic(title: str, *, days: float = 0, language: Language = "en", **fields: Any) -> Topic:
    usual: dict[str, Any] = {
        "category": Category.NORMAL,
        "url": "https://a.example/",
        "texts": {language: TopicText(title, summary=fields.pop("summary", ""))},
        "external_id": title,
    }
    return Topic(published_at=AT - timedelta(days=days), **{**usual, **fields})


def find_titles(
    database: Database, topic: Topic, earlier: list[Topic], reports: list[Report], language: Language = "en"
) -> list[str]:
    rules = rules_loader.load_shipped().rules
    with database.write() as connection:
        topic_store.store_topics(connection, [*earlier, topic], now=AT)
        related = find_earlier(
            connection, topic, language, reports, rules, ("own",), "http://service", before=topic.published_at
        )
    return [one.title for one in related if one.title != topic.texts[language].title]


def test_an_event_that_the_reports_retell_came_before(
    sqlite_database: Database, make_report: ReportFactory
) -> None:
    summary = "The crypto exchange Northwind lost $84 million from its hot wallet in a breach on Monday."
    earlier = [
        build_topic(THEFT, days=8, summary=summary),
        build_topic("Northwind hires a new finance chief", days=3),
    ]
    found = find_titles(sqlite_database, build_topic(SEQUEL), earlier, [make_report(RETOLD, title=SEQUEL)])
    assert found == [THEFT]


@pytest.mark.parametrize(
    ("title", "other"),
    [
        ("Binance lists Lumen Finance", "Binance lists Orbit Network"),
        ("SEC delays decision on Halcyon Solana ETF", "SEC delays decision on Canary XRP ETF"),
        ("Bitcoin falls below $60,000", "Bitcoin falls below $70,000"),
        ("SEC charges Brightpath with fraud", "SEC charges Ironclad with fraud"),
        ("Aave votes on fee change", "Arbitrum votes on gaming fund"),
        ("Genesis files for Chapter 11", "FTX files for Chapter 11"),
        ("Hong Kong's bitcoin ETFs begin trading", "First U.S. bitcoin futures ETF begins trading"),
    ],
)
def test_the_same_act_of_other_parties_is_another_story(
    sqlite_database: Database, make_report: ReportFactory, title: str, other: str
) -> None:
    reports = [make_report(f"{title}, it was announced on Monday.", title=title)]
    assert find_titles(sqlite_database, build_topic(title), [build_topic(other, days=1)], reports) == []


def test_an_act_takes_another_for_granted(sqlite_database: Database, make_report: ReportFactory) -> None:
    title = "SEC dismisses its case against Coinbase"
    earlier = [build_topic("SEC sues Coinbase", days=600), build_topic("SEC sues Binance", days=601)]
    reports = [make_report("The SEC dismissed its case against Coinbase on Monday.", title=title)]
    assert find_titles(sqlite_database, build_topic(title), earlier, reports) == ["SEC sues Coinbase"]


def test_a_shared_reference_ties_topics_together(sqlite_database: Database) -> None:
    earlier = [
        build_topic("Developers propose a soft fork", days=40, summary="BIP-444 limits data in blocks."),
        build_topic("Developers propose another change", days=30, summary="BIP-119 adds covenants."),
    ]
    topic = build_topic("Miners signal against BIP 444")
    assert find_titles(sqlite_database, topic, earlier, []) == ["Developers propose a soft fork"]


def test_a_shared_primary_source_ties_topics_together(sqlite_database: Database) -> None:
    page = (Media("primary_source", "https://www.sec.gov/litigation/case-7"),)
    earlier = [build_topic("Complaint filed", days=9, media=page), build_topic("Hearing set", days=4)]
    assert find_titles(sqlite_database, build_topic("Case closed", media=page), earlier, []) == [
        "Complaint filed"
    ]


def test_a_link_and_a_named_day_of_report_tie_topics_together(
    sqlite_database: Database, make_report: ReportFactory
) -> None:
    linked = build_topic("Exchange pauses", days=5, media=(Media("article", "https://one.example/pause"),))
    named = build_topic("Northwind breach shakes Vilnius", days=8)
    reports = [
        make_report("See https://one.example/pause for more. Northwind was hacked, as reported on Sept. 14.")
    ]
    found = find_titles(sqlite_database, build_topic(SEQUEL), [linked, named], reports)
    assert found == ["Northwind breach shakes Vilnius", "Exchange pauses"], "the oldest comes first"


def test_reports_of_this_service_and_the_same_event_are_left_out(sqlite_database: Database) -> None:
    page = (Media("primary_source", "https://www.sec.gov/litigation/case-7"),)
    earlier = [
        build_topic("Daily wrap", days=1, url="http://service/report", media=page),
        build_topic("The event itself", days=2, event="case-7", media=page),
    ]
    topic = build_topic("The anniversary", event="case-7", media=page)
    assert find_titles(sqlite_database, topic, earlier, []) == []
