"""Word lists that tell ordinary words from slips."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.articles.slips.lexicon import FOLDER, Lexicon, Script, load_lexicon


@given(st.sets(st.text("abアイ", min_size=1, max_size=4)), st.text("abアイ", min_size=1, max_size=4))
def test_a_lexicon_contains_exactly_its_words(words: set[str], word: str) -> None:
    content = "".join(f"{one}\n" for one in sorted(words, key=str.encode))
    assert (word in Lexicon(content.encode())) == (word in words)


@pytest.mark.parametrize(
    ("script", "word", "other"),
    [
        ("latin", "jupiter", "jupeter"),
        ("katakana", "ネットワーク", "ネットワアク"),
        ("han", "以太网", "以太访"),
    ],
)
def test_the_shipped_lists_know_words_and_no_slips(script: Script, word: str, other: str) -> None:
    assert word in load_lexicon(script)
    assert other not in load_lexicon(script)


def test_the_shipped_lists_are_sorted_so_that_every_word_is_found() -> None:
    for path in FOLDER.glob("*.txt"):
        words = path.read_bytes().splitlines()
        assert words == sorted(set(words)), path.name


def test_the_licences_of_all_lists_are_named() -> None:
    licences = (FOLDER / "LICENSES.md").read_text("utf-8")
    assert all(path.name in licences for path in FOLDER.glob("*.txt"))
