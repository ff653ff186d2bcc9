"""Sentences of an article that can be quoted, and the context that each needs."""

import pytest

from backend.entities.model import Language
from backend.topics.feeds.article_sentences import Context, list_sentences

LEAD = {
    "en": "The exchange Northwind lost $90 million on Monday.",
    "ja": "取引所ノースウィンドは14日、約9000万ドルが流出したと発表した。",
    "zh": "交易所北风周一损失约9000万美元。",
}


def texts(body: str, language: Language = "en", *, is_official: bool = False) -> list[str]:
    return [sentence.text for sentence in list_sentences(body, language, is_official=is_official)]


def context_of(sentence: str, language: Language) -> Context:
    (_, found) = list_sentences(f"{LEAD[language]}\n{sentence}", language)
    return found.context


@pytest.mark.parametrize(
    ("language", "dateline"),
    [
        ("en", "WASHINGTON, Sept 16 (Reuters) - "),
        ("en", "VILNIUS, Sept. 14 — "),
        ("en", "NEW YORK – "),
        ("en", "Washington D.C., Sept. 18, 2026 — "),
        ("en", "(Bloomberg) -- "),
        ("en", "DOVER, Del. — "),
        ("en", "Orrinwire.com - "),
        ("en", "NEW YORK, May 4, 2026--(ORRIN WIRE)--"),
        ("en", "Boston, MA - (Orrinwire) - May 4, 2026 - "),
        ("en", "Cape Town, South Africa -- /Orrin Wire/ -- "),
        ("ja", "【ワシントン＝高見浩輔】"),
        ("ja", "【ロンドン時事】"),
        ("ja", "［パリ　６日　ロイター］ - "),
        ("zh", "PANews 9月14日消息，"),
        ("zh", "ChainCatcher 消息，"),
        ("zh", "Odaily星球日报讯 "),
        ("zh", "新华社香港9月24日电（记者王欣）"),
        ("zh", "【北风】"),
        ("zh", "【安全团队：北风交易所遭到黑客攻击，导致其热钱包中的资金被非预期地全部取出】北风圈消息，"),
        ("zh", "【北风】北风财经报道，"),
        ("zh", "北风圈(120Beifeng.COM)讯："),
        ("zh", "北风社（广州，记者 林晚）讯，"),
        ("zh", "北风社5月4日讯（记者 林晚），"),
    ],
)
def test_a_dateline_of_one_or_more_parts_is_cut_off(language: Language, dateline: str) -> None:
    assert texts(dateline + LEAD[language], language) == [LEAD[language]]


@pytest.mark.parametrize(
    "sentence",
    [
        "Orrin.com – the Riga exchange – will delist its oldest coin in May.",
        "Orrin - (NYSE: ORRN) - reported a profit of $3 million for the quarter.",
        "A judge ruled that Orrin is not liable for any scam coins on its exchange.",
        "Orrin settled claims over affiliate marketing with the agency on Monday.",
    ],
)
def test_a_subject_between_dashes_and_news_of_courts_are_kept(sentence: str) -> None:
    assert texts(sentence, "en") == [sentence]


def test_a_named_source_is_no_dateline() -> None:
    for sentence in (
        "据慢雾消息，交易所北风周一损失约9000万美元。",
        "北风交易平台发布消息，将暂停约9000万美元的提款。",
    ):
        assert texts(f"9月14日消息，{sentence}", "zh") == [sentence]
        assert texts(f"【北风】{sentence}", "zh") == [sentence]


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("zh", "交易所北风平掉空头仓位，这笔交易亏损938万美元。"),
        ("zh", "协议北风宣布推出代币，该协议将用它奖励用户。"),
        ("ja", "取引所ノースウィンドは新事業を始め、この事業に90億円を投じる。"),
    ],
)
def test_a_first_sentence_refers_only_to_itself(language: Language, sentence: str) -> None:
    (found,) = list_sentences(sentence, language)
    assert found.context <= Context.LEAD


def test_a_long_sentence_of_a_newsflash_can_be_quoted() -> None:
    lead = f"交易所北风周一损失约9000万美元，{'攻击者转移了另一批代币，' * 20}警方正在调查。"
    assert 200 < len(lead) < 320
    assert texts(lead, "zh") == [lead]


@pytest.mark.parametrize(
    ("language", "time"),
    [("en", "21:10 — "), ("en", "9:05 a.m. ET: "), ("ja", "21時10分："), ("zh", "21:10 — ")],
)
def test_the_time_of_an_entry_of_a_live_page_is_cut_off(language: Language, time: str) -> None:
    assert texts(f"{LEAD[language]}\n{time}{LEAD[language]}", language) == [LEAD[language]] * 2


