"""Slips that no rule lists: what is found, what is left alone, and what may be corrected unasked."""

import pytest

from backend.articles.engine import RuleSet, apply, correct, scan
from backend.articles.matching.rule_set import compile_rules
from backend.articles.schemas import Article, Violation
from backend.entities.model import Language
from tests.backend.articles.packs import entity, pack, rule

NAMES = [
    entity("Ethereum", names={"en": "Ethereum", "ja": "イーサリアム", "zh": "以太坊"}),
    entity("Coinbase", type="exchange", names={"en": "Coinbase", "ja": "コインベース"}),
    entity("Bitcoin", names={"en": "Bitcoin", "zh": "比特币"}),
    entity("Polymarket", type="protocol"),
    entity("Gary Gensler", type="person"),
    entity("Galaxy Digital", type="company"),
    entity("Litecoin", names={"en": "Litecoin", "zh": "莱特币"}, also={"zh": ["萊特幣"]}),
    entity("Association", type="organization", names={"en": "Blockchain Association", "zh": "区块链协会"}),
    entity("Chainlink", names={"en": "Chainlink", "ja": "チェーンリンク"}),
    entity("Avalanche", context=True),
]
WORDS = {"en": ["blockchain", "wallet"], "ja": ["暗号資産"], "zh": ["区块链", "加密"]}
RULES = compile_rules([pack(*NAMES, context_words=WORDS)])
NEAR_BY: dict[Language, str] = {
    "en": "{} moved funds to another wallet.",
    "ja": "暗号資産の{}は続伸した。",
    "zh": "加密行业关注{}，价格持平。",
}


def slips(text: str, language: Language = "en", rules: RuleSet = RULES) -> list[Violation]:
    result = scan(rules, Article.model_validate({"content": text, "language": language}))
    return [found for found in result["violations"] if found["violation_type"] == "unlisted_slip"]


def slip(word: str, language: Language = "en") -> str | None:
    """What ``word`` is reported to be, near evidence."""
    found = slips(NEAR_BY[language].format(word), language)
    return found[0]["suggested_name"] if found else None


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("Etherum", "Ethereum"),
        ("Ehtereum", "Ethereum"),
        ("Coinbbase", "Coinbase"),
        ("Coinvase", "Coinbase"),
        ("Polymarkeet", "Polymarket"),
        ("Poly-market", "Polymarket"),
        ("GalaxyDigital", "Galaxy Digital"),
        ("Gary Genslar", "Gary Gensler"),
        ("Koinbase", "Coinbase"),
    ],
)
def test_one_edit_of_a_latin_name_is_found_near_evidence(written: str, right: str) -> None:
    assert slip(written) == right


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("イーサリウム", "イーサリアム"),
        ("コインヴェース", "コインベース"),
        ("コインベス", "コインベース"),
        ("チエーンリンク", "チェーンリンク"),
        ("Etherum", "Ethereum"),
    ],
)
def test_one_edit_of_a_name_is_found_in_japanese_in_its_own_script(written: str, right: str) -> None:
    assert slip(written, "ja") == right


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("比特毕", "比特币"),
        ("以太访", "以太坊"),
        ("比币特", "比特币"),
        ("区块协会", "区块链协会"),
        ("萊特币", "莱特币"),
        ("Coinbaze", "Coinbase"),
    ],
)
def test_one_edit_of_a_name_is_found_in_chinese_in_its_own_script(written: str, right: str) -> None:
    assert slip(written, "zh") == right


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The blockchain wallet of Polymarketing", "en"),
        ("Install ethereumd and coinbased on the blockchain node.", "en"),
        ("See github.com/polymarkt/polymarkt and @coinbse for the blockchain wallet.", "en"),
        ("Use `Etherum` or <a href='Etherum'>a wallet</a> of the blockchain.", "en"),
        ("Two bitcoins in a blockchain wallet", "en"),
        ("暗号資産のコインケースを買う", "ja"),
        ("加密设备接入以太网，区块链会普及。", "zh"),
        ("加密货币转到比特率更高的设备", "zh"),
    ],
)
def test_words_identifiers_and_protected_text_are_no_slips(text: str, language: Language) -> None:
    assert slips(text, language) == []


def test_a_name_in_the_other_chinese_script_is_no_slip() -> None:
    assert slip("萊特幣", "zh") is None


def test_a_short_slip_far_from_evidence_is_not_reported() -> None:
    assert slips("They grew Bitcorn and barley.") == []
    assert slip("Bitcorn") == "Bitcoin"


