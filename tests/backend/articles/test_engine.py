"""Names found and corrected in the cases that matchers commonly get wrong."""

import pytest

from backend.articles.engine import Corrected, apply, correct, scan
from backend.articles.matching.rule_set import compile_rules
from backend.articles.schemas import Article
from backend.entities.model import Language
from tests.backend.articles.packs import entity, pack, rule

RULES = compile_rules(
    [
        pack(
            entity(
                "Ethereum",
                names={"en": "Ethereum", "ja": "イーサリアム", "zh": "以太坊"},
                symbols=["ETH"],
                symbols_need_context=False,
            ),
            entity("Ethereum Classic"),
            entity(
                "Bitcoin",
                names={"en": "Bitcoin", "ja": "ビットコイン", "zh": "比特币"},
                symbols=["BTC"],
                symbols_need_context=False,
                case="any",
            ),
            entity("Solana", symbols=["SOL"]),
            entity(
                "Near",
                names={"en": "NEAR", "ja": "ニア"},
                also={"en": ["NEAR Protocol", "Near"]},
                symbols=["NEAR"],
                context=["NEAR", "Near"],
            ),
            entity("Powerledger", former=[{"name": "Power Ledger", "until": "2020"}]),
            entity("Fing"),
            entity("Crypto.com"),
            rule(
                ["Etherium", {"text": "以太访", "not_before": ["客", "问"]}],
                id="ethereum-spelling",
                entity="ethereum",
                suggest={"en": "Ethereum", "ja": "Ethereum", "zh": "以太坊"},
            ),
            rule(["サーバ"], id="server", suggest="サーバー", boundary="none"),
            rule(["コンピュータ"], id="computer", suggest="コンピューター"),
            rule(["on chain"], id="onchain", suggest="onchain", auto_fix=False),
            rule(["crypto bank"], id="bank", suggest=["exchange", "custodian"], type="ambiguous"),
            context_words={"en": ["blockchain"]},
        )
    ]
)


def corrected(text: str, language: Language = "en") -> str:
    return correct(RULES, text, language=language).text


def names(text: str, language: Language = "en") -> list[tuple[str, str]]:
    result = scan(RULES, Article(content=text, language=language))
    return [(match["entity_id"], match["matched_text"]) for match in result["matches"]]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ethereum classics", [("ethereum", "Ethereum")]),
        ("Ethereum Classic", [("ethereum-classic", "Ethereum Classic")]),
        ("Ethereumは", [("ethereum", "Ethereum")]),
        ("éEthereum Ethereum\u0301", []),
        ("Ethereum_x Ethereumx 2Ethereum", []),
        ("ビットコイン", [("bitcoin", "ビットコイン")]),
        ("ヒ\u3099ットコイン", [("bitcoin", "ヒ\u3099ットコイン")]),
        ("ビットコイン\u3099", []),
        ("Ｂｉｔｃｏｉｎ", [("bitcoin", "Ｂｉｔｃｏｉｎ")]),
        ("ﬁng ﬁnger", [("fing", "ﬁng")]),
        ("İ Bitcoin", [("bitcoin", "Bitcoin")]),
        ("100BTC 1,000.5ETH x86BTC", [("bitcoin", "BTC"), ("ethereum", "ETH")]),
        ("btc Btc", []),
        ("カリフォルニア、ニア", [("near", "ニア")]),
        ("$NEAR and $SOL", [("near", "NEAR"), ("solana", "SOL")]),
        ("US$SOL", []),
        ("SOL", []),
        ("SOL on a blockchain", [("solana", "SOL")]),
        ("Near and far", []),
        ("near Near on Bitcoin", [("near", "Near"), ("bitcoin", "Bitcoin")]),
        ("Near\n\nBitcoin", [("bitcoin", "Bitcoin")]),
        ("Near and `Bitcoin`", []),
        ("NEAR Protocol", [("near", "NEAR Protocol")]),
        ("\0Bitcoin\0", [("bitcoin", "Bitcoin")]),
        ("x\nBitcoin\ny", [("bitcoin", "Bitcoin")]),
        ("Crypto.com", [("crypto.com", "Crypto.com")]),
    ],
)
def test_a_scan_finds_names_at_their_offsets(text: str, found: list[tuple[str, str]]) -> None:
    assert names(text) == found


