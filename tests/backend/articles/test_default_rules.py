"""What the shipped rules do to sentences of the three languages, all corrections made."""

from pathlib import Path

import pytest

from backend.articles.engine import apply, correct, scan
from backend.articles.matching.compiled import RuleSet, compile_rules
from backend.articles.rules.layers import merged
from backend.articles.rules.loading import PackFile, default_files, read_packs
from backend.articles.rules.specs import failures_of_all
from backend.articles.schemas import Article
from backend.entities.model import Language

PACKS = Path(__file__).parents[3] / "backend" / "articles" / "packs"
OWN = ("exchanges", "companies", "regulators", "organizations", "media", "people", "terms", "house-styles")

FAULTS: list[tuple[Language, str, str]] = [
    # misspelt Latin names, in every language
    ("en", "Binanace said it will list the token.", "Binance said it will list the token."),
    ("en", "Shares of Coin Base rose 4%.", "Shares of Coinbase rose 4%."),
    ("en", "coinbase and CoinBase are one exchange.", "Coinbase and Coinbase are one exchange."),
    ("en", "Creditors of MtGox are still waiting.", "Creditors of Mt. Gox are still waiting."),
    ("en", "According to Coin Desk and Coin Telegraph", "According to CoinDesk and Cointelegraph"),
    ("en", "Bit Flyer opened in 2014.", "bitFlyer opened in 2014."),
    ("en", "The attack on Bithump in South Korea", "The attack on Bithumb in South Korea"),
    ("en", "Open Meta Mask and sign.", "Open MetaMask and sign."),
    ("en", "Concensys sued the regulator.", "Consensys sued the regulator."),
    ("en", "Chainanalysis traced the coins.", "Chainalysis traced the coins."),
    ("en", "OpenZepplin audited the code.", "OpenZeppelin audited the code."),
    ("en", "Andreesen Horowitz led the round.", "Andreessen Horowitz led the round."),
    ("en", "Goldman Sacks expects a rally.", "Goldman Sachs expects a rally."),
    ("en", "Standard Charted raised its forecast.", "Standard Chartered raised its forecast."),
    ("en", "Micheal Saylor bought more.", "Michael Saylor bought more."),
    ("en", "Vitalik Butterin wrote a post.", "Vitalik Buterin wrote a post."),
    ("en", "Sam Bankman Fried was sentenced.", "Sam Bankman-Fried was sentenced."),
    ("en", "Hester Pierce dissented.", "Hester Peirce dissented."),
    ("en", "Garry Gensler left the commission.", "Gary Gensler left the commission."),
    ("ja", "米ブロック大手のBinanaceは発表した。", "米ブロック大手のBinanceは発表した。"),
    ("zh", "交易所Binanace宣布上线。", "交易所Binance宣布上线。"),
    # wrong capitals follow from the facts
    ("en", "bitflyer and Gmo Coin are in Tokyo.", "bitFlyer and GMO Coin are in Tokyo."),
    ("ja", "国内のBitflyerとBitbankは対応する。", "国内のbitFlyerとbitbankは対応する。"),
    ("zh", "交易所Kucoin宣布下架。", "交易所KuCoin宣布下架。"),
    ("en", "Lending in defi grew.", "Lending in DeFi grew."),
    ("en", "Metamask's users were warned.", "MetaMask's users were warned."),
    # long forms of authorities
    ("en", "The Securities and Exchanges Commission sued.", "The Securities and Exchange Commission sued."),
    (
        "en",
        "The Office of Foreign Asset Control listed it.",
        "The Office of Foreign Assets Control listed it.",
    ),
    ("en", "The Bank of International Settlements warned.", "The Bank for International Settlements warned."),
    ("en", "The Peoples Bank of China tests it.", "The People's Bank of China tests it."),
    ("en", "The Financial Action Taskforce met.", "The Financial Action Task Force met."),
    ("ja", "米証券取引所委員会は提訴した。", "米証券取引委員会は提訴した。"),
    ("ja", "証券取引監視委員会が調査した。", "証券取引等監視委員会が調査した。"),
    ("ja", "国際決裁銀行の試算", "国際決済銀行の試算"),
    ("zh", "美国证劵交易委员会起诉了该公司。", "美国证券交易委员会起诉了该公司。"),
    ("zh", "日本金融庁公布了方案。", "日本金融厅公布了方案。"),
    # Japanese names and words
    ("ja", "国内大手のビットフライアーは再開した。", "国内大手のビットフライヤーは再開した。"),
    ("ja", "口座はSBIVCトレードに移る。", "口座はSBI VCトレードに移る。"),
    ("ja", "マウント・ゴックスの債権者", "マウントゴックスの債権者"),
    ("ja", "ブロック・チェーン技術とスマート・コントラクト", "ブロックチェーン技術とスマートコントラクト"),
    ("ja", "ブロックチェ一ンの仕組み", "ブロックチェーンの仕組み"),
    ("ja", "ステイブルコインのステイキング", "ステーブルコインのステーキング"),
    ("ja", "暗号試算と暗号通過の違い", "暗号資産と暗号通貨の違い"),
    ("ja", "電子決裁手段と資金決裁法", "電子決済手段と資金決済法"),
    ("ja", "次の半滅期と秘密健の管理", "次の半減期と秘密鍵の管理"),
    ("ja", "非代替生トークンのエアードロップ", "非代替性トークンのエアドロップ"),
    (
        "ja",
        "米ブルームバークによると、米ペイ・パルが発行する。",
        "米ブルームバーグによると、米ペイパルが発行する。",
    ),
    ("ja", "ﾌﾞﾛｯｸﾁｪｰﾝの仕組み", "ブロックチェーンの仕組み"),
    ("ja", "ｺｲﾝﾁｪｯｸは再開した。", "コインチェックは再開した。"),
    # Chinese names and words
    ("zh", "区快链技术与智能和约", "区块链技术与智能合约"),
    ("zh", "加密贷币和虚似货币", "加密货币和虚拟货币"),
    ("zh", "去中心话交易所的流动性", "去中心化交易所的流动性"),
    ("zh", "區塊鍊技術", "區塊鏈技術"),
    ("zh", "区块鏈技术", "区块链技术"),
    ("zh", "备份助计词和私匙", "备份助记词和私钥"),
    ("zh", "孙宇辰与赵常鹏", "孙宇晨与赵长鹏"),
    ("zh", "欧州央行维持利率。", "欧洲央行维持利率。"),
    ("zh", "据率动BlockBeats报道", "据律动BlockBeats报道"),
    # words of the field
    ("en", "a public blokchain with two validaters", "a public blockchain with two validators"),
    ("en", "Blokchain and Stabelcoin", "Blockchain and Stablecoin"),
    ("en", "a smart contarct in decentralized fiance", "a smart contract in decentralized finance"),
    # names that were right until a day
    ("en", "Huobi listed the token.", "HTX listed the token."),
    ("en", "OKEx listed the token.", "OKX listed the token."),
    ("en", "Okex listed the token.", "OKX listed the token."),
    # names that are not what they seem, told by the words beside them
    ("en", "Open TrustWallet and sign.", "Open Trust Wallet and sign."),
    ("en", "GrayScale and Gray scale hold bitcoin.", "Grayscale and Grayscale hold bitcoin."),
    ("en", "Brian Amstrong leads Coinbase.", "Brian Armstrong leads Coinbase."),
    ("en", "Validators of Salona restarted.", "Validators of Solana restarted."),
    ("en", "Alameda Reserch borrowed it.", "Alameda Research borrowed it."),
    ("en", "Do Kwan and Justin Son posted.", "Do Kwon and Justin Sun posted."),
    ("en", "Chain Analysis traced the bitcoin.", "Chainalysis traced the bitcoin."),
    ("en", "The tokens of Chain link and Polka dot", "The tokens of Chainlink and Polkadot"),
    ("en", "Fidelty filed for an ETF.", "Fidelity filed for an ETF."),
    ("en", "Cathy Wood met Paul Atkin in May.", "Cathie Wood met Paul Atkins in May."),
    ("en", "The memecoin Shiba inu fell.", "The memecoin Shiba Inu fell."),
    ("en", "The U.S. Securities & Exchange Commission", "The U.S. Securities and Exchange Commission"),
    ("en", "The stablecoin USD coin is redeemable.", "The stablecoin USD Coin is redeemable."),
    ("en", "Token holders of a Dao voted.", "Token holders of a DAO voted."),
    ("ja", "米マイクロストラジーの保有量", "米ストラテジーの保有量"),
    ("ja", "メタプラネツトとブラックロツク", "メタプラネットとブラックロック"),
    ("ja", "暗号資産運用のグレイスケール", "暗号資産運用のグレースケール"),
    ("ja", "ビットコイインとエテリウム", "ビットコインとイーサリアム"),
    ("ja", "取引所のビットコン価格", "取引所のビットコイン価格"),
    ("ja", "ステープルコインと暗号資参", "ステーブルコインと暗号資産"),
    (
        "ja",
        "ブロックチェーンのスマートコントラスト",
        "ブロックチェーンのスマートコントラクト",
    ),
    ("ja", "米CTFCは暗号資産の規則を示した。", "米CFTCは暗号資産の規則を示した。"),
    ("ja", "マウントゴックズとシバ・イヌ", "マウントゴックスとシバイヌ"),
    ("ja", "暗号資産を盗んだラザラス", "暗号資産を盗んだラザルス"),
    ("ja", "暗号資産取引所のビットバング", "暗号資産取引所のビットバンク"),
    ("ja", "ユニスワツプとアービトラル", "ユニスワップとアービトラム"),
    ("ja", "トークンのチェーンリング", "トークンのチェーンリンク"),
    ("ja", "ピットポイントとアップビツト", "ビットポイントとアップビット"),
    ("ja", "コインペースとパイナンス", "コインベースとバイナンス"),
    ("ja", "フイデリティとナスダツク", "フィデリティとナスダック"),
    ("zh", "必特币和比特比上涨。", "比特币和比特币上涨。"),
    ("zh", "加密货币交易所币按与必安。", "加密货币交易所币安与币安。"),
    ("zh", "加密货弊、稳定弊与该代弊", "加密货币、稳定币与该代币"),
    ("zh", "交易所上线新的稳定比。", "交易所上线新的稳定币。"),
    ("zh", "艾达弊、恒星弊与佩佩弊", "艾达币、恒星币与佩佩币"),
    ("zh", "萊特弊與門羅弊", "萊特幣與門羅幣"),
    ("zh", "雪崩协义网络升级。", "雪崩协议网络升级。"),
    ("zh", "马斯客回复了该帖。", "马斯克回复了该帖。"),
    ("zh", "灰渡与微策咯增持比特币。", "灰度与微策略增持比特币。"),
    ("zh", "区块链上的只能合约", "区块链上的智能合约"),
]

