"""Insights from templates state only their facts."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from backend.entities.model import LANGUAGES, Language
from backend.topics.generated_texts.stated_values import extract_values
from backend.topics.insights.facts import count_past_stages, find_stage_end
from backend.topics.insights.model import (
    InsightFacts,
    Move,
    NextDate,
    Related,
    SharedFigure,
    Source,
    SourcedFigure,
    SourcedSentence,
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
    insight = build_insight(build_parts(facts, language, "http://s"), {})
    return " ".join(
        [insight["conclusion"], *(part["expanded_explanation"] for part in insight["deep_analysis"])]
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("sources", [(), (PRESS,), (OFFICIAL,)])
def test_where_nothing_more_is_known_than_one_report_one_line_says_so(
    language: Language, sources: tuple[Source, ...]
) -> None:
    insight = build_insight(build_parts(build_facts(sources=sources), language, "http://s"), {})
    assert insight["deep_analysis"] == []
    assert all(source.name in insight["conclusion"] for source in sources)
    assert insight["conclusion"].count("." if language == "en" else "。") == 1


def test_the_line_on_one_report_names_whose_page_is_missing_even_beside_a_link() -> None:
    facts = build_facts(sources=(PRESS,), silent=("Bitdeer",))
    line = "Among the sources here, only CoinDesk reports this"
    assert insight_text(facts) == f"{line}; no page of Bitdeer is among the sources."
    linked = replace(facts, linked=("Quillport",))
    assert insight_text(linked) == (
        f"{line}; the text links to a page of Quillport; no page of Bitdeer is among the sources."
    )


def test_a_relayed_announcement_without_an_author_lacks_an_official_source() -> None:
    facts = build_facts(sources=(PRESS,), cites_official=True)
    assert insight_text(facts, "zh") == "现有来源中只有CoinDesk报道此事，尚无官方来源。"
    assert "official" not in insight_text(replace(facts, silent=("Bitdeer",)))


def test_whom_the_summary_credits_is_not_named_again() -> None:
    facts = build_facts(
        sources=(PRESS,), summary="Miners sell, according to Quillport Research.", credits=("The Block",)
    )
    attributed = replace(facts, credits=(), originators=("Quillport Research",))
    assert insight_text(attributed) == ("Among the sources here, only CoinDesk reports this.")
    assert "citing The Block" in insight_text(facts)
    assert "The Block" not in insight_text(replace(facts, summary="The Block says that miners sell."))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_point_is_quoted_with_its_source(language: Language) -> None:
    point = SourcedSentence("Coins in old wallets fall outside the tool.", "CoinDesk")
    insight = build_insight(
        build_parts(build_facts(sources=(PRESS,), points=(point,)), language, "http://s"), {}
    )
    (section,) = insight["deep_analysis"]
    assert point.text in section["expanded_explanation"]
    assert "CoinDesk" in section["expanded_explanation"]


def test_figures_that_sources_share_or_differ_on_have_a_word_on_what_they_measure() -> None:
    facts = build_facts(
        sources=(PRESS, OFFICIAL),
        shared_figure=SharedFigure("$40 million", ("CoinDesk", "SEC"), "fine"),
        differences=((SourcedFigure("$3M", "CoinDesk", "outflow"), SourcedFigure("$9M", "SEC", "outflow")),),
    )
    text = insight_text(facts)
    assert "CoinDesk and SEC give the same figure (fine): $40 million." in text
    assert "Outflow – CoinDesk: $3M; SEC: $9M." in text


def test_a_report_without_more_has_one_short_line() -> None:
    assert (
        insight_text(build_facts(sources=(PRESS,))) == "Among the sources here, only CoinDesk reports this."
    )


def test_the_line_on_one_report_names_to_whom_it_attributes_the_news() -> None:
    facts = build_facts(sources=(PRESS,), originators=("Quillport Research",))
    assert insight_text(facts) == (
        "Among the sources here, only CoinDesk reports this, attributing it to Quillport Research."
    )


def test_the_own_statement_of_a_party_is_quoted_once() -> None:
    reply = SourcedSentence("Quillport said in a statement that all keys are safe.", "CoinDesk")
    assert insight_text(build_facts(sources=(PRESS,), replies=(reply,))).count(reply.text) == 1
    both = build_facts(sources=(PRESS,), replies=(reply,), denials=(reply,))
    assert insight_text(both).count("all keys are safe") == 1


def test_a_sentence_that_is_a_quote_has_one_pair_of_quotation_marks() -> None:
    unknown = SourcedSentence("“Nothing has been decided on the date of the vote.”", "CoinDesk")
    text = insight_text(build_facts(sources=(PRESS,), unknowns=(unknown,)))
    assert text.endswith("“Nothing has been decided on the date of the vote.” (CoinDesk)")


def test_denials_and_missing_comments_are_quoted_with_their_source() -> None:
    denial = SourcedSentence("Bitnode called the report “false”.", "CoinDesk")
    silence = SourcedSentence("Prosecutors declined to comment.", "Decrypt")
    text = insight_text(build_facts(sources=(PRESS,), denials=(denial,), no_comments=(silence,)))
    assert "Denied: “Bitnode called the report ‘false’.” (CoinDesk)" in text
    assert "No comment: “Prosecutors declined to comment.” (Decrypt)" in text


def test_the_order_of_reports_is_told_only_if_their_times_are_known() -> None:
    first, second = replace(PRESS, published_at=AT), Source("Decrypt", "https://decrypt.co/a", False, LATER)
    assert "CoinDesk reported it first, on 18 May 2026, 12:00 UTC, then Decrypt." in insight_text(
        build_facts(sources=(second, first))
    )
    assert "reported it first" not in insight_text(build_facts(sources=(PRESS, second)))
    relayed = build_facts(sources=(second, first), is_relayed=True)
    assert "reported it first" not in insight_text(relayed)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_relayed_report_names_the_outlet_that_it_credits(language: Language) -> None:
    assert "The Block" in insight_text(build_facts(sources=(PRESS,), credits=("The Block",)), language)
    plain = insight_text(build_facts(sources=(PRESS,)), language)
    assert insight_text(build_facts(sources=(PRESS,), is_relayed=True), language) != plain


@pytest.mark.parametrize(
    ("language", "apart", "together"),
    [
        (
            "en",
            "Reported by CoinDesk (citing The Block) and Odaily;",
            "Reported by CoinDesk and Odaily, citing The Block;",
        ),
        (
            "ja",
            "CoinDesk（The Blockの報道を引用）、Odailyが報道。",
            "CoinDesk、Odailyが報道（The Blockの報道を引用）。",
        ),
        ("zh", "CoinDesk（援引The Block）和Odaily有报道，", "CoinDesk和Odaily有报道，援引The Block，"),
    ],
)
def test_a_citation_stands_with_the_outlet_that_makes_it(
    language: Language, apart: str, together: str
) -> None:
    facts = build_facts(
        sources=(PRESS, Source("Odaily", "https://odaily.news/a", False)), credits=("The Block",)
    )
    assert insight_text(facts, language).startswith(together)
    facts = replace(facts, credits_by_source={"CoinDesk": ("The Block",)})
    assert insight_text(facts, language).startswith(apart)


def test_no_sentence_of_the_summary_is_quoted_again() -> None:
    sentence = "Kestrel will hold a vote on May 30."
    told = SourcedSentence(sentence, "CoinDesk")
    facts = build_facts(
        sources=(PRESS,),
        summary=f"Kestrel is split.\n{sentence} (CoinDesk)",
        denials=(told,),
        no_comments=(told,),
        unknowns=(told,),
        next_dates=(NextDate(AT.date(), sentence, "CoinDesk", "Vote"),),
    )
    assert insight_text(facts) == "Among the sources here, only CoinDesk reports this. 18 May 2026: Vote"


def test_a_figure_that_sources_share_and_open_questions_and_dates_are_told() -> None:
    facts = build_facts(
        sources=(PRESS, OFFICIAL),
        shared_figure=SharedFigure("$40 million", ("CoinDesk", "SEC")),
        unknowns=(SourcedSentence("It is not clear how.", "CoinDesk"),),
        next_dates=(NextDate(LATER.date(), "A vote is due on Tuesday.", "CoinDesk"),),
    )
    text = insight_text(facts)
    assert "CoinDesk and SEC give the same figure: $40 million." in text
    assert "“It is not clear how.” (CoinDesk)" in text
    assert "19 May 2026: “A vote is due on Tuesday.” (CoinDesk)" in text


def test_a_date_whose_sentence_the_reader_has_read_is_told_only_with_a_word_on_it() -> None:
    due = NextDate(LATER.date(), "A vote is due on Tuesday.", "CoinDesk")
    facts = build_facts(sources=(PRESS,), summary=due.text, next_dates=(due,))
    assert "2026" not in insight_text(facts)
    later = replace(due, day=LATER.date() + timedelta(days=1))
    unread = insight_text(replace(facts, summary="", next_dates=(due, later)))
    assert unread.count("A vote is due on Tuesday.") == 2, "each day has a line"
    assert insight_text(replace(facts, next_dates=(replace(due, label="Vote"),))).endswith(
        "19 May 2026: Vote"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_section_with_the_order_of_reports_alone_does_not_announce_what_is_said(language: Language) -> None:
    second = Source("Decrypt", "https://decrypt.co/a", False, LATER)
    order = build_facts(sources=(replace(PRESS, published_at=AT), second))
    silent = replace(order, no_comments=(SourcedSentence("The agency declined to comment.", "Decrypt"),))
    (order_part,), (said_part,) = (
        [part for part in build_parts(facts, language, "http://s") if part.name == "confirmed"]
        for facts in (order, silent)
    )
    assert order_part.title != said_part.title


def test_an_unusual_move_is_in_the_conclusion_and_a_usual_one_is_not() -> None:
    unusual = replace(MOVE, market_change=Decimal("0.4"), usual_share=Decimal("0.01"))
    conclusion = build_parts(build_facts(sources=(PRESS,), moves=(unusual,)), "en", "")[0].text
    assert "Bitcoin moved +2.0% around it, which is unusual." in conclusion
    usual = build_parts(
        build_facts(sources=(PRESS,), moves=(replace(MOVE, usual_share=Decimal("0.3")),)), "en", ""
    )
    assert "Bitcoin" not in usual[0].text
    assert "usual for Bitcoin" in usual[1].text
    assert "median of other coins moved +0.4%" in insight_text(build_facts(moves=(unusual,)))


def test_an_anniversary_names_the_day_of_its_event() -> None:
    text = insight_text(build_facts(sources=(OFFICIAL,), anniversary_of=AT.date()))
    assert text == "Records of 18 May 2026: SEC."


def test_an_official_source_confirms_and_press_alone_does_not() -> None:
    assert "Confirmed at the source: SEC." in insight_text(build_facts(sources=(OFFICIAL, PRESS)))
    other = Source("Decrypt", "https://decrypt.co/a", False)
    assert "no official source" in insight_text(build_facts(sources=(PRESS, other)))


def test_differing_figures_are_named_with_their_sources() -> None:
    pair = (SourcedFigure("$40 million", "CoinDesk"), SourcedFigure("$90 million", "The Block"))
    assert "CoinDesk: $40 million; The Block: $90 million." in insight_text(build_facts(differences=(pair,)))


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
    allowed = extract_values("$40 million, $90 million, 70,000.00, 71,400.00, 2.0%, 840,000, 1", "en")
    days = {AT.date(), LATER.date()}
    stated = extract_values(insight_text(facts, language), language)
    assert stated.values <= allowed.pool
    assert {day.first for day in stated.days} <= days
    assert stated.times <= {(AT.hour, AT.minute), (LATER.hour, LATER.minute)}


def test_prose_replaces_only_the_part_with_the_same_facts() -> None:
    parts = build_parts(build_facts(sources=(PRESS,), moves=(MOVE,)), "en", "http://s")
    market = next(part for part in parts if part.name == "market")
    insight = build_insight(parts, {market.basis: "Bitcoin rose."})
    assert [section["expanded_explanation"] for section in insight["deep_analysis"]] == ["Bitcoin rose."]
    assert insight["conclusion"] == parts[0].text


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


def test_a_time_is_one_line_also_with_a_quote_of_two() -> None:
    facts = build_facts(next_dates=(NextDate(LATER.date(), "A vote\nis due.", "CoinDesk"),))
    section = next(part for part in build_parts(facts, "en", "http://s") if part.name == "next")
    assert section.text == "19 May 2026: “A vote is due.” (CoinDesk)"
