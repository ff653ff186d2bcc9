"""The second date of a claim, beside that of the event."""

from datetime import UTC, datetime

import pytest

from backend.sources.claims.model import ComparedValue
from tests.backend.sources.evidence import held

RULES = (
    "SEC rules on bitcoin take effect. The rules on bitcoin of the SEC apply until 1 July 2026.",
    datetime(2024, 12, 30, tzinfo=UTC),
)


@pytest.mark.parametrize(
    ("text", "claimed"),
    [
        (
            "The SEC rules on bitcoin that took effect on 30 December 2024 apply until 1 July 2028.",
            "1 July 2028",
        ),
        (
            "The SEC rules on bitcoin that took effect on 30 December 2024 apply until 15 July 2026.",
            "15 July 2026",
        ),
    ],
)
def test_another_year_or_day_of_a_further_date_differs(text: str, claimed: str) -> None:
    assert held(text, RULES).differences == (ComparedValue("date", claimed, "1 July 2026"),)


def test_the_same_further_date_and_one_that_nobody_tells_do_not_differ() -> None:
    assert (
        held("The SEC rules on bitcoin of 30 December 2024 apply until 1 July 2026.", RULES).differences == ()
    )
    assert (
        held("The SEC rules on bitcoin of 30 December 2024 apply until 3 May 2028.", RULES).differences == ()
    )


def test_a_date_in_a_later_clause_belongs_to_the_acts_of_that_clause() -> None:
    record = (
        "Kraken files for bankruptcy. It was the first such firm; a ruling of May 2021 made it voluntary.",
        datetime(2019, 3, 4, tzinfo=UTC),
    )
    told = held(
        "Kraken was the first such firm to file for bankruptcy, though in 2021 claims changed.", record
    )
    assert told.differences == ()
    wrong = held("Kraken filed for bankruptcy in 2021, the first such firm.", record)
    assert [difference.slot for difference in wrong.differences] == ["date"]
