"""The questions and answers of an interview."""

from datetime import date

import pytest

from backend.entities.model import Language
from backend.topics.insights.further_points import find_points
from backend.topics.insights.interviews import list_exchanges
from backend.topics.insights.next_dates import find_next_dates
from tests.backend.topics.insights.conftest import Tell

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
    tell: Tell, language: Language, title: str, text: str, quote: str
) -> None:
    exchanges = list_exchanges(tell(text, title=title, language=language))
    assert len(exchanges) == 3
    assert exchanges[0].quote.startswith(quote)


def test_a_report_with_a_question_is_no_interview(tell: Tell) -> None:
    assert list_exchanges(tell("Quillport lost $9 million.\nQ: Why?\nA: Nobody knows.")) == []


def test_answers_that_tell_something_are_points(tell: Tell) -> None:
    found = find_points([tell(TEXT, title=TITLE)], "en", TITLE, "")
    assert any(point.text.startswith("“Will you drop staking?”") for point in found)
    assert not any("Everyone asks" in point.text for point in found)


def test_a_time_in_an_answer_is_a_date_with_its_question(tell: Tell) -> None:
    (found,) = find_next_dates([tell(TEXT, title=TITLE)], "en", date(2026, 9, 14))
    assert found.words == "In the second half of next year (2027)"
    assert found.text.startswith("“When will you get the licence?” – Ada Lindqvist: “It will not come")
