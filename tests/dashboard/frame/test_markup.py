"""Language detection and escaping in shared markup."""

import pytest

from dashboard.frame import markup


@pytest.mark.parametrize(
    ("content", "lang"), [("SEC", "en"), ("SECが承認", "ja"), ("美国证监会批准", "zh"), ("", "en")]
)
def test_the_language_of_a_text_follows_its_script(content: str, lang: str) -> None:
    assert markup.detect_language(content) == lang


def test_small_print_is_escaped() -> None:
    assert markup.note("<b>") == '<p class="cp-small-note">&lt;b&gt;</p>'
