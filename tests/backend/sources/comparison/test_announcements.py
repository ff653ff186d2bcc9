"""Acts that a claim dates on the day on which they were only announced."""

from datetime import date

import pytest

from backend.sources.claims.model import DateSpan
from backend.sources.comparison import announcements
from backend.sources.comparison.claim_passage import ClaimAndPassage
from tests.backend.sources.evidence import claim

DAY = date(2024, 11, 21)
HAPPENED = DateSpan(DAY, DAY, "day", 0, 0, "2024-11-21")
RECORD = "SEC chair says he will step down. He announced that he would step down on 20 January 2025."


def found(statement: str) -> str | None:
    pair = ClaimAndPassage(claim(statement), claim(RECORD), [], {}, HAPPENED, None, frozenset(), frozenset())
    difference = announcements.find_difference(pair)
    return None if difference is None else difference.found


def test_the_day_of_the_announcement_is_not_the_day_of_the_act() -> None:
    assert found("The SEC chair stepped down on 21 November 2024.") == "20 January 2025"


@pytest.mark.parametrize(
    "statement",
    [
        "The SEC chair announced on 21 November 2024 that he would step down.",
        "The SEC chair stepped down on 20 January 2025.",
        "On 21 November 2024 the SEC chair was praised.",
    ],
)
def test_the_announcement_and_the_act_on_their_own_days_do_not_differ(statement: str) -> None:
    assert found(statement) is None
