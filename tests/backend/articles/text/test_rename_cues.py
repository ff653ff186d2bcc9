"""A text that says that a name changed may use the old one."""

import pytest

from backend.articles.text.rename_cues import has_rename_cue, is_one_paragraph


@pytest.mark.parametrize(
    "text",
    [
        "formerly known as OldName",
        "the former OldName desk",
        "ex-OldName staff",
        "rebranded from OldName",
        "OldName (now Newname) said",
        "OldName, which was renamed in 2024,",
        "OldName has since rebranded to Newname",
        "the OldName-to-Newname migration",
        "the OldName era",
        "in its OldName days, the firm",
        "OldName to Newname",
        "旧OldName",
        "OldName（現Newname）",
        "OldNameは改称した",
        "OldNameから名称変更",
        "原名OldName",
        "OldName更名为Newname",
        "OldName已改名",
        "OldName现称Newname",
        "OldName，现为Newname",
    ],
)
def test_rename_words_beside_a_name_are_a_rename_cue(text: str) -> None:
    at = text.index("OldName")
    assert has_rename_cue(text, at, at + len("OldName"))


@pytest.mark.parametrize(
    "text",
    [
        "OldName rose",
        "OldNameが上昇した",
        "OldName上涨",
        "The price of OldName.",
        "OldName",
        "OldName days later bought a firm",
        "OldName days before the vote",
        "OldName days after the vote",
        "OldName days of rallying",
    ],
)
def test_other_words_beside_a_name_are_not_a_rename_cue(text: str) -> None:
    at = text.index("OldName")
    assert not has_rename_cue(text, at, at + len("OldName"))


def test_a_paragraph_ends_with_a_blank_line() -> None:
    assert is_one_paragraph("a\nb", 0, 3)
    assert not is_one_paragraph("a\n \t\nb", 0, 6)
