"""Times that are no exact day, in the report's own words."""

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.entities.model import Language
from backend.topics.insights.due_periods import find_periods

WRITTEN_ON = date(2026, 10, 28)


@pytest.mark.parametrize(
    ("language", "sentence", "words", "first", "last"),
    [
        ("en", "Riga will decide by the end of Q1.", "By the end of Q1 (2027)", (2027, 1, 1), (2027, 3, 31)),
        (
            "en",
            "The fork is due in the week of 9 November.",
            "In the week of 9 November (2026)",
            (2026, 11, 9),
            (2026, 11, 15),
        ),
        (
            "en",
            "Rules will follow in the second quarter of 2027.",
            "In the second quarter of 2027",
            (2027, 4, 1),
            (2027, 6, 30),
        ),
        (
            "en",
            "Orrin will reply in early December.",
            "In early December (2026)",
            (2026, 12, 1),
            (2026, 12, 31),
        ),
        ("en", "Orrin will return in January.", "In January (2027)", (2027, 1, 1), (2027, 1, 31)),
        (
            "en",
            "Orrin hopes for the second half of next year.",
            "The second half of next year (2027)",
            (2027, 7, 1),
            (2027, 12, 31),
        ),
        ("ja", "11月上旬に公開する。", "11月上旬（2026年）", (2026, 11, 1), (2026, 11, 30)),
        ("ja", "来年の1～3月期にずれる。", "来年の1～3月期（2027年）", (2027, 1, 1), (2027, 3, 31)),
        ("ja", "2027年第1四半期に始める。", "2027年第1四半期", (2027, 1, 1), (2027, 3, 31)),
        ("zh", "将于明年第一季度推出。", "明年第一季度（2027年）", (2027, 1, 1), (2027, 3, 31)),
        ("zh", "預計將於12月底前完成。", "12月底前（2026年）", (2026, 12, 1), (2026, 12, 31)),
    ],
)
def test_a_time_keeps_the_words_of_the_report_and_gets_its_year(
    language: Language, sentence: str, words: str, first: tuple[int, ...], last: tuple[int, ...]
) -> None:
    (found,) = find_periods(sentence, language, WRITTEN_ON)
    assert (found.words, found.first, found.last) == (words, date(*first), date(*last))


@pytest.mark.parametrize(
    ("language", "sentence", "words"),
    [
        ("en", "Orrin will reply within 72 hours.", "Within 72 hours (said on 28 October 2026)"),
        ("en", "Orrin will reply in the coming weeks.", "In the coming weeks (said on 28 October 2026)"),
        ("ja", "年内に始める。", "年内（2026年10月28日の報道）"),
        ("zh", "未来几周内公布。", "未来几周（2026年10月28日报道）"),
    ],
)
def test_a_time_without_a_calendar_gets_the_day_of_its_report(
    language: Language, sentence: str, words: str
) -> None:
    (found,) = find_periods(sentence, language, WRITTEN_ON)
    assert found.words == words
    assert found.last > WRITTEN_ON


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Comments close on January 15, 2027."),
        ("en", "Orrin reported third quarter results."),
        ("en", "The report for September is out."),
        ("en", "Orrin may reply."),
        ("zh", "对于第四季度，公司预计收入为5亿元。"),
    ],
)
def test_exact_days_and_other_words_are_no_such_times(language: Language, sentence: str) -> None:
    assert list(find_periods(sentence, language, WRITTEN_ON)) == []


def test_a_month_that_is_just_over_is_not_the_one_of_next_year() -> None:
    (found,) = find_periods("Orrin moved coins in September.", "en", WRITTEN_ON)
    assert found.last == date(2026, 9, 30)


@given(
    st.lists(
        st.sampled_from(
            ["by the end of Q1", "in May", "9 November", "the week of 9 November", "or so", "年内", "，"]
        ),
        max_size=6,
    ).map(" ".join),
    st.dates(date(2020, 1, 1), date(2030, 12, 31)),
    st.sampled_from(["en", "ja", "zh"]),
)
def test_times_do_not_overlap_and_end_after_they_begin(
    sentence: str, written_on: date, language: Language
) -> None:
    found = sorted(find_periods(sentence, language, written_on), key=lambda one: one.start)
    assert all(one.first <= one.last and one.start < one.end for one in found)
    assert all(former.end <= later.start for former, later in pairwise(found))