def test_a_form_that_a_rule_lists_is_left_to_it_even_if_it_is_switched_off() -> None:
    listed = rule(["Etherum"], entity="ethereum")
    assert [found["rule_id"] for found in _violations("Etherum", compile_rules([pack(*NAMES, listed)]))] == [
        "spelling"
    ]
    off = compile_rules([pack(*NAMES, listed, disable=["spelling"], context_words=WORDS)])
    assert _violations("Etherum", off) == []


def _violations(word: str, rules: RuleSet) -> list[Violation]:
    text = NEAR_BY["en"].format(word)
    return scan(rules, Article.model_validate({"content": text, "language": "en"}))["violations"]


def test_a_word_of_a_wrong_phrase_is_still_a_slip_in_another_name() -> None:
    rules = compile_rules(
        [pack(*NAMES, rule(["Blockchain Asociation"], entity="association"), context_words=WORDS)]
    )
    assert [found["suggested_name"] for found in _violations("Galaxy Digtal", rules)] == ["Galaxy Digital"]
    listed = rule(["First Digtal USD"], entity="galaxy-digital")
    rules = compile_rules([pack(*NAMES, listed, context_words=WORDS)])
    assert [found["suggested_name"] for found in _violations("Galaxy Digtal", rules)] == ["Galaxy Digital"]


def test_a_wrong_form_that_is_listed_in_one_case_is_a_slip_in_another() -> None:
    rules = compile_rules(
        [pack(*NAMES, rule(["Poly Market"], entity="polymarket", case="exact"), context_words=WORDS)]
    )
    assert [found["rule_id"] for found in _violations("Poly Market", rules)] == ["spelling"]
    assert [found["rule_id"] for found in _violations("Poly market", rules)] == ["unlisted-slip"]


def test_a_slip_that_markup_divides_is_found() -> None:
    text = "**Poly**markeet moved funds to another wallet."
    assert [found["suggested_name"] for found in slips(text)] == ["Polymarket"]


def test_the_rule_of_slips_can_be_switched_off() -> None:
    rules = compile_rules([pack(*NAMES, disable=["unlisted-slip"])])
    assert slips(NEAR_BY["en"].format("Etherum"), "en", rules) == []


def test_the_reason_says_in_every_language_how_the_slip_differs() -> None:
    (found,) = slips(NEAR_BY["en"].format("Coinbsae"))
    assert found["reasons"]["en"] == "One step from Coinbase: two letters are swapped."
    assert set(found["reasons"]) == {"en", "ja", "zh"}
    assert all("Coinbase" in reason for reason in found["reasons"].values())


def test_a_likely_slip_is_corrected_unasked_and_a_doubtful_one_asks() -> None:
    text = NEAR_BY["en"].format("Polymarkket")
    assert apply(RULES, Article.model_validate({"content": text}))["applied_count"] == 1
    doubtful = NEAR_BY["en"].format("Polymarketz")
    assert slips(doubtful)[0]["auto_fixable"] is False
    assert apply(RULES, Article.model_validate({"content": doubtful}))["applied_count"] == 0


def test_a_word_that_a_field_has_again_and_again_is_not_corrected_unasked() -> None:
    text = "The wallet of Polymarkket grew. " * 3
    assert {found["auto_fixable"] for found in slips(text)} == {False}


def test_a_title_may_have_its_evidence_in_the_content() -> None:
    article = {"title": "Etherem up", "content": "The blockchain grew.", "language": "en"}
    result = scan(RULES, Article.model_validate(article))
    assert [found["field"] for found in result["violations"]] == ["title"]


def test_a_slip_in_capitals_is_corrected_in_capitals_where_its_line_is() -> None:
    text = "ETHERUM WALLET OF THE BLOCKCHAIN"
    assert correct(RULES, text, language="en").text == "ETHEREUM WALLET OF THE BLOCKCHAIN"


def test_places_count_characters_of_the_text_as_given() -> None:
    text = "Ｗａｌｌｅｔ ﬁrst, ｶﾞｽ, then Polymarkket"
    (found,) = slips(text)
    assert text[found["start_offset"] : found["end_offset"]] == "Polymarkket"


@pytest.mark.parametrize("written", ["コイソベース", "コインべース", "チェーソリンク", "チェ一ンリンク"])
def test_a_character_that_looks_like_a_kana_is_a_slip(written: str) -> None:
    assert slip(written, "ja") in ("コインベース", "チェーンリンク")


