"""Expressions that stand for a list of texts, and those that do not."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.articles.importers.regex_expansion import UnsupportedRegexError, expand


def texts(pattern: str, *, bounded: bool = False) -> list[str]:
    return [expansion.text for expansion in expand(pattern, bounded=bounded)]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("サーバ", ["サーバ"]),
        ("(?:mobile|smart) ?phone", ["mobile phone", "mobilephone", "smart phone", "smartphone"]),
        ("関わ?らず", ["関わらず", "関らず"]),
        ("関わ??らず", ["関らず", "関わらず"]),
        ("[Ee]therium", ["Etherium", "etherium"]),
        ("[a-c]x", ["ax", "bx", "cx"]),
        ("[a\\-c]", ["a", "-", "c"]),
        ("a{2,3}b", ["aaab", "aab"]),
        (r"C\+\+", ["C++"]),
        (r"\u3042\x41\u{1F4B0}", ["あA💰"]),
        (r"v\d", [f"v{digit}" for digit in range(10)]),
        ("(?<name>a)b|(?P<other>c)", ["ab", "c"]),
        ("(a|(b))c", ["ac", "bc"]),
    ],
)
def test_a_finite_regex_expands_in_its_order_of_preference(pattern: str, expected: list[str]) -> None:
    assert texts(pattern) == expected


def test_expansions_hold_the_text_of_each_group() -> None:
    assert [dict(expansion.groups) for expansion in expand("(a|(b))c")] == [{1: "a"}, {1: "b", 2: "b"}]


def test_expansions_keep_negative_lookahead_and_lookbehind() -> None:
    (expansion,) = expand("(?<!前)良い(?!例|子)")
    assert (expansion.text, expansion.not_after, expansion.not_before) == ("良い", ("前",), ("例", "子"))


def test_expansions_that_a_preferred_shorter_one_always_shadows_are_dropped() -> None:
    assert texts("a|ab") == ["a"]
    assert texts("ab|a") == ["ab", "a"]
    assert texts("a|ab", bounded=True) == ["a", "ab"]
    assert texts("a(?!b)|ab") == ["a", "ab"]


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (".", "any character"),
        ("a*", "without a limit"),
        ("a+", "without a limit"),
        ("a{2,}", "without a limit"),
        (r"\s", "white space"),
        (r"\w", "any letter"),
        ("[^a]", "all but some"),
        ("^a", "edge of a line"),
        ("a$", "edge of a line"),
        ("(?=a)b", "requires a neighbour"),
        ("(?<=a)b", "requires a neighbour"),
        ("(?i)a", "inline options"),
        ("a(?!b)c", "only at its end"),
        ("a(?<!b)c", "only at its start"),
        (r"a\bb", "only at its end"),
        (r"(a)\1", "the text of a group"),
        ("a?", "empty text"),
        ("(?!a.)b", "any character"),
        ("(", "not closed"),
        (")", "extra closing bracket"),
        ("a**", "without a limit"),
        ("a?*", "nested repetition"),
        ("[", "ends unexpectedly"),
        ("[]", "empty class"),
        ("\\", "ends unexpectedly"),
        (r"\u12", "invalid character code"),
        (r"\u{110000}", "invalid character code"),
        ("[あ-龠]", "more than 200"),
        ("[a-z]{3}", "more than 200"),
        ("(a|b){9}c", "more than 200"),
        ("(" * 60 + "a" + ")" * 60, "too deeply"),
        ("(?:a{200}){200}", "more than 100 characters"),
    ],
)
def test_an_unsupported_regex_is_rejected_with_its_reason(pattern: str, reason: str) -> None:
    with pytest.raises(UnsupportedRegexError, match=re.escape(reason)):
        expand(pattern)


pieces = st.recursive(
    st.sampled_from(["a", "b", "ab", "[ab]", "サ", "1?"]),
    lambda inner: st.one_of(
        st.builds("(?:{}|{})".format, inner, inner),
        st.builds("{}{}".format, inner, inner),
        st.builds("(?:{})?".format, inner),
    ),
    max_leaves=6,
)


@given(pieces)
def test_the_regex_fully_matches_each_of_its_expansions(pattern: str) -> None:
    try:
        found = texts(pattern, bounded=True)
    except UnsupportedRegexError:
        return
    assert len(found) == len(set(found))
    for text in found:
        assert re.fullmatch(pattern, text)


@given(pieces, st.text("abサ1", max_size=5))
def test_the_first_match_of_the_regex_is_one_of_its_expansions(pattern: str, text: str) -> None:
    try:
        found = texts(pattern)
    except UnsupportedRegexError:
        return
    match = re.match(pattern, text)
    if match:
        assert match.group() in found


@given(st.text("ab()[]|?*+{}\\^$.-!<=:,0123456789", max_size=30))
def test_any_pattern_is_expanded_or_rejected(pattern: str) -> None:
    try:
        found = expand(pattern)
    except UnsupportedRegexError:
        return
    assert 0 < len(found) <= 200