@pytest.mark.parametrize(
    ("text", "language", "right"),
    [
        ("Etherium's fee, etherium-based", "en", "Ethereum's fee, Ethereum-based"),
        ("ETHERIUM SOARS AS BITCOIN FALLS", "en", "ETHEREUM SOARS AS BITCOIN FALLS"),
        ("ETHERIUM soars", "en", "Ethereum soars"),
        ("ETHEREUM soars", "en", "Ethereum soars"),
        ("ETHEREUM SOARS", "en", "ETHEREUM SOARS"),
        ("solana’s", "en", "Solana’s"),
        ("$solana", "en", "$solana"),
        ("ﾋﾞｯﾄｺｲﾝとｲｰｻﾘｱﾑ", "ja", "ビットコインとイーサリアム"),
        ("以太访客看以太访的价格", "zh", "以太访客看以太坊的价格"),
        ("以太访", "ja", "以太坊"),
        ("イーサリアム（Etherium）", "ja", "イーサリアム（Ethereum）"),
        ("昨日、ETHEREUMは上昇", "ja", "昨日、Ethereumは上昇"),
        ("使用ETHERIUM登录", "zh", "使用Ethereum登录"),
        ("サーバとサーバーサイド", "ja", "サーバーとサーバーサイド"),
        ("コンピューターとコンピュータ", "ja", "コンピューターとコンピューター"),
        ("Ｅｔｈｅｒｉｕｍ", "en", "Ethereum"),
        (
            "`Etherium` [Etherium](https://a.example/etherium)",
            "en",
            "`Etherium` [Ethereum](https://a.example/etherium)",
        ),
        ("https://etherium.example/etherium @etherium #etherium", "en", None),
        ("<b title='Etherium'>Etherium</b>", "en", "<b title='Etherium'>Ethereum</b>"),
        ("crypto.com is down", "en", None),
        ("On chain data. It is on chain", "en", "Onchain data. It is onchain"),
        ("a crypto bank", "en", None),
        ("", "en", None),
    ],
)
def test_wrong_forms_are_corrected(text: str, language: Language, right: str | None) -> None:
    assert corrected(text, language) == (text if right is None else right)


def test_corrections_that_would_create_a_violation_are_withheld() -> None:
    crossing = compile_rules(
        [
            pack(
                rule(["Power Ledger"], id="a", suggest="Powerledger"),
                rule(["Powerledger"], id="b", suggest="Power Ledger"),
            )
        ]
    )
    article = Article(content="Power Ledger and Powerledger", language="en")
    result = scan(crossing, article)
    assert [(v["rule_id"], v["auto_fixable"]) for v in result["violations"]] == [("a", False), ("b", False)]
    assert [c["requires_approval"] for c in result["corrections"]] == [True, True]
    assert result["corrected_article"]["content"] == "Powerledger and Power Ledger"
    assert apply(crossing, article)["applied_count"] == 0


def test_a_correction_that_forms_a_violation_with_its_neighbour_is_withheld() -> None:
    joining = compile_rules(
        [
            pack(
                rule(["太访"], id="a", suggest="太坊", auto_fix=True),
                rule(["以太坊币"], id="b", suggest="以太币"),
            )
        ]
    )
    article = Article(content="以太访币，太访", language="zh")
    assert apply(joining, article)["corrected_article"]["content"] == "以太访币，太坊"
    assert [c["auto_fixable"] for c in scan(joining, article)["corrections"]] == [False, True]


def test_a_former_name_beside_the_current_name_is_not_a_violation() -> None:
    for text in ("Powerledger, once Power Ledger, rose.", "Power Ledger (now something else) rose."):
        result = scan(RULES, Article(content=text, language="en"))
        assert result["violations"] == []
        assert "Power Ledger" in [match["matched_text"] for match in result["matches"]]
    apart = scan(RULES, Article(content="Powerledger rose.\n\nPower Ledger fell.", language="en"))
    assert [violation["matched_text"] for violation in apart["violations"]] == ["Power Ledger"]


def test_a_former_name_in_an_uppercase_line_gets_an_uppercase_suggestion() -> None:
    (violation,) = correct(RULES, "POWER LEDGER ROSE", language="en").violations
    assert violation["suggested_name"] == "POWERLEDGER"


def test_former_names_are_reported_and_wait_for_approval() -> None:
    article = Article(content="Power Ledger fell.", language="en")
    result = scan(RULES, article)
    (violation,) = result["violations"]
    assert (violation["rule_id"], violation["violation_type"]) == ("powerledger.former", "former_name")
    assert (violation["suggested_name"], violation["auto_fixable"]) == ("Powerledger", False)
    assert [c["requires_approval"] for c in result["corrections"]] == [True]
    assert apply(RULES, article)["corrected_article"]["content"] == "Power Ledger fell."


def test_an_ambiguous_rule_reports_without_a_correction() -> None:
    result = correct(RULES, "a crypto bank", language="en")
    assert [(v["rule_id"], v["suggested_name"]) for v in result.violations] == [("bank", None)]
    assert result.corrections == []


def test_missing_fields_stay_missing() -> None:
    result = scan(RULES, Article(title="", content=None, tags=[]))
    assert result["corrected_article"] == {
        "id": None,
        "title": "",
        "summary": None,
        "content": None,
        "tags": [],
        "source": None,
        "language": None,
    }
    assert (result["matches"], result["violations"], result["corrections"]) == ([], [], [])


def test_each_tag_is_a_separate_field() -> None:
    result = scan(RULES, Article(tags=["x", "", "Etherium", "NEAR"], language="en"))
    assert [(m["entity_id"], m["field"]) for m in result["matches"]] == [
        ("ethereum", "tags[2]"),
        ("near", "tags[3]"),
    ]
    assert result["corrected_article"]["tags"] == ["x", "", "Ethereum", "NEAR"]


