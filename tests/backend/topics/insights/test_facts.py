"""Facts of a topic from the store: sources, differing figures, prices and earlier topics."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.articles.rules import rules_loader
from backend.entities.model import Language
from backend.markets.candles import price_history
from backend.markets.candles.building import floor_to_slot
from backend.markets.model import Candle
from backend.markets.tables import candles
from backend.sources.authority import Authorities
from backend.store.database import Database, upsert
from backend.topics.insights.facts import FactSources, collect_facts
from backend.topics.insights.model import InsightFacts
from backend.topics.model import Category, Media, Topic, TopicText
from backend.topics.store import topic_store
from backend.topics.tables import news_items

AT = datetime(2026, 5, 18, 12, tzinfo=UTC)
REALM = "sample-1"


@pytest.fixture(scope="module")
def fact_sources() -> FactSources:
    rules = rules_loader.load_shipped().rules
    return FactSources(rules, Authorities(rules.entities), REALM, ("own", "sample"), "http://service")


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


def store(connection: Connection, topic: Topic) -> Topic:
    (number,) = topic_store.store_topics(connection, [topic], now=AT)
    return replace(topic, id=number)


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


def test_the_address_of_a_page_is_no_statement(connection: Connection, fact_sources: FactSources) -> None:
    page = Media("primary_source", "https://www.sec.gov/news/fund", title="sec.gov/news/fund")
    topic = build_topic("a", media=(page, build_article("https://www.coindesk.com/a", "x", "CoinDesk")))
    assert collect_facts(connection, store(connection, topic), "en", fact_sources, AT).official_words == []


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
    assert [(figure.text, figure.source) for figure in pair] == [
        ("$40 million", "One"),
        ("$90 million", "Two"),
    ]


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
    topic = store(connection, build_topic("a"))
    (move,) = collect_facts(connection, topic, "en", fact_sources, AT + timedelta(days=2)).moves
    assert (move.name, move.before, move.after) == ("Bitcoin", Decimal(101), Decimal(120))
    early = collect_facts(connection, topic, "en", fact_sources, AT + timedelta(minutes=45)).moves
    assert [found.after for found in early] == [Decimal(102)]


@pytest.mark.parametrize("seconds", price_history.INTERVALS_SECONDS)
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
    assert move.before_at == floor_to_slot(at, seconds)
    assert move.after_at == floor_to_slot(at + timedelta(days=1), seconds)
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


def test_an_anniversary_has_the_prices_of_its_event(
    connection: Connection, fact_sources: FactSources
) -> None:
    event_at = AT - timedelta(days=1000)
    price_history.update_candles(connection, REALM, {"bitcoin": Decimal(100)}, AT - timedelta(hours=2))
    price_history.update_candles(connection, REALM, {"bitcoin": Decimal(150)}, AT + timedelta(hours=2))
    media = (Media("primary_source", "https://www.sec.gov/a/b", published_at=event_at),)
    topic = build_topic("sample:on-this-day:2026-05-18:event", media=media)
    found = collect_facts(connection, store(connection, topic), "en", fact_sources, AT + timedelta(days=2))
    assert (found.moves, found.related, found.anniversary_of) == ([], [], event_at.date())


def test_the_pages_of_an_archived_event_are_its_records_in_live_mode_too(
    connection: Connection, fact_sources: FactSources
) -> None:
    media = (Media("primary_source", "https://www.sec.gov/a/b", published_at=AT - timedelta(days=1000)),)
    archived = build_topic("live:on-this-day:2026-05-18:event", media=media, event="event", realm="live")
    news = build_topic("news", media=media, realm="live")
    sources = replace(fact_sources, realms=("live",))
    names = [
        [
            source.name
            for source in collect_facts(connection, store(connection, one), "en", sources, AT).sources
        ]
        for one in (archived, news)
    ]
    assert names == [["U.S. Securities and Exchange Commission"], []]


def test_a_move_is_compared_with_the_market_and_the_asset_s_own_past(
    connection: Connection, fact_sources: FactSources
) -> None:
    coins = ["bitcoin", "ethereum", "solana", "cardano", "dogecoin", "litecoin", "chainlink"]
    first = AT - timedelta(days=12)
    rows = []
    for coin in coins:
        for half_hours in range(2 * 24 * 13):
            at = first + timedelta(minutes=30 * half_hours)
            price = Decimal(100 + half_hours % 2)
            if coin == "bitcoin" and at >= AT:
                price = Decimal(120)
            rows.append(price_history.candle_to_row(REALM, coin, 1800, Candle(at, *[price] * 4)))
    upsert(connection, candles, rows)
    (move,) = collect_facts(
        connection, store(connection, build_topic("a")), "en", fact_sources, AT + timedelta(hours=6)
    ).moves
    assert move.change > 18
    assert move.usual_share == 0
    assert move.market_change is not None
    assert abs(move.market_change) <= 1


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("SEC sues Kraken over staking", ["Kraken"]),
        ("Coinbase, Kraken and Ripple sue the SEC", ["Coinbase", "Kraken", "Ripple"]),
        ("US charges prisoner over alleged laundering of crypto seized at Kraken", []),
    ],
)
def test_parties_in_the_title_that_are_no_source_are_silent(
    title: str, names: list[str], connection: Connection, fact_sources: FactSources
) -> None:
    media = (build_article("https://www.sec.gov/litigation/1", "SEC charges Kraken", "SEC"),)
    topic = build_topic("a", texts={"en": TopicText(title)}, media=media)
    assert collect_facts(connection, store(connection, topic), "en", fact_sources, AT).silent == names


@pytest.mark.parametrize(
    ("title", "lead", "names"),
    [
        (
            "London watchdog fines Coinbase unit",
            "The Financial Conduct Authority has fined a unit of Coinbase.",
            ["the Financial Conduct Authority"],
        ),
        ("Court orders FTX estate to repay clients", "A judge in Delaware ordered FTX to repay them.", []),
        (
            "Kraken's founder joins council",
            "The SEC named the founder of Kraken to its council.",
            ["the U.S. Securities and Exchange Commission"],
        ),
    ],
)
def test_where_an_authority_acts_its_page_is_the_one_to_miss(
    title: str, lead: str, names: list[str], connection: Connection, fact_sources: FactSources
) -> None:
    article = replace(build_article("https://www.coindesk.com/a", title, "CoinDesk"), summary=lead)
    topic = build_topic("a", texts={"en": TopicText(title)}, media=(article,))
    assert collect_facts(connection, store(connection, topic), "en", fact_sources, AT).silent == names


def test_a_press_release_is_the_word_of_its_issuer(connection: Connection, fact_sources: FactSources) -> None:
    title = "Kraken opens desk in Riga"
    release = build_article("https://www.businesswire.com/news/1/en", title, "businesswire.com")
    topic = build_topic("a", texts={"en": TopicText(title)}, entities=("kraken",), media=(release,))
    found = collect_facts(connection, store(connection, topic), "en", fact_sources, AT)
    assert [(source.name, source.official) for source in found.sources] == [("Kraken", True)]
    assert found.silent == []


@pytest.mark.parametrize(
    ("language", "citing", "other"),
    [
        (
            "en",
            "Kestrel plans to sell its mines, Bloomberg reported on Friday.",
            "Kestrel will sell its mines.",
        ),
        (
            "ja",
            "ケストレルが鉱山を売却すると、ブルームバーグが19日に報じた。",
            "ケストレルが鉱山を売却する。",
        ),
        ("zh", "据彭博社报道，红隼公司计划出售矿场。", "红隼公司计划出售矿场。"),
    ],
)
def test_each_source_has_the_credits_that_it_alone_gives(
    connection: Connection, fact_sources: FactSources, language: Language, citing: str, other: str
) -> None:
    def find(*summaries: str) -> InsightFacts:
        media = tuple(
            Media("article", f"https://a{number}.example/", title="A", summary=text, site_name=f"A{number}")
            for number, text in enumerate(summaries)
        )
        topic = build_topic(
            f"sale {len(summaries)}", media=media, texts={language: TopicText(f"Title {len(summaries)}")}
        )
        return collect_facts(connection, topic, language, fact_sources, AT)

    apart = find(citing, other)
    assert apart.credits_by_source == {"A0": apart.credits}
    together = find(citing, citing)
    assert (together.credits_by_source, together.credits) == ({}, apart.credits)
    assert find(other, other).credits_by_source == {}


def test_relays_of_one_report_share_no_figure(connection: Connection, fact_sources: FactSources) -> None:
    own = "Kestrel moved $40 million to Riga."
    media = [
        replace(build_article("https://www.wsj.com/a", "Kestrel moved $40 million", "WSJ"), summary=own),
        replace(
            build_article("https://two.example/", "Kestrel moved $40 million", "Two"),
            summary="Kestrel moved $40 million to Riga, The Wall Street Journal reported.",
        ),
    ]
    topic = store(connection, build_topic("a", media=tuple(media)))
    assert collect_facts(connection, topic, "en", fact_sources, AT).shared_figure is None
    plain = build_topic("b", media=(media[0], replace(media[1], summary=own)))
    found = collect_facts(connection, store(connection, plain), "en", fact_sources, AT).shared_figure
    assert found is not None


def test_a_linked_page_of_a_party_must_say_something_of_the_event(
    connection: Connection, fact_sources: FactSources
) -> None:
    title = "Kraken adds vault for bitcoin"
    article = build_article("https://www.coindesk.com/a", title, "CoinDesk")
    linked = {
        address: collect_facts(
            connection,
            store(
                connection,
                build_topic(
                    address,
                    texts={"en": TopicText(title)},
                    realm="live",
                    media=(article, Media("primary_source", f"https://blog.kraken.com/{address}")),
                ),
            ),
            "en",
            fact_sources,
            AT,
        ).linked
        for address in ("news/new-vault", "news/how-staking-works")
    }
    assert linked == {"news/new-vault": ["Kraken"], "news/how-staking-works": []}


def test_a_linked_page_is_a_source_only_if_it_tells_of_the_event(
    connection: Connection, fact_sources: FactSources
) -> None:
    article = build_article("https://www.coindesk.com/a", "Kraken fined by SEC over staking", "CoinDesk")
    link = Media("primary_source", "https://www.sec.gov/a/b", title="said")
    passage = "The SEC today announced that Kraken was fined over its staking program."
    texts = {"en": TopicText("Kraken fined by SEC over staking")}
    topic = build_topic("a", texts=texts, realm="live", media=(article, link))
    found = collect_facts(connection, store(connection, topic), "en", fact_sources, AT)
    assert ([source.name for source in found.sources], found.linked, found.official_words) == (
        ["CoinDesk"],
        ["U.S. Securities and Exchange Commission"],
        [],
    )
    topic = replace(topic, external_id="b", media=(article, replace(link, summary=passage)))
    found = collect_facts(connection, store(connection, topic), "en", fact_sources, AT)
    assert ([source.official for source in found.sources], found.linked) == ([True, False], [])
    assert [words.text for words in found.official_words] == [passage]


def test_an_own_report_has_no_other_source(connection: Connection, fact_sources: FactSources) -> None:
    own = "http://service/crypto/market-overview"
    report = build_topic("a", url=own, media=(Media("primary_source", own),))
    found = collect_facts(connection, store(connection, report), "en", fact_sources, AT)
    assert (found.is_report, found.sources) == (True, [])


def test_no_page_is_missed_of_a_party_to_which_the_articles_link(
    connection: Connection, fact_sources: FactSources
) -> None:
    article = build_article("https://www.coindesk.com/a", "Kraken opens vault", "CoinDesk")
    texts = {"en": TopicText("Kraken opens vault")}
    topic = store(connection, build_topic("a", texts=texts, realm="live", media=(article,)))
    assert collect_facts(connection, topic, "en", fact_sources, AT).silent == ["Kraken"]
    row = {
        "feed_id": "coindesk",
        "guid_key": "1",
        "url_key": "1",
        "url": article.url,
        "title": article.title,
        "text": "",
        "language": "en",
        "published_at": AT,
        "fetched_at": AT,
        "simhash": 0,
        "entities": "[]",
        "figures": "[]",
        "links": '[["https://www.kraken.com/features","vault"]]',
        "topic_id": topic.id,
    }
    connection.execute(sa.insert(news_items), [row])
    assert collect_facts(connection, topic, "en", fact_sources, AT).silent == []