@pytest.mark.parametrize(
    "sentence",
    [
        "QIP-12, a proposal of Northwind, has failed.",
        "Investors withdrew $40 million, figures compiled by Northwind show.",
        "The figures of Orrin were not available at the time of writing.",
        "In a letter written by Ada Lindqvist, Northwind promised to pay.",
    ],
)
def test_a_sentence_of_the_report_is_not_taken_for_words_of_the_page(sentence: str) -> None:
    assert texts(f"{LEAD['en']}\n{sentence}") == [LEAD["en"], sentence]


def test_key_points_before_a_dateline_are_left_out() -> None:
    assert texts(f"Northwind was hacked for a lot.\nVILNIUS, Sept. 14 — {LEAD['en']}") == [LEAD["en"]]


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "Sign up for our newsletter to get the news of the day."),
        ("en", "Northwind's office in Vilnius (Anna Petrova/CoinDesk)."),
        ("en", "At press time, bitcoin was worth $65,870."),
        ("en", "(Reporting by Lena Hart; Editing by Paul Simao.)"),
        ("en", "This article does not contain investment advice."),
        ("en", "Follow us on Google News."),
        ("en", "Read more: How exchanges store keys"),
        ("en", "Will the exchange ever recover its coins?"),
        ("en", "We think that Northwind will recover."),
        ("en", "Make sure that you move your coins to a wallet."),
        ("en", '"All balances are covered by reserves."'),
        ("en", "The Northwind Post contacted Orrin for additional comments but got no answer on Monday."),
        ("en", "Northwind Post does not advise on coins, nor is Northwind Post an investment adviser."),
        ("en", "Northwind Post takes part in affiliate marketing."),
        ("en", "This is a general announcement."),
        ("en", "A quick recap for those who missed the vote."),
        ("en", "The data terminal of Northwind Post is free for 14 days."),
        ("en", "the whole of Northwind.”"),
        ("en", "Northwind Post is not liable for any losses from trading coins."),
        ("ja", "本記事は投資助言ではありません。"),
        ("ja", "アプリのダウンロードはこちら。"),
        ("ja", "オリンのメルマガに無料で登録できます。"),
        ("ja", "この分析が役に立ったらシェアしてくださいとオリンは書いた。"),
        ("zh", "扫描下方二维码，了解北风的更多资讯。"),
        ("zh", "立即下载北风应用，获取100美元奖励。"),
        ("ja", "詳しくは公式サイトをご覧ください。"),
        ("ja", "執筆時点のビットコイン価格は65,870ドル。"),
        ("ja", "関連：取引所の鍵管理とは。"),
        ("zh", "以上内容仅供参考，不构成投资建议。"),
        ("zh", "欢迎加入官方社群，订阅我们的频道。"),
        ("zh", "建议大家把北风设为星标，以免错过更新。"),
        ("zh", "公众号现在只给常读的读者推送图片。"),
        ("ja", "北風株式会社（本社：東京都港区、以下「当社」）は、新しい保管所を開設いたします。"),
        ("zh", "晨星财经此前报导，北风交易所曾遭攻击。"),
        ("zh", "截至发稿，比特币报65870美元。"),
        ("zh", "責任編輯：劉明亮。"),
        ("zh", "了解它是如何入侵设备的。"),
    ],
)
def test_words_of_the_page_are_not_quoted(language: Language, line: str) -> None:
    assert texts(f"{LEAD[language]}\n{line}", language) == [LEAD[language]]


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Orrin contacted the police of Riga about the theft on Monday."),
        ("en", "Orrin hired an investment adviser in Riga."),
        ("ja", "ノースウィンドは金融庁に交換業者としての登録を申請した。"),
        ("ja", "ノースウィンドのアプリのダウンロード数は300万件に達した。"),
        ("ja", "ノースウィンドの国内シェアは42％だった。"),
        ("ja", "利用者がメールのリンクをクリックした後、ノースウィンドの鍵が盗まれた。"),
        ("ja", "NWTは90ドルから60ドルに下落し、執筆時点で75ドルで推移する。"),
        ("zh", "受害者下载了伪装成北风钱包的恶意软件。"),
        ("zh", "北风的订阅收入达到320万美元。"),
        ("zh", "北风安全团队扫描了全部4万份合约。"),
        ("zh", "受害者点击钓鱼链接后损失了75枚NWT。"),
    ],
)
def test_news_with_a_word_that_pages_also_use_is_quoted(language: Language, sentence: str) -> None:
    assert texts(f"{LEAD[language]}\n{sentence}", language) == [LEAD[language], sentence]


def test_a_doubled_full_stop_becomes_one_and_an_abbreviated_office_ends_no_sentence() -> None:
    text = "Northwind sold its coins through Orrin.. The vote shows that Reps. Ada Hart and Lee Moss agree."
    assert texts(text) == [
        "Northwind sold its coins through Orrin.",
        "The vote shows that Reps. Ada Hart and Lee Moss agree.",
    ]


def test_an_official_text_may_speak_of_itself() -> None:
    notice = "We will delist KEEP and OXY on October 15, 2026."
    assert texts(notice) == []
    assert texts(notice, is_official=True) == [notice]


