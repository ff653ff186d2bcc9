"""The groups of excluding properties: the wordings of each side, in three languages."""

import pytest

from backend.entities.model import Language
from backend.sources.comparison import contrasts
from tests.backend.sources.evidence import claim


@pytest.mark.parametrize(
    ("language", "statement", "passage"),
    [
        ("en", "Trading opened in the morning.", "Trading opened in the evening."),
        ("en", "The vote began at noon.", "The vote began at midnight."),
        ("ja", "発表は早朝だった。", "発表は夕方だった。"),
        ("ja", "投票は正午に始まった。", "投票は深夜に始まった。"),
        ("zh", "交易在上午开始。", "交易在傍晚开始。"),
        ("zh", "投票于中午开始。", "投票于午夜开始。"),
    ],
)
def test_other_parts_of_the_day_contradict(language: Language, statement: str, passage: str) -> None:
    assert contrasts.find_difference(claim(statement, language), claim(passage, language)) is not None


@pytest.mark.parametrize(
    ("language", "statement", "passage"),
    [
        ("en", "It came on Sunday night.", "It came on Sunday evening."),
        ("en", "It began the next morning.", "It began in the evening."),
        ("ja", "発表は午後6時だった。", "発表は夕方だった。"),
        ("ja", "北朝鮮の犯行だった。", "夕方に起きた。"),
        ("zh", "朝鲜所为，发生在当晚。", "发生在傍晚。"),
        ("en", "It was charged with fraud.", "It was charged with fraud and market manipulation."),
        ("en", "It lacked anti-money-laundering controls.", "It broke the Bank Secrecy Act."),
        ("en", "The global anti-money-laundering watchdog met.", "The dealer was guilty of fraud."),
        ("en", "The trader sold shares in an unregistered offering.", "It sold them without registration."),
        ("ja", "無登録で販売した。", "未登録の販売だった。"),
        ("zh", "反洗钱不力。", "违反《银行保密法》。"),
    ],
)
def test_near_parts_of_the_day_and_shared_offences_do_not_contradict(
    language: Language, statement: str, passage: str
) -> None:
    assert contrasts.find_difference(claim(statement, language), claim(passage, language)) is None


@pytest.mark.parametrize(
    ("language", "statement", "passage"),
    [
        ("en", "The founder pleaded guilty to fraud and bribery.", "The founder pleaded guilty to fraud."),
        ("en", "The trader was jailed for perjury.", "The trader was jailed."),
        ("en", "The miner was accused of theft.", "The miner was accused."),
        ("en", "She was held in contempt of court.", "She was fined."),
        ("en", "He was convicted of bank fraud.", "He was convicted of fraud."),
        ("en", "The firm was fined for terrorist financing.", "The firm was fined."),
        ("ja", "会社は制裁違反で罰金を払った。", "会社は罰金を払った。"),
        ("ja", "元役員は横領で起訴された。", "元役員は起訴された。"),
        ("zh", "高管因内幕交易被捕。", "高管被捕。"),
        ("zh", "公司因违反美国制裁被罚。", "公司被罚。"),
        ("en", "The trader was convicted of tax evasion.", "The trader was convicted of insider trading."),
        ("en", "The bank was fined for bribery.", "The bank was fined as it broke sanctions."),
        ("en", "The broker admitted money laundering.", "The broker broke the Bank Secrecy Act."),
        ("ja", "社長は脱税で有罪となった。", "社長は詐欺で有罪となった。"),
        ("ja", "銀行は贈賄で罰金を科された。", "銀行は資金洗浄対策の不備で罰金を科された。"),
        ("zh", "交易员因行贿被定罪。", "交易员因洗钱被定罪。"),
        ("zh", "经纪商因操纵市场被罚。", "经纪商因未注册发行被罚。"),
    ],
)
def test_an_offence_that_the_source_does_not_tell_is_missing(
    language: Language, statement: str, passage: str
) -> None:
    texts = claim(statement, language), claim(passage, language)
    assert contrasts.find_missing_property(*texts) is not None
    assert contrasts.find_difference(*texts) is None, "one event can be several offences"


