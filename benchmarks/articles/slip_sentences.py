"""Clean sentences with a place for a name, for measuring slips."""

from backend.entities.model import Language

SENTENCES: dict[Language, tuple[str, ...]] = {
    "en": (
        "Shares of several miners fell on Tuesday after {} reported a loss for the quarter.",
        "The exchange said it would list {} next week, together with two other tokens.",
        "Developers working on {} said the upgrade would lower fees for most users.",
        "In a filing with the court, lawyers for {} asked the judge to dismiss the case.",
        "The bitcoin price hardly moved, while {} made up for some of its losses.",
        "Analysts at {} expect that stablecoins will keep growing this year.",
        "Last month the regulator opened an inquiry into {} and one of its partners.",
        "According to {}, about a third of the supply has not moved in five years.",
        "He left {} in the spring to start a fund for decentralized finance.",
        "The integration with {} went live on Monday, after three months of testing.",
        "Withdrawals through {} were halted for an hour while engineers looked into the outage.",
        "Two of the wallets had received their funds from {} days before the attack.",
    ),
    "ja": (
        "{}は、来月から新しい手数料体系を導入すると発表した。",
        "取引所は{}の取り扱いを始め、入出金の受付も順次開始する。",
        "今回の資金調達には、{}のほか国内の投資会社も参加した。",
        "ビットコインの価格が横ばいで推移する中、{}は小幅に上昇した。",
        "報告書によると、{}の利用者は前年の2倍に増えた。",
        "開発チームは{}との統合を予定どおり終えたと説明した。",
        "ステーブルコインの発行をめぐり、{}と規制当局の協議が続いている。",
        "流出した資金の一部は、{}を経由して別のウォレットに移された。",
        "同氏は{}を離れ、ブロックチェーン関連の新会社を立ち上げた。",
        "暗号資産の保管を手がける{}が、銀行免許を申請した。",
    ),
    "zh": (
        "{}宣布，下个月起将调整手续费标准。",
        "该交易所下周上线{}，并同步开放充值。",
        "据报道，{}参与了本轮融资，金额没有公布。",
        "比特币价格窄幅震荡，{}则小幅上涨。",
        "报告显示，{}的用户数量比去年翻了一番。",
        "开发团队表示，与{}的整合已按计划完成。",
        "在稳定币的监管问题上，{}的立场没有改变。",
        "部分被盗资金经由{}转入了另一个钱包。",
        "他离开{}之后，创办了一家区块链公司。",
        "分析师认为，{}的长期前景取决于市场需求。",
    ),
}
