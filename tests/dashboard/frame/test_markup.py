"""Markup that parts of pages share."""

import pytest

from dashboard.frame import markup


@pytest.mark.parametrize(
    ("said", "lang"), [("SEC", "en"), ("SECが承認", "ja"), ("美国证监会批准", "zh"), ("", "en")]
)
def test_texts_are_shown_in_the_language_of_their_script(said: str, lang: str) -> None:
    assert markup.detect_language(said) == lang


def test_small_print_is_escaped() -> None:
    assert markup.note("<b>") == '<p class="cp-small-note">&lt;b&gt;</p>'
