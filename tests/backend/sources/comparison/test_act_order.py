"""Which of two acts of one actor came first."""

from datetime import UTC, datetime

import pytest

from backend.entities.model import Language
from backend.sources.claims import dates
from backend.sources.comparison.act_order import find_difference
from tests.backend.sources.evidence import claim

EVENT_DATE = dates.build_record_date(datetime(2022, 7, 13, tzinfo=UTC), "day")
RECORDS: dict[Language, str] = {
    "en": "Kraken files for Chapter 11.\nThe lender had frozen withdrawals on 12 June 2022.",
    "ja": "コインチェックが破産を申請。\n2022年6月12日に出金を停止していた。",
    "zh": "币安申请破产。\n该平台已于2022年6月12日冻结提款。",
}


@pytest.mark.parametrize(
    ("statement", "language"),
    [
        ("Kraken froze withdrawals only after it had filed for Chapter 11.", "en"),
        ("After filing for Chapter 11, Kraken froze withdrawals.", "en"),
        ("Kraken went bankrupt before it froze withdrawals.", "en"),
        ("By the time Kraken froze withdrawals, it had already filed for Chapter 11.", "en"),
        ("コインチェックは出金を停止した時点で、すでに破産していた。", "ja"),
        ("币安冻结提款时，早已申请破产。", "zh"),
        ("コインチェックは破産した後に出金を停止した。", "ja"),
        ("币安在申请破产之后才冻结提款。", "zh"),
    ],
)
def test_acts_in_the_other_order_differ(statement: str, language: Language) -> None:
    assert find_difference(claim(statement, language), claim(RECORDS[language], language), EVENT_DATE)


@pytest.mark.parametrize(
    ("statement", "language"),
    [
        ("Kraken froze withdrawals before it filed for Chapter 11.", "en"),
        ("Kraken filed for Chapter 11 after it had frozen withdrawals.", "en"),
        ("After a hearing Kraken froze withdrawals.", "en"),
        ("コインチェックは出金を停止した後に破産した。", "ja"),
        ("币安冻结提款之后申请破产。", "zh"),
        ("币安破产，最后冻结提款。", "zh"),
        ("币安目前冻结提款，此前破产。", "zh"),
    ],
)
def test_acts_in_the_order_of_their_days_do_not_differ(statement: str, language: Language) -> None:
    assert find_difference(claim(statement, language), claim(RECORDS[language], language), EVENT_DATE) is None


def test_an_act_does_not_follow_one_that_presupposes_it() -> None:
    record = claim("Jury convicts the founder.\nHe was found guilty of fraud.")
    assert find_difference(claim("The founder was convicted after he was sentenced."), record, EVENT_DATE)
    assert not find_difference(claim("The founder was sentenced after he was convicted."), record, EVENT_DATE)


def test_a_page_without_the_day_of_its_event_has_no_order() -> None:
    statement = claim("Kraken froze withdrawals after it had filed for Chapter 11.")
    assert find_difference(statement, claim(RECORDS["en"]), None) is None
