"""What the shipped rules do to sentences of the three languages, all corrections made."""

from pathlib import Path
from typing import Any

import pytest

from backend.articles.engine import apply, correct, scan
from backend.articles.matching.rule_set import RuleSet, compile_rules
from backend.articles.model import Rule
from backend.articles.rules.pack_loader import PackFile, default_files, read_packs
from backend.articles.rules.rules_loader import load_shipped
from backend.articles.schemas import Article
from backend.entities.model import LANGUAGES, Language

PACKS = Path(__file__).parents[3] / "backend" / "articles" / "packs"
ENABLED = ("exchanges", "companies", "regulators", "organizations", "media", "people", "terms")


def sentences(name: str) -> list[Any]:
    """The rows of a table beside this file, whose columns are parted by tabs."""
    text = (Path(__file__).parent / "sentences" / f"{name}.tsv").read_text(encoding="utf-8")
    return [tuple(line.split("\t")) for line in text.splitlines() if line and not line.startswith("#")]


FAULTS = sentences("faults")
"""Language, a sentence with a fault, and the sentence as it is to be."""

NEVER_UNASKED: list[tuple[Language, str]] = [
    ("en", "The U.S. Securities & Exchange Commission sued a crypto exchange."),
    ("en", "Gray scale, Salona, Polka dot, Chain link, Chain Analysis and Shiba inu in crypto"),
    ("en", "Do Kwan, Justin Son, Cathy Wood and Paul Atkin"),
    ("en", "Okex and EOS, two names of crypto"),
    ("ja", "暗号資産のグレイスケール、ビットコン、ラザラス、ビットバング、チェーンリング"),
    ("zh", "加密市场的比特比、币按、必安、稳定弊、稳定比、马斯客、灰渡、只能合约、代弊"),
]
"""Forms that may be right after all: somebody looks before they are corrected."""

RIGHT = sentences("right")
"""Language, and a sentence in which nothing is to be corrected."""


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
def test_a_corrected_sentence_is_not_changed_again(
    rules: RuleSet, language: Language, text: str, right: str
) -> None:
    assert correct(rules, right, language=language).text == right


@pytest.mark.parametrize(("language", "text"), NEVER_UNASKED, ids=[text[:40] for _, text in NEVER_UNASKED])
def test_a_possibly_right_form_needs_approval(rules: RuleSet, language: Language, text: str) -> None:
    article = Article.model_validate({"content": text, "language": language})
    assert scan(rules, article)["violations"]
    assert apply(rules, article)["corrected_article"]["content"] == text


def test_every_pack_is_shipped_with_rules(files: list[PackFile]) -> None:
    shipped = {file.path: file.pack for file in files}
    assert all(shipped[PACKS / f"{name}.yaml"].rules for name in (*ENABLED, "house-styles"))


def test_house_styles_are_disabled_by_default(files: list[PackFile]) -> None:
    (house,) = [file.pack for file in files if file.path.stem == "house-styles"]
    assert house.rules
    assert not any(rule.enabled for rule in house.rules)


def test_an_automatic_rule_has_no_surface_shorter_than_three_characters(files: list[PackFile]) -> None:
    for file in files:
        for rule in file.pack.rules:
            if rule.auto_fix:
                texts = [given if isinstance(given, str) else given.text for given in rule.match]
                assert [text for text in texts if len(text) < 3] == [], rule.id


def test_every_rule_has_a_note_in_all_languages(files: list[PackFile]) -> None:
    for file in files:
        if file.path.stem in (*ENABLED, "house-styles"):
            assert [rule.id for rule in file.pack.rules if not says_why_in_all_languages(rule)] == []


def says_why_in_all_languages(rule: Rule) -> bool:
    return isinstance(rule.note, dict) and set(rule.note) == set(LANGUAGES) and all(rule.note.values())


def test_every_derived_rule_has_a_note_in_all_languages() -> None:
    derived = [compiled.rule for compiled in load_shipped().rules.rules if compiled.derived]
    assert len(derived) > 400
    assert [rule.id for rule in derived if not says_why_in_all_languages(rule)] == []


def test_the_default_rules_have_at_least_1500_wrong_forms(files: list[PackFile]) -> None:
    surfaces = [given for file in files for rule in file.pack.rules if rule.enabled for given in rule.match]
    assert len(surfaces) >= 1500