NEVER_UNASKED: list[tuple[Language, str]] = [
    ("en", "The stablecoin USD coin and a Dao of token holders"),
    ("en", "The U.S. Securities & Exchange Commission sued a crypto exchange."),
    ("en", "Gray scale, Salona, Polka dot, Chain link, Chain Analysis and Shiba inu in crypto"),
    ("en", "Do Kwan, Justin Son, Cathy Wood and Paul Atkin"),
    ("en", "Okex and EOS, two names of crypto"),
    ("ja", "暗号資産のグレイスケール、ビットコン、ラザラス、ビットバング、チェーンリング"),
    ("zh", "加密市场的比特比、币按、必安、稳定弊、稳定比、马斯客、灰渡、只能合约、代弊"),
]
"""Forms that may be right after all: somebody looks before they are corrected."""

RIGHT: list[tuple[Language, str]] = [
    # words that are names only elsewhere
    ("en", "They gate the release and circle the block; a strategy, a galaxy and a kraken."),
    ("en", "Wait a sec. The fed horse stood near the base of the mas."),
    ("en", "The Circle of Life and the Gate of Hell are books."),
    ("en", "Sailors crossed the open sea to the black rock."),
    ("en", "Strike the match, copper the bottom and phantom pains fade."),
    ("en", "The block chain of the paper of 2008, on-chain and onchain data."),
    ("en", "A swift decision: decrypt the file and dune the beach."),
    ("ja", "カリフォルニアのゲートとサークル活動、レジャー産業のブロック塀。"),
    ("ja", "スマートコンタクトレンズの開発と秘密健康診断。"),
    ("ja", "国際的な決裁の手順と半減した期間。"),
    ("zh", "该区块连同交易一起广播。"),
    ("zh", "灰度图像处理，律动的节奏，深潮汐。"),
    ("zh", "去中心话题的讨论，人民币安全。"),
    ("en", "In perfect harmony one bitcoin token fell. Markets in crypto-assets are volatile."),
    ("en", "A collector of crypto keeps a rare USD coin collection: USD coin collectors meet."),
    ("en", "Many on the blockchain read the Dao De Jing."),
    ("en", "She photographs bitcoin miners with a Canon EOS R5, an EOS camera."),
    ("en", "Bitcoin at the Maker Faire: Hardware Wallet Maker Ledger and Market Maker Wintermute"),
    ("en", "Chain link fences, Polka dot dresses and a Shiba inu dog at the bitcoin mine"),
    ("en", "On-Chain Analysis of bitcoin and Value Chain Analysis"),
    ("en", "The Philippine Securities & Exchange Commission warned of crypto."),
    ("ja", "暗号資産取引所の32ビットコンピュータと8ビットコンバータ"),
    ("ja", "自転車のチェーンリング、モニターのスマートコントラスト、詩人のラザラス。"),
    ("ja", "NFTのグレイスケール画像とグレイスケール変換"),
    ("ja", "コインペーストとピットイン、レディ・ラザラスとビットコイン"),
    ("zh", "代币按比例分配，人民币按市价兑换，比特币按市值排名第一，钱包按钮。"),
    ("zh", "加密市场的用户不必安慰，务必安装钱包，必安全。"),
    ("zh", "加密时代弊端，不稳定弊大于利，代币价格稳定比上涨重要。"),
    ("zh", "量子比特比经典比特更快，稳定比特币的价格。"),
    ("zh", "托马斯客串，该代币只能合约交易。"),
    # right names, in every form
    ("en", "Harmony ONE and Harmony One, Okcoin and OKCoin, Ark Invest and ARK Invest in crypto"),
    ("en", "The Markets in Crypto-Assets regulation and the Markets in Crypto-Assets Regulation"),
    ("en", "They hold bitcoin cash, bitcoin sv, wrapped bitcoin and bitcoin gold."),
    ("en", "Bitcoin Cash, Bitcoin SV, Wrapped Bitcoin and Bitcoin Gold"),
    ("en", "The coinbase transaction pays the miner, and Coinbase is an exchange."),
    ("en", "BITCOIN AND COINBASE RISE AS BLACKROCK FILES"),
    ("en", "Crypto.com, mempool.space and CEX.IO keep their dots."),
    ("en", "Blockchain, blockchains, Stablecoins and Staking in a headline"),
    ("en", "The U.S. Securities and Exchange Commission (SEC) and the CFTC agreed."),
    ("en", "The GENIUS Act, also written Genius Act, and MiCA"),
    ("en", "Binance's, Coinbase-backed and Kraken-listed tokens"),
    ("ja", "暗号資産（仮想通貨）交換業者のビットフライヤーとコインチェック"),
    ("ja", "米証券取引委員会と米国証券取引委員会は同じ機関だ。"),
    ("ja", "バリデータとバリデーター、プルーフ・オブ・ワークとプルーフオブワーク"),
    ("ja", "ビットコインマイニングとブロックチェーン、トークンとウォレット"),
    ("ja", "ＢＩＴＣＯＩＮとＥＴＨ"),
    ("zh", "币安、欧易和火币，以及幣安和歐易"),
    ("zh", "區塊鏈與智能合約，或稱智慧合約"),
    ("zh", "美国证监会、香港证监会和中国证监会"),
    # text that is never touched
    ("en", "See https://example.com/Binanace and `Coin Base`, mail binanace@example.com or @Binanace."),
    ("ja", "#ブロック・チェーン と https://example.jp/Bitflyer は直さない。"),
    ("zh", "代码 `区快链` 不改。"),
]


