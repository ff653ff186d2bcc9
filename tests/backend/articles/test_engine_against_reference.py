"""The engine finds what a slow and plain matcher finds."""

from hypothesis import given, settings

from backend.articles.matching.matched_field import MatchedField
from backend.articles.matching.rule_set import compile_rules
from backend.articles.model import FieldName, Pack
from backend.entities.model import Language
from tests.backend.articles.reference.matcher import Finding, Reference
from tests.backend.articles.strategies import languages, packs, texts
from tests.support.test_session.property_tests import examples


def read(pack: Pack, text: str, language: Language, *, is_title: bool = False) -> MatchedField:
    field: FieldName = "title" if is_title else "content"
    matched_field = MatchedField(compile_rules([pack]), text, field, field, language)
    matched_field.find_occurrences(lambda start, _, meaning: matched_field.evidence.supports(start, meaning))
    return matched_field


def seen(matched_field: MatchedField) -> list[Finding]:
    return [
        Finding(
            start,
            end,
            meaning.entity,
            meaning.rule.id if meaning.rule else None,
            right,
            meaning.rule.auto_fix if meaning.rule else False,
        )
        for start, end, meaning, right in matched_field.occurrences
    ]


@settings(max_examples=examples(300), deadline=None)
@given(packs(), texts(), languages)
def test_the_engine_finds_what_the_reference_matcher_finds(pack: Pack, text: str, language: Language) -> None:
    matched_field = read(pack, text, language)
    assert seen(matched_field) == Reference(pack).read(matched_field.visible, language)


@settings(max_examples=examples(100), deadline=None)
@given(packs(), texts(markup=False), languages)
def test_the_engine_matches_the_reference_in_titles(pack: Pack, text: str, language: Language) -> None:
    matched_field = read(pack, text, language, is_title=True)
    assert seen(matched_field) == Reference(pack).read(matched_field.visible, language, is_title=True)
