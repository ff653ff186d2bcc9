"""What is taken for calm without reading the text again is so."""

import pytest
from hypothesis import given, settings

from backend.articles.engine import apply
from backend.articles.matching import settling
from backend.articles.matching.article import ReadArticle
from backend.articles.matching.calm import is_calm, stays_calm
from backend.articles.matching.compiled import RuleSet, compile_rules
from backend.articles.matching.context import NEAR
from backend.articles.matching.fixing import Fix
from backend.articles.model import Pack
from backend.articles.schemas import Article
from backend.entities.model import Language
from tests.backend.articles.packs import entity, pack, pack_of, rule
from tests.backend.articles.strategies import languages, packs, texts


@settings(max_examples=150, deadline=None)
@given(packs(), texts(), languages)
def test_calm_corrections_change_nothing_else(pack: Pack, text: str, language: Language) -> None:
    read = ReadArticle(compile_rules([pack]), Article(content=text, language=language))
    fixes = {field.reading.path: field.fixes for field in read.fields if field.fixes}
    if fixes and is_calm(read, fixes):
        assert settling._blamed(read, fixes) == set()
        if stays_calm(read, fixes):
            some = {path: listed[::2] for path, listed in fixes.items()}
            assert settling._blamed(read, some) == set()


@pytest.mark.parametrize(
    "text",
    [
        "Then Abba fell.",
        "Abba, abba and Abba: all of them",
        "今日Abba価格は",
        "(Abba) and [Abba](https://a.example/abba)",
        "Near Abba and Near field",
    ],
)
def test_a_name_in_a_sentence_needs_no_second_reading(text: str) -> None:
    rules = compile_rules([pack_of("Aba", "Abba"), pack_of("Near", "Nea", context=True)])
    read = ReadArticle(rules, Article(content=text, language="en"))
    assert is_calm(read, {"content": read.fields[0].fixes})


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


def read_of(rules: RuleSet, text: str, language: Language = "en") -> ReadArticle:
    return ReadArticle(rules, Article(content=text, language=language))


def auto_fixes(read: ReadArticle) -> dict[str, list[Fix]]:
    return {"content": [fix for fix in read.fields[0].fixes if fix.auto]}


def test_a_former_name_that_stays_beside_one_that_is_corrected_is_no_calm_matter() -> None:
    """Corrected, the one is the name of today, beside which the other is right."""
    read = read_of(FORMERS, "Olda and Oldb fell.")
    assert [fix.auto for fix in read.fields[0].fixes] == [False, True]
    assert not is_calm(read, auto_fixes(read))
    assert settling._blamed(read, auto_fixes(read)) != set()


def test_former_names_of_which_only_one_is_fixed_unasked_are_applied_to_the_same_end() -> None:
    once = apply(FORMERS, Article(content="Olda and Oldb fell.", language="en"))
    twice = apply(FORMERS, Article.model_validate(once["corrected_article"]))
    assert twice["applied_count"] == 0
    assert once["applied_count"] == 0  # it would make a correction right that waits for approval


def test_former_names_in_other_paragraphs_disturb_nothing() -> None:
    read = read_of(FORMERS, "Olda fell.\n\nFinn rose.")
    assert is_calm(read, auto_fixes(read))
    assert settling._blamed(read, auto_fixes(read)) == set()


def test_no_selection_is_called_calm_where_former_names_stand() -> None:
    read = read_of(FORMERS, "Olda and Oldb fell.")
    assert not stays_calm(read, {"content": read.fields[0].fixes})


def test_a_latin_word_that_goes_may_change_how_a_slip_beside_it_is_corrected() -> None:
    rules = compile_rules(
        [
            pack(
                entity("Zorbium", names={"en": "Zorbium", "ja": "ゾービアム"}),
                rule(["Zorbum"], id="zorbum", entity="zorbium", auto_fix=False),
                rule(["Foow"], id="foow", suggest="フーウ"),
            )
        ]
    )
    read = read_of(rules, "Foow Zorbumが上昇", "ja")
    assert [fix.text for fix in read.fields[0].fixes] == ["フーウ", "Zorbium"]
    assert not is_calm(read, auto_fixes(read))
    assert settling._blamed(read, auto_fixes(read)) != set()
    apart = read_of(rules, "Foowが上昇、Zorbumも", "ja")
    assert is_calm(apart, auto_fixes(apart))


def test_a_correction_may_move_evidence_too_far_away() -> None:
    rules = compile_rules(
        [
            pack(
                entity("Abacus"),
                entity("Near"),
                rule(["Nea"], id="nea", entity="near", context=True),
                rule(["Fin"], id="fin", suggest="Finland"),
            )
        ]
    )

    def longer(distance: int) -> tuple[ReadArticle, dict[str, list[Fix]]]:
        read = read_of(rules, "Abacus Fin".ljust(distance) + "Nea")
        assert [fix.text for fix in read.fields[0].fixes] == ["Finland", "Near"]
        return read, {"content": read.fields[0].fixes[:1]}

    assert is_calm(*longer(NEAR - 4))
    assert not is_calm(*longer(NEAR - 3))
    assert settling._blamed(*longer(NEAR - 3)) != set()


def test_a_boundary_of_one_meaning_alone_is_seen_beside_a_correction() -> None:
    rules = compile_rules(
        [
            pack(
                rule(["アバ"], id="abba", suggest="以太坊", boundary="none"),
                rule(["ニア"], id="loose", suggest="ミア", boundary="none", languages=["en"]),
                rule(["ニア"], id="bounded", suggest="ミア"),
            )
        ]
    )
    read = read_of(rules, "アバニア", "zh")
    assert [fix.text for fix in read.fields[0].fixes] == ["以太坊"]
    assert not is_calm(read, auto_fixes(read))
    assert apply(rules, Article(content="アバニア", language="zh"))["applied"] == []
