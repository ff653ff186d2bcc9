"""A correction that is held back takes no other with it that has no part in what it would do."""

from itertools import pairwise

from backend.articles.engine import apply
from backend.articles.matching.context_evidence import NEAR
from backend.articles.matching.fixpoint import MAX_ROUNDS
from backend.articles.matching.rule_set import compile_rules
from backend.articles.schemas import Article
from tests.backend.articles.packs import entity, pack, rule

RULES = compile_rules(
    [
        pack(
            entity("Aba"),
            rule(["Abba"], id="abba", entity="aba"),
            # Where one of these is put right there is evidence, beside which another mistake counts.
            rule(["Zork"], id="zork", suggest="Aba"),
            rule(["Nea"], id="nea", suggest="Near", context=True),
        )
    ]
)


def test_a_correction_that_creates_a_distant_new_violation_is_withheld() -> None:
    assert apply(RULES, Article(content="Zork and then Nea", language="en"))["applied"] == []
    assert apply(RULES, Article(content="Zork and then Near", language="en"))["applied_count"] == 1


def test_a_withheld_correction_does_not_block_other_paragraphs() -> None:
    text = "Abba rose.\n\nZork fell and Nea did.\n\nAbba fell."
    result = apply(RULES, Article(content=text, language="en"))
    assert result["corrected_article"]["content"] == "Aba rose.\n\nZork fell and Nea did.\n\nAba fell."


def test_a_withheld_correction_does_not_block_other_fields() -> None:
    result = apply(RULES, Article(title="Abba rose", content="Zork fell and Nea did.", language="en"))
    assert result["corrected_article"]["title"] == "Aba rose"


def test_a_paragraph_that_needs_many_rounds_does_not_block_other_paragraphs() -> None:
    """Each name of the chain can be put right only where the next one is, and the last one cannot."""
    names = [chr(ord("乐") + k) for k in range(3 * MAX_ROUNDS)]
    chained = compile_rules(
        [
            pack(
                entity("Aba"),
                rule(["Abba"], id="abba", entity="aba"),
                rule([f"{names[-1]}终"], id="last", suggest="停"),
                *(rule([f"{name}错"], id=f"own-{k}", suggest=name) for k, name in enumerate(names)),
                *(
                    rule([f"{name}{following}错"], id=f"join-{k}", suggest=f"{name}和{following}")
                    for k, (name, following) in enumerate(pairwise(names))
                ),
            )
        ]
    )
    chain = "".join(f"{name}错" for name in names) + "终"
    assert apply(chained, Article(content=chain, language="zh"))["applied"] == []
    result = apply(chained, Article(content=f"Abba\n\n{chain}\n\nAbba", language="zh"))
    assert result["corrected_article"]["content"] == f"Aba\n\n{chain}\n\nAba"


FORMERS = compile_rules(
    [
        pack(
            entity("Aba", former=[{"name": "Olda"}]),
            entity("Fin"),
            rule(["Oldb"], id="oldb", entity="aba", type="former_name"),
            rule(["Finn"], id="finn", entity="fin"),
        )
    ]
)


def test_a_correction_that_would_make_a_nearby_former_name_right_is_withheld() -> None:
    """Corrected, the one is the name of today, beside which the former name is right."""
    assert apply(FORMERS, Article(content="Olda and Oldb fell.", language="en"))["applied"] == []


def test_former_names_do_not_block_corrections_in_other_paragraphs() -> None:
    result = apply(FORMERS, Article(content="Olda fell.\n\nFinn rose.", language="en"))
    assert result["corrected_article"]["content"] == "Olda fell.\n\nFin rose."


def test_a_correction_that_changes_the_suggestion_of_its_neighbour_is_withheld() -> None:
    rules = compile_rules(
        [
            pack(
                entity("Zorbium"),
                rule(["Zorbum"], id="zorbum", entity="zorbium", auto_fix=False),
                rule(["Foow"], id="foow", suggest="フーウ"),
            )
        ]
    )
    # A line with kana is no headline in capitals, so ZORBIUM would become Zorbium.
    assert apply(rules, Article(content="FOOW ZORBUM", language="ja"))["applied"] == []
    assert apply(rules, Article(content="FOOW\nZORBUM", language="ja"))["applied_count"] == 1


def test_a_correction_that_moves_evidence_out_of_range_is_withheld() -> None:
    rules = compile_rules(
        [
            pack(
                entity("Abacus"),
                entity("Near"),
                rule(["Nea"], id="nea", entity="near", context=True, auto_fix=False),
                rule(["Fin"], id="fin", suggest="Finland"),
            )
        ]
    )
    longer = len("Finland") - len("Fin")
    for distance, made in ((NEAR - longer, 1), (NEAR - longer + 1, 0)):
        text = "Abacus Fin".ljust(distance) + "Nea"
        assert apply(rules, Article(content=text, language="en"))["applied_count"] == made


def test_a_correction_that_lets_another_match_begin_is_withheld() -> None:
    rules = compile_rules(
        [
            pack(
                rule(["アバ"], id="abba", suggest="以太坊", boundary="none"),
                rule(["ニア"], id="loose", suggest="ミア", boundary="none", languages=["en"]),
                rule(["ニア"], id="bounded", suggest="ミア"),
            )
        ]
    )
    assert apply(rules, Article(content="アバニア", language="zh"))["applied"] == []
