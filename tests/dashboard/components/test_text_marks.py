"""Marks in texts: entities where they are named, and the words that decided a verdict."""

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.components import text_marks as marking
from dashboard.components.text_marks import Mark, Named

REASON = "The statement gives the date as 15 September 2021, but Ethereum gives 2022-09-15."


def entity(name: str, kind: str = "asset") -> dict[str, Any]:
    return {"id": name, "names": {"en": name.title()}, "type": kind, "official_domains": [f"{name}.example"]}


def match(name: str, start: int, end: int, field: str = "content") -> dict[str, Any]:
    return {"entity_id": name, "field": field, "start_offset": start, "end_offset": end}


def words(text: str, marks: list[Mark]) -> list[tuple[str, str | None]]:
    return [(text[mark.start : mark.end], mark.sign) for mark in marks]


def test_entities_are_marked_where_they_stand_and_words_of_the_field_are_not() -> None:
    book = [entity("bitcoin"), entity("defi", "term")]
    found = [
        match("bitcoin", 0, 3),
        match("defi", 4, 8),
        match("gone", 9, 12),
        match("bitcoin", 0, 3, "title"),
    ]
    marks = marking.entity_marks(found, book)
    assert [(mark.start, mark.end) for mark in marks] == [(0, 3)]
    assert marking.named_in([*marks, *marks]) == [Named("bitcoin", "Bitcoin", "asset", ["bitcoin.example"])]


@pytest.mark.parametrize(
    ("statement", "reasoning", "passage", "assessment", "claimed", "found"),
    [
        (
            "Ethereum moved to proof of stake on 15 September 2021.",
            REASON,
            "Block 15,537,393 was the last one made by proof of work.",
            "contradicted",
            [("15 September 2021", "differs")],
            [],
        ),
        (
            "NEMは約58億円相当だった。",
            "記述の数値は「58億円」ですが、Coincheckでは「580億円」です。",
            "同社は被害を約580億円とした。",
            "contradicted",
            [("58億円", "differs")],
            [("580億円", "differs")],
        ),
        (
            "2024年4月20日，区块奖励降至3.125枚。",
            "日期“2024年4月20日”与mempool.space（2024-04-20）相符。数字“3.125枚”与mempool.space（3.125枚BTC）相符。",
            "区块奖励由6.25枚BTC减至3.125枚BTC。",
            "supported",
            [("2024年4月20日", "agrees"), ("3.125枚", "agrees")],
            [("3.125枚BTC", "agrees")],
        ),
        ("It was 5 BTC.", "It is 5 BTC.", "5 BTC", "unverified", [], []),
    ],
)
def test_what_the_reason_quotes_is_marked_on_both_sides(
    statement: str,
    reasoning: str,
    passage: str,
    assessment: str,
    claimed: list[tuple[str, str]],
    found: list[tuple[str, str]],
) -> None:
    assert words(statement, marking.claimed(statement, reasoning, [passage], assessment)) == claimed
    assert words(passage, marking.telling(passage, reasoning, statement, assessment)) == found


def test_a_figure_that_both_have_agrees_in_a_statement_that_is_contradicted_elsewhere() -> None:
    reason = "The figure given, 10 BTC, agrees. The statement gives 3 ETH, but A gives 4 ETH."
    statement, passage = "10 BTC and 3 ETH moved.", "A moved 10 BTC and 4 ETH."
    assert words(statement, marking.claimed(statement, reason, [passage], "mixed")) == [
        ("10 BTC", "agrees"),
        ("3 ETH", "differs"),
    ]


@pytest.mark.parametrize(
    ("text", "run", "stands"),
    [
        ("12,345", "345", False),
        ("12,345", "12", False),
        ("on 12, 345", "12", True),
        ("2022-09-15.", "2022-09-15", True),
        ("2022-09-15", "09", False),
        ("5億円", "5億", True),
    ],
)
def test_no_mark_stands_within_a_longer_number(text: str, run: str, stands: bool) -> None:
    assert marking.stands_alone(text, run) is stands


def test_a_sources_day_counts_where_the_reason_quotes_it() -> None:
    assert marking.date_sign("2022-09-15", REASON, "contradicted") == "differs"
    assert marking.date_sign("2022-09-15", REASON, "supported") == "agrees"
    assert marking.date_sign("2022-09-15", REASON, "unverified") is None
    assert marking.date_sign("2022-09-16", REASON, "contradicted") is None


def test_of_marks_that_overlap_the_first_stays() -> None:
    first, second = Mark(2, 5, sign="differs"), Mark(4, 6, Named("a", "A", "asset", ()))
    apart = Mark(0, 2, Named("a", "A", "asset", ()))
    assert marking.together([first], [second, apart]) == [apart, first]


@given(st.text(max_size=60), st.lists(st.integers(0, 60), max_size=8, unique=True))
def test_the_pieces_of_a_text_put_together_are_the_text(text: str, cuts: list[int]) -> None:
    places = sorted(cut for cut in cuts if cut <= len(text))
    marks = [Mark(a, b, sign="agrees") for a, b in zip(places[::2], places[1::2], strict=False)]
    cut = marking.pieces(text, marks)
    assert "".join(piece.text for piece in cut) == text
    assert [piece.mark for piece in cut if piece.mark is not None] == marks


@given(
    st.text("ab0１2,. 年億", max_size=40),
    st.text("ab0１2,. 年億", max_size=40),
    st.sampled_from(["supported", "contradicted", "mixed", "unverified"]),
)
def test_marks_are_in_order_apart_and_quoted_by_the_reason(passage: str, reason: str, word: str) -> None:
    marks = marking.telling(passage, reason, passage, word)
    assert all(mark.start < mark.end for mark in marks)
    assert all(one.end <= other.start for one, other in itertools.pairwise(marks))
    assert all(passage[mark.start : mark.end] in reason for mark in marks)
