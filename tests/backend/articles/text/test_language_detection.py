"""The language of an article is found out from its letters."""

import pytest

from backend.articles.text.language_detection import detect


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        ([], "en"),
        (["", ""], "en"),
        (["1,234.5 %"], "en"),
        (["Bitcoin rose by 4 %."], "en"),
        (["Société Générale issues a stablecoin"], "en"),
        (["The exchange bitFlyer（ビットフライヤー） opened a branch in the city."], "en"),
        (["ビットコインが上昇した。"], "ja"),
        (["ﾋﾞｯﾄｺｲﾝ"], "ja"),
        (["BTC、ETH、XRPが反発"], "ja"),
        (["暗号資産規制強化、価格変動"], "ja"),
        (["金融庁、暗号資産交換業者の審査を厳格化"], "ja"),
        (["Uniswap LabsはUnichainを、BaseはFlashblocksを発表した。Etherium対応。"], "ja"),
        (["Etherium、BitCoin、solanaが話題だ。"], "ja"),
        (["CoinbaseがEtherium ETFに対応", "bitcoin", "ethereum", "exchange"], "ja"),
        (["据Coinbase公告，Etherium ETF获批。"], "zh"),
        (["Coinbase、Binance、OKX上线Etherium。"], "zh"),
        (["比特币价格突破十万美元"], "zh"),
        (["加密貨幣市場資金流入"], "zh"),
        (["SEC 批准现货以太坊 ETF，BlackRock 与 Fidelity 领跑"], "zh"),
        (
            [
                "日本交易所 Coincheck（コインチェック）宣布与多家公司合作，计划明年推出",
                "新的稳定币服务，提交申请",
            ],
            "zh",
        ),
    ],
)
def test_the_script_determines_the_language(texts: list[str], language: str) -> None:
    assert detect(texts) == language


def test_the_language_is_detected_from_all_fields_together() -> None:
    assert detect(["BTC", "ビットコインの価格が上昇している"]) == "ja"
