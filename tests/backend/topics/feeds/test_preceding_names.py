"""The names in a sentence that only earlier sentences introduce."""

import re

from hypothesis import given
from hypothesis import strategies as st

from backend.topics.feeds.preceding_names import PrecedingNames

PIECES = ("French ", "Hill", "Bank", " ", ".", "’", "-", "Mr. ", "é", "3", "(", "b", "A")


def shorten(introduction: str, sentence: str) -> frozenset[str]:
    names = PrecedingNames("en")
    names.add(introduction)
    return names.find_shortened_names(sentence)


def test_a_surname_alone_needs_the_full_name_before_it() -> None:
    assert shorten("French Hill opened the hearing.", "The bill is late, Hill said.") == {"Hill"}


def test_a_surname_of_two_letters_needs_the_full_name_too() -> None:
    assert shorten("Bo Ng and Ada Hart built it.", "The vault is late, Ng said.") == {"Ng"}
    assert shorten("It is up to Ada. As Ada Is known.", "In Riga, It will open, as he said.") == frozenset()


def test_a_surname_behind_its_first_name_needs_nothing() -> None:
    assert shorten("French Hill opened the hearing.", "The bill is late, French Hill said.") == frozenset()


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_a_name_is_alone_if_no_capitalised_word_ends_right_before_it(sentence: str) -> None:
    found = "Hill" in shorten("French Hill opened the hearing.", sentence)
    alone = [
        match.start()
        for match in re.finditer(r"(?<![A-Za-z.-])(?<![A-Z][a-z]\. )Hill(?![A-Za-z-]|[ -][A-Z])", sentence)
        if not re.search(r"[A-Z][\w.'’-]*\s$", sentence[: match.start()])
    ]
    assert found == bool(alone)


def test_a_sentence_of_many_names_is_read_in_one_pass() -> None:
    assert shorten("French Hill spoke.", "(Hill) " * 100_000) == {"Hill"}


def test_codes_and_words_of_questions_are_no_parties() -> None:
    names = PrecedingNames("en")
    names.add("What the paper CP26 of Harrow Bank in the EU says is clear.")
    assert names.list_all() == {"Harrow"}