@pytest.fixture(scope="module")
def files() -> list[PackFile]:
    return read_packs(default_files())


@pytest.fixture(scope="module")
def rules(files: list[PackFile]) -> RuleSet:
    return compile_rules([file.pack for file in files])


@pytest.mark.parametrize(("language", "text", "right"), FAULTS, ids=[text[:40] for _, text, _ in FAULTS])
def test_a_fault_is_corrected(rules: RuleSet, language: Language, text: str, right: str) -> None:
    assert correct(rules, text, language=language).text == right


@pytest.mark.parametrize(("language", "text"), RIGHT, ids=[text[:40] for _, text in RIGHT])
def test_a_right_sentence_stays_as_it_is(rules: RuleSet, language: Language, text: str) -> None:
    corrected = correct(rules, text, language=language)
    assert corrected.text == text
    assert list(corrected.corrections) == []


@pytest.mark.parametrize(("language", "text", "right"), FAULTS, ids=[text[:40] for _, text, _ in FAULTS])
def test_a_corrected_sentence_stays(rules: RuleSet, language: Language, text: str, right: str) -> None:
    assert correct(rules, right, language=language).text == right


@pytest.mark.parametrize(("language", "text"), NEVER_UNASKED, ids=[text[:40] for _, text in NEVER_UNASKED])
def test_a_form_that_may_be_right_waits_for_approval(rules: RuleSet, language: Language, text: str) -> None:
    article = Article.model_validate({"content": text, "language": language})
    assert scan(rules, article)["violations"]
    assert apply(rules, article)["corrected_article"]["content"] == text


