"""Insights from templates state only their facts."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from backend.entities.model import LANGUAGES, Language
from backend.topics.generated_texts.stated_values import extract_values
from backend.topics.insights.facts import (
    InsightFacts,
    Move,
    Related,
    Source,
    SourcedFigure,
    count_past_stages,
    find_stage_end,
)
from backend.topics.insights.sections import build_insight, build_parts

AT = datetime(2026, 5, 18, 12, tzinfo=UTC)
LATER = datetime(2026, 5, 19, 8, 30, tzinfo=UTC)
OFFICIAL = Source("SEC", "https://www.sec.gov/a", True)
PRESS = Source("CoinDesk", "https://www.coindesk.com/a", False)
MOVE = Move("Bitcoin", Decimal("70000"), Decimal("71400"), AT, LATER)


def build_facts(**fields: Any) -> InsightFacts:
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
    return InsightFacts(**{**usual, **fields})


def insight_text(facts: InsightFacts, language: Language = "en") -> str:
    shown = build_insight(build_parts(facts, language, "http://s"), {})
    return " ".join([shown["conclusion"], *(part["expanded_explanation"] for part in shown["deep_analysis"])])


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_insight_without_further_facts_says_so(language: Language) -> None:
    shown = build_insight(build_parts(build_facts(), language, "http://s"), {})
    assert shown["conclusion"]
    assert [set(part) for part in shown["deep_analysis"]] == [
        {"title", "expanded_explanation", "topic_links"}
    ]


def test_an_official_source_confirms_and_press_alone_does_not() -> None:
    assert "Confirmed at the source: SEC." in insight_text(build_facts(sources=(OFFICIAL, PRESS)))
    assert "no official source" in insight_text(build_facts(sources=(PRESS,)))


def test_differing_figures_are_named_with_their_sources() -> None:
    pair = (SourcedFigure("$40 million", "CoinDesk"), SourcedFigure("$90 million", "The Block"))
    assert "CoinDesk gives $40 million, The Block gives $90 million." in insight_text(
        build_facts(differences=(pair,))
    )


def test_market_moves_are_described_with_prices_times_and_change() -> None:
    text = insight_text(build_facts(moves=(MOVE,)))
    assert "Bitcoin went from $70,000.00 to $71,400.00 (+2.0%)" in text
    assert "2026-05-18 12:00 UTC" in text
    assert "sample market" not in text
    assert "sample market" in insight_text(build_facts(moves=(MOVE,), realm="sample"))


def test_earlier_topics_are_linked_by_title() -> None:
    related = (Related(7, "Order filed", AT),)
    section = build_insight(build_parts(build_facts(related=related), "ja", "http://s"), {})["deep_analysis"][
        -1
    ]
    assert section["topic_links"] == [{"Order filed": "http://s/topics/7?lang=ja"}]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_figure_of_an_insight_comes_from_its_facts(language: Language) -> None:
    pair = (SourcedFigure("$40 million", "CoinDesk"), SourcedFigure("$90 million", "The Block"))
    facts = build_facts(
        sources=(OFFICIAL, PRESS),
        differences=(pair,),
        moves=(MOVE,),
        related=(Related(7, "Block 840,000", AT),),
    )
    known = extract_values("$40 million, $90 million, 70,000.00, 71,400.00, 2.0%, 840,000, 1", "en")
    days = {AT.date(), LATER.date()}
    said = extract_values(insight_text(facts, language), language)
    assert said.values <= known.pool
    assert {day.first for day in said.days} <= days
    assert said.times <= {(AT.hour, AT.minute), (LATER.hour, LATER.minute)}


def test_prose_replaces_only_the_part_with_the_same_facts() -> None:
    plain = build_parts(build_facts(sources=(PRESS,), moves=(MOVE,)), "en", "http://s")
    market = next(part for part in plain if part.name == "market")
    shown = build_insight(plain, {market.basis: "Bitcoin rose."})
    assert [one["expanded_explanation"] for one in shown["deep_analysis"]][1] == "Bitcoin rose."
    assert shown["conclusion"] == plain[0].text


def test_market_prose_is_valid_until_the_end_of_its_stage() -> None:
    def basis(**fields: Any) -> str:
        found = build_parts(build_facts(moves=(replace(MOVE, **fields.pop("move", {})),), **fields), "en", "")
        return next(part.basis for part in found if part.name == "market")

    assert basis() == basis(move={"after": Decimal(72000), "after_at": LATER + timedelta(hours=1)})
    assert basis() != basis(stage=1)
    assert basis() != basis(move={"name": "Ether"})


def test_the_stage_depends_on_the_age_of_a_topic() -> None:
    past = [count_past_stages(AT, AT + timedelta(hours=hours)) for hours in (0, 1, 5.9, 6, 24, 900)]
    assert past == [0, 1, 1, 2, 3, 3]
    assert find_stage_end(AT, AT) == AT
    assert find_stage_end(AT, AT + timedelta(hours=7)) == AT + timedelta(hours=6)
