"""The questions and answers of an interview."""

from datetime import date

import pytest

from backend.entities.model import Language
from backend.topics.insights.further_points import find_points
from backend.topics.insights.interviews import list_exchanges
from backend.topics.insights.next_dates import find_next_dates
from tests.backend.topics.insights.conftest import ReportFactory

TITLE = "Q&A with Quillport's Ada Lindqvist"
TEXT = (
    "Ada Lindqvist took over at Quillport in July.\n"
    "Q: Will you drop staking?\n"
    "A: No. We have stopped staking with others since October, and fees fell to 9%.\n"
    "Q: When will you get the licence?\n"
    "A: It will not come this year. We will hear from Riga in the second half of next year.\n"
    "Q: Is Quillport for sale?\n"
    "A: Everyone asks."
)


@pytest.mark.parametrize(
    ("language", "title", "text", "quote"),
    [
        ("en", TITLE, TEXT, "“Will you drop staking?” – Ada Lindqvist: “No. We have stopped staking"),
        (
            "ja",
            "クイルポートの中谷氏に聞く",
            "――撤退しますか。\n「しません」\n――返金は。\n「しません」\n――次は。\n「来年です」",
            "「撤退しますか。」――中谷氏「しません」",
        ),
        (
            "zh",
            "专访红隼：不会退出",
            "问：会退出吗？\n答：不会。\n问：会退款吗？\n答：不会。\n问：何时推出？\n答：明年。",
            "“会退出吗？”——“不会。”",
        ),
    ],
)
def test_an_answer_is_quoted_with_its_question_and_its_speaker(
    make_report: ReportFactory, language: Language, title: str, text: str, quote: str
) -> None:
    exchanges = list_exchanges(make_report(text, title=title, language=language))
    assert len(exchanges) == 3
    assert exchanges[0].quote.startswith(quote)


def test_a_report_with_a_question_is_no_interview(make_report: ReportFactory) -> None:
    assert list_exchanges(make_report("Quillport lost $9 million.\nQ: Why?\nA: Nobody knows.")) == []


def test_answers_that_tell_something_are_points(make_report: ReportFactory) -> None:
    found = find_points([make_report(TEXT, title=TITLE)], "en", TITLE, "")
    assert any(point.text.startswith("“Will you drop staking?”") for point in found)
    assert not any("Everyone asks" in point.text for point in found)


def test_a_time_in_an_answer_is_a_date_with_its_question(make_report: ReportFactory) -> None:
    (found,) = find_next_dates([make_report(TEXT, title=TITLE)], "en", date(2026, 9, 14))
    assert found.words == "In the second half of next year (2027)"
    assert found.text.startswith("“When will you get the licence?” – Ada Lindqvist: “It will not come")


@pytest.mark.parametrize(
    ("title", "speaker"),
    [
        ("Q&A: Ada Lindqvist on New York rules", "Ada Lindqvist"),
        ("Ada Lindqvist on why Donald Trump is wrong", "Ada Lindqvist"),
        ("Interview with Sam Bankman-Fried", "Sam Bankman-Fried"),
        ("FAQ for creditors of Sam Bankman-Fried", ""),
        ("Q&A with Ada Lindqvist and Donald Trump", ""),
        ("Interview with Harrow Bank on fees", ""),
        ("New York on the rules of Donald Trump", ""),
    ],
)
def test_only_a_sign_in_the_title_names_the_speaker(
    make_report: ReportFactory, title: str, speaker: str
) -> None:
    text = f"{TEXT}\nAda Lindqvist, Donald Trump, Sam Bankman-Fried, New York, Harrow Bank."
    quoted = list_exchanges(make_report(text, title=title))[0].quote
    assert quoted.split(" – ")[1].split("“")[0] == (f"{speaker}: " if speaker else "")


@pytest.mark.parametrize(
    ("language", "title", "text", "quotes"),
    [
        (
            "ja",
            "中谷氏に聞く、トランプ氏の政策",
            "――撤退しますか。\n「しません」\n――返金は。\n「しません」\n――次は。\n「来年です」",
            [
                "「撤退しますか。」――中谷氏「しません」",
                "「返金は。」――中谷氏「しません」",
                "「次は。」――中谷氏「来年です」",
            ],
        ),
        (
            "zh",
            "专访",
            "问：会退出吗？\n答：不会。\n问：会退款吗？\n答：不会。\n问：何时？\n答：明年。\n免责声明：文章仅供参考。\n来源：红隼。",
            ["“会退出吗？”——“不会。”", "“会退款吗？”——“不会。”", "“何时？”——“明年。”"],
        ),
        (
            "zh",
            "对话",
            "问：会退出吗？\n张三：不会。\n李四：也许会。\n问：会退款吗？\n李四：不会。\n问：何时？\n张三：明年。",
            ["“会退出吗？”——张三：“不会。”", "“会退款吗？”——李四：“不会。”", "“何时？”——张三：“明年。”"],
        ),
        (
            "en",
            "A talk",
            "Q: Will you leave?\nA: No.\nWe stay.\nQ: When?\nA: In May.\nQ: Why?\nA: Fees.",
            ["“Will you leave?” – “No. …”", "“When?” – “In May.”", "“Why?” – “Fees.”"],
        ),
    ],
)
def test_an_answer_ends_at_another_label(
    make_report: ReportFactory, language: Language, title: str, text: str, quotes: list[str]
) -> None:
    found = list_exchanges(make_report(text, title=title, language=language))
    assert [one.quote for one in found] == quotes
