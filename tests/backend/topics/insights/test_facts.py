"""The facts around a topic, out of the store: sources, figures that differ, prices, earlier topics."""

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
from backend.topics.insights.facts import Surroundings, gather
from backend.topics.model import Category, Media, Topic, TopicText
from backend.topics.store import topic_store

AT = datetime(2026, 5, 18, 12, tzinfo=UTC)
REALM = "sample-1"


@pytest.fixture(scope="module")
def around() -> Surroundings:
    entities = rules_loader.shipped().rules.entities
    return Surroundings(entities, Authorities(entities), REALM, ("own", "sample"), "http://service")


@pytest.fixture
def writing(database: Database) -> Iterator[Connection]:
    with database.write() as connection:
        yield connection


def topic(name: str, at: datetime = AT, **more: Any) -> Topic:
    usual: dict[str, Any] = {
        "category": Category.NORMAL,
        "url": "https://a.example/",
        "texts": {"en": TopicText(f"Title of {name}")},
        "external_id": name,
        "entities": ("bitcoin",),
    }
    return Topic(published_at=at, **{**usual, **more})


def stored(connection: Connection, one: Topic) -> Topic:
    (number,) = topic_store.store_topics(connection, [one], now=AT)
    return replace(one, id=number)


def article(url: str, title: str, site: str) -> Media:
    return Media("article", url, title=title, site_name=site)


def test_official_sources_come_first_and_each_host_once(writing: Connection, around: Surroundings) -> None:
    media = (
        article("https://www.coindesk.com/a", "x", "CoinDesk"),
        Media("primary_source", "https://www.sec.gov/a"),
        Media("primary_source", "https://www.sec.gov/b"),
    )
    found = gather(writing, stored(writing, topic("a", media=media)), "en", around, AT)
    assert [source.official for source in found.sources] == [True, False]


def test_two_sources_with_two_figures_of_one_unit_differ(writing: Connection, around: Surroundings) -> None:
    media = (
        article("https://one.example/", "Exchange loses $40 million in hack", "One"),
        article("https://two.example/", "Hackers take $90 million from exchange", "Two"),
    )
    (pair,) = gather(writing, stored(writing, topic("a", media=media)), "en", around, AT).differences
    assert [(said.text, said.source) for said in pair] == [("$40 million", "One"), ("$90 million", "Two")]


def test_the_same_figure_in_two_notations_does_not_differ(writing: Connection, around: Surroundings) -> None:
    media = (
        article("https://one.example/", "Exchange loses $40 million in hack", "One"),
        article("https://two.example/", "Hackers take 40,000,000 dollars", "Two"),
    )
    assert gather(writing, stored(writing, topic("a", media=media)), "en", around, AT).differences == []


def test_the_market_is_read_from_closed_candles_around_the_topic(
    writing: Connection, around: Surroundings
) -> None:
    for hours, price in ((-2, "100"), (-1, "101"), (0, "102"), (1, "110"), (23, "120")):
        price_history.grow_candles(writing, REALM, {"bitcoin": Decimal(price)}, AT + timedelta(hours=hours))
    one = stored(writing, topic("a"))
    (move,) = gather(writing, one, "en", around, AT + timedelta(days=2)).moves
    assert (move.name, move.before, move.after) == ("Bitcoin", Decimal(101), Decimal(120))
    early = gather(writing, one, "en", around, AT + timedelta(minutes=45)).moves
    assert [found.after for found in early] == [Decimal(102)]


@pytest.mark.parametrize("seconds", price_history.RESOLUTIONS)
@pytest.mark.parametrize("late", [timedelta(), timedelta(minutes=17)])
def test_the_coarsest_candles_that_are_left_still_tell_of_the_day_around_it(
    writing: Connection, around: Surroundings, seconds: int, late: timedelta
) -> None:
    first, length = datetime(2026, 5, 15, tzinfo=UTC), timedelta(seconds=seconds)
    flat = [Candle(first + n * length, *[Decimal(n + 1)] * 4) for n in range(timedelta(days=6) // length)]
    upsert(writing, candles, [price_history.candle_row(REALM, "bitcoin", seconds, candle) for candle in flat])
    at = AT + late
    (move,) = gather(writing, stored(writing, topic("a", at)), "en", around, AT + timedelta(days=9)).moves
    assert move.before_at == align(at, seconds)
    assert move.after_at == align(at + timedelta(days=1), seconds)
    assert move.before == (move.before_at - first) // length


def test_without_prices_before_it_nothing_is_said_of_the_market(
    writing: Connection, around: Surroundings
) -> None:
    price_history.grow_candles(writing, REALM, {"bitcoin": Decimal(100)}, AT + timedelta(hours=1))
    assert gather(writing, stored(writing, topic("a")), "en", around, AT + timedelta(days=2)).moves == []


def test_earlier_topics_that_share_most_come_first(writing: Connection, around: Surroundings) -> None:
    day = timedelta(days=1)
    stored(writing, topic("other", AT - day, entities=("solana",)))
    stored(writing, topic("one", AT - day))
    stored(writing, topic("both", AT - 2 * day, entities=("bitcoin", "sec")))
    stored(writing, topic("later", AT + day))
    stored(writing, topic("foreign", AT - day, texts={"ja": TopicText("x")}))
    one = stored(writing, topic("a", entities=("bitcoin", "sec")))
    found = gather(writing, one, "en", around, AT).related
    assert [related.title for related in found] == ["Title of both", "Title of one"]


def test_a_report_on_ones_own_figures_has_no_foreign_source(
    writing: Connection, around: Surroundings
) -> None:
    own = "http://service/crypto/market-overview"
    report = topic("a", url=own, media=(Media("primary_source", own),))
    found = gather(writing, stored(writing, report), "en", around, AT)
    assert (found.is_report, found.sources) == (True, [])
