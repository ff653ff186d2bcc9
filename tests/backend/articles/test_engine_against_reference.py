"""The engine finds what a slow and plain matcher finds."""

from hypothesis import given, settings

from backend.articles.matching.field_matcher import FieldMatcher
from backend.articles.matching.rule_set import compile_rules
from backend.articles.model import FieldName, Pack
from backend.entities.model import Language
from tests.backend.articles.reference.matcher import Finding, Reference
from tests.backend.articles.strategies import languages, packs, texts
from tests.support.laws import examples


def read(pack: Pack, text: str, language: Language, *, is_title: bool = False) -> FieldMatcher:
    field: FieldName = "title" if is_title else "content"
    reading = FieldMatcher(compile_rules([pack]), text, field, field, language)
    reading.choose(lambda start, _, meaning: reading.evidence.supports(start, meaning))
    return reading


def seen(reading: FieldMatcher) -> list[Finding]:
    return [
        Finding(
            start,
            end,
            meaning.entity,
            meaning.rule.id if meaning.rule else None,
            right,
            meaning.rule.auto_fix if meaning.rule else False,
        )
        for start, end, meaning, right in reading.found
    ]


@settings(max_examples=examples(300), deadline=None)
@given(packs(), texts(), languages)
def test_the_engine_finds_what_the_reference_matcher_finds(pack: Pack, text: str, language: Language) -> None:
    reading = read(pack, text, language)
    assert seen(reading) == Reference(pack).read(reading.visible, language)


@settings(max_examples=examples(100), deadline=None)
@given(packs(), texts(markup=False), languages)
def test_the_engine_matches_the_reference_in_titles(pack: Pack, text: str, language: Language) -> None:
    reading = read(pack, text, language, is_title=True)
    assert seen(reading) == Reference(pack).read(reading.visible, language, is_title=True)