def test_a_slip_made_of_words_asks() -> None:
    rules = compile_rules(
        [pack(entity("Hashport", names={"en": "Hashport", "ja": "ハッシュポート"}), context_words=WORDS)]
    )
    found = slips(NEAR_BY["ja"].format("ハッシュボート"), "ja", rules)
    assert [(one["suggested_name"], one["auto_fixable"]) for one in found] == [("ハッシュポート", False)]


SIMPLIFIED = "监管机构对{}发出传票，要求这家公司说明资金来源与转账记录，负责人没有发表评论。"
TRADITIONAL = "監管機構對{}發出傳票，要求這家公司說明資金來源與轉帳紀錄，負責人沒有發表評論。"


@pytest.mark.parametrize(
    ("frame", "written", "right"),
    [
        (TRADITIONAL, "区块链协会", "區塊鏈協會"),
        (TRADITIONAL, "莱特币", "萊特幣"),
        (SIMPLIFIED, "區塊鏈協會", "区块链协会"),
    ],
)
def test_a_name_in_the_characters_of_the_other_script_asks(frame: str, written: str, right: str) -> None:
    found = slips(frame.format(written), "zh")
    assert [(one["suggested_name"], one["auto_fixable"]) for one in found] == [(right, False)]


@pytest.mark.parametrize(
    "text", ["莱特币上涨。", "萊特幣上漲。", SIMPLIFIED.format("莱特币"), TRADITIONAL.format("萊特幣")]
)
def test_a_name_in_the_script_of_its_text_or_in_a_short_text_is_right(text: str) -> None:
    assert slips(text, "zh") == []


@pytest.mark.parametrize(("written", "language"), [("区块链协汇会", "zh"), ("日本暗号資産教会", "ja")])
def test_another_character_inside_a_long_han_name_asks(written: str, language: Language) -> None:
    names = {"en": "JVCEA", "ja": "日本暗号資産協会", "zh": "区块链协和会"}
    rules = compile_rules([pack(entity("JVCEA", names=names), context_words=WORDS)])
    (asked,) = slips(NEAR_BY[language].format(written), language, rules)
    assert not asked["auto_fixable"]


@pytest.mark.parametrize("text", ["區塊鏈協會會同銀行公布名單。", "加密行業的區塊鏈協負責審查。"])
def test_words_beside_or_instead_of_a_traditional_name_are_no_slip(text: str) -> None:
    assert slips(text, "zh") == []


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Ethereum and Ethereun are two wallets.", "en"),
        ("Gary Gensler, not Gary Genslar, signed for the wallet.", "en"),
        ("暗号資産のコインベースとコインペースは別の会社だ。", "ja"),
        ("加密货币莱特币与莱特市不同。", "zh"),
    ],
)
def test_a_word_that_a_conjunction_joins_to_the_right_name_is_another_name(
    text: str, language: Language
) -> None:
    assert not slips(text, language)


def test_a_slip_in_another_sentence_than_the_right_name_is_found() -> None:
    assert slips("The Ethereum wallet and its app. Ethereun wallets are slow.")


def test_words_of_a_name_in_small_letters_stay_so_when_another_word_is_corrected() -> None:
    names = [entity("Blockchain Association", type="organization"), entity("Ethereum")]
    rules = compile_rules([pack(*names, context_words=WORDS)])
    assert correct(rules, "The Blokchain association has a wallet.", language="en").text == (
        "The Blockchain association has a wallet."
    )


def test_a_long_vowel_that_is_written_otherwise_is_found_and_asks() -> None:
    names = [entity("Grayscale", type="company", names={"en": "Grayscale", "ja": "グレースケール"})]
    rules = compile_rules([pack(*names, context_words=WORDS)])
    (found,) = slips(NEAR_BY["ja"].format("グレイスケイル"), "ja", rules)
    assert (found["suggested_name"], found["auto_fixable"]) == ("グレースケール", False)


def test_a_slip_asks_if_several_names_share_its_other_words() -> None:
    names = [entity(f"{name} Labs", type="company") for name in ("Ethena", "Offchain", "Dapper")]
    several = compile_rules([pack(*names, context_words=WORDS)])
    one = compile_rules([pack(names[0], context_words=WORDS)])
    text = "The Etherna Labs wallet moved funds."
    assert [found["auto_fixable"] for found in slips(text, "en", several)] == [False]
    assert [found["auto_fixable"] for found in slips(text, "en", one)] == [True]
