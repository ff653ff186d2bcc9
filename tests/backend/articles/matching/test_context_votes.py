"""Ambiguous names, tickers and acts of one sentence vote together."""

from typing import Any

import pytest

from backend.articles.engine import RuleSet, correct, mentions
from backend.articles.matching.context_votes import ContextVotes
from backend.articles.matching.rule_set import compile_rules
from tests.backend.articles.packs import entity, pack, rule

RULES = compile_rules(
    [
        pack(
            entity("Zorb", symbols=["ZRB"], context=True),
            entity("Quill", symbols=["QLL", "QL"], context=True, names={"en": "Quill", "ja": "クイル"}),
            entity("EFU", type="regulator", context=True),
            entity("Fern", type="company", context=True, need_cues=["Fern"]),
            entity("Jane Doe", type="person"),
            entity("Oldname", type="company", former=[{"name": "Wren"}], context=["Wren"]),
            entity("Tie", case="any-near-evidence", type="stablecoin"),
            context_words={"en": ["blockchain"]},
        )
    ]
)


def found(text: str, rules: RuleSet = RULES) -> list[str]:
    return [entity_id for _, _, entity_id in mentions(rules, text)]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("The EFU sued Zorb.", ["efu", "zorb"]),
        ("Zorb sued the EFU.", ["zorb", "efu"]),
        ("ZRB and QLL rose.", ["zorb", "quill"]),
        ("Zorb's ZRB rose.", ["zorb", "zorb"]),
        ("Jane Doe's Zorb posted a loss.", ["jane-doe", "zorb"]),
        ("クイルが株を発行した。", ["quill"]),
        ("Zorb和Quill共用技术。", ["zorb", "quill"]),
    ],
)
def test_names_of_a_sentence_vote_together(text: str, ids: list[str]) -> None:
    assert found(text) == ids


@pytest.mark.parametrize(
    "text",
    [
        "The Zorb lay near the Quill.",
        "Open the Zorb system near the Quill directory.",
        "Zorb County sold its houses.",
        "Near the end, ZRB と QLL の値を入力します。",
        "クイルの花が咲いた。",
        "Zorb slept. The EFU sued nobody.",
    ],
)
def test_names_without_cues_have_no_votes(text: str) -> None:
    assert "zorb" not in found(text)


def test_a_name_that_is_a_word_of_the_field_needs_a_cue_near_evidence() -> None:
    assert found("A blockchain has a Fern in it, and Fern is big.") == []
    assert found("Fern sued a blockchain.") == ["fern"]


def test_a_ticker_of_two_letters_needs_a_cue_near_evidence() -> None:
    assert found("On the blockchain QL is an opcode.") == []
    assert found("On the blockchain QLL is a coin.") == ["quill"]
    assert found("QL and QLL rose.") == ["quill", "quill"]


def test_an_ordinary_use_is_no_name_even_near_evidence() -> None:
    assert found("A blockchain stores Zorb 15,537 forever.") == []
    assert found("A blockchain stores Zorb forever.") == ["zorb"]


def test_a_lower_case_word_counts_near_evidence_without_a_determiner() -> None:
    assert found("The dog broke tie and rope.") == []
    assert found("The blockchain moved tie balances.") == ["tie"]
    assert found("The blockchain firm lost its tie.") == []
    assert found("Tie froze a balance.") == ["tie"]


def test_votes_accept_former_names_but_correct_nothing() -> None:
    assert found("Wren sued the EFU.") == ["oldname", "efu"]
    assert correct(RULES, "Wren sued the EFU.", language="en").text.startswith(("Wren", "Oldname"))
    assert correct(RULES, "zorb sued the efu.", language="en").text == "zorb sued the efu."


def test_equal_surroundings_are_voted_on_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "$ZRB " * 1000
    calls: list[int] = []
    count_peers = ContextVotes._count_peers

    def count(self: ContextVotes, start: int, *arguments: Any) -> Any:
        calls.append(start)
        return count_peers(self, start, *arguments)

    monkeypatch.setattr(ContextVotes, "_count_peers", count)
    mentions(RULES, text)
    assert len(calls) < 200


def test_two_capitalised_words_in_a_japanese_or_chinese_sentence_are_a_wrong_name_without_evidence() -> None:
    listed = rule(["Low Tide"], entity="lowtide", case="exact", context=True)
    rules = compile_rules([pack(entity("LowTide"), listed)])
    assert correct(rules, "昨日Low Tideが公開された。", language="ja").text == "昨日LowTideが公開された。"
    assert correct(rules, "昨天Low Tide发布。", language="zh").text == "昨天LowTide发布。"
    assert correct(rules, "At Low Tide the boats rest.", language="en").text == "At Low Tide the boats rest."
