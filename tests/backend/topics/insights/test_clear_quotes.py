"""Sentences of a report that are quoted alone."""

import pytest

from backend.topics.feeds.article_sentences import list_sentences
from backend.topics.insights.clear_quotes import make_clear

LEAD = "Quillport opened a vault for the bitcoin of its clients on Monday."


def quote(text: str, shown: str = "") -> str:
    """Quote the last sentence of a report."""
    listed = list_sentences(f"{LEAD} {text}", "en")
    return make_clear(listed, len(listed) - 1, "en", f"{LEAD}\n{shown}", LEAD)


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("Harrow praised the plan.", "Harrow praised the plan."),
        ("The vault holds 900 bitcoin.", "The vault holds 900 bitcoin."),
        (
            "Orrin counts 40 votes. The difference is two votes that came late.",
            "Orrin counts 40 votes. The difference is two votes that came late.",
        ),
        (
            "Riga holds three old claims. The largest is by Orrin of Malta. A trial on it starts in May.",
            "Riga holds three old claims. The largest is by Orrin of Malta. A trial on it starts in May.",
        ),
        (
            "Orrin says that staking is free. Some reports suggested otherwise.",
            "Orrin says that staking is free. Some reports suggested otherwise.",
        ),
        (
            "If it passes, QIP-12 goes into a lock of two days.",
            "If it passes, QIP-12 goes into a lock of two days.",
        ),
        (
            "“We found a fault,” Ada Lindqvist said. She said that a fix would be out on Friday.",
            "[Ada Lindqvist] said that a fix would be out on Friday.",
        ),
    ],
)
def test_a_sentence_has_what_it_speaks_of(text: str, quoted: str) -> None:
    assert quote(text) == quoted


@pytest.mark.parametrize(
    "text",
    [
        "Harrow praised the plan. Not everybody agreed with the delay.",
        "Harrow praised the plan. The largest is by Orrin, which wants a part.",
        "“That is no risk at all,” Harrow said. It called the claim an error.",
        "Harrow asked the court for leave to treat them as lost.",
        "Harrow praised the plan. The bank will open a branch in Riga.",
    ],
)
def test_a_sentence_that_lost_what_it_speaks_of_is_not_quoted(text: str) -> None:
    assert quote(text) == ""


def test_a_sentence_is_not_quoted_behind_one_that_the_reader_has_read() -> None:
    former = "Orrin counts 40 votes."
    assert quote(f"{former} The difference is two votes that came late.", shown=former) == ""


def test_a_line_of_the_page_parts_two_sentences() -> None:
    listed = list_sentences(
        f"{LEAD} Harrow sold a stake. Sign up for our newsletter. It fell by a third in May.", "en"
    )
    assert make_clear(listed, len(listed) - 1, "en", LEAD, LEAD) == ""
