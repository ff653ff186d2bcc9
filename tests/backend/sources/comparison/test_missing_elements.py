"""Tests which elements of a claim a passage about its event leaves open."""

import pytest

from backend.entities.mention import Mention
from backend.entities.model import Language
from backend.sources.claims.claim_parser import parse_claim
from backend.sources.claims.model import ComparedValue
from backend.sources.comparison.missing_elements import find_missing_elements
from tests.backend.sources.evidence import claim

PASSAGE = "SEC sues Kraken. The complaint of November 2023 said that the exchange ran without registration."


def missing(statement: str, passage: str = PASSAGE, language: Language = "en") -> set[tuple[str, str]]:
    claim_slots, passage_slots = claim(statement, language), claim(passage, language)
    passage_entities = {mention.entity_id for mention in passage_slots.mentions}
    return {
        (element.kind, element.text)
        for element in find_missing_elements(
            claim_slots, passage_slots, [], passage_entities=passage_entities
        )
    }


def test_a_claim_covered_by_the_passage_has_no_missing_elements() -> None:
    assert missing("The SEC sued Kraken in November 2023.") == set()


@pytest.mark.parametrize(
    ("claimed", "told"), [("Alex Ulrix", "Alexander Ulrix"), ("Alexander Ulrix", "Alex Ulrix")]
)
def test_a_first_name_may_be_shorter_or_longer_than_that_of_the_passage(claimed: str, told: str) -> None:
    def list_missing(name: str) -> set[str]:
        text = f"The SEC sued {name}."
        statement = parse_claim(text, "en", [Mention("a-person", text.index(name), len(text) - 1, name)])
        passage = claim(f"SEC sues {told}.")
        return {each.text for each in find_missing_elements(statement, passage, [], passage_entities={"sec"})}

    assert list_missing(claimed) == set()
    assert list_missing("Anna Ulrix") == {"Anna Ulrix"}


def test_a_subject_in_han_or_kana_that_the_passage_does_not_name_is_missing() -> None:
    record = "嘉德将Beeple的NFT作品卖出。"
    assert ("name", "保利尔") in missing("保利尔将Beeple的NFT作品卖出。", record, "zh")
    assert missing("嘉德在当日将Beeple的NFT作品卖出。", record, "zh") == set()


@pytest.mark.parametrize(
    ("statement", "element"),
    [
        ("The SEC sued Kraken over 40 customers.", ("figure", "40 customers")),
        ("The SEC sued Kraken and Coinbase.", ("name", "Coinbase")),
        ("The SEC sued Kraken in a court in Nigeria.", ("place", "Nigeria")),
        ("The SEC sued Kraken in a court in Osaka.", ("place", "Osaka")),
        ("The SEC sued Kraken in a court in Myanmar.", ("place", "Myanmar")),
        ("The SEC sued Japan's Kraken.", ("place", "Japan")),
        ("The SEC sued Kraken and went on to win the case.", ("act", "win the case")),
        ("Within forty minutes of the hearing the SEC sued Kraken for 12 hours.", ("figure", "12 hours")),
        ("The SEC sued Kraken before a jury.", ("qualifier", "jury")),
        ("The SEC was the first to sue Kraken.", ("qualifier", "The SEC was the first to sue Kraken")),
        ("The SEC is still suing Kraken.", ("qualifier", "The SEC is still suing Kraken")),
        ("The SEC planned to sue Kraken.", ("modality", "planned")),
        ("The SEC sued Kraken for the third time.", ("figure", "third")),
        ("The SEC sued Kraken under file 99812.", ("figure", "99812")),
        (
            "The SEC sued Kraken, after gloomy weather had ruined every picnic.",
            ("clause", "after gloomy weather had ruined every picnic"),
        ),
    ],
)
def test_each_kind_of_missing_element_is_found(statement: str, element: tuple[str, str]) -> None:
    assert element in missing(statement)


def test_a_negation_is_missing_if_the_passage_has_no_negation() -> None:
    (found,) = missing("The SEC never sued Kraken.", "SEC sues Kraken. The complaint came in November.")
    assert found[0] == "negation"


@pytest.mark.parametrize(
    "statement",
    [
        "The SEC sued Kraken, a month after nothing.",  # durations can be worked out
        "The SEC sued Kraken (Payward).",  # a gloss names the word before it once more
        "Regulators: the SEC sued Kraken.",  # a first word is no name
        "The SEC (USSEC) sued Kraken.",  # nor is an acronym
    ],
)
def test_elements_that_need_no_source_are_not_missing(statement: str) -> None:
    assert {kind for kind, _ in missing(statement)} <= {"negation"}


def test_only_figures_and_names_can_be_missing_in_a_passage_of_another_language() -> None:
    statement = claim("The SEC was the first to sue Kraken, in Nigeria.")
    passage = claim("SECがKrakenを提訴", "ja")
    assert find_missing_elements(statement, passage, [], passage_entities={"sec", "kraken"}) == frozenset()


def test_a_denial_is_quoted_with_its_clause_from_the_first_word() -> None:
    statement = "コインチェックは分裂したあとも採掘の方式に手を付けず、同じものを使い続けた"
    found = missing(statement, "コインチェックが採掘の方式を変更した。", "ja")
    assert ("negation", statement.partition("、")[0]) in found


def test_a_double_negation_is_not_a_missing_negation() -> None:
    passage = "SEC registers Kraken. Exchanges must hold a licence."
    assert missing("Kraken may not trade without a licence from the SEC.", passage) == set()


