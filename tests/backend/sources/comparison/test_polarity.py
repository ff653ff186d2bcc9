"""Whether a claim and a passage tell the same act: opposites, background, refusals, who won."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.entities.model import Language
from backend.sources.claims.actions import load_verbs
from backend.sources.claims.model import Action, ParsedStatement
from backend.sources.comparison.case_outcomes import compare_outcomes
from backend.sources.comparison.polarity import compare_actions
from tests.backend.sources.evidence import claim, held, slots

LIFTED = "Court sets aside the ban on the mixer. The regulator had banned it in 2022."
DROPPED = "SEC dismisses its case against Coinbase. The civil suit of June 2023 was dropped."


def _compare_texts(
    statement: str, passage: str, language: Language = "en", *, record: bool = True
) -> tuple[int, bool]:
    is_same, wrong = compare_actions(claim(statement, language), claim(passage, language), is_record=record)
    return is_same, wrong is not None


@pytest.mark.parametrize(
    ("statement", "passage"),
    [
        ("The court upheld the ban", "Court overturns the ban."),
        ("The SEC refused to drop its lawsuit against Coinbase", DROPPED),
        ("Bitcoin kept its dollar peg", "Bitcoin loses its dollar peg."),
        ("The exchange will stay open", "The exchange says it will shut down."),
        ("The trade must pay VAT", "Court exempts the trade from VAT."),
        ("The coins are securities", "Staff says the coins are not securities."),
        ("Acceptance is mandatory", "Acceptance is voluntary."),
    ],
)
def test_opposite_actions_differ_in_polarity(statement: str, passage: str) -> None:
    assert _compare_texts(statement, passage)[1]


@pytest.mark.parametrize(
    ("statement", "passage"),
    [
        ("The court quashed the ban", LIFTED),
        ("Banks are allowed to trade again", LIFTED),
        ("The SEC dropped its lawsuit against Coinbase", DROPPED),
        ("The SEC sued Coinbase, then dropped the case", DROPPED),
        ("The coins are not securities", "Staff says the coins are not securities."),
    ],
)
def test_an_action_that_the_source_presupposes_is_not_contradicted(statement: str, passage: str) -> None:
    assert not _compare_texts(statement, passage)[1]


@pytest.mark.parametrize(
    ("statement", "passage", "language"),
    [
        ("Kraken was denied a charter", "Kraken wins a bank charter.", "en"),
        ("议会拒绝通过预算", "议会公布预算。", "zh"),
        ("同社は免許を得られなかった", "同社、州の認可を取得。", "ja"),
    ],
)
def test_a_claimed_refusal_differs_from_a_record_without_a_refusal(
    statement: str, passage: str, language: Language
) -> None:
    assert _compare_texts(statement, passage, language)[1]
    assert not _compare_texts(statement, passage, language, record=False)[1]


def test_a_refusal_in_other_words_does_not_differ() -> None:
    record = "Coinbase discloses a leak. It did not give in to the demand."
    assert not _compare_texts("Coinbase refused the ransom", record)[1]


def test_a_later_event_does_not_contradict_a_claim_about_the_record_date() -> None:
    text = "Facebook announces a coin. The project was wound down in early 2022."
    announced = claim("The coin was unveiled in June 2019")
    assert compare_actions(announced, claim(text), is_record=True, is_on_event_day=True)[1] is None


def test_the_first_sentence_of_a_record_decides_the_action_on_the_record_date() -> None:
    text = "Regulator bans the sale of notes. They were allowed again on 8 October 2025."
    allowed = claim("In January 2021 the sale of notes was allowed")
    wrong = compare_actions(allowed, claim(text), is_record=True, is_on_event_day=True)[1]
    assert wrong is not None
    assert (wrong.slot, wrong.found) == ("polarity", "bans")


@pytest.mark.parametrize(
    ("statement", "is_same"),
    [
        ("The SEC lost to Coinbase", True),
        ("Coinbase won against the SEC", True),
        ("The SEC beat Coinbase", False),
        ("Coinbase lost to the SEC", False),
    ],
)
def test_a_court_outcome_is_compared_regardless_of_party_order(statement: str, is_same: bool) -> None:
    parsed_claim, passage = claim(statement), claim("Appeals court rules for Coinbase against the SEC.")
    outcome = compare_outcomes(parsed_claim.actions[0], parsed_claim, passage)
    assert outcome is not None
    assert outcome.is_same is is_same


def test_who_was_sued_did_not_lose_a_case_that_was_dropped() -> None:
    record = "SEC sues Coinbase. The case was dismissed in May 2025."
    assert _compare_texts("Coinbase lost the case", record)[1]
    assert not _compare_texts("Coinbase won the case", record)[1]


@pytest.mark.parametrize(
    ("statement", "passage", "language"),
    [
        ("The offer had no insurance", "The offer came with insurance.", "en"),
        ("该公司没有任何牌照", "该公司持有牌照。", "zh"),
    ],
)
def test_what_the_claim_calls_absent_and_the_record_tells_differs(
    statement: str, passage: str, language: Language
) -> None:
    assert _compare_texts(statement, passage, language)[1]


def test_a_condition_is_no_denial() -> None:
    record = "Kraken must hold a licence of the SEC."
    assert not _compare_texts("Kraken may not trade without a licence from the SEC", record)[1]


@pytest.mark.parametrize(
    ("statement", "passage", "language"),
    [
        ("同社は許可を取らないまま上場した", "当局は後に上場を許可した。", "ja"),
        ("同社は承認を得ずに上場した", "当局は後に上場を承認した。", "ja"),
        ("该平台没有获批就上线", "该平台后来获批。", "zh"),
    ],
)
def test_what_was_done_without_something_does_not_deny_it(
    statement: str, passage: str, language: Language
) -> None:
    assert not _compare_texts(statement, passage, language)[1]


@pytest.mark.parametrize(
    ("statement", "passage", "language"),
    [
        (
            "No exchange had ever won a charter until Kraken got one",
            "The first exchange wins a charter.",
            "en",
        ),
        (
            "同社が株式を公開するまで、取引所は一社も上場していなかった",
            "同社は上場した初の取引所となった。",
            "ja",
        ),
        (
            "No private shop is to be forced to take coins",
            "Acceptance by the private sector is voluntary.",
            "en",
        ),
        ("当局に登録しないまま営業することはできなくなった", "法律が施行され、登録を義務づけた。", "ja"),
        ("并非非得监管机构批准不可", "银行无须取得批准。", "zh"),
        ("价格直到周一才不再低于一美元", "价格在周一之前低于一美元。", "zh"),
        ("规则被废除", "废除税务规则的决议成为法律。", "zh"),
    ],
)
def test_a_negation_that_says_the_same_as_the_record_does_not_differ(
    statement: str, passage: str, language: Language
) -> None:
    assert not _compare_texts(statement, passage, language)[1]


@pytest.mark.parametrize(
    ("statement", "passage", "language"),
    [
        ("The chain that did not fork lives on", "The network forks.", "en"),
        ("分岐しなかったチェーンは今も動いている", "ネットワークが分岐。", "ja"),
        ("没有跟着分叉走的旧链依然运行", "网络分叉。", "zh"),
    ],
)
def test_a_denial_that_only_describes_a_noun_denies_no_act(
    statement: str, passage: str, language: Language
) -> None:
    assert not _compare_texts(statement, passage, language)[1]


@pytest.mark.parametrize(
    ("statement", "passage", "language"),
    [
        ("The network did not fork", "The network forks.", "en"),
        ("The network, which did not fork, is slow", "The network forks.", "en"),
        ("Kraken is the network that did not fork", "The network forks.", "en"),
        ("It was the network that did not fork", "The network forks.", "en"),
        ("同社は出金を停止しないで営業した", "同社は出金を停止した。", "ja"),
        ("当局は上場を承認しない結論を出した", "当局が上場を承認。", "ja"),
        ("监管机构未批准基金", "监管机构批准基金。", "zh"),
        ("监管机构从未批准基金", "监管机构批准基金。", "zh"),
        ("未批准任何比特币的基金，监管机构表示", "监管机构批准基金。", "zh"),
        ("ネットワークは分岐しなかった", "ネットワークが分岐。", "ja"),
        ("当局は上場を承認しない方針だ", "当局が上場を承認。", "ja"),
        ("监管机构没有批准交易所的申请", "监管机构批准申请。", "zh"),
    ],
)
def test_a_denial_of_the_whole_statement_differs(statement: str, passage: str, language: Language) -> None:
    assert _compare_texts(statement, passage, language)[1]


@given(st.sampled_from(sorted(load_verbs())), st.booleans())
def test_a_claim_never_contradicts_itself(verb: str, affirmed: bool) -> None:
    one = ParsedStatement("text", "en", actions=(Action(verb, affirmed, 0, 4, "text"),))
    for is_record in (False, True):
        assert compare_actions(one, one, is_record=is_record) == (1, None)


@given(st.sampled_from(sorted(load_verbs())))
def test_an_affirmed_and_a_negated_action_differ(verb: str) -> None:
    statement = ParsedStatement("text", "en", actions=(Action(verb, True, 0, 4, "text"),))
    denied = ParsedStatement("text", "en", actions=(Action(verb, False, 0, 4, "text"),))
    assert compare_actions(statement, denied)[1] is not None
    assert compare_actions(denied, statement)[1] is not None


def test_a_polarity_difference_is_reported() -> None:
    from tests.backend.sources.evidence import APPROVAL

    comparison = held("The SEC rejected spot bitcoin ETFs on 10 January 2024.", APPROVAL)
    assert slots(comparison) == {"polarity"}


@pytest.mark.parametrize(
    ("statement", "passage", "language"),
    [
        ("The upgrade brought the bomb forward", "The upgrade delays the bomb.", "en"),
        ("The attacker kept all of the money", "The attacker gave nearly all of it back.", "en"),
        ("The president blocked the repeal of the rule", "Repeal of the rule becomes law.", "en"),
        ("The order directs work on the coin", "The order barred work on the coin.", "en"),
        ("The firm declined to replace the coins", "The firm replaced the coins on the next day.", "en"),
        ("The bank halted its coin project", "The bank starts the next phase of its coin project.", "en"),
        ("取引所は34万ETHの流出を免れた", "取引所から34万ETHが流出した。", "ja"),
        ("同社は売却を断念した", "同社は売却した。", "ja"),
        ("行政令下令研发数字货币", "行政令禁止推进数字货币。", "zh"),
        ("公司撤回了上市计划", "公司在交易所上市。", "zh"),
        ("交易所让用户承担损失", "损失由基金全额承担。", "zh"),
    ],
)
def test_a_reversed_action_in_other_words_differs(statement: str, passage: str, language: Language) -> None:
    same_day = compare_actions(
        claim(statement, language), claim(passage, language), is_record=True, is_on_event_day=True
    )
    assert same_day[1] is not None


def test_an_action_that_the_claim_presupposes_does_not_differ() -> None:
    rescinded, gone = "SECは指針SAB121を撤回した", "SAB121が撤回され、負債として計上させる指針がなくなった。"
    assert not _compare_texts(rescinded, gone, "ja")[1]


def test_a_party_in_the_name_of_a_case_is_not_a_party_of_the_outcome() -> None:
    record = "上诉法院裁定币安胜诉SEC。"
    assert _compare_texts("SEC在币安案中胜诉", record, "zh")[1]
    assert not _compare_texts("SEC在币安案中败诉", record, "zh")[1]


def test_a_sale_by_the_buyer_of_a_record_contradicts_its_purchase() -> None:
    record = claim("Tesla discloses a purchase of 4,710 BTC.\nThe firm announced its first purchase.")
    _, difference = compare_actions(claim("Tesla sold 4,710 BTC in May."), record, is_record=True)
    assert difference is not None


def test_a_sale_by_a_buyer_outside_of_the_catalogue_contradicts_its_purchase() -> None:
    record = claim("コヤマデンキ、5000万ドル分のビットコインを購入", "ja")
    sale, purchase = (
        claim(f"コヤマデンキは5000万ドル分のビットコインを{act}した。", "ja") for act in ("売却", "購入")
    )
    assert compare_actions(sale, record, is_record=True)[1] is not None
    assert compare_actions(purchase, record, is_record=True)[1] is None


def test_what_both_texts_lack_does_not_differ_in_other_words() -> None:
    record = claim("The network opens. It had no token of its own at launch.")
    _, difference = compare_actions(
        claim("The network opened without a token of its own."), record, is_record=True
    )
    assert difference is None
    _, difference = compare_actions(
        claim("The network opened with a token of its own."), record, is_record=True
    )
    assert difference is not None


def test_to_whom_something_is_no_longer_offered_is_not_denied() -> None:
    record = claim("公司同意停止在美国提供该产品。", "zh")
    _, difference = compare_actions(claim("公司同意不再向美国用户提供该产品。", "zh"), record, is_record=True)
    assert difference is None


@pytest.mark.parametrize(
    ("statement", "record"),
    [
        ("未注册提供期权，平台被罚款。", "平台未经注册提供期权，被罚款。"),
        ("因账户没有注册，公司被罚款。", "公司因账户未注册被罚款。"),
    ],
)
def test_unregistered_in_other_words_does_not_differ(statement: str, record: str) -> None:
    assert _compare_texts(statement, record, "zh")[1] is False


def test_who_bought_did_not_sell() -> None:
    record = "Square买入约4709枚比特币。"
    assert _compare_texts("Square抛售约4709枚比特币。", record, "zh")[1] is True
    assert _compare_texts("Square购入约4709枚比特币。", record, "zh")[1] is False
    assert _compare_texts("Marshals will sell 100 bitcoin.", "Draper will buy 100 bitcoin.")[1] is False


def test_what_stayed_barred_in_the_claim_and_was_allowed_later_differs() -> None:
    record = "監督庁、少額の投信の販売を禁止。投信は2025年10月8日に再び認められた。"
    assert _compare_texts("監督庁が禁じた投信は、2025年の末にも解禁されないままだった。", record, "ja")[1]
    assert not _compare_texts("監督庁が禁じた投信は、2025年に解禁された。", record, "ja")[1]


def test_what_was_not_included_in_japanese_is_denied() -> None:
    record = "SEC、取引所を提訴。資金を混ぜたとの主張もした。"
    assert _compare_texts("SECは取引所を訴えたが、資金を混ぜたとの主張は含めなかった。", record, "ja")[1]
