"""The next dates that reports name."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.entities.model import Language
from backend.topics.insights.next_dates import find_label, find_next_dates
from tests.backend.topics.insights.conftest import ReportFactory, build_report

TODAY = date(2026, 9, 14)


@pytest.mark.parametrize(
    ("language", "sentence", "day"),
    [
        ("en", "The Bank of Lithuania will hold a hearing on the case on Oct. 6.", date(2026, 10, 6)),
        ("en", "The Senate is due to vote on the bill on September 30.", date(2026, 9, 30)),
        ("en", "The first tranche of 30 million ARB unlocks on January 20, 2027.", date(2027, 1, 20)),
        ("en", "Minting of crvUSD will resume on Thursday once a fix is audited.", date(2026, 9, 17)),
        ("en", "The bill is expected to become law on Saturday.", date(2026, 9, 19)),
        ("ja", "次回会合は10月27〜28日に開く。", date(2026, 10, 27)),
        ("zh", "四种代币的充值将于 10 月 1 日停止。", date(2026, 10, 1)),
        ("zh", "新规自2027年1月1日起计收费用。", date(2027, 1, 1)),
        ("ja", "最初の3000万ARBは10月20日にロック解除される。", date(2026, 10, 20)),
        ("zh", "参议院银行委员会将于9月30日对该法案进行表决。", date(2026, 9, 30)),
    ],
)
def test_a_date_on_which_something_is_due_is_found(
    make_report: ReportFactory, language: Language, sentence: str, day: date
) -> None:
    (found,) = find_next_dates([make_report(sentence, language=language)], language, TODAY)
    assert (found.day, found.text) == (day, sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The Bank of Lithuania held a hearing on Aug. 6.",
        "Analysts expect that bitcoin could reach $150,000 by December 1, 2026.",
        "Some 77.8% expect the supply of such bonds to grow by December 1, 2026, the lender's readers said.",
        "A majority of readers believes that a vote is due by December 1, 2026.",
        "Northwind was founded in a garage in Vilnius.",
        "It will be decided on October 6.",
        "Kestrel will leave Malta in 2027, it said in a notice on Friday.",
        "Kestrel wrote to its customers on Friday that it will close.",
        "Kestrel agreed to pay $3 million to Riga on Friday.",
        "Kestrel canceled its planned sale on Friday.",
        "The date of the launch was set on Thursday's call of developers.",
        "A majority was in favor, with the vote ending on Sunday.",
    ],
)
def test_past_days_forecasts_and_sentences_without_context_are_no_dates(
    make_report: ReportFactory, sentence: str
) -> None:
    assert find_next_dates([make_report(sentence)], "en", TODAY) == []


def test_the_nearest_dates_come_first_and_a_day_once(make_report: ReportFactory) -> None:
    late, early = "The trial begins on December 1.", "A vote on the plan is due on October 2."
    found = find_next_dates([make_report(f"{late} {early}"), make_report(late)], "en", TODAY)
    assert [one.day for one in found] == [date(2026, 10, 2), date(2026, 12, 1)]


def test_a_date_of_another_party_is_not_quoted(make_report: ReportFactory) -> None:
    text = "Kestrel Bank will open a desk. By contrast, Orrin is further along."
    unnamed, named = (f"{text} {bank} will open its desk by December 2." for bank in ("The bank", "Orrin"))
    title = "Kestrel Bank to open desk"
    assert find_next_dates([make_report(unnamed, title=title)], "en", TODAY) == []
    assert [one.day for one in find_next_dates([make_report(named, title=title)], "en", TODAY)] == [
        date(2026, 12, 2)
    ]


@pytest.mark.parametrize(
    ("language", "sentence", "label"),
    [
        ("en", "The council of Riga will hold a hearing on Oct. 6.", "Hearing"),
        ("en", "A ban until the end of 2030 is expected to become law on October 3.", "Effective date"),
        ("en", "Clients of Kestrel must move their coins by October 9.", "Deadline"),
        ("ja", "ケストレルは判断を11月18日まで延期した。", "判断の期日"),
        ("zh", "该项目将于11月5日在主网升级。", "升级"),
        ("zh", "紅隼公司將於10月20日解鎖代幣。", "解锁"),
    ],
)
def test_a_word_says_what_is_due(language: Language, sentence: str, label: str) -> None:
    at = next(place for place, letter in enumerate(sentence) if letter.isdigit())
    at = max(at, sentence.rfind("October"), sentence.rfind("Oct."))
    assert find_label(sentence, language, at) == label


@pytest.mark.parametrize(
    ("language", "sentence", "label"),
    [
        ("en", "Kestrel could list the token as early as November 1.", "Listing (possible)"),
        ("en", "Kestrel plans to launch its network on November 1.", "Start (planned)"),
        ("en", "Kestrel will launch its network on November 1.", "Start"),
        ("en", "The acquisition of Kestrel will close on November 1.", "Closing of the deal"),
        ("en", "The comment period of the rule ends on November 1.", "End of comment period"),
        ("en", "Kestrel will be led by Orrin starting November 1.", "Start"),
        ("ja", "ケストレルは11月1日に取引を開始する予定だ。", "開始（予定）"),
        ("ja", "ケストレルは早ければ11月1日に上場する。", "取扱開始（見込み）"),
        ("zh", "红隼交易所计划于11月1日上线该代币。", "上市（计划）"),
        ("zh", "红隼交易所最早将于11月1日上线该代币。", "上市（可能）"),
    ],
)
def test_the_word_on_a_day_says_how_certain_it_is(
    make_report: ReportFactory, language: Language, sentence: str, label: str
) -> None:
    (found,) = find_next_dates([make_report(sentence, language=language)], language, TODAY)
    assert found.label == label


def test_a_day_is_told_until_it_is_over_but_not_the_day_of_the_report(make_report: ReportFactory) -> None:
    report = make_report("The council of Riga will vote on the bill on September 16.")
    assert [len(find_next_dates([report], "en", date(2026, 9, day))) for day in (15, 16, 17)] == [1, 1, 0]
    assert find_next_dates([make_report("The council of Riga will vote on September 14.")], "en", TODAY) == []


@pytest.mark.parametrize(
    ("sentence", "label"),
    [
        ("Riga set a vote for May, and a hearing will be held on October 6.", "Hearing"),
        ("After the hearing in May, Riga will vote on October 6.", "Vote"),
        ("Orrin will pay its creditors a further $9 million on October 6.", "Payment"),
    ],
)
def test_the_word_on_a_day_is_one_of_its_clause(
    make_report: ReportFactory, sentence: str, label: str
) -> None:
    (found,) = find_next_dates([make_report(sentence)], "en", TODAY)
    assert found.label == label


def test_a_week_is_not_one_of_its_days(make_report: ReportFactory) -> None:
    (found,) = find_next_dates([make_report("The fork is expected in the week of 9 November.")], "en", TODAY)
    assert found.words == "In the week of 9 November (2026)"
    assert found.last == date(2026, 11, 15)


def test_several_days_in_a_row_have_their_last_one(make_report: ReportFactory) -> None:
    (found,) = find_next_dates([make_report("The board of Riga will meet on December 8-9.")], "en", TODAY)
    assert (found.day, found.until, found.words) == (date(2026, 12, 8), date(2026, 12, 9), "")


def test_a_weekday_in_front_of_its_date_is_no_other_day(make_report: ReportFactory) -> None:
    (found,) = find_next_dates([make_report("The lock of Orrin expires on Monday, October 5.")], "en", TODAY)
    assert found.day == date(2026, 10, 5)


def test_two_days_of_a_sentence_both_count(make_report: ReportFactory) -> None:
    text = "The report of Riga is due on October 6, and its board meets on December 8."
    assert [one.label for one in find_next_dates([make_report(text)], "en", TODAY)] == [
        "Publication",
        "Meeting",
    ]


def test_what_must_be_done_by_a_day_is_ahead(make_report: ReportFactory) -> None:
    text = "Orrin offered the thief a tenth if the rest is returned by 18:00 UTC on Sunday, November 8."
    assert [one.day for one in find_next_dates([make_report(text)], "en", TODAY)] == [date(2026, 11, 8)]


def test_one_time_in_two_notations_is_one(make_report: ReportFactory) -> None:
    text = "The rules of Riga are planned for Q2 2027. Orrin expects to vote in the second quarter of 2027."
    assert [one.words for one in find_next_dates([make_report(text)], "en", TODAY)] == ["Q2 2027"]


def test_a_month_is_left_out_where_its_day_is_known(make_report: ReportFactory) -> None:
    text = "The rules of Riga will start in October 2027. The rules of Riga take effect on October 25, 2027."
    assert [one.day for one in find_next_dates([make_report(text)], "en", TODAY)] == [date(2027, 10, 25)]


def test_the_dated_steps_of_a_notice_are_dates(make_report: ReportFactory) -> None:
    text = "・預け入れの終了：2027年2月3日（水）10時00分\n・積立の終了：2026年12月1日"
    found = find_next_dates([make_report(text, language="ja", official=True)], "ja", TODAY)
    assert [(one.day, one.label) for one in found] == [
        (date(2026, 12, 1), "積立の終了"),
        (date(2027, 2, 3), "預け入れの終了"),
    ]


def test_a_plan_that_a_later_report_moved_is_left_out(make_report: ReportFactory) -> None:
    first = make_report("The fork of Orrin will activate on October 1. The vote of Riga is due on October 8.")
    later = make_report("The fork of Orrin will activate on October 20 instead.")
    found = find_next_dates([later], "en", TODAY, earlier=[first])
    assert [one.day for one in found] == [date(2026, 10, 8), date(2026, 10, 20)]


@pytest.mark.parametrize(
    ("language", "sentence", "label"),
    [
        ("en", "Riga rejected the listing, and Orrin will appeal on October 6.", ""),
        ("en", "Orrin could appeal, and Riga will vote on October 6.", "Vote"),
        ("en", "On Friday, October 9, Riga will vote on the bill.", "Vote"),
        ("en", "The program of Orrin ends on October 6.", "End"),
        ("en", "The service of Orrin will end on October 6.", "End of service or listing"),
        ("en", "Orrin will end support for the token on October 6.", "End of service or listing"),
        ("en", "The fiscal year of Orrin ends on October 31.", ""),
        ("ja", "ケストレルの募集は10月6日に終了する。", "終了"),
        ("ja", "ケストレルのサービスは10月6日に終了する。", "サービス・取扱の終了"),
        ("zh", "红隼公司的活动将于10月6日结束。", "结束"),
        ("zh", "红隼公司将于10月6日停止充值。", "下架或停止"),
        ("zh", "里加否决了上市申请，奥林将于10月6日上诉。", ""),
    ],
)
def test_a_label_is_one_of_the_clause_or_none(
    make_report: ReportFactory, language: Language, sentence: str, label: str
) -> None:
    (found,) = find_next_dates([make_report(sentence, language=language)], language, TODAY)
    assert found.label == label


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Orrin will not launch its network in the fourth quarter."),
        ("en", "Orrin will not list the token before the end of the year."),
        ("en", "Orrin won’t open its doors on October 6."),
        ("ja", "ケストレルは10月6日に上場しない。"),
        ("zh", "红隼公司不会在年底前上市。"),
        ("zh", "红隼公司预计第三季度亏损。"),
        ("en", "Orrin will meet on Frıday in Riga."),
    ],
)
def test_what_will_not_happen_and_figures_have_no_date(
    make_report: ReportFactory, language: Language, sentence: str
) -> None:
    assert find_next_dates([make_report(sentence, language=language)], language, TODAY) == []


def test_two_events_on_neighbouring_days_both_count(make_report: ReportFactory) -> None:
    text = "The report of Riga is due on October 6, and its board will meet on October 7."
    assert [one.day.day for one in find_next_dates([make_report(text)], "en", TODAY)] == [6, 7]


def test_two_events_on_one_day_both_count(make_report: ReportFactory) -> None:
    text = "The council of Riga will vote on October 6. The trial of Orrin begins on October 6."
    assert [one.label for one in find_next_dates([make_report(text)], "en", TODAY)] == ["Vote", "Court date"]


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "Read more: 5 October events that traders fear"),
        ("en", "Cancelled vote: October 9, 2026"),
        ("ja", "・参加者：12月1日生まれの方"),
        ("ja", "・変更前：10月5日"),
        ("ja", "・前回の投票：10月5日"),
        ("zh", "已取消的会议：10月5日"),
        ("zh", "变更前日期：10月5日"),
        ("zh", "记者张三：10月6日见"),
    ],
)
def test_other_lines_with_a_colon_are_no_steps_of_a_notice(
    make_report: ReportFactory, language: Language, line: str
) -> None:
    assert find_next_dates([make_report(line, language=language, official=True)], language, TODAY) == []


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "Deadline of Orrin: Monday, October 5, 2026 at 10:00 UTC"),
        ("ja", "・終了：10月5日（月）10時00分"),
        ("zh", "充值停止：2026年10月5日16:00（UTC+8）"),
    ],
)
def test_a_step_is_read_only_in_a_notice(make_report: ReportFactory, language: Language, line: str) -> None:
    notice, article = (make_report(line, language=language, official=official) for official in (True, False))
    assert [one.day for one in find_next_dates([notice], language, TODAY)] == [date(2026, 10, 5)]
    assert find_next_dates([article], language, TODAY) == []


def test_times_stand_in_the_words_of_the_report(make_report: ReportFactory) -> None:
    text = "ケストレルは2027年1～3月期に公開する予定だ。"
    (found,) = find_next_dates([make_report(text, language="ja")], "ja", TODAY)
    assert found.words == "2027年1～3月期"


def test_a_span_is_over_when_it_has_expired(make_report: ReportFactory) -> None:
    report = make_report("Orrin will reply to Riga within 72 hours.")
    assert [len(find_next_dates([report], "en", date(2026, 9, day))) for day in (17, 18)] == [1, 0]


@given(st.text(), st.sampled_from(["en", "ja", "zh"]))
def test_no_report_raises(text: str, language: Language) -> None:
    find_next_dates([build_report(f"Orrin will vote {text}.", language=language)], language, TODAY)
