"""Market reports: when they are due, and that every figure in them comes from the facts."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from backend.entities.model import LANGUAGES
from backend.markets.model import FearGreed, MarketTotals
from backend.topics.model import Category, Topic
from backend.topics.reports.market_facts import Coin, MarketFacts
from backend.topics.reports.market_reports import build_market_reports, slot_start
from backend.topics.reports.report_builder import ReportContext

NOW = datetime(2026, 5, 18, 13, 37, 5, tzinfo=UTC)
DESK = ReportContext("http://127.0.0.1:8000")


def build_coin(number: int, change: str = "1.0", **fields: Any) -> Coin:
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
    return Coin(**{**usual, **fields})


COINS = [build_coin(0, id="bitcoin", entity="bitcoin"), *(build_coin(n, str(n - 5)) for n in range(1, 12))]
TOTALS = MarketTotals(
    "sample-a", NOW, Decimal("2.5e12"), Decimal("-1.2"), Decimal("9e10"), None, Decimal("52.3")
)
MOOD = FearGreed("sample-a", NOW, 47, "Neutral")


def build_facts(coins: Sequence[Coin] = COINS, **fields: Any) -> MarketFacts:
    usual: dict[str, Any] = {"realm": "sample", "at": NOW, "coins": coins, "totals": TOTALS, "mood": MOOD}
    return MarketFacts(**{**usual, **fields})


def write_reports(facts: MarketFacts) -> dict[str, Topic]:
    return {str(topic.external_id): topic for topic in build_market_reports(facts, DESK)}


def reports_of_kind(facts: MarketFacts, kind: str) -> list[Topic]:
    return [topic for name, topic in write_reports(facts).items() if name.split(":")[1] == kind]


def test_a_market_gets_a_wrap_movers_and_a_mood_report_in_three_languages() -> None:
    reports = write_reports(build_facts())
    assert sorted(name.split(":")[1] for name in reports) == ["mood", "movers-down", "movers-up", "wrap"]
    assert all(set(topic.texts) == set(LANGUAGES) for topic in reports.values())


def test_only_sample_reports_are_marked_in_title_and_text() -> None:
    words = {"en": "ample", "ja": "サンプル", "zh": "示例"}
    for topic in write_reports(build_facts()).values():
        assert topic.realm == "sample"
        for language, text in topic.texts.items():
            assert words[language] in text.title
            assert words[language] in text.bullets[0][-1]
    for topic in write_reports(build_facts(realm="live")).values():
        assert topic.realm == "live"
        assert not any(words[lang] in text.title + text.summary for lang, text in topic.texts.items())


def test_a_report_has_one_name_in_its_time_slot() -> None:
    later = replace(build_facts(), at=NOW.replace(hour=17, minute=59))
    assert write_reports(build_facts()).keys() == write_reports(later).keys()
    assert (
        not write_reports(build_facts()).keys()
        & write_reports(replace(build_facts(), at=NOW.replace(day=19))).keys()
    )


@pytest.mark.parametrize(("hour", "hours", "begin"), [(13, 6, 12), (5, 6, 0), (23, 12, 12), (13, 24, 0)])
def test_a_slot_starts_at_a_multiple_of_its_hours_after_midnight(hour: int, hours: int, begin: int) -> None:
    assert slot_start(NOW.replace(hour=hour), hours) == datetime(2026, 5, 18, begin, tzinfo=UTC)


def test_every_figure_in_a_report_comes_from_the_facts() -> None:
    facts = build_facts()
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
    allowed |= {f"{coin.price:.2f}" for coin in facts.coins} | {
        f"{abs(coin.change):.1f}" for coin in facts.coins
    }
    allowed |= {f"{abs(coin.change):.2f}" for coin in facts.coins}
    for topic in write_reports(facts).values():
        for text in topic.texts.values():
            full_text = " ".join([text.title, text.subtitle, text.summary, *text.bullets[0]])
            assert set(re.findall(r"\d[\d,]*(?:\.\d+)?", full_text)) <= allowed, full_text


def test_coins_beyond_their_weekly_range_are_reported_largest_first() -> None:
    high = [
        replace(coin, week_high=Decimal(50)) if coin.id in ("coin-1", "coin-3") else coin for coin in COINS
    ]
    (topic,) = reports_of_kind(build_facts(high), "week-high")
    assert topic.entities == ("entity-1", "entity-3")
    assert "CoinB, CoinD" in topic.texts["en"].title
    assert reports_of_kind(build_facts(high), "week-low") == []


def test_a_stablecoin_off_its_peg_is_important_and_far_off_breaking() -> None:
    def facts(price: str) -> list[Topic]:
        stable = build_coin(9, "0", id="usdx", is_stable=True, is_dollar=True, price=Decimal(price))
        return reports_of_kind(build_facts([*COINS, stable]), "peg")

    assert facts("0.997") == []
    assert [topic.category for topic in facts("0.99")] == [Category.IMPORTANT]
    assert [topic.category for topic in facts("0.97")] == [Category.BREAKING]


def test_a_stablecoin_is_never_a_mover() -> None:
    stable = build_coin(9, "40", id="usdx", entity="usdx", is_stable=True)
    (topic,) = reports_of_kind(build_facts([*COINS, stable]), "movers-up")
    assert "usdx" not in topic.entities


def test_a_large_move_is_important() -> None:
    (topic,) = reports_of_kind(build_facts([*COINS, build_coin(12, "-31.5")]), "movers-down")
    assert (topic.category, topic.entities[0]) == (Category.IMPORTANT, "entity-12")


def test_a_coin_with_high_turnover_is_reported_against_the_median() -> None:
    busy = build_coin(12, volume=Decimal(10**10), cap=Decimal(2 * 10**10))
    (topic,) = reports_of_kind(build_facts([*COINS, busy]), "turnover")
    assert "50 times the median" in topic.texts["en"].summary


def test_a_small_market_or_one_without_totals_gets_no_report() -> None:
    assert build_market_reports(build_facts(COINS[:5]), DESK) == []
    assert reports_of_kind(build_facts(totals=None), "wrap") == []
    assert reports_of_kind(build_facts(mood=None), "mood") == []


def test_the_source_of_a_report_is_the_url_of_its_figures() -> None:
    topics = write_reports(build_facts())
    urls = {name.split(":")[1]: topic.media[0].url for name, topic in topics.items()}
    assert urls["wrap"] == "http://127.0.0.1:8000/crypto/market-overview"
    assert urls["movers-up"] == "http://127.0.0.1:8000/prices/coin-11/quotes"