@pytest.mark.parametrize(
    ("language", "sentence", "context"),
    [
        ("en", "Binance froze $3.2 million of the coins.", Context.NONE),
        ("en", "The Bank of Lithuania opened a case against Northwind.", Context.NONE),
        ("en", "The hackers who took the coins used Tornado Cash.", Context.NONE),
        ("en", "It is not clear how the keys of Northwind were taken.", Context.LEAD),
        ("en", "Those who held NWT saw a third of its value vanish.", Context.NONE),
        ("en", "The company paused withdrawals an hour later.", Context.LEAD),
        ("en", "It paused withdrawals an hour later.", Context.PREVIOUS),
        ("en", "However, Northwind did not say how the keys were taken.", Context.PREVIOUS),
        ("en", "...Northwind did not say how the keys were taken.", Context.PREVIOUS),
        ("en", "Strip out those two and Northwind still has a surplus.", Context.PREVIOUS),
        ("en", "On Monday, the exchange paused withdrawals.", Context.LEAD),
        ("en", "The purchase came after a similar one of Aave.", Context.PREVIOUS),
        ("en", "In Riga, the Ohio Republican who chairs the panel called for a vote.", Context.PREVIOUS),
        ("en", "The move comes days after a similar attack on Aave.", Context.PREVIOUS),
        ("en", '"Policy is well positioned in Washington," he added.', Context.PREVIOUS),
        ("en", "That would mark a shift in the policy of Northwind.", Context.PREVIOUS),
        ("en", "To date, the pilot has moved $2.5 billion, he said.", Context.PREVIOUS),
        ("en", "Crypto exchange Bybit will leave Japan, it said.", Context.NONE),
        ("en", "When it was founded, Northwind had three customers.", Context.PREVIOUS),
        ("ja", "バイナンスは320万ドル相当を凍結した。", Context.NONE),
        ("ja", "また、トークンは一時38％下落した。", Context.PREVIOUS),
        ("ja", "同社は1時間後に出金を停止した。", Context.PREVIOUS),
        ("ja", "分析企業エリプティックが14日に明らかにした。", Context.PREVIOUS),
        ("ja", "翌15日、同行は北風への融資を発表した。", Context.PREVIOUS),
        ("zh", "币安已冻结流入的320万美元。", Context.NONE),
        ("zh", "此外，其平台币一度下跌38%。", Context.PREVIOUS),
        ("zh", "該交易所已暫停提現服務。", Context.PREVIOUS),
        ("zh", "今年 1 月，在争议最激烈的时候，这家经纪公司排名第一。", Context.PREVIOUS),
        ("zh", "Northwind 表示，这家公司将退还用户的存款。", Context.NONE),
    ],
)
def test_the_context_of_a_sentence(language: Language, sentence: str, context: Context) -> None:
    assert context_of(sentence, language) == context


@pytest.mark.parametrize(
    ("language", "before", "sentence", "needed"),
    [
        ("en", "Orrin Bank already holds coins.", "The bank will open a vault by May 2.", "Orrin"),
        ("en", "State-owned giant Orrin leads.", "In June, the bank's desk will open.", "Orrin"),
        ("en", "Governor Ada Lindqvist disagreed.", "Prices will fall, Lindqvist said.", "Lindqvist"),
        ("ja", "オリン銀行は先行している。", "銀行は5月2日までに保管所を開設する。", "オリン"),
        ("zh", "奥林银行进展最快。", "银行将于5月2日前设立存管机构。", "奥林银行"),
    ],
)
def test_a_definite_noun_or_a_surname_needs_the_name_before_it(
    language: Language, before: str, sentence: str, needed: str
) -> None:
    last = list_sentences(f"{LEAD[language]}\n{before}\n{sentence}", language)[-1]
    assert last.text == sentence
    assert needed in last.needs | last.rivals


def test_a_sentence_that_names_its_subject_needs_no_other_name() -> None:
    last = list_sentences(f"{LEAD['en']}\nOrrin Bank leads.\nKestrel Bank will open a vault.", "en")[-1]
    assert not last.needs | last.rivals


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "4.25–4.50 percent is the range of the rate in Riga."),
        ("en", "1.50-dollar fees are the rule at Quillport since May."),
        ("en", "12:30 - 13:30 is the time of the outage at Quillport."),
        ("ja", "12:30-13:30の間、クイルポートは出金を停止した。"),
        ("zh", "9:30-11:30为红隼交易所的停机维护时间。"),
    ],
)
def test_the_first_figure_of_a_range_is_no_time_of_an_entry(language: Language, sentence: str) -> None:
    assert [one.text for one in list_sentences(sentence, language)] == [sentence]


def test_a_heading_parts_two_sentences() -> None:
    listed = list_sentences(
        "Quillport opened a vault in Riga.\nWhat Orrin says\nOrrin lost 40 bitcoin.", "en"
    )
    assert [one.place for one in listed] == [0, 2]
