"""What is taken for calm without reading the text again is so."""

import pytest
from hypothesis import given, settings

from backend.articles.matching import settling
from backend.articles.matching.article import ReadArticle
from backend.articles.matching.calm import is_calm, stays_calm
from backend.articles.matching.compiled import compile_rules
from backend.articles.model import Pack
from backend.articles.schemas import Article
from backend.entities.model import Language
from tests.backend.articles.packs import pack_of
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
