"""Names that are like a listed person's name, and mean somebody else."""

import pytest

from backend.articles.engine import scan
from backend.articles.matching.rule_set import compile_rules
from backend.articles.schemas import Article
from backend.entities.model import Language
from tests.backend.articles.packs import entity, pack, rule

RULES = compile_rules(
    [
        pack(
            entity(
                "Karol Stone", type="person", names={"en": "Karol Stone", "ja": "石田和也", "zh": "石和业"}
            ),
            entity("Zebralis"),
            rule(["石田和弥", "石和夜", "Karol Stoan"], id="stone-spelling", entity="karol-stone"),
            rule(["zebralium"], id="zebralis-spelling", entity="zebralis"),
            context_words={"en": ["blockchain"], "ja": ["暗号資産"], "zh": ["加密"]},
        )
    ]
)


def found(text: str, language: Language) -> list[str]:
    result = scan(RULES, Article.model_validate({"content": text, "language": language}))
    return [violation["matched_text"] for violation in result["violations"]]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("店主石和夜（化名）从不买加密货币。", "zh"),
        ("网友给他起了个外号叫“石和夜”。", "zh"),
        ("石田和弥さん（42）は暗号資産を買わない。", "ja"),
        ("「石田和弥」というあだ名の暗号資産投資家。", "ja"),
        ("Karol Stoan (a pseudonym) buys no blockchain shares.", "en"),
        ('A blockchain engineer nicknamed "Karol Stoan" left.', "en"),
    ],
)
def test_pseudonyms_nicknames_and_private_persons_are_no_slips(text: str, language: Language) -> None:
    assert found(text, language) == []


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("石和夜创办了加密公司。", "zh"),
        ("石田和弥氏（42）は暗号資産会社を創業した。", "ja"),
        ("Karol Stoan founded a blockchain firm.", "en"),
    ],
)
def test_other_mentions_of_a_person_are_still_found(text: str, language: Language) -> None:
    assert len(found(text, language)) == 1


def test_a_pseudonym_speaks_for_the_other_persons_of_its_sentence_alone() -> None:
    assert found("石和夜（化名）和石和夜都没有来。石和夜创办了加密公司。", "zh") == ["石和夜"]


def test_overlapping_sentences_of_pseudonyms_leave_the_next_sentence_alone() -> None:
    text = "Karol Stoan (a pseudonym) " * 200

    assert found(text + ". Karol Stoan founded a blockchain firm.", "en") == ["Karol Stoan"]


@pytest.mark.parametrize(
    ("text", "is_corrected"),
    [
        ("The poem calls it libre zebralium, as the old books do.", False),
        ("Many keep zebralium on a blockchain.", True),
        ("The poem calls it Zebralium, as the old books do.", True),
    ],
)
def test_a_word_in_lower_case_is_corrected_without_asking_only_beside_evidence(
    text: str, is_corrected: bool
) -> None:
    result = scan(RULES, Article.model_validate({"content": text, "language": "en"}))

    assert [violation["auto_fixable"] for violation in result["violations"]] == [is_corrected]
