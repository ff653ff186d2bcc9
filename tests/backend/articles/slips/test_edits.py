"""Which single edit turned one word into another, and how likely it is a slip."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.articles.slips.edits import EditKind, count_edits, find_edit

WORD = st.text("abcde", min_size=3, max_size=8)


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("etherum", EditKind.MISSING),
        ("ethereeum", EditKind.DOUBLED),
        ("ethjereum", EditKind.EXTRA),
        ("ethereums", EditKind.SUFFIX),
        ("etheruem", EditKind.SWAPPED),
        ("etherwum", EditKind.CHANGED),
    ],
)
def test_an_edit_is_told_by_its_kind(written: str, kind: EditKind) -> None:
    edit = find_edit(written, "ethereum")
    assert edit is not None
    assert edit.kind is kind


@pytest.mark.parametrize("written", ["ethereum", "etherrem", "thereu", "muerehte", "ethereumxy"])
def test_equal_words_and_those_farther_apart_are_no_edit(written: str) -> None:
    assert find_edit(written, "ethereum") is None


def test_a_near_key_is_likelier_than_a_far_one() -> None:
    near, far = find_edit("binanve", "binance"), find_edit("binanpe", "binance")
    assert near is not None
    assert far is not None
    assert near.likelihood > far.likelihood


@given(WORD, st.data())
def test_every_word_with_one_letter_dropped_or_changed_is_one_edit(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(word) - 1))
    assert find_edit(word[:at] + word[at + 1 :], word) is not None
    assert find_edit(word[:at] + "x" + word[at + 1 :], word) is not None
    assert find_edit(word[:at] + "x" + word[at:], word) is not None


@given(WORD, WORD)
def test_one_edit_is_at_most_two_insertions_deletions_or_substitutions(written: str, right: str) -> None:
    edits = count_edits(written, right)
    if find_edit(written, right) is not None:
        assert 1 <= edits <= 2
    else:
        assert edits != 1
