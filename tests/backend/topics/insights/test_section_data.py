"""The data of an insight's sections, and that both answers agree."""

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from backend.entities.model import LANGUAGES, Language
from backend.topics.insights.model import (
    InsightFacts,
    Move,
    NextDate,
    Related,
    SourcedFigure,
    SourcedSentence,
)
from backend.topics.insights.section_data import build_sections
from backend.topics.insights.sections import Part, build_insight, build_parts
from backend.topics.schemas import InsightSections

AT, LATER = datetime(2026, 5, 18, 12, tzinfo=UTC), datetime(2026, 5, 19, 8, 30, tzinfo=UTC)
TODAY = date(2026, 5, 18)
NOTE = Part("note", "How this was written", "By small-1.", "")
FACTS = InsightFacts(
    title="Exchange loses $36 million",
    summary="",
    realm="live",
    is_report=False,
    sources=(),
    differences=(
        (
            SourcedFigure("$30M", "Decrypt", "stolen funds"),
            SourcedFigure("$36 million", "CoinDesk, The Block", "stolen funds"),
        ),
    ),
    moves=(
        Move(
            "Solana",
            Decimal("140"),
            Decimal("133.000000001"),
            AT,
            LATER,
            Decimal("-0.4"),
            Decimal("0.02"),
        ),
        Move("Bitcoin", Decimal("1E+5"), Decimal("1E+5"), AT, LATER),
    ),
    related=(Related(7, "Exchange pauses withdrawals", AT),),
    unknowns=(SourcedSentence("It is unclear who did it.", "CoinDesk"),),
    next_dates=(NextDate(date(2026, 6, 1), "A hearing is set for June 1.", "CoinDesk"),),
)


def build(language: Language = "en", **prose: str) -> dict[str, Any]:
    answer = build_sections(FACTS, build_parts(FACTS, language, "http://s"), prose, NOTE, today=TODAY)
    InsightSections.model_validate(answer)
    return answer


@pytest.mark.parametrize("language", LANGUAGES)
def test_sections_have_kinds_and_the_same_texts_as_the_insight(language: Language) -> None:
    sections = build(language)
    insight = build_insight(build_parts(FACTS, language, "http://s"), {})
    assert sections["conclusion"] == insight["conclusion"]
    assert [(part["title"], part["text"]) for part in sections["sections"]] == [
        (part["title"], part["expanded_explanation"]) for part in insight["deep_analysis"]
    ]
    assert [part["kind"] for part in sections["sections"]] == [
        "differ",
        "unknown",
        "next",
        "market",
        "before",
    ]
    assert not any(part["is_generated"] for part in sections["sections"])


def test_sections_carry_what_they_compare_date_and_link_to() -> None:
    sections = build()
    assert sections["differences"] == [
        [
            {"figure": "$30M", "source": "Decrypt", "measure": "stolen funds"},
            {"figure": "$36 million", "source": "CoinDesk, The Block", "measure": "stolen funds"},
        ]
    ]
    assert sections["next_dates"] == [
        {"day": "2026-06-01", "text": "A hearing is set for June 1.", "source": "CoinDesk"}
    ]
    assert sections["earlier_topics"] == [
        {"id": 7, "title": "Exchange pauses withdrawals", "published_at": "2026-05-18T12:00:00Z"}
    ]


def test_moves_are_plain_decimals_and_say_whether_they_are_unusual() -> None:
    sections = build()
    assert sections["is_sample"] is False
    first, second = sections["moves"]
    assert first == {
        "name": "Solana",
        "before": "140",
        "after": "133.000000001",
        "before_at": "2026-05-18T12:00:00Z",
        "after_at": "2026-05-19T08:30:00Z",
        "change": "-5.00",
        "market_change": "-0.40",
        "is_unusual": True,
    }
    assert (second["before"], second["market_change"], second["is_unusual"]) == ("100000", None, None)


def test_generated_prose_is_marked_and_explained_by_a_note() -> None:
    (basis,) = [part.basis for part in build_parts(FACTS, "en", "http://s") if part.name == "unknown"]
    sections = build_sections(
        FACTS, build_parts(FACTS, "en", "http://s"), {basis: "Nobody knows."}, NOTE, today=TODAY
    )
    texts = {part["kind"]: (part["text"], part["is_generated"]) for part in sections["sections"]}
    assert texts["unknown"] == ("Nobody knows.", True)
    assert texts["note"] == ("By small-1.", False)
    assert texts["differ"][1] is False


def test_only_exact_days_are_data_for_a_calendar() -> None:
    due = NextDate(date(2027, 1, 1), "A vote is due.", "CoinDesk", words="By the end of Q1 (2027)")
    facts = replace(FACTS, next_dates=(*FACTS.next_dates, due))
    answer = build_sections(facts, build_parts(facts, "en", "http://s"), {}, NOTE, today=TODAY)
    assert [one["day"] for one in answer["next_dates"]] == ["2026-06-01"]
    (text,) = (section["text"] for section in answer["sections"] if section["kind"] == "next")
    assert "By the end of Q1 (2027): “A vote is due.” (CoinDesk)" in text


@pytest.mark.parametrize(("today", "day"), [(7, 8), (8, 8), (9, 9)])
def test_several_days_have_their_last_one_once_they_have_begun(today: int, day: int) -> None:
    due = NextDate(date(2026, 12, 8), "The board meets.", "CoinDesk", until=date(2026, 12, 9))
    facts = replace(FACTS, next_dates=(due,))
    answer = build_sections(
        facts, build_parts(facts, "en", "http://s"), {}, NOTE, today=date(2026, 12, today)
    )
    assert [one["day"] for one in answer["next_dates"]] == [f"2026-12-{day:02}"]
