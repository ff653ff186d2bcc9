"""Which reports a market calls for, and that each figure in them is one of the market's."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from backend.entities.model import LANGUAGES
from backend.markets.model import FearGreed, GlobalFigures
from backend.topics.model import Category, Topic
from backend.topics.reports.market_facts import Coin, MarketFacts
from backend.topics.reports.market_reports import market_reports, slot
from backend.topics.reports.report_builder import ReportContext

NOW = datetime(2026, 5, 18, 13, 37, 5, tzinfo=UTC)
DESK = ReportContext("http://127.0.0.1:8000")


def coin(number: int, change: str = "1.0", **more: Any) -> Coin:
    usual: dict[str, Any] = {
        "id": f"coin-{number}",
        "entity": f"entity-{number}",
        "names": {"en": f"Coin{chr(65 + number)}", "ja": f"コイン{chr(65 + number)}"},
        "symbol": f"C{number}",
        "is_stable": False,
        "is_dollar": False,
        "price": Decimal(100 - number),
        "change": Decimal(change),
        "cap": Decimal(10**9 * (50 - number)),
        "volume": Decimal(10**7 * (50 - number)),
        "source": "sample",
        "week_high": Decimal(200),
        "week_low": Decimal(10),
    }
    return Coin(**{**usual, **more})


COINS = [coin(0, id="bitcoin", entity="bitcoin"), *(coin(n, str(n - 5)) for n in range(1, 12))]
TOTALS = GlobalFigures(
    "sample-a", NOW, Decimal("2.5e12"), Decimal("-1.2"), Decimal("9e10"), None, Decimal("52.3")
)
MOOD = FearGreed("sample-a", NOW, 47, "Neutral")


def facts(coins: Sequence[Coin] = COINS, **more: Any) -> MarketFacts:
    usual: dict[str, Any] = {"realm": "sample", "at": NOW, "coins": coins, "totals": TOTALS, "mood": MOOD}
    return MarketFacts(**{**usual, **more})


def written(told: MarketFacts) -> dict[str, Topic]:
    return {str(topic.external_id): topic for topic in market_reports(told, DESK)}


def of(told: MarketFacts, kind: str) -> list[Topic]:
    return [topic for name, topic in written(told).items() if name.split(":")[1] == kind]


def test_a_market_has_a_wrap_movers_and_a_mood_in_three_languages() -> None:
    reports = written(facts())
    assert sorted(name.split(":")[1] for name in reports) == ["mood", "movers-down", "movers-up", "wrap"]
    assert all(set(topic.texts) == set(LANGUAGES) for topic in reports.values())


def test_sample_reports_say_so_in_title_and_text_and_live_ones_do_not() -> None:
    words = {"en": "ample", "ja": "サンプル", "zh": "示例"}
    for topic in written(facts()).values():
        assert topic.realm == "sample"
        for language, text in topic.texts.items():
            assert words[language] in text.title
            assert words[language] in text.bullets[0][-1]
    for topic in written(facts(realm="live")).values():
        assert topic.realm == "live"
        assert not any(words[lang] in text.title + text.summary for lang, text in topic.texts.items())


def test_a_report_is_named_once_in_its_stretch_of_time() -> None:
    later = replace(facts(), at=NOW.replace(hour=17, minute=59))
    assert written(facts()).keys() == written(later).keys()
    assert not written(facts()).keys() & written(replace(facts(), at=NOW.replace(day=19))).keys()


@pytest.mark.parametrize(("hour", "hours", "begin"), [(13, 6, 12), (5, 6, 0), (23, 12, 12), (13, 24, 0)])
def test_a_slot_begins_at_midnight_or_a_multiple_of_its_hours(hour: int, hours: int, begin: int) -> None:
    assert slot(NOW.replace(hour=hour), hours) == datetime(2026, 5, 18, begin, tzinfo=UTC)


def test_every_figure_in_a_text_is_one_of_the_facts() -> None:
    told = facts()
    allowed = {
        "2.5",
        "2",
        "5,000",
        "1.2",
        "90",
        "9",
        "900",
        "52.3",
        "47",
        "24",
        "0",
        "100",
        "12",
        "7",
        "18",
        "2026",
    }
    allowed |= {"2.50", "90.0", "900", "2,500", "5", "1"}
    allowed |= {f"{one.price:.2f}" for one in told.coins} | {f"{abs(one.change):.1f}" for one in told.coins}
    allowed |= {f"{abs(one.change):.2f}" for one in told.coins}
    for topic in written(told).values():
        for text in topic.texts.values():
            said = " ".join([text.title, text.subtitle, text.summary, *text.bullets[0]])
            assert set(re.findall(r"\d[\d,]*(?:\.\d+)?", said)) <= allowed, said


def test_a_coin_beyond_its_week_is_reported_the_largest_first() -> None:
    high = [replace(one, week_high=Decimal(50)) if one.id in ("coin-1", "coin-3") else one for one in COINS]
    (topic,) = of(facts(high), "week-high")
    assert topic.entities == ("entity-1", "entity-3")
    assert "CoinB, CoinD" in topic.texts["en"].title
    assert of(facts(high), "week-low") == []


def test_a_stablecoin_off_its_dollar_is_important_and_breaking_when_far_off() -> None:
    def told(price: str) -> list[Topic]:
        stable = coin(9, "0", id="usdx", is_stable=True, is_dollar=True, price=Decimal(price))
        return of(facts([*COINS, stable]), "peg")

    assert told("0.997") == []
    assert [topic.category for topic in told("0.99")] == [Category.IMPORTANT]
    assert [topic.category for topic in told("0.97")] == [Category.BREAKING]


def test_a_stablecoin_is_never_a_mover() -> None:
    stable = coin(9, "40", id="usdx", entity="usdx", is_stable=True)
    (topic,) = of(facts([*COINS, stable]), "movers-up")
    assert "usdx" not in topic.entities


def test_a_great_move_is_important() -> None:
    (topic,) = of(facts([*COINS, coin(12, "-31.5")]), "movers-down")
    assert (topic.category, topic.entities[0]) == (Category.IMPORTANT, "entity-12")


def test_a_busy_coin_is_reported_against_the_median() -> None:
    busy = coin(12, volume=Decimal(10**10), cap=Decimal(2 * 10**10))
    (topic,) = of(facts([*COINS, busy]), "turnover")
    assert "50 times the median" in topic.texts["en"].summary


def test_too_small_a_market_or_one_without_totals_is_not_reported() -> None:
    assert market_reports(facts(COINS[:5]), DESK) == []
    assert of(facts(totals=None), "wrap") == []
    assert of(facts(mood=None), "mood") == []


def test_its_source_is_the_address_at_which_its_figures_stand() -> None:
    topics = written(facts())
    urls = {name.split(":")[1]: topic.media[0].url for name, topic in topics.items()}
    assert urls["wrap"] == "http://127.0.0.1:8000/crypto/market-overview"
    assert urls["movers-up"] == "http://127.0.0.1:8000/prices/coin-11/quotes"
