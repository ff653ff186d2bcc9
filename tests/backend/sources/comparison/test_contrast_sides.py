"""Groups of excluding properties with two sides, each in three languages."""

import pytest

from backend.entities.model import Language
from backend.sources.comparison import contrasts
from tests.backend.sources.evidence import claim

SIDES: list[tuple[str, Language, str, str]] = [
    (
        "legal class",
        "en",
        "The judge ruled the coin is a commodity.",
        "The judge ruled the coin is property.",
    ),
    ("legal class", "ja", "裁判所は硬貨を商品と判断した。", "裁判所は硬貨を財産とみなした。"),
    ("legal class", "zh", "法院将该币视为财产。", "法院认定该币为商品。"),
    ("accounting entry", "en", "Banks book the coins as assets.", "Banks book the coins as liabilities."),
    ("accounting entry", "ja", "銀行は資産として計上する。", "銀行は負債として計上する。"),
    ("accounting entry", "zh", "银行将其计为资产。", "银行将其计为负债。"),
    ("direction of cost", "en", "The upgrade raised fees.", "Fees fell after the upgrade."),
    ("direction of cost", "ja", "手数料は上昇した。", "手数料は下がった。"),
    ("direction of cost", "zh", "手续费大幅上涨。", "升级降低了手续费。"),
    ("direction of reward", "en", "The reward of each block rose.", "The reward of each block fell."),
    ("direction of limit", "en", "It lowered the limit.", "The limit was raised."),
    ("direction of limit", "ja", "上限を引き下げた。", "上限を引き上げた。"),
    ("direction of limit", "zh", "上限下调。", "提高上限。"),
    ("direction of staff size", "en", "The firm laid off a third.", "The firm went on a hiring spree."),
    ("strictness of rules", "en", "It loosened the rules.", "It tightened the rules."),
    ("strictness of rules", "ja", "規制を緩和した。", "規制を強化した。"),
    ("strictness of rules", "zh", "放宽监管规定。", "监管规定收紧。"),
    ("finding", "en", "The jury cleared the firm of fraud.", "The jury found the firm liable."),
    ("finding", "ja", "陪審は責任なしとした。", "陪審は責任を認定した。"),
    ("finding", "zh", "陪审团判定其不承担责任。", "陪审团判定其负有责任。"),
    ("finding", "en", "The panel deadlocked.", "The panel found him guilty."),
    ("appeal", "en", "The court upheld the ban.", "The court struck down the ban."),
    ("appeal", "ja", "判決を支持した。", "判決を破棄した。"),
    ("appeal", "zh", "法院维持原判。", "法院推翻判决。"),
    ("motion", "en", "The judge granted bail.", "The judge denied bail."),
    ("motion", "ja", "請求を認めた。", "請求を退けた。"),
    ("motion", "zh", "法官批准请求。", "法官驳回请求。"),
    ("end of the dispute", "en", "The case went to trial.", "The case was settled."),
    ("case", "en", "It is a criminal case.", "It is a civil case."),
    ("court level", "en", "The Supreme Court ruled.", "The appeals court ruled."),
    ("offered role", "en", "She turned down the role.", "She took on the role."),
    ("offered role", "ja", "社長職を辞退した。", "社長に就任した。"),
    ("offered role", "zh", "她婉拒了任命。", "她出任主席。"),
    ("demand", "en", "The firm paid the ransom.", "The firm refused the ransom."),
    ("demand", "ja", "身代金を支払った。", "身代金を拒んだ。"),
    ("demand", "zh", "公司支付了赎金。", "公司拒付赎金。"),
    ("access", "en", "It was sold behind closed doors.", "It was opened to the public."),
    ("charge for use", "en", "Transfers are free of charge.", "It charges a fee."),
    ("charge for use", "ja", "送金は無料だ。", "手数料を取る。"),
    ("charge for use", "zh", "转账免费。", "转账须付费。"),
    (
        "permission",
        "en",
        "Dealers no longer need a licence.",
        "Dealers need a licence.",
    ),
    ("permission", "ja", "免許は不要だ。", "免許が必要となった。"),
    ("permission", "zh", "无须牌照。", "须取得牌照。"),
    ("identity checks", "en", "Users traded without identity checks.", "Users must pass identity checks."),
    ("home or abroad", "en", "It serves domestic customers.", "It serves foreign customers."),
    ("home or abroad", "ja", "国内の顧客に限る。", "海外の顧客に限る。"),
    ("home or abroad", "zh", "面向境内客户。", "面向境外客户。"),
    ("operation", "en", "It is done by hand.", "It is done automatically."),
    ("extent", "en", "The law applies in part.", "The law applies in full."),
    ("extent", "ja", "法律は部分適用された。", "法律は全面適用された。"),
    ("extent", "zh", "法律部分适用。", "法律全面适用。"),
    ("when done", "en", "Approval is given after the fact.", "Approval is given in advance."),
    ("when done", "ja", "事後承認とする。", "事前承認とする。"),
    ("when done", "zh", "事后报备。", "事先报备。"),
    ("number of actors", "en", "The state acted unilaterally.", "The states acted jointly."),
    ("way of holding or paying", "en", "It pays through intermediaries.", "It pays creditors directly."),
    ("way of holding or paying", "ja", "第三者を通じて払う。", "直接支払う。"),
    ("way of holding or paying", "zh", "通过中介偿付。", "直接偿付。"),
    ("control", "en", "The venue is centralised.", "The venue is decentralised."),
    ("control", "ja", "中央集権の取引所。", "分散型の取引所。"),
    ("control", "zh", "中心化交易所。", "去中心化交易所。"),
    ("entry to the chain", "en", "The chain is permissioned.", "The chain is permissionless."),
    ("flow of money", "en", "Funds saw outflows.", "Funds saw inflows."),
    ("flow of money", "ja", "純流出だった。", "純流入だった。"),
    ("flow of money", "zh", "净流出。", "净流入。"),
    ("proportion", "en", "A minority agreed.", "A majority agreed."),
    ("rank of staff", "en", "A junior employee said it.", "A senior official said it."),
    ("employment", "en", "The current manager did it.", "A former manager did it."),
    ("kind of customer", "en", "It is for institutional clients.", "It is for retail clients."),
    ("kind of customer", "ja", "機関投資家向けだ。", "個人投資家向けだ。"),
    ("kind of customer", "zh", "面向机构客户。", "面向零售客户。"),
    ("who was behind it", "en", "It was an inside job.", "Outside contractors leaked it."),
    ("place of the act", "en", "They met face to face.", "They met online."),
    ("customers affected", "en", "Only new customers are affected.", "Only existing customers are affected."),
    ("layer", "en", "It is a layer-1 chain.", "It is a layer-2 chain."),
    ("backing", "en", "It is fully backed by dollars.", "It is an algorithmic stablecoin."),
    ("part of the fee", "en", "The priority fee is kept.", "The base fee is kept."),
    ("intention", "en", "He did it on purpose.", "He did it by accident."),
    ("price paid in", "en", "It is an all-cash deal.", "It is an all-stock deal."),
    ("source code", "en", "It is closed-source.", "It is open source."),
    ("reach", "en", "It narrowed the scope.", "It widened the scope."),
]


