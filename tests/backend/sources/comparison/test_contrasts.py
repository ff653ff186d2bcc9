"""Properties that exclude each other, and what a statement says that no source tells."""

from datetime import UTC, datetime

import pytest

from backend.entities.model import LANGUAGES, Language
from backend.sources.claims import dates
from backend.sources.comparison import contrasts
from tests.backend.sources.evidence import claim


@pytest.mark.parametrize(
    ("statement", "passage"),
    [
        ("The futures are physically settled.", "The contract is cash-settled."),
        (
            "The exchange went public through an initial public offering.",
            "The shares trade after a direct listing.",
        ),
        ("Parliament adopted the law unanimously.", "The law passed by 517 to 38 votes."),
        ("The coin has no cap on its supply.", "The coin has a maximum supply of 21 million."),
        ("The bill passed the Senate.", "The bill passed the House by 279 to 136."),
        ("The coin is pegged to the euro.", "The coin stands for one US dollar."),
        (
            "Four fifths of the coins are kept in hot wallets.",
            "Four fifths of the coins are kept in cold wallets.",
        ),
        ("The founder got life in prison.", "The founder was sentenced to 25 years in prison."),
        ("A single judge found him guilty.", "The jury found him guilty."),
        ("Both chambers passed the bill.", "The House passed the bill."),
        ("The fine was more than the agency had sought.", "The fine was less than the agency had sought."),
        ("It kept its customers' coins apart from its own.", "It commingled its customers' coins."),
        ("The fee of each transfer is paid to the miner.", "The fee of each transfer is burned."),
        ("Buyers paid in dollars.", "Buyers paid with bitcoin."),
        ("The case was dropped without prejudice.", "The case was dismissed with prejudice."),
    ],
)
def test_two_properties_of_one_group_contradict(statement: str, passage: str) -> None:
    difference = contrasts.find_difference(claim(statement), claim(passage))
    assert difference is not None
    assert difference.claimed.lower() in statement.lower()
    assert difference.found.lower() in passage.lower()


@pytest.mark.parametrize(
    ("statement", "passage"),
    [
        ("The futures are cash-settled.", "The contract is settled in cash."),
        ("The futures are not physically settled.", "The contract is cash-settled."),
        ("The fund holds spot bitcoin and futures.", "The fund holds spot bitcoin."),
        ("The bill passed the House.", "The White House welcomed the vote of the Senate and the House."),
        ("The coin has a cap on its supply.", "The company has a hat."),
    ],
)
def test_equal_denied_and_unrelated_properties_do_not_contradict(statement: str, passage: str) -> None:
    assert contrasts.find_difference(claim(statement), claim(passage)) is None


def test_a_property_is_compared_with_a_source_in_another_language() -> None:
    statement = claim("イーサ先物は現物受け渡しで決済される。", "ja")
    difference = contrasts.find_difference(statement, claim("The ether futures are cash-settled."))
    assert difference is not None
    assert (difference.claimed, difference.found) == ("現物受け渡し", "cash-settled")


def test_a_property_that_a_source_would_tell_is_missing_without_it() -> None:
    missing = contrasts.find_missing_property(
        claim("It was adopted unanimously."), claim("Parliament adopts the law.")
    )
    assert missing is not None
    assert (missing.kind, missing.text) == ("qualifier", "unanimously")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_without_such_words_has_no_properties(language: Language) -> None:
    assert list(contrasts.locate_properties(claim("Bitcoin 2024", language))) == []


def test_a_record_of_one_event_tells_that_its_parts_came_on_one_day() -> None:
    statement = claim("The founder resigned on the same day.")
    assert contrasts.find_missing_property(statement, claim("The firm goes bankrupt. He resigned.")) is None
    later = claim("The firm goes bankrupt. He resigned on 3 May 2023.")
    assert contrasts.find_missing_property(statement, later) is not None


def test_the_next_day_needs_two_adjacent_days_or_a_source_that_tells_it() -> None:
    statement = claim("Trading began the day after.")
    event_date = dates.build_record_date(datetime(2024, 1, 10, tzinfo=UTC), "day")
    same_day = claim("Trading began on 10 January 2024.")
    for passage in (claim("Trading began on 11 January 2024."), claim("It began the next day.")):
        assert contrasts.find_missing_property(statement, passage, event_date) is None
    assert contrasts.find_missing_property(statement, same_day, event_date) is not None
