"""Which earlier plans later reports overtake."""

from datetime import UTC, date, datetime

import pytest

from backend.entities.model import Language
from backend.topics.insights.next_dates import find_next_dates
from tests.backend.topics.insights.conftest import ReportFactory

TODAY = date(2026, 9, 14)
EARLIER = datetime(2026, 9, 10, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("language", "later", "earlier", "days"),
    [
        ("en", "The fork of Orrin is postponed.", "The fork of Orrin will activate on October 1.", []),
        (
            "en",
            "The hearing of Kestrel is set for October 20.",
            "The hearing of Kestrel is set for October 6.",
            [20],
        ),
        (
            "en",
            "The hearing of Kestrel is set for October 20.",
            "The hearing of Orrin is set for October 6.",
            [6, 20],
        ),
        ("en", "The vote of Riga is postponed.", "The fork of Orrin will activate on October 1.", [1]),
        ("ja", "ケストレルは公聴会を延期した。", "ケストレルの公聴会は10月6日に開かれる。", []),
        ("zh", "红隼公司的听证会推迟。", "红隼公司将于10月6日举行听证会。", []),
        ("zh", "里加议会将于10月20日举行听证会。", "红隼公司将于10月6日举行听证会。", [6, 20]),
    ],
)
def test_a_plan_goes_only_if_its_own_subject_has_another_day_or_moved(
    make_report: ReportFactory, language: Language, later: str, earlier: str, days: list[int]
) -> None:
    first = make_report(earlier, language=language, published_at=EARLIER)
    found = find_next_dates([make_report(later, language=language)], language, TODAY, earlier=[first])
    assert [one.day.day for one in found] == days
