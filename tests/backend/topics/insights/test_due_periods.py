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
        (
            "en",
            "Riga pushed its ruling on the fund to late October.",
            "Late October (2026)",
            (2026, 10, 1),
            (2026, 10, 31),
        ),
        (
            "en",
            "The talks push the sale of Orrin into January of next year.",
            "January of next year (2027)",
            (2027, 1, 1),
            (2027, 1, 31),
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


NO_PERIODS: list[tuple[Language, str]] = [
    *(
        ("zh", f"项目将在{words}完成。")
        for words in ("3年内", "五年内", "6个月内", "每月底", "下下周", "下下个月")
    ),
    *(("zh", f"项目将在{words}完成。") for words in ("后年年底前", "1-2月内", "公司周年底", "13月上旬")),
    *(("zh", f"公司将在{words}派息。") for words in ("去年第四季度", "上年第四季度", "2025财年第四季度")),
    ("zh", "公司将公布第四季度财报。"),
    ("zh", "公司将补发12月底的奖励。"),
    ("zh", "公司预计第三季度亏损。"),
    ("zh", "公司将于11月底至12月初上线。"),
    *(
        ("ja", f"{words}に始める。")
        for words in ("3年内", "2〜3年内", "毎月末", "再来週", "再来月", "再来年末", "5年末")
    ),
    *(
        ("ja", f"{words}に始める。")
        for words in ("昨年第4四半期", "前年第4四半期", "令和9年度の下半期", "今年度の下半期")
    ),
    *(("ja", f"{words}に始める。") for words in ("13月上旬", "2月30日ごろ", "12月下旬から1月上旬")),
    ("ja", "2027年3月期の第1四半期に始める。"),
    ("ja", "第4四半期の決算を発表する。"),
    ("ja", "年内最高値を目指す。"),
    ("en", "Orrin will reply in the fırst quarter."),
    ("en", "Orrin will reply in the fiscal third quarter."),
    ("en", "Orrin will reply in Q3 FY27."),
    ("en", "Orrin will reply in Q3 of fiscal 2027."),
    ("en", "Riga looks at what Orrin did in March of last year."),
    ("en", "Riga will fine Orrin for breaches in March."),
    ("en", "The audit will cover trades in the first quarter."),
    ("en", "Orrin will repay coins frozen in January."),
    ("en", "A note on Orrin in January."),
    ("en", "The upgrade will start in October or November."),
    ("en", "The upgrade will start in Q1 or Q2."),
    ("en", "The pilot will run from September to October."),
    ("en", "Orrin expects revenue of $5 billion in the fourth quarter."),
    ("en", "Riga will cut rates by the first quarter-point."),
    ("en", "Orrin will pay by the second half of the fine."),
    ("en", "Riga would require firms to report thefts within 72 hours."),
    ("en", "Orrin will let users withdraw within 24 hours of a request."),
    ("en", "Orrin will appeal within 30 days of the ruling."),
    ("en", "Orrin will reply in the first half of next month."),
    ("en", "Orrin will reply in the week of 31 November."),
]


@pytest.mark.parametrize(("language", "sentence"), NO_PERIODS)
def test_parts_of_longer_times_attributes_rules_and_figures_are_no_times(
    language: Language, sentence: str
) -> None:
    assert list(find_periods(sentence, language, date(2026, 9, 14))) == []


@pytest.mark.parametrize(
    ("language", "sentence"), [("zh", "公司将公布第四季度财报。"), ("zh", "将补发12月底的奖励。")]
)
def test_a_month_of_last_year_is_not_the_one_of_this_year(language: Language, sentence: str) -> None:
    assert list(find_periods(sentence, language, date(2027, 1, 5))) == []


@pytest.mark.parametrize(
    ("language", "sentence", "words", "last"),
    [
        ("en", "It will start in Q1 2027.", "In Q1 2027", (2027, 3, 31)),
        ("en", "The token will be listed in November.", "In November (2026)", (2026, 11, 30)),
        ("en", "Orrin will publish its report in November.", "In November (2026)", (2026, 11, 30)),
        ("en", "It will start before the end of next year.", "Before the end of next year", (2027, 12, 31)),
        ("en", "It will start by the end of next month.", "By the end of next month", (2026, 10, 31)),
        ("en", "It will start in the middle of next year.", "In the middle of next year", (2027, 12, 31)),
        ("en", "It will start next week.", "Next week", (2026, 9, 27)),
        ("en", "It will start next quarter.", "Next quarter", (2026, 12, 31)),
        ("en", "It will start by the end of the week.", "By the end of the week", (2026, 9, 20)),
        ("en", "It will start later this month.", "Later this month", (2026, 9, 30)),
        ("en", "It will start by the end of the quarter.", "By the end of the quarter", (2026, 9, 30)),
        ("en", "Orrin will reply within two weeks.", "Within two weeks", (2026, 9, 28)),
        ("en", "Orrin will reply within 30 days.", "Within 30 days", (2026, 10, 14)),
        ("en", "Orrin will reply within six months.", "Within six months", (2027, 3, 14)),
        ("en", "Orrin will reply within 36 hours.", "Within 36 hours", (2026, 9, 16)),
        ("ja", "令和9年11月上旬に公開する。", "令和9年11月上旬（2027年）", (2027, 11, 30)),
        ("ja", "10〜3月期に公開する。", "10〜3月期（2026〜2027年）", (2027, 3, 31)),
        ("en", "Orrin will reply in early 2027.", "In early 2027", (2027, 4, 30)),
        ("en", "Orrin will reply by March this year.", "By March this year (2026)", (2026, 3, 31)),
        ("ja", "来年春に公開する。", "来年春（2027年）", (2027, 5, 31)),
        ("ja", "来週に公開する。", "来週", (2026, 9, 27)),
        ("ja", "来月末までに公開する。", "来月末まで", (2026, 10, 31)),
        ("ja", "月内に公開する。", "月内", (2026, 9, 30)),
        ("ja", "年内の上場を目指す。", "年内", (2026, 12, 31)),
        ("zh", "将于年底前上线。", "年底前", (2026, 12, 31)),
        ("zh", "将推迟到下周。", "下周", (2026, 9, 27)),
        ("zh", "将于下月底上线。", "下月底", (2026, 10, 31)),
        ("zh", "将于月底前上线。", "月底前", (2026, 9, 30)),
        ("zh", "将于第四季度推出。", "第四季度（2026年）", (2026, 12, 31)),
    ],
)
def test_a_time_ends_with_its_unit_of_the_calendar(
    language: Language, sentence: str, words: str, last: tuple[int, ...]
) -> None:
    (found,) = find_periods(sentence, language, date(2026, 9, 14))
    assert found.words.startswith(words)
    assert found.last == date(*last)


@given(st.text(), st.dates(date(2020, 1, 1), date(2030, 12, 31)), st.sampled_from(["en", "ja", "zh"]))
def test_no_text_raises(text: str, written_on: date, language: Language) -> None:
    list(find_periods(text, language, written_on))


@pytest.mark.parametrize(
    "sentence",
    [
        "Bitcoin moved up from March to September.",
        "Shares of Orrin pushed to October highs.",
        "Exports of Orrin moved into October at a record pace.",
    ],
)
def test_a_market_that_moves_has_no_due_month(sentence: str) -> None:
    assert list(find_periods(sentence, "en", WRITTEN_ON)) == []


def test_a_month_that_is_just_over_is_not_the_one_of_next_year() -> None:
    (found,) = find_periods("Orrin moved coins in September.", "en", WRITTEN_ON)
    assert found.last == date(2026, 9, 30)


@given(
    st.lists(
        st.sampled_from(
            [
                *(
                    "by the end of Q1",
                    "in May",
                    "9 November",
                    "the week of 9 November",
                    "or so",
                    "年内",
                    "，",
                ),
                *(
                    "fırst quarter",
                    "within 999 months",
                    "13月上旬",
                    "令和99年2月30日ごろ",
                    "10〜3月期",
                    "下周",
                ),
            ]
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
