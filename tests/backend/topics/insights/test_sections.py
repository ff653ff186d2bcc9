"""Insights by templates: nothing is said that the facts do not hold."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from backend.entities.model import LANGUAGES, Language
from backend.topics.generated_texts.stated_values import read
from backend.topics.insights.facts import FigureSaid, InsightFacts, Move, Related, Source, stage_of, staged
from backend.topics.insights.sections import answer, parts

AT = datetime(2026, 5, 18, 12, tzinfo=UTC)
LATER = datetime(2026, 5, 19, 8, 30, tzinfo=UTC)
OFFICIAL = Source("SEC", "https://www.sec.gov/a", True)
PRESS = Source("CoinDesk", "https://www.coindesk.com/a", False)
MOVE = Move("Bitcoin", Decimal("70000"), Decimal("71400"), AT, LATER)


def facts(**more: Any) -> InsightFacts:
    usual: dict[str, Any] = {
        "title": "Order granted",
        "summary": "",
        "realm": "live",
        "is_report": False,
        "sources": (),
        "differences": (),
        "moves": (),
        "related": (),
    }
    return InsightFacts(**{**usual, **more})


def told(given: InsightFacts, language: Language = "en") -> str:
    shown = answer(parts(given, language, "http://s"), {})
    return " ".join([shown["conclusion"], *(part["expanded_explanation"] for part in shown["deep_analysis"])])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_topic_without_anything_around_it_says_so(language: Language) -> None:
    shown = answer(parts(facts(), language, "http://s"), {})
    assert shown["conclusion"]
    assert [set(part) for part in shown["deep_analysis"]] == [
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
    section = answer(parts(facts(related=related), "ja", "http://s"), {})["deep_analysis"][-1]
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
    known = read("$40 million, $90 million, 70,000.00, 71,400.00, 2.0%, 840,000, 1", "en")
    days = {AT.date(), LATER.date()}
    said = read(told(given, language), language)
    assert said.values <= known.pool
    assert {day.first for day in said.days} <= days
    assert said.times <= {(AT.hour, AT.minute), (LATER.hour, LATER.minute)}


def test_prose_takes_the_place_of_the_part_that_is_of_the_same_facts_alone() -> None:
    plain = parts(facts(sources=(PRESS,), moves=(MOVE,)), "en", "http://s")
    market = next(part for part in plain if part.name == "market")
    shown = answer(plain, {market.basis: "Bitcoin rose."})
    assert [one["expanded_explanation"] for one in shown["deep_analysis"]][1] == "Bitcoin rose."
    assert shown["conclusion"] == plain[0].text


def test_prose_on_the_market_lasts_while_prices_grow_older_and_not_past_a_stage() -> None:
    def basis(**more: Any) -> str:
        found = parts(facts(moves=(replace(MOVE, **more.pop("move", {})),), **more), "en", "")
        return next(part.basis for part in found if part.name == "market")

    assert basis() == basis(move={"after": Decimal(72000), "after_at": LATER + timedelta(hours=1)})
    assert basis() != basis(stage=1)
    assert basis() != basis(move={"name": "Ether"})


def test_stages_follow_a_topic_by_the_clock() -> None:
    past = [stage_of(AT, AT + timedelta(hours=hours)) for hours in (0, 1, 5.9, 6, 24, 900)]
    assert past == [0, 1, 1, 2, 3, 3]
    assert staged(AT, AT) == AT
    assert staged(AT, AT + timedelta(hours=7)) == AT + timedelta(hours=6)
