"""Marks of entities, and of the figures and dates that a verdict is based on."""

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.components import text_marks
from dashboard.components.text_marks import Mark, NamedEntity

REASON = "The statement gives the date as 15 September 2021, but Ethereum gives 2022-09-15."


def build_entity(name: str, kind: str = "asset") -> dict[str, Any]:
    return {"id": name, "names": {"en": name.title()}, "type": kind, "official_domains": [f"{name}.example"]}


def build_match(name: str, start: int, end: int, field: str = "content") -> dict[str, Any]:
    return {"entity_id": name, "field": field, "start_offset": start, "end_offset": end}


def read_marked_texts(text: str, marks: list[Mark]) -> list[tuple[str, str | None]]:
    return [(text[mark.start : mark.end], mark.sign) for mark in marks]


def test_entities_are_marked_and_technical_terms_are_not() -> None:
    book = [build_entity("bitcoin"), build_entity("defi", "term")]
    found = [
        build_match("bitcoin", 0, 3),
        build_match("defi", 4, 8),
        build_match("gone", 9, 12),
        build_match("bitcoin", 0, 3, "title"),
    ]
    marks = text_marks.build_entity_marks(found, text_marks.index_entities(book))
    assert [(mark.start, mark.end) for mark in marks] == [(0, 3)]
    assert text_marks.list_entities([*marks, *marks]) == [
        NamedEntity("bitcoin", "Bitcoin", "asset", ["bitcoin.example"])
    ]


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
def test_figures_in_the_reasoning_are_marked_in_statement_and_passage(
    statement: str,
    reasoning: str,
    passage: str,
    assessment: str,
    claimed: list[tuple[str, str]],
    found: list[tuple[str, str]],
) -> None:
    assert (
        read_marked_texts(statement, text_marks.mark_claims(statement, reasoning, [passage], assessment))
        == claimed
    )
    assert (
        read_marked_texts(passage, text_marks.mark_evidence(passage, reasoning, statement, assessment))
        == found
    )


def test_a_shared_figure_agrees_in_a_mixed_statement() -> None:
    reason = "The figure given, 10 BTC, agrees. The statement gives 3 ETH, but A gives 4 ETH."
    statement, passage = "10 BTC and 3 ETH moved.", "A moved 10 BTC and 4 ETH."
    assert read_marked_texts(statement, text_marks.mark_claims(statement, reason, [passage], "mixed")) == [
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
def test_a_run_within_a_longer_number_is_not_whole(text: str, run: str, stands: bool) -> None:
    assert text_marks.is_whole_run(text, run) is stands


def test_the_date_of_a_source_counts_if_the_reasoning_quotes_it() -> None:
    assert text_marks.compare_date("2022-09-15", REASON, "contradicted") == "differs"
    assert text_marks.compare_date("2022-09-15", REASON, "supported") == "agrees"
    assert text_marks.compare_date("2022-09-15", REASON, "unverified") is None
    assert text_marks.compare_date("2022-09-16", REASON, "contradicted") is None


@pytest.mark.parametrize("date_text", ["15 September 2022", "2022年9月15日"])
def test_the_date_of_a_source_is_found_in_the_words_of_the_reasoning(date_text: str) -> None:
    reason = f"The statement gives another date, but our record (example.org/2021/a) gives {date_text}."
    assert text_marks.compare_date("2022-09-15", reason, "contradicted") == "differs"
    assert text_marks.compare_date("2022-09-16", reason, "contradicted") is None


def test_digits_in_the_address_of_a_page_are_no_figures() -> None:
    reason = "The statement gives 3 ETH, but our record (example.org/2021/news) gives 4 ETH."
    statement = "In 2021 a bridge lost 3 ETH."
    marks = text_marks.mark_claims(statement, reason, ["It lost 4 ETH."], "contradicted")
    assert read_marked_texts(statement, marks) == [("3 ETH", "differs")]


def test_of_overlapping_marks_the_first_stays() -> None:
    first, second = Mark(2, 5, sign="differs"), Mark(4, 6, NamedEntity("a", "A", "asset", ()))
    separate = Mark(0, 2, NamedEntity("a", "A", "asset", ()))
    assert text_marks.merge_marks([first], [second, separate]) == [separate, first]


@given(st.text(max_size=60), st.lists(st.integers(0, 60), max_size=8, unique=True))
def test_pieces_join_to_the_text(text: str, cuts: list[int]) -> None:
    positions = sorted(pieces for pieces in cuts if pieces <= len(text))
    marks = [Mark(a, b, sign="agrees") for a, b in zip(positions[::2], positions[1::2], strict=False)]
    pieces = text_marks.split_at_marks(text, marks)
    assert "".join(piece.text for piece in pieces) == text
    assert [piece.mark for piece in pieces if piece.mark is not None] == marks


@given(
    st.text("ab0１2,. 年億", max_size=40),
    st.text("ab0１2,. 年億", max_size=40),
    st.sampled_from(["supported", "contradicted", "mixed", "unverified"]),
)
def test_marks_are_ordered_without_overlap_and_in_the_reasoning(passage: str, reason: str, word: str) -> None:
    marks = text_marks.mark_evidence(passage, reason, passage, word)
    assert all(mark.start < mark.end for mark in marks)
    assert all(earlier.end <= later.start for earlier, later in itertools.pairwise(marks))
    assert all(passage[mark.start : mark.end] in reason for mark in marks)
