"""Insights by templates: nothing is said that the facts do not hold."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from backend.entities.model import LANGUAGES, Language
from backend.topics.insights.facts import FigureSaid, InsightFacts, Move, Related, Source
from backend.topics.insights.writing import foreign_figures, written

AT = datetime(2026, 5, 18, 12, tzinfo=UTC)
LATER = datetime(2026, 5, 19, 8, 30, tzinfo=UTC)
OFFICIAL = Source("SEC", "https://www.sec.gov/a", True)
PRESS = Source("CoinDesk", "https://www.coindesk.com/a", False)
MOVE = Move("Bitcoin", Decimal("70000"), Decimal("71400"), AT, LATER)


def facts(**more: Any) -> InsightFacts:
    usual: dict[str, Any] = {
        "title": "Order granted",
        "realm": "live",
        "is_report": False,
        "sources": (),
        "differences": (),
        "moves": (),
        "related": (),
    }
    return InsightFacts(**{**usual, **more})


def told(given: InsightFacts, language: Language = "en") -> str:
    answer = written(given, language, "http://s")
    return " ".join(
        [answer["conclusion"], *(part["expanded_explanation"] for part in answer["deep_analysis"])]
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_topic_without_anything_around_it_says_so(language: Language) -> None:
    answer = written(facts(), language, "http://s")
    assert answer["conclusion"]
    assert [set(part) for part in answer["deep_analysis"]] == [
        {"title", "expanded_explanation", "topic_links"}
    ]


def test_an_official_source_confirms_and_press_alone_does_not() -> None:
    assert "Confirmed at the source: SEC." in told(facts(sources=(OFFICIAL, PRESS)))
    assert "no official source" in told(facts(sources=(PRESS,)))


def test_figures_that_differ_are_told_with_who_says_what() -> None:
    pair = (FigureSaid("$40 million", "CoinDesk"), FigureSaid("$90 million", "The Block"))
    assert "CoinDesk gives $40 million, The Block gives $90 million." in told(facts(differences=(pair,)))


def test_the_market_around_it_is_told_with_prices_times_and_change() -> None:
    text = told(facts(moves=(MOVE,)))
    assert "Bitcoin went from $70,000.00 to $71,400.00 (+2.0%)" in text
    assert "2026-05-18 12:00 UTC" in text
    assert "sample market" not in text
    assert "sample market" in told(facts(moves=(MOVE,), realm="sample"))


def test_earlier_topics_are_linked_by_title() -> None:
    related = (Related(7, "Order filed", AT),)
    section = written(facts(related=related), "ja", "http://s")["deep_analysis"][-1]
    assert section["topic_links"] == [{"Order filed": "http://s/topics/7?lang=ja"}]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_figure_of_an_insight_is_one_of_its_facts(language: Language) -> None:
    pair = (FigureSaid("$40 million", "CoinDesk"), FigureSaid("$90 million", "The Block"))
    given = facts(
        sources=(OFFICIAL, PRESS),
        differences=(pair,),
        moves=(MOVE,),
        related=(Related(7, "Block 840,000", AT),),
    )
    known: Sequence[str] = ("40 90 70,000.00 71,400.00 2.0 840,000 1", "2026 05 18 12 00 19 08 30 5")
    assert foreign_figures(told(given, language), known) == []


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        ("It rose 2.5 % to $70,000.", []),
        ("It rose ２．５ % to 70000.", []),
        ("It rose 3 % to $70,000.", ["3"]),
        ("It lost 2,500 coins.", ["2500"]),
    ],
)
def test_a_figure_of_nobodys_is_found(text: str, foreign: list[str]) -> None:
    assert foreign_figures(text, ["up 2.5 %", "at 70,000 dollars"]) == foreign