@pytest.mark.parametrize(
    ("statement", "language", "kind"),
    [
        ("SECは初めてKrakenを提訴した。", "ja", "qualifier"),
        ("SECはKrakenを3度目に提訴した。", "ja", "figure"),
        ("SEC首次起诉Kraken。", "zh", "qualifier"),
        ("SEC至今仍在起诉Kraken。", "zh", "qualifier"),
        ("SEC第三次起诉Kraken。", "zh", "figure"),
    ],
)
def test_missing_qualifiers_and_ordinals_are_found_in_japanese_and_chinese(
    statement: str, language: Language, kind: str
) -> None:
    passage = {"ja": "SECがKrakenを提訴", "zh": "SEC起诉Kraken"}[language]
    assert kind in {found for found, _ in missing(statement, passage, language)}


@pytest.mark.parametrize(
    "statement",
    [
        "The SEC accused Kraken of running without registration.",  # a suit is a charge
        "The SEC filed a complaint against Kraken.",
    ],
)
def test_an_act_that_another_one_bears_out_is_not_missing(statement: str) -> None:
    assert not {element for element in missing(statement) if element[0] == "act"}


@pytest.mark.parametrize("act", ["fined", "vetoed", "was spared"])
def test_an_act_that_no_act_of_the_passage_bears_out_is_missing(act: str) -> None:
    assert "act" in {kind for kind, _ in missing(f"The SEC sued Kraken and {act} it.")}


def test_a_second_date_without_a_counterpart_is_missing() -> None:
    statement = claim("The SEC sued Kraken in November 2023 and heard it in May 2028.")
    agreed = [ComparedValue("date", "November 2023", "November 2023")]
    elements = find_missing_elements(statement, claim(PASSAGE), agreed, passage_entities=())
    assert ("figure", "May 2028") in {(element.kind, element.text) for element in elements}


def test_what_was_new_is_told_by_the_word_first_too() -> None:
    first = "SEC sues a crypto lender for the first time."
    assert not missing("Until November the SEC had never sued a crypto lender.", first)
    assert missing("Until November the SEC had never sued a crypto lender.", "SEC sues a crypto lender.")


def test_a_short_first_name_is_the_same_person() -> None:
    passage = "Alexander Mashinsky was sentenced to 12 years in prison."
    assert missing("The court sentenced Alex Mashinsky to 12 years in prison.", passage) == set()


def test_a_capital_stands_for_its_state() -> None:
    passage = "The SEC sues Kraken. Germany and Finland seized its servers."
    assert missing("The SEC sued Kraken; Helsinki seized the servers.", passage) == set()


def test_the_one_who_repaid_a_theft_is_not_the_thief() -> None:
    passage = (
        "An attacker takes 120,000 ether from the bridge. Kraken sued the attacker; Coinbase refunded all."
    )
    assert ("act", "stole") in missing("Coinbase stole 120,000 ether from the bridge.", passage)


def test_the_number_of_names_that_the_passage_lists_is_not_missing() -> None:
    record = "Kraken, Coinbase and Tesla are sued by the SEC."
    assert missing("The SEC sued three firms.", record) == set()
    assert ("figure", "four firms") in missing("The SEC sued four firms.", record)


@pytest.mark.parametrize(
    ("language", "statement", "record"),
    [
        ("ja", "取引所は管理体制などの不備を問われた。", "取引所の管理体制に不備があったとした。"),
        ("ja", "仮想通貨を使うだけの個人は業者に該当しない。", "個人の利用者は業者に当たらない。"),
        ("ja", "最初に扱った4銘柄に莱が入った。", "当初の対象は4種で、莱が入った。"),
        ("zh", "矿工每个区块只能拿到12枚。", "每个区块的奖励减至12枚，矿工拿到。"),
        ("zh", "总量最多只会发行8400万枚。", "总量上限为8400万枚，由其发行。"),
        ("zh", "两种与美元挂钩的稳定币获批。", "该局批准两种锚定美元的稳定币。"),
        (
            "en",
            "Cash makes up only 700 million dollars of the price.",
            "It pays 700 million dollars in cash.",
        ),
        ("ja", "当初の取り扱いは4銘柄に限られた。", "当初の取り扱いは4種だった。"),
        ("ja", "両者の履歴は第9ブロックまで共通している。", "両者の共通の履歴は第9ブロックまで。"),
        ("zh", "该集团将其全部收购。", "该集团将其收购为子公司。"),
    ],
)
def test_words_that_limit_nothing_need_no_source(language: Language, statement: str, record: str) -> None:
    assert not {kind for kind, _ in missing(statement, record, language)} & {"qualifier", "act"}


def test_only_before_a_figure_of_the_source_claims_nothing_more() -> None:
    record = "The limit rises from 32 BTC to 64 BTC."
    agreed = [ComparedValue("figure", "32 BTC", "32 BTC")]
    elements = find_missing_elements(
        claim("The limit had been only 32 BTC."), claim(record), agreed, passage_entities=set()
    )
    assert not {element.kind for element in elements} & {"qualifier"}
    assert "qualifier" in {kind for kind, _ in missing("Only Kraken sued.", "Kraken sued.")}


def test_half_of_a_sum_is_a_figure_and_no_act() -> None:
    record = "和解金は6000万ドル。両者に3000万ドルずつ支払う。"
    assert missing("和解金は6000万ドルで、半分ずつ支払う。", record, "ja") <= {("figure", "6000万ドル")}


def test_had_never_before_says_first_and_not_that_others_did() -> None:
    kinds = {
        kind
        for kind, _ in missing(
            "Kraken had never bought bitcoin before it opened.", "Kraken makes its first purchase of bitcoin."
        )
    }
    assert "qualifier" not in kinds
