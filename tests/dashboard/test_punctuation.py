"""Punctuation between texts."""

import pytest
import streamlit as st

from dashboard.i18n import SESSION_KEY
from dashboard.i18n.punctuation import add_label, add_note, end_sentence, join_items, join_sentences


@pytest.mark.parametrize(
    ("lang", "texts"),
    [
        ("en", ("A, B", "A. B.", "A: 5", "A (B)")),
        ("ja", ("A、B", "A。B。", "A：5", "A（B）")),
        ("zh", ("A、B", "A。B。", "A：5", "A（B）")),
    ],
)
def test_punctuation_is_that_of_the_language(
    lang: str, texts: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(st.session_state, SESSION_KEY, lang)
    sentences = join_sentences(end_sentence("A"), "", None, end_sentence("B"))
    assert (join_items(("A", "B")), sentences, add_label("A", 5), add_note("A", "B")) == texts
