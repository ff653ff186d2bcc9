"""Tests the terms into which texts and queries are split."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.documents.tokenizer import (
    MAX_TERM_BYTES,
    MAX_TERM_COUNT,
    PackedCounts,
    digest,
    document_terms,
    fold,
    pack_counts,
    query_terms,
    stem,
    terms,
)


def test_latin_words_are_stemmed_and_cjk_is_split_into_pairs() -> None:
    assert list(terms("Bitcoin halvings: 用户数が半分")) == [
        "bitcoin",
        "halv",
        "用户",
        "户数",
        "数が",
        "が半",
        "半分",
    ]


@pytest.mark.parametrize(
    "forms",
    [
        ("halve", "halves", "halved", "halving", "halvings"),
        ("approve", "approves", "approved", "approving"),
        ("stop", "stops", "stopped", "stopping"),
        ("policy", "policies"),
        ("loss", "losses"),
        ("tax", "taxes"),
        ("exchange", "exchanges", "exchanged"),
        ("sell", "sells", "selling"),
    ],
)
def test_forms_of_a_word_have_one_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(word) for word in forms}) == 1


@pytest.mark.parametrize(
    "word", ["btc", "ring", "king", "bed", "us", "gas", "uniswap", "consensus", "eip1559", "был"]
)
def test_a_word_that_only_looks_inflected_keeps_its_letters(word: str) -> None:
    assert stem(word) == word


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("ＢＴＣ　６．２５", "btc 6.25"),
        ("ﾋﾞｯﾄｺｲﾝ", "ビットコイン"),
        ("block 840,000", "BLOCK 840000"),
        ("Ａpproved", "approving"),
    ],
)
def test_width_case_and_thousands_make_no_difference(first: str, second: str) -> None:
    assert list(terms(first)) == list(terms(second))


def test_a_decimal_number_is_one_term_and_a_date_is_three() -> None:
    assert list(terms("3.125 BTC, 2024.04.20, 5億2300万")) == [
        "3.125",
        "btc",
        "2024",
        "04",
        "20",
        "5",
        "亿",
        "2300",
        "万",
    ]


def test_a_query_omits_pairs_of_hiragana() -> None:
    assert query_terms(["半分したのは"]) == ["半分", "分し"]


def test_traditional_and_simplified_chinese_give_the_same_terms() -> None:
    assert list(terms("以太坊於9月完成合併")) == list(terms("以太坊于9月完成合并"))


def test_a_query_of_nothing_but_hiragana_keeps_them() -> None:
    assert query_terms(["ふるさと"]) == ["ふる", "るさ", "さと"]


def test_a_query_contains_each_term_once() -> None:
    assert query_terms(["bitcoin Bitcoins", "BITCOIN 数"]) == ["bitcoin", "数"]


@given(st.text())
def test_terms_contain_no_query_syntax(text: str) -> None:
    for term in terms(text):
        assert term
        assert not re.search(r"[\s\x00-\x2d\x3a-\x60\x7b-\x7f\ud800-\udfff]", term)
        assert term == term.lower()


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert list(terms(fold(text))) == list(terms(text))


def test_a_long_text_is_truncated_at_the_maximum_size_of_terms() -> None:
    for text in ("ab " * MAX_TERM_BYTES, "漢字" * MAX_TERM_BYTES, "x" * MAX_TERM_BYTES * 5):
        found = document_terms("title", text)
        assert found[0] == "titl"
        assert sum(len(term.encode()) + 1 for term in found) <= MAX_TERM_BYTES


def test_runs_of_combining_marks_are_folded_in_chunks() -> None:
    marks = "\u0301\u0316" * 50_000
    assert len(fold("a" + marks)) <= 100_001  # in one piece this takes some ten seconds


@given(st.lists(st.text(min_size=1, max_size=3), max_size=300))
def test_packed_counts_return_the_count_of_a_term(found: list[str]) -> None:
    packed = PackedCounts(pack_counts(found))
    expected_counts = Counter(map(digest, found))
    for term in found:
        assert packed.count_of(digest(term)) == min(expected_counts[digest(term)], MAX_TERM_COUNT)
    assert packed.count_of(digest("a term that none of them is")) == 0


def test_a_count_is_bounded() -> None:
    assert PackedCounts(pack_counts(["a"] * 1_000)).count_of(digest("a")) == MAX_TERM_COUNT
