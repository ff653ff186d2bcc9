"""Case, width and composition fold away, and every place leads back to the original."""

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from backend.articles.text.folding import MAX_MARKS_PER_BASE, Folded, fold, plain

AWKWARD = "AaＡａİIiıſςΣσßﬁﬃｶﾞﾊﾟガパ\u3099\u309a\u0301\u0308\u0307\u0323eEかー・ｰ･　 \u00a0’'‐-0０𝐀😀가\n한"
texts = st.text(alphabet=st.one_of(st.sampled_from(AWKWARD), st.characters(codec="utf-8")), max_size=60)


def spans(folded: Folded) -> list[tuple[int, int]]:
    """The original's piece for every piece of the folded text that may be cut out."""
    places = [at for at in range(len(folded.text) + 1) if folded.to_original(at, at) is not None]
    return [folded.to_original(a, b) for a, b in pairwise(places)]


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Bitcoin", "bitcoin"),
        ("ＢＩＴcoin", "bitcoin"),
        ("ﾋﾞｯﾄｺｲﾝ", "ビットコイン"),
        ("か\u3099ス", "がス"),
        ("ヒ\uff9eット", "ビット"),
        ("ﬁnance", "finance"),
        ("BİTCOİN", "bitcoin"),
        ("ΒΣ ΒΣΑ", "βσ βσα"),
        ("Bitcoin\u3000Cash", "bitcoin cash"),
        ("People’s", "people's"),
        ("（ＢＴＣ）、", "（btc）、"),
        ("ﾏｲﾅｰ２社", "マイナー2社"),
    ],
)
def test_variants_of_a_spelling_fold_to_the_same_text(text: str, folded: str) -> None:
    assert fold(text).text == folded


@given(texts)
@example("e" + "\u0301\u0323" * 3)
@example("\u0301" * (MAX_MARKS_PER_BASE + 3))
@example("ﬁ\u0301\uff9e")
def test_folding_a_folded_text_changes_nothing(text: str) -> None:
    once = fold(text).text
    assert fold(once).text == once


@given(texts)
def test_folded_spans_cover_the_original_in_order_without_gaps(text: str) -> None:
    folded = fold(text)
    found = spans(folded)
    assert [start for start, _ in found] == [0, *(end for _, end in found)][: len(found)]
    assert (found[-1][1] if found else 0) == len(text)


@given(texts)
def test_each_span_folds_alone_to_its_part_of_the_folded_text(text: str) -> None:
    folded = fold(text)
    assert "".join(fold(text[start:end]).text for start, end in spans(folded)) == folded.text


@given(texts)
def test_composed_and_decomposed_forms_fold_to_the_same_text(text: str) -> None:
    latin_and_kana = "".join(c for c in text if c < "\u0400" or "\u3040" <= c <= "\u30ff")
    composed, decomposed = (unicodedata.normalize(form, latin_and_kana) for form in ("NFC", "NFD"))
    assert fold(composed).text == fold(decomposed).text


@given(texts)
def test_plain_text_keeps_its_case_and_folds_to_the_same_text(text: str) -> None:
    assert fold(plain(text)).text == fold(text).text


def test_an_offset_inside_a_ligature_has_no_source_offset() -> None:
    assert fold("ﬁnance").to_original(1, 7) is None
    assert fold("x").to_original(0, 1) == (0, 1)


def test_many_combining_marks_on_one_letter_are_not_changed() -> None:
    heap = "e" + "\u0301\u0323" * 50_000
    assert fold(heap).text == heap


def test_a_text_with_many_unusual_characters_folds_like_its_parts() -> None:
    parts = ["Ａｂａ’s", "ÉTÉ", "ΣΑΣ ς", "Жук", "İz", "Ｂ\u00a0ﬁ", "ｶﾞ", "ЁЪЫЭЮЯ"]
    assert fold(" ".join(parts)).text == " ".join(fold(part).text for part in parts)
