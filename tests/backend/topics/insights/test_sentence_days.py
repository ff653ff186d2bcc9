"""Days and ranges of days that a sentence names."""

from datetime import date

import pytest

from backend.entities.model import Language
from backend.topics.insights.next_dates import find_next_dates
from backend.topics.insights.sentence_days import normalize_days
from tests.backend.topics.insights.conftest import ReportFactory

TODAY = date(2026, 9, 14)
RANGES: list[tuple[Language, str, date, date]] = [
    (
        "en",
        "The board of Riga will meet from October 3 to October 10.",
        date(2026, 10, 3),
        date(2026, 10, 10),
    ),
    ("en", "Riga will vote between October 3 and November 5.", date(2026, 10, 3), date(2026, 11, 5)),
    (
        "en",
        "The vote of Orrin runs from October 3 through October 31, 2026.",
        date(2026, 10, 3),
        date(2026, 10, 31),
    ),
    ("ja", "議会は11月8日から11月10日まで開く予定だ。", date(2026, 11, 8), date(2026, 11, 10)),
    ("ja", "ケストレルは11月7日〜9日に大会を開催する。", date(2026, 11, 7), date(2026, 11, 9)),
    ("ja", "ケストレルの大会は10月27、28日に開く。", date(2026, 10, 27), date(2026, 10, 28)),
    (
        "ja",
        "ケストレルは2026年9月20日〜2026年10月6日に投票を実施する。",
        date(2026, 9, 20),
        date(2026, 10, 6),
    ),
    ("zh", "红隼公司将于11月8日至10日举行大会。", date(2026, 11, 8), date(2026, 11, 10)),
    ("zh", "红隼公司将于11月8日起至11月10日举行大会。", date(2026, 11, 8), date(2026, 11, 10)),
    ("zh", "紅隼公司將於 11 月 8 日至 11 月 10 日舉行大會。", date(2026, 11, 8), date(2026, 11, 10)),
]


@pytest.mark.parametrize(("language", "sentence", "first", "last"), RANGES)
def test_a_range_is_one_entry_with_its_last_day(
    make_report: ReportFactory, language: Language, sentence: str, first: date, last: date
) -> None:
    (found,) = find_next_dates([make_report(sentence, language=language)], language, TODAY)
    assert (found.day, found.until, found.words) == (first, last, "")


def test_a_range_is_told_until_its_last_day(make_report: ReportFactory) -> None:
    report = make_report("The board of Riga will meet from October 3 to October 10.")
    assert [len(find_next_dates([report], "en", date(2026, 10, day))) for day in (4, 10, 11)] == [1, 1, 0]


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Orrin will vote on October 6 through 10."),
        ("zh", "红隼公司将于10月1日至12月底举行活动。"),
        ("zh", "红隼公司将于11月底至12月1日举行活动。"),
        ("ja", "ケストレルは10月1日から12月末まで投票を実施する。"),
    ],
)
def test_one_end_of_a_vague_range_is_no_day(
    make_report: ReportFactory, language: Language, sentence: str
) -> None:
    assert find_next_dates([make_report(sentence, language=language)], language, TODAY) == []


def test_several_days_are_no_deadline(make_report: ReportFactory) -> None:
    report = make_report("議会は11月8日から11月10日まで開く予定だ。", language="ja")
    assert [one.label for one in find_next_dates([report], "ja", TODAY)] == [""]


def test_a_normalised_sentence_keeps_its_letters() -> None:
    sentence = "１０ 月 ２７～２８日に"
    plain, letters = normalize_days(sentence, "ja")
    assert len(plain) == len(letters)
    assert plain == "10月27日~28日に"
    assert "".join(letters) == "１０月２７～２８日に"
