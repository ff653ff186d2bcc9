"""Which days of a sentence are ahead, by its verbs, in three languages."""

from datetime import UTC, date, datetime

import pytest

from backend.entities.model import Language
from backend.topics.insights.next_dates import find_next_dates
from tests.backend.topics.insights.conftest import ReportFactory

WRITTEN_AT = datetime(2026, 7, 14, 9, tzinfo=UTC)
"""A Tuesday."""
AHEAD: list[tuple[Language, str, date]] = [
    ("en", "The hearing in the case of Kestrel is set for September 3.", date(2026, 9, 3)),
    ("en", "The rules of Riga will take effect on 1 October.", date(2026, 10, 1)),
    ("en", "The Senate returns July 20 with about three weeks before recess.", date(2026, 7, 20)),
    ("en", "Zcash targets July 28 for its Ironwood upgrade.", date(2026, 7, 28)),
    ("en", "Clients of Kestrel have until August 31 to withdraw their coins.", date(2026, 8, 31)),
    ("en", "The judge postponed the trial of Kestrel until October 6.", date(2026, 10, 6)),
    ("en", "The trial of Kestrel was postponed to October 6.", date(2026, 10, 6)),
    ("en", "The SEC extended its deadline on the fund to October 6.", date(2026, 10, 6)),
    ("en", "On October 6, the Senate votes on the bill of Kestrel.", date(2026, 10, 6)),
    ("en", "On October 6 the Bank of Riga will publish its rules.", date(2026, 10, 6)),
    ("en", "Kestrel could list the token as early as September 1.", date(2026, 9, 1)),
    ("en", "The court ordered Kestrel to answer by August 9.", date(2026, 8, 9)),
    ("en", "Kestrel was told to answer the questions of Riga by August 9.", date(2026, 8, 9)),
    ("en", "New fees of Kestrel apply starting August 1.", date(2026, 8, 1)),
    ("en", "The council of Riga meets on Friday.", date(2026, 7, 17)),
    ("en", "Kestrel will open its doors next Monday.", date(2026, 7, 20)),
    ("en", "Kestrel will vote on the plan tomorrow.", date(2026, 7, 15)),
    ("en", "Kestrel Bank will launch a digital depository by December 1.", date(2026, 12, 1)),
    ("en", "A hearing has been scheduled for October 6 in Riga.", date(2026, 10, 6)),
    ("en", "The first tranche of ARB unlocks on January 20, 2027.", date(2027, 1, 20)),
    ("en", "Kestrel reports that its shareholders will vote on July 24.", date(2026, 7, 24)),
    ("en", "Orrin moved the vote of its miners to Friday.", date(2026, 7, 17)),
    ("en", "Two funds of Orrin are set to get revised terms from Riga on Friday.", date(2026, 7, 17)),
    ("en", "Orrin plans to return stolen coins to its clients on September 3.", date(2026, 9, 3)),
    ("ja", "公聴会は9月3日に開かれる。", date(2026, 9, 3)),
    ("ja", "新規則は9月3日に施行される予定だ。", date(2026, 9, 3)),
    ("ja", "ケストレルは9月30日までに回答を提出しなければならない。", date(2026, 9, 30)),
    ("ja", "ケストレルは10月1日に取引を開始すると発表した。", date(2026, 10, 1)),
    ("ja", "当局は判断を11月18日まで延期した。", date(2026, 11, 18)),
    ("ja", "リガ議会は来週木曜に採決する予定だ。", date(2026, 7, 23)),
    ("ja", "リガ議会は明日採決する。", date(2026, 7, 15)),
    ("ja", "ケストレルが10月1日に上場へ。", date(2026, 10, 1)),
    ("zh", "参议院将于9月30日表决该法案。", date(2026, 9, 30)),
    ("zh", "红隼交易所拟10月1日下架四种代币。", date(2026, 10, 1)),
    ("zh", "听证会推迟至10月6日举行。", date(2026, 10, 6)),
    ("zh", "新规自8月1日起施行。", date(2026, 8, 1)),
    ("zh", "申请截止时间为9月14日。", date(2026, 9, 14)),
    ("zh", "里加议会将于下周三表决。", date(2026, 7, 22)),
    ("zh", "10月1日，红隼交易所将下架四种代币。", date(2026, 10, 1)),
    ("zh", "原定于9月1日的听证会已推迟至10月6日。", date(2026, 10, 6)),
    (
        "en",
        "The SEC asked the judge to push its deadline in the case of Kestrel from August 19 to October 21.",
        date(2026, 10, 21),
    ),
    (
        "en",
        "The extension would move the deadline of Kestrel from October 18, 2026, to February 18, 2027.",
        date(2027, 2, 18),
    ),
    ("ja", "裁判所は審理を8月19日から10月21日に延期した。", date(2026, 10, 21)),
    ("zh", "法院将审理从8月19日推迟至10月21日。", date(2026, 10, 21)),
    ("en", "The judge of Kestrel has scheduled a hearing in person on October 18.", date(2026, 10, 18)),
    ("zh", "参议院农业委员会定于7月27日审议该法案。", date(2026, 7, 27)),
    ("ja", "リガ地裁は10月6日に判決を言い渡す予定だ。", date(2026, 10, 6)),
    ("zh", "红隼交易所公布将于10月6日召开的会议议程。", date(2026, 10, 6)),
    ("en", "Kestrel agreed to close the deal on January 20, 2027.", date(2027, 1, 20)),
    ("en", "The tax of Riga applies from 1 January 2027.", date(2027, 1, 1)),
    ("ja", "経過措置は遅くとも2027年7月1日まで。", date(2027, 7, 1)),
    ("zh", "红隼创始人宣布将于2027年1月20日离任，并停止交易。", date(2027, 1, 20)),
]
NOT_AHEAD: list[tuple[Language, str]] = [
    ("en", "Kestrel will open its doors next Friday."),
    ("en", "Kestrel was hacked on December 1 and will repay its clients."),
    ("en", "Shares of Kestrel have fallen by half since December 1 and a vote is due."),
    ("en", "Kestrel, which filed for bankruptcy on November 3, will sell its coins."),
    ("en", "Goettsche was set to face trial on October 5 for fraud."),
    ("en", "The sale of Kestrel was originally scheduled for October 5."),
    ("en", "Kestrel called off a vote that was due on October 5."),
    ("en", "Bitcoin closes above $60,000 on Monday as Kestrel begins to buy."),
    ("en", "Kestrel said on Thursday that it will close."),
    ("en", "Kestrel had raised $5 million by December 1 and expects more."),
    ("en", "According to a filing dated December 1, Kestrel will close."),
    ("en", "The council of Riga rejected a plan on Wednesday to authorize a bond."),
    ("en", "The order of Riga says that trading began on 23 July 2026, and a vote is due."),
    ("en", "Riga moved to close the vault of Orrin on Monday, which holds $3 million."),
    ("en", "The miners of Orrin pushed to block the sale on Monday."),
    ("en", "Orrin moved coins for its clients on Monday and hearings are due."),
    ("en", "Orrin set out to sell its mine on Monday."),
    ("en", "Clients of Orrin will get their coins on Tuesday, the bank said."),
    ("en", "The doors of Orrin will open Monday to Friday."),
    ("ja", "規則は2026年11月29日に発効した。"),
    ("zh", "规则已于2026年11月29日生效。"),
    ("en", "Traders speculate that the ruling on Kestrel will come on September 6."),
    ("ja", "ケストレルは12月1日に実施した調査の結果を公表する。"),
    ("zh", "红隼交易所计划公布12月1日完成的审计报告。"),
    ("en", "Builders of tomorrow will meet in Riga."),
    ("en", "Kestrel will pay 04/09/2026 as its date of record."),
    ("en", "The vote took place on November 3 in Riga."),
    ("en", "Options traders expect that bitcoin could hit $90,000 by October 5."),
    ("en", "In the year to December 1, deposits at Kestrel fell by a half and will fall further."),
    ("ja", "ケストレルは12月1日に取引を開始した。"),
    ("ja", "12月1日時点の預かり残高は100億円で、今後も開示を続ける予定だ。"),
    ("ja", "ケストレルは10月1日に上場する予定だったが、延期した。"),
    ("ja", "ケストレルは10月1日の上場を中止すると発表した。"),
    ("ja", "12月1日に発表した計画によると、ケストレルは上場する。"),
    ("ja", "12月1日から出金が停止されていた取引所が再開する。"),
    ("ja", "翌日には取引が再開された。"),
    ("zh", "截至12月1日，红隼交易所将持有1000枚比特币。"),
    ("zh", "红隼交易所已于12月1日上线该代币。"),
    ("zh", "红隼交易所于12月1日推出了新产品，并将扩大业务。"),
    ("zh", "原定于10月1日的投票取消。"),
    ("zh", "红隼交易所12月1日宣布将下架四种代币。"),
    ("zh", "分析师预测比特币将于10月1日突破9万美元。"),
]


@pytest.mark.parametrize(("language", "sentence", "day"), AHEAD)
def test_a_day_is_ahead_if_a_plan_or_a_verb_of_the_future_names_it(
    make_report: ReportFactory, language: Language, sentence: str, day: date
) -> None:
    report = make_report(sentence, language=language, published_at=WRITTEN_AT)
    (found,) = find_next_dates([report], language, WRITTEN_AT.date())
    assert (found.day, found.text, found.source) == (day, sentence, report.source)


@pytest.mark.parametrize(("language", "sentence"), NOT_AHEAD)
def test_a_day_of_the_past_of_a_former_plan_or_of_a_guess_is_not_ahead(
    make_report: ReportFactory, language: Language, sentence: str
) -> None:
    report = make_report(sentence, language=language, published_at=WRITTEN_AT)
    assert find_next_dates([report], language, WRITTEN_AT.date()) == []