@pytest.mark.parametrize("name", OWN)
def test_every_example_in_the_packs_holds(files: list[PackFile], name: str) -> None:
    chosen = {rule.id for file in files if file.path == PACKS / f"{name}.yaml" for rule in file.pack.rules}
    assert chosen
    everything = merged(file.pack for file in files)
    assert [f"{failure}: {failure.got}" for failure in failures_of_all(everything, chosen)] == []


def test_house_styles_are_off_until_asked_for(files: list[PackFile]) -> None:
    (house,) = [file.pack for file in files if file.path.stem == "house-styles"]
    assert house.rules
    assert not any(rule.enabled for rule in house.rules)


def test_a_rule_that_is_fixed_unasked_has_no_surface_of_one_or_two_characters(files: list[PackFile]) -> None:
    for file in files:
        for rule in file.pack.rules:
            if rule.auto_fix:
                texts = [given if isinstance(given, str) else given.text for given in rule.match]
                assert [text for text in texts if len(text) < 3] == [], rule.id


def test_every_rule_says_why(files: list[PackFile]) -> None:
    for file in files:
        if file.path.stem in OWN:
            assert [rule.id for rule in file.pack.rules if not rule.note] == []


def test_the_rules_know_many_wrong_forms(files: list[PackFile]) -> None:
    surfaces = [given for file in files for rule in file.pack.rules if rule.enabled for given in rule.match]
    assert len(surfaces) >= 1500