@pytest.mark.parametrize(("group", "language", "statement", "passage"), SIDES)
def test_the_sides_of_a_group_contradict_each_other(
    group: str, language: Language, statement: str, passage: str
) -> None:
    values = [
        {value for name, value, _ in contrasts.locate_properties(claim(text, language)) if name == group}
        for text in (statement, passage)
    ]
    assert all(values)
    assert not values[0] & values[1]
    assert contrasts.find_difference(claim(statement, language), claim(passage, language)) is not None


@pytest.mark.parametrize(
    ("language", "statement", "passage"),
    [
        ("en", "The coin is treated as property, not as currency.", "The coin is treated as property."),
        ("en", "The coin is not a security.", "The coin is a commodity."),
        ("ja", "硬貨は証券に当たらない。", "硬貨は商品と判断された。"),
        ("zh", "该币不属于证券。", "该币属于大宗商品。"),
        ("en", "The price rose.", "The reward fell."),
        ("en", "Fees did not rise.", "Fees fell."),
        ("en", "He pleaded not guilty.", "He was found guilty on one count."),
        ("en", "The coins are cash-settled.", "The case went to trial."),
        ("en", "The product was cleared for trading on Monday.", "The firm was found liable."),
        ("en", "The EU's top court ruled.", "The appeals court ruled."),
        ("en", "FIT cleared the House of Representatives.", "He was found guilty."),
        ("en", "It paid partly because of the ruling.", "It paid in full."),
        ("ja", "免許が必要となった。", "免許制となった。"),
        ("zh", "主网上线。", "双方当面交易。"),
        ("zh", "修订后的结算法。", "以美元储备支撑。"),
    ],
)
def test_other_senses_of_the_words_do_not_contradict(
    language: Language, statement: str, passage: str
) -> None:
    assert contrasts.find_difference(claim(statement, language), claim(passage, language)) is None