@pytest.mark.parametrize(
    ("language", "statement", "passage"),
    [
        ("en", "They left in hundreds of small withdrawals.", "They left in one transaction."),
        ("ja", "数百回の送金で持ち出された。", "一度の送金で持ち出された。"),
        ("zh", "分多笔转走。", "一笔交易转走。"),
        ("en", "The upgrade stayed a plan on paper.", "The upgrade was activated."),
        ("en", "The agency had only begun to study the bill.", "The agency approved the bill."),
        ("ja", "改正は提案の段階にとどまった。", "改正が発効した。"),
        ("zh", "该升级停留在计划。", "该升级已激活。"),
        ("en", "It was merely considering an end to the program.", "It agreed to end the program."),
        ("en", "The agency left the question undecided.", "The agency approved the funds."),
        ("ja", "中央銀行が正式な発行に踏み切った。", "中央銀行が実証実験を始めた。"),
        ("zh", "央行已正式发行数字货币。", "央行启动概念验证。"),
        ("zh", "陪审团认定其不构成欺诈。", "陪审团认定其犯有欺诈。"),
        ("en", "The tokens fell outside the securities laws.", "The tokens were securities."),
        ("zh", "该代币不受证券法约束。", "该代币属于证券。"),
        (
            "en",
            "The rule leaves it up to firms whether they want a licence.",
            "The rule makes business subject to a licence.",
        ),
    ],
)
def test_another_number_of_transfers_and_another_stage_contradict(
    language: Language, statement: str, passage: str
) -> None:
    assert contrasts.find_difference(claim(statement, language), claim(passage, language)) is not None
    assert contrasts.find_difference(claim(statement, language), claim(statement, language)) is None


@pytest.mark.parametrize(
    ("language", "statement", "passage"),
    [
        ("en", "The civil penalty was cancelled.", "The court left the civil penalty in place."),
        ("ja", "制裁金は取り消された。", "制裁金は維持された。"),
        ("zh", "民事罚款被撤销。", "民事罚款维持不变。"),
    ],
)
def test_another_end_of_a_penalty_contradicts(language: Language, statement: str, passage: str) -> None:
    assert contrasts.find_difference(claim(statement, language), claim(passage, language)) is not None
    assert contrasts.find_difference(claim(passage, language), claim(passage, language)) is None


@pytest.mark.parametrize(
    ("language", "statement", "passage"),
    [
        ("en", "Staff fell for a phishing e-mail.", "A recursive call drained it."),
        ("en", "It was drained with stolen passwords.", "An attacker exploited a bug in its contract."),
        ("ja", "秘密鍵が盗まれて流出した。", "フラッシュローンで流出した。"),
        ("zh", "黑客通过钓鱼得手。", "黑客利用合约漏洞得手。"),
    ],
)
def test_another_way_of_a_theft_is_not_told_but_may_be_true_too(
    language: Language, statement: str, passage: str
) -> None:
    said, told = claim(statement, language), claim(passage, language)
    assert contrasts.find_difference(said, told) is None
    assert contrasts.find_missing_property(said, told) is not None
    assert contrasts.find_missing_property(told, told) is None


@pytest.mark.parametrize(
    ("language", "statement", "passage"),
    [
        ("ja", "制裁金は取り消されなかった。", "制裁金は維持された。"),
        ("zh", "罚款没有被取消。", "罚款维持不变。"),
        ("zh", "双方撤销对罚款判决的上诉。", "罚款维持不变。"),
        ("en", "The penalty was not waived.", "The court left the penalty in place."),
        ("en", "Bitcoin falls outside the securities laws.", "Bitcoin is a commodity."),
        ("en", "It suspended thousands of withdrawals after the theft.", "They took it in one transaction."),
        ("zh", "平台冻结了多笔提款。", "黑客一笔交易转走。"),
        ("zh", "用户的私钥未受影响。", "黑客利用漏洞得手。"),
        ("en", "It tested a coin ahead of a possible nationwide rollout.", "It began a proof of concept."),
        ("zh", "数字货币尚未正式发行。", "央行启动概念验证。"),
        ("en", "While others were only considering it, the bank issued it.", "The bank launched it."),
        ("en", "The agency left the market for staking open.", "The agency approved the funds."),
        (
            "en",
            "It launched a coin, a rival to euro stablecoins.",
            "The dollar stablecoin is worth one dollar.",
        ),
    ],
)
def test_words_of_the_groups_in_another_sense_do_not_contradict(
    language: Language, statement: str, passage: str
) -> None:
    assert contrasts.find_difference(claim(statement, language), claim(passage, language)) is None
