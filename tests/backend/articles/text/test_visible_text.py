"""A reader sees a name over a break, and through the markup inside it."""

import pytest
from hypothesis import given

from backend.articles.engine import compile_rules, scan
from backend.articles.schemas import Article
from backend.articles.text.markup import Labels, find_link_targets
from backend.articles.text.visible_text import VisibleText, find_collapsed_spans, unwrap
from tests.backend.articles.packs import entity, pack
from tests.backend.articles.strategies import texts


def visible(source: str, *words: str) -> VisibleText:
    """The visible text of ``source``, in which ``words`` are the known words."""
    collapsed_spans = find_collapsed_spans(
        source, Labels(source).bracket_spans, find_link_targets(source), lambda word: word in words
    )
    return VisibleText(source, collapsed_spans)


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("Aba\n  Bab", "Aba\nBab"),
        ("Aba \r\n> Bab", "Aba\nBab"),
        ("Aba\n\nBab", "Aba\n\nBab"),
        ("Aba\n  \n  Bab", "Aba\n\nBab"),
        ("Aba  Bab", "Aba Bab"),
        ("Aba   Bab", "Aba   Bab"),
        ("Aba&nbsp;Bab&#160;Bab", "Aba\u00a0Bab\u00a0Bab"),
        ("A\u00adb\u200ba A&shy;ba", "Aba Aba"),
        ("the **Aba** Bab", "the Aba Bab"),
        ("_Aba_ Bab", "Aba Bab"),
        ("my_aba_bab", "my_aba_bab"),
        ("- a\n* b\n2 * 3", "- a\n* b\n2 * 3"),
        ("the [Aba](https://a.b/c) Bab", "the Aba Bab"),
        ("![Aba](c.png) Bab", "![Aba](c.png) Bab"),
        ("[Aba](u)[Bab](v)", "[Aba](u)[Bab](v)"),
        ("<b>Aba</b> Bab", "Aba Bab"),
        ("サー**バ**ー", "サーバー"),
    ],
)
def test_breaks_and_markup_beside_spaces_are_not_seen(source: str, shown: str) -> None:
    assert visible(source).text == shown


@pytest.mark.parametrize("source", ["**A**ba", "A**b**a", "<i>A</i>ba", "[A](u)ba"])
def test_markup_inside_a_word_is_not_seen_if_the_word_is_known(source: str) -> None:
    assert visible(f" {source}", "Aba").text == " Aba"
    assert visible(f" {source}").text != " Aba"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("昨日は大きくサー\nバーが動いた", "昨日は大きくサーバーが動いた"),
        ("昨日は大きくサー \r\n  > バーが動いた", "昨日は大きくサーバーが動いた"),
        ("昨天上涨的是以太\n  坊的币", "昨天上涨的是以太坊的币"),
    ],
)
def test_a_line_break_inside_a_known_name_in_kana_or_han_is_not_seen(source: str, shown: str) -> None:
    assert visible(source, "サーバー", "以太坊").text == shown
    assert visible(source, "サーバ", "坊的币").text != shown


def test_lines_of_a_list_in_kana_or_han_stay_apart() -> None:
    assert visible("比特币\n现金", "比特币现金").text == "比特币\n现金"
    assert visible("- サー\nバー", "サーバー").text == "- サー\nバー"


def test_a_footnote_is_no_part_of_a_name() -> None:
    source = "Aba[note](u), Aba<a href=x>2</a>"
    assert "Abanote" not in visible(source, "Aba", "note").text
    assert "Aba2" not in visible(source, "Aba").text


def test_elements_beside_each_other_are_two_words() -> None:
    assert "AbaBab" not in visible("<a>Aba</a><a>Bab</a>", "AbaBab").text


@given(texts())
def test_the_visible_text_maps_to_the_source_in_order(source: str) -> None:
    shown = visible(source, "Aba", "abab")
    spans = [shown.to_source_span(at, at + 1) for at in range(len(shown.text))]
    for at, (start, end) in enumerate(spans):
        assert end > start
        assert shown.text[at] == source[start] or shown.text[at] in " \n\u00a0"
        assert shown.to_visible_offset(start) == at or shown.text[at] in " \n\u00a0"
    assert spans == sorted(spans)
    assert shown.to_visible_offset(len(source)) == len(shown.text)


@given(texts())
def test_the_visible_text_has_as_many_paragraphs_as_the_source(source: str) -> None:
    def paragraphs(text: str) -> int:
        return sum(not line.strip() for line in text.split("\n"))

    assert paragraphs(visible(source).text) == paragraphs(source)


LONG = "a line that is long enough to have been wrapped"


@pytest.mark.parametrize("following", ["Aba", "over", "2 of them"])
def test_a_break_after_a_long_line_is_a_space(following: str) -> None:
    assert unwrap(f"{LONG}\n{following}") == f"{LONG} {following}"


@pytest.mark.parametrize("text", ["a title\nAba", f"{LONG}\n\nAba", f"{LONG}\n- Aba", f"{LONG}\n1. Aba"])
def test_other_breaks_stay(text: str) -> None:
    assert unwrap(text) == text


def test_a_sentence_goes_on_over_a_wrapped_line() -> None:
    base = entity("Grayscale", context=True, type="company")
    rules = compile_rules([pack(base, entity("SEC", context=True, type="regulator"))])
    wrapped = scan(
        rules, Article(content="After the long wait that nobody had foreseen, Grayscale\nsued the SEC.")
    )
    flowing = scan(
        rules, Article(content="After the long wait that nobody had foreseen, Grayscale sued the SEC.")
    )
    assert [m["entity_id"] for m in wrapped["matches"]] == [m["entity_id"] for m in flowing["matches"]]
    assert wrapped["matches"]
