"""Exact edits of an article's texts, and line ends of text boxes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.app_pages.corrections import article_edits
from dashboard.app_pages.corrections.article_edits import Edit
from tests.support.articles.scans import article

PIECES = ["a", "b", "か", "\u3099", "𠮷", "😀", "\r\n", "\n", "\r", "ﾋﾞ", "e\u0301"]
LINES = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@st.composite
def draw_edits(draw: st.DrawFn, text: str) -> list[Edit]:
    """Disjoint edits of ``text``, ascending."""
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8, unique=True)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))
    return [Edit(start, end, draw(st.text("xyか😀", max_size=3))) for start, end in spans]


@st.composite
def draw_text_with_edits(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    text = draw(LINES)
    return text, draw(draw_edits(text))


def test_texts_are_in_reading_order_with_tags_by_index() -> None:
    tagged_article = article(title="T", content="C", tags=["a", "b"])
    assert article_edits.list_texts(tagged_article) == {
        "title": "T",
        "content": "C",
        "tags[0]": "a",
        "tags[1]": "b",
    }


def test_offsets_of_edits_count_code_points() -> None:
    before = article(content="😀𠮷 Etherium, Etherium", tags=["Etherium"])
    edits = {
        "content": [Edit(3, 11, "Ethereum"), Edit(13, 21, "以太坊")],
        "tags[0]": [Edit(0, 8, "Ethereum")],
    }
    after = article_edits.apply_article_edits(before, edits)
    assert after["content"] == "😀𠮷 Ethereum, 以太坊"
    assert after["tags"] == ["Ethereum"]
    assert before["content"] == "😀𠮷 Etherium, Etherium"
    assert before["tags"] == ["Etherium"]


@given(draw_text_with_edits())
def test_a_span_without_an_edit_is_found_at_its_new_position(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    after = article_edits.apply_edits(text, edits)
    for start in range(len(text)):
        place = article_edits.move_span(start, start + 1, edits)
        touched = any(edit.start <= start < edit.end for edit in edits)
        assert (place is None) == touched
        if place is not None:
            assert after[slice(*place)] == text[start]


@given(LINES, LINES)
def test_a_change_is_one_edit_that_produces_the_other_text(before: str, after: str) -> None:
    edit = article_edits.find_edit(before, after)
    assert article_edits.apply_edits(before, [edit] if edit else []) == after
    assert (edit is None) == (before == after)


@given(LINES)
def test_an_unchanged_box_returns_every_byte(original: str) -> None:
    assert article_edits.restore_line_ends(original, article_edits.normalize_line_ends(original)) == original


@given(LINES, LINES)
def test_a_changed_box_keeps_the_typed_text(original: str, typed: str) -> None:
    box_text = article_edits.normalize_line_ends(typed)
    result = article_edits.restore_line_ends(original, box_text)
    assert article_edits.normalize_line_ends(result) == box_text


@given(st.lists(st.text("abか", max_size=5), min_size=2, max_size=6), st.integers(0, 30))
def test_windows_line_ends_stay_when_a_word_is_typed(parts: list[str], at: int) -> None:
    original = "\r\n".join(parts)
    box_text = article_edits.normalize_line_ends(original)
    at = min(at, len(box_text))
    result = article_edits.restore_line_ends(original, f"{box_text[:at]}x\ny{box_text[at:]}")
    assert len(re.findall("\r\n", result)) == len(parts)
    assert "\n" not in result.replace("\r\n", "")


@pytest.mark.parametrize("line", ["a, b,c", "a、b，c", " a ;b；c,", "a,,b, c"])
def test_tags_are_split_at_commas_of_any_script(line: str) -> None:
    assert article_edits.split_tags(line) == ["a", "b", "c"]


def test_an_article_of_whitespace_is_blank() -> None:
    assert article_edits.is_blank(article(title=" ", content="\n", tags=[]))
    assert not article_edits.is_blank(article(tags=["x"]))
