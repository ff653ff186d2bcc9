"""Facts of a topic from the store: sources, differing figures, prices and earlier topics."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy.engine import Connection

from backend.articles.rules import rules_loader
from backend.markets.candles import price_history
from backend.markets.candles.building import align
from backend.markets.model import Candle
from backend.markets.tables import candles
from backend.sources.authority import Authorities
from backend.store.database import Database, upsert
from backend.topics.insights.facts import FactSources, collect_facts
from backend.topics.model import Category, Media, Topic, TopicText
from backend.topics.store import topic_store

AT = datetime(2026, 5, 18, 12, tzinfo=UTC)
REALM = "sample-1"


@pytest.fixture(scope="module")
def fact_sources() -> FactSources:
    entities = rules_loader.load_shipped().rules.entities
    return FactSources(entities, Authorities(entities), REALM, ("own", "sample"), "http://service")


@pytest.fixture
def connection(database: Database) -> Iterator[Connection]:
    with database.write() as connection:
        yield connection


def build_topic(name: str, at: datetime = AT, **fields: Any) -> Topic:
    usual: dict[str, Any] = {
        "category": Category.NORMAL,
        "url": "https://a.example/",
        "texts": {"en": TopicText(f"Title of {name}")},
        "external_id": name,
        "entities": ("bitcoin",),
    }
    return Topic(published_at=at, **{**usual, **fields})


def store(connection: Connection, one: Topic) -> Topic:
    (number,) = topic_store.store_topics(connection, [one], now=AT)
    return replace(one, id=number)


def build_article(url: str, title: str, site: str) -> Media:
    return Media("article", url, title=title, site_name=site)


def test_official_sources_come_first_and_each_host_once(
    connection: Connection, fact_sources: FactSources
) -> None:
    media = (
        build_article("https://www.coindesk.com/a", "x", "CoinDesk"),
        Media("primary_source", "https://www.sec.gov/a"),
        Media("primary_source", "https://www.sec.gov/b"),
    )
    found = collect_facts(
        connection, store(connection, build_topic("a", media=media)), "en", fact_sources, AT
    )
    assert [source.official for source in found.sources] == [True, False]


def test_two_figures_of_one_unit_from_two_sources_differ(
    connection: Connection, fact_sources: FactSources
) -> None:
    media = (
        build_article("https://one.example/", "Exchange loses $40 million in hack", "One"),
        build_article("https://two.example/", "Hackers take $90 million from exchange", "Two"),
    )
    (pair,) = collect_facts(
        connection, store(connection, build_topic("a", media=media)), "en", fact_sources, AT
    ).differences
    assert [(said.text, said.source) for said in pair] == [("$40 million", "One"), ("$90 million", "Two")]


def test_the_same_figure_in_two_notations_does_not_differ(
    connection: Connection, fact_sources: FactSources
) -> None:
    media = (
        build_article("https://one.example/", "Exchange loses $40 million in hack", "One"),
        build_article("https://two.example/", "Hackers take 40,000,000 dollars", "Two"),
    )
    assert (
        collect_facts(
            connection, store(connection, build_topic("a", media=media)), "en", fact_sources, AT
        ).differences
        == []
    )


def test_market_moves_come_from_closed_candles_around_the_topic(
    connection: Connection, fact_sources: FactSources
) -> None:
    for hours, price in ((-2, "100"), (-1, "101"), (0, "102"), (1, "110"), (23, "120")):
        price_history.update_candles(
            connection, REALM, {"bitcoin": Decimal(price)}, AT + timedelta(hours=hours)
        )
    one = store(connection, build_topic("a"))
    (move,) = collect_facts(connection, one, "en", fact_sources, AT + timedelta(days=2)).moves
    assert (move.name, move.before, move.after) == ("Bitcoin", Decimal(101), Decimal(120))
    early = collect_facts(connection, one, "en", fact_sources, AT + timedelta(minutes=45)).moves
    assert [found.after for found in early] == [Decimal(102)]


@pytest.mark.parametrize("seconds", price_history.RESOLUTIONS_SECONDS)
@pytest.mark.parametrize("late", [timedelta(), timedelta(minutes=17)])
def test_coarse_candles_suffice_for_a_market_move(
    connection: Connection, fact_sources: FactSources, seconds: int, late: timedelta
) -> None:
    first, length = datetime(2026, 5, 15, tzinfo=UTC), timedelta(seconds=seconds)
    flat = [Candle(first + n * length, *[Decimal(n + 1)] * 4) for n in range(timedelta(days=6) // length)]
    upsert(
        connection,
        candles,
        [price_history.candle_to_row(REALM, "bitcoin", seconds, candle) for candle in flat],
    )
    at = AT + late
    (move,) = collect_facts(
        connection, store(connection, build_topic("a", at)), "en", fact_sources, AT + timedelta(days=9)
    ).moves
    assert move.before_at == align(at, seconds)
    assert move.after_at == align(at + timedelta(days=1), seconds)
    assert move.before == (move.before_at - first) // length


def test_without_earlier_prices_there_is_no_market_move(
    connection: Connection, fact_sources: FactSources
) -> None:
    price_history.update_candles(connection, REALM, {"bitcoin": Decimal(100)}, AT + timedelta(hours=1))
    assert (
        collect_facts(
            connection, store(connection, build_topic("a")), "en", fact_sources, AT + timedelta(days=2)
        ).moves
        == []
    )


def test_earlier_topics_with_the_most_shared_entities_come_first(
    connection: Connection, fact_sources: FactSources
) -> None:
    day = timedelta(days=1)
    store(connection, build_topic("other", AT - day, entities=("solana",)))
    store(connection, build_topic("one", AT - day))
    store(connection, build_topic("both", AT - 2 * day, entities=("bitcoin", "sec")))
    store(connection, build_topic("later", AT + day))
    store(connection, build_topic("foreign", AT - day, texts={"ja": TopicText("x")}))
    one = store(connection, build_topic("a", entities=("bitcoin", "sec")))
    found = collect_facts(connection, one, "en", fact_sources, AT).related
    assert [related.title for related in found] == ["Title of both", "Title of one"]


def test_an_own_report_has_no_other_source(connection: Connection, fact_sources: FactSources) -> None:
    own = "http://service/crypto/market-overview"
    report = build_topic("a", url=own, media=(Media("primary_source", own),))
    found = collect_facts(connection, store(connection, report), "en", fact_sources, AT)
    assert (found.is_report, found.sources) == (True, [])
