"""Idiomatic wordings of the acts, in three languages."""

import pytest

from backend.entities.model import Language
from backend.sources.claims.actions import find_actions


@pytest.mark.parametrize(
    ("language", "text", "verb"),
    [
        ("en", "The regulator gave the fund the all-clear", "approve"),
        ("ja", "当局は計画に太鼓判を押した", "approve"),
        ("zh", "监管机构拍板通过该计划", "approve"),
        ("ja", "会社は提案を断った", "reject"),
        ("zh", "公司婉拒了提议", "reject"),
        ("en", "The agency put the decision on hold", "delay"),
        ("ja", "判断を棚上げした", "delay"),
        ("zh", "监管机构暂缓审理", "delay"),
        ("en", "The state slapped a ban on miners", "ban"),
        ("zh", "当局松绑", "allow"),
        ("en", "The network is up and running", "launch"),
        ("ja", "新取引所が船出した", "launch"),
        ("zh", "新平台投入运营", "launch"),
        ("en", "The bill cleared the House of Representatives", "enact"),
        ("en", "The founder left the top job", "resign"),
        ("en", "Developers called off the upgrade", "call_off"),
        ("zh", "开发者宣布取消升级", "call_off"),
        ("en", "The council voted down the bond", "reject"),
        ("en", "The firm switched the service off", "shut_down"),
        ("en", "The team deactivated the bridge", "shut_down"),
        ("en", "The firm is sunsetting its wallet", "shut_down"),
        ("ja", "会社は計画を断念した", "shut_down"),
        ("zh", "平台停止服务", "shut_down"),
        ("zh", "旧网络已停用", "shut_down"),
        ("en", "The lender went belly up", "bankrupt"),
        ("en", "The new rule kicked in", "take_effect"),
        ("zh", "新规正式落地", "take_effect"),
        ("en", "The agency tore up the guidance", "repeal"),
        ("zh", "监管机构收回成命", "repeal"),
        ("en", "The judges reversed the ruling", "overturn"),
        ("en", "The judges let the ban stand", "uphold"),
        ("zh", "股票鸣锣", "list"),
        ("en", "The thief made away with the coins", "hack"),
        ("ja", "犯人は硬貨を盗み出した", "hack"),
        ("zh", "钱包被搬空", "hack"),
        ("ja", "会社は自腹で損失を埋めた", "recover"),
        ("zh", "公司如数赔了", "recover"),
        ("zh", "投资者状告该公司", "sue"),
        ("ja", "元役員を書類送検した", "charge"),
        ("zh", "公司最终吃了罚单", "fine"),
        ("en", "The jury held them liable", "convict"),
        ("ja", "裁判所は賠償責任を認めた", "convict"),
        ("zh", "法院认定其应承担责任", "convict"),
        ("en", "The firm is in the clear", "acquit"),
        ("ja", "陪審は責任なしとした", "acquit"),
        ("zh", "陪审团判定公司不承担责任", "acquit"),
        ("en", "The judge sent him to prison", "sentence"),
        ("ja", "創業者は収監された", "sentence"),
        ("zh", "创始人获刑", "sentence"),
        ("zh", "公司告赢", "win"),
        ("ja", "会社の主張を退けた", "lose_case"),
        ("zh", "公司加仓", "buy"),
        ("en", "Fees were hiked", "raise_level"),
        ("en", "The fee was slashed", "lower_level"),
        ("en", "The coin broke the buck", "depeg"),
        ("zh", "网络中断", "freeze"),
        ("en", "The chain came to a standstill", "freeze"),
        ("en", "The bridge is back online", "resume"),
        ("zh", "嫌犯被羁押", "arrest"),
        ("en", "He is out on bail", "free"),
        ("zh", "公司换招牌", "rename"),
        ("en", "The chair relinquished the post", "resign"),
        ("zh", "主席引退", "resign"),
        ("en", "She took on the role", "appoint"),
        ("en", "Trades are not subject to VAT", "exempt"),
        ("en", "Registration was made mandatory", "compulsory"),
        ("en", "Shops are free to refuse it", "voluntary"),
        ("ja", "受け入れは義務ではなくなる", "voluntary"),
        ("zh", "商户自行决定", "voluntary"),
    ],
)
def test_an_idiomatic_wording_tells_the_act(language: Language, text: str, verb: str) -> None:
    assert (verb, True) in {(action.verb, action.affirmed) for action in find_actions(text, language)}


@pytest.mark.parametrize(
    ("language", "text", "verb"),
    [
        ("zh", "交易所获得手续费收入", "hack"),
        ("zh", "公司公告了计划", "sue"),
        ("ja", "自主規制団体が発足した", "voluntary"),
        ("en", "The order sets up a bitcoin stockpile", "buy"),
        ("en", "The jury found the firm not liable", "convict"),
    ],
)
def test_words_of_another_sense_tell_no_act(language: Language, text: str, verb: str) -> None:
    assert verb not in {action.verb for action in find_actions(text, language) if action.affirmed}