def test_a_tag_that_is_a_common_word_needs_evidence_in_the_article() -> None:
    assert scan(RULES, Article(tags=["NEAR"], content="far", language="en"))["matches"] == []
    found = scan(RULES, Article(tags=["NEAR"], content="blockchain", language="en"))["matches"]
    assert [match["field"] for match in found] == ["tags[0]"]


def test_the_input_is_never_changed() -> None:
    article = Article(content="Etherium", tags=["Etherium"], language="en")
    scan(RULES, article)
    apply(RULES, article)
    assert (article.content, article.tags) == ("Etherium", ["Etherium"])


def test_the_more_severe_of_two_rules_wins_for_one_span() -> None:
    both = compile_rules(
        [
            pack(
                rule(["Abc"], id="a", suggest="X", severity="info"),
                rule(["abc"], id="b", suggest="Y", severity="error"),
            )
        ]
    )
    assert correct(both, "abc", language="en").text == "Y"


def test_a_rule_may_forbid_a_right_name_of_its_entity() -> None:
    house = compile_rules(
        [
            pack(
                entity("Ethereum", names={"en": "Ethereum", "zh": "以太坊"}),
                rule(["Ethereum"], id="house", entity="ethereum", languages=["zh"], case="exact"),
            )
        ]
    )
    assert correct(house, "Ethereum", language="zh").text == "以太坊"
    assert correct(house, "Ethereum", language="en").violations == []


def test_later_packs_disable_and_enable_rules() -> None:
    base = pack(
        entity("Abc"),
        rule(["Abbc"], id="on", entity="abc"),
        rule(["Abcc"], id="off", entity="abc", enabled=False),
    )

    def text(**changes: list[str]) -> str:
        return correct(compile_rules([base, pack(**changes)]), "Abbc Abcc abc", language="en").text

    assert text() == "Abc Abcc Abc"
    assert text(disable=["on"], enable=["off"]) == "Abbc Abc Abc"
    assert text(disable=["abc.case"]) == "Abc Abcc abc"
    assert text(disable=["abc"]) == "Abbc Abcc abc"


def test_a_rule_without_a_known_entity_is_rejected() -> None:
    with pytest.raises(ValueError, match="no pack has such an entity"):
        compile_rules([pack(rule(["x"], entity="nobody"))])
    with pytest.raises(ValueError, match="needs an entity"):
        compile_rules([pack(rule(["x"]))])


def mention(text: str, template: str = "{name} ({symbol})", *, auto_fix: bool = True) -> Corrected:
    first = rule(
        [], id="first", entity="abc", type="missing_symbol", first_mention={"en": template}, auto_fix=auto_fix
    )
    rules = compile_rules(
        [
            pack(
                entity("Abc", symbols=["ABC"], symbols_need_context=False),
                first,
                rule(["Abbc"], id="typo", entity="abc"),
            )
        ]
    )
    result = correct(rules, text, language="en")
    assert correct(rules, result.text, language="en").corrections == []
    return result


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Abc fell. Abc rose.", "Abc (ABC) fell. Abc rose."),
        ("Abc (ABC) fell. Abc rose.", "Abc (ABC) fell. Abc rose."),
        ("Abc(ABC) fell.", "Abc (ABC) fell."),
        ("Abbc fell. Abc rose.", "Abc (ABC) fell. Abc rose."),
        ("Abbc (ABC) fell.", "Abc (ABC) fell."),
        ("ABC fell.", "Abc (ABC) fell."),
        ("Nothing here.", "Nothing here."),
    ],
)
def test_the_first_mention_gets_its_required_form(text: str, right: str) -> None:
    assert mention(text).text == right


def test_a_misspelt_first_mention_is_reported_by_both_rules() -> None:
    result = mention("Abbc fell.", auto_fix=False)
    assert {violation["rule_id"] for violation in result.violations} == {"typo", "first"}
    assert [(c["rule_id"], c["requires_approval"]) for c in result.corrections] == [("typo", True)]


def test_a_first_mention_rule_with_a_symbol_needs_an_entity_with_a_symbol() -> None:
    first = rule([], entity="abc", type="missing_symbol", first_mention={"en": "{name} ({symbol})"})
    with pytest.raises(ValueError, match="no symbol"):
        compile_rules([pack(entity("Abc"), first)])


@pytest.mark.parametrize("written", ["Low Tide eXchange", "Low Tide exchange", "low Tide Exchange"])
def test_capitals_of_a_term_are_the_authors_and_may_show_its_acronym(written: str) -> None:
    names = {"en": "LTX"}
    rules = compile_rules([pack(entity("LTX", type="term", names=names, also={"en": ["low tide exchange"]}))])
    assert correct(rules, f"a {written}", language="en").violations == []
    wrong = correct(rules, "a lOw tide exchange", language="en").violations
    assert [found["suggested_name"] for found in wrong] == ["low tide exchange"]
