"""Tests the conversion of Traditional to Simplified Chinese characters."""

from hypothesis import given
from hypothesis import strategies as st

from backend.formats.chinese import to_simplified


def test_traditional_characters_become_simplified_ones() -> None:
    assert to_simplified("以太坊於9月完成合併，轉向權益證明") == "以太坊于9月完成合并，转向权益证明"


@given(st.text())
def test_every_character_keeps_its_offset(text: str) -> None:
    assert len(to_simplified(text)) == len(text)
    assert to_simplified(to_simplified(text)) == to_simplified(text)
