"""What tells that an ordinary word is a name, and how near it has to stand."""

import pytest

from backend.articles.engine import RuleSet, mentions, scan
from backend.articles.matching.context_evidence import NEAR, NEAR_SYMBOL
from backend.articles.matching.rule_set import compile_rules
from backend.articles.schemas import Article
from tests.backend.articles.packs import entity, pack

RULES = compile_rules(
    [
        pack(
            entity("Zorb", symbols=["ZRB"], context=True),
            entity("Aba", symbols=["ABC"]),
            entity("Softfirm", type="company", symbols=["SFT"]),
            entity("Coinfirm", type="company", evidence=True),
            entity("Daily Coin", type="media", authority="trade_press"),
            entity("Daily World", type="media", authority="press"),
            entity("Aba Foundation", type="organization", authority="official_project"),
            entity("Keyword", type="term", evidence=False),
            entity("ABBA"),
            entity("EFU", type="regulator"),
            context_words={"en": ["blockchain"]},
        )
    ]
)


def found(text: str, rules: RuleSet = RULES) -> set[str]:
    return {entity_id for _, _, entity_id in mentions(rules, text)}


@pytest.mark.parametrize(
    "word", ["blockchain", "Aba", "ABA", "Coinfirm", "Daily Coin", "Aba Foundation", "$ABC"]
)
def test_domain_words_and_names_are_context_evidence(word: str) -> None:
    assert "zorb" in found(f"Zorb on {word} shone.")


@pytest.mark.parametrize("word", ["Softfirm", "Daily World", "Keyword", "EFU", "$SFT", "ABC", "Zorb", "ZRB"])
def test_common_and_ambiguous_names_are_not_context_evidence(word: str) -> None:
    assert "zorb" not in found(f"Zorb by {word} shone.")


@pytest.mark.parametrize(("name", "distance"), [("Zorb", NEAR), ("ZRB", NEAR_SYMBOL)])
def test_evidence_counts_within_a_fixed_distance(name: str, distance: int) -> None:
    assert "zorb" in found("Aba" + " " * (distance - 3) + name)
    assert "zorb" not in found("Aba" + " " * (distance - 2) + name)
    assert "zorb" in found(name + " " * (distance - len(name)) + "Aba")
    assert "zorb" not in found(name + " " * (distance - len(name) + 1) + "Aba")


def test_evidence_does_not_count_across_paragraphs() -> None:
    assert "zorb" in found("Aba rose.\nZorb fell.")
    assert "zorb" not in found("Aba rose.\n\nZorb fell.")


def test_evidence_is_found_in_every_paragraph_when_folding_changes_the_length() -> None:
    paragraph = "ガ" * 30 + " Zorb and Aba, e\u0301 and ﬁne."
    decomposed = paragraph.replace("ガ", "カ\u3099")
    ids = [entity_id for _, _, entity_id in mentions(RULES, "\n\n".join([decomposed, "Zorb", decomposed]))]
    assert ids == ["zorb", "aba", "zorb", "aba"]


def test_a_lowercase_acronym_needs_context_evidence() -> None:
    def wrong(text: str) -> list[str]:
        violations = scan(RULES, Article(content=text, language="en"))["violations"]
        return [violation["suggested_name"] or "" for violation in violations]

    assert wrong("The package efu is installed.") == []
    assert wrong("The efu looks into blockchain firms.") == ["EFU"]
    assert wrong("The package coinfirm is installed.") == ["Coinfirm"]


def test_mentions_equal_the_matches_of_a_scan() -> None:
    text = "Zorb and Aba, ABBA and Coinfirm.\n\nZorb\n\ncoinfirm on $SFT, `Aba`."
    matches = scan(RULES, Article(content=text))["matches"]
    assert mentions(RULES, text) == [
        (match["start_offset"], match["end_offset"], match["entity_id"]) for match in matches
    ]
    assert len(matches) == 6
