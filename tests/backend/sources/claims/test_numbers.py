"""Numerals of three languages: what is written in any notation reads back as what was meant."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.entities.model import Language
from backend.sources.claims.numbers import find_numerals, normalize, parse

VALUES = st.integers(min_value=0, max_value=10**15)
DIGITS = "〇一二三四五六七八九"


def _section(value: int, *, zero: str = "") -> str:
    """1 to 9,999 in Han, with ``zero`` in place of skipped units (Chinese) or nothing (Japanese)."""
    out, gap = "", False
    for size, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = value // size % 10
        if not digit:
            gap = bool(out)
            continue
        ones = "" if digit == 1 and not zero and unit else DIGITS[digit]
        out += (zero if gap else "") + ones + unit
        gap = False
    return out


def _han(value: int, large: str, *, zero: str = "") -> str:
    out = ""
    for power, unit in zip((12, 8, 4, 0), [*large, ""], strict=True):
        part = value // 10**power % 10**4
        if part:
            gap = zero if out and part < 1000 else ""
            out += gap + _section(part, zero=zero) + unit
    return out


def _mixed(value: int, large: str) -> str:
    parts = [
        (value // 10**power % 10**4, unit) for power, unit in zip((12, 8, 4, 0), [*large, ""], strict=True)
    ]
    return "".join(f"{part}{unit}" for part, unit in parts if part) or "0"


@given(st.decimals(min_value=0, max_value=10**12, places=3))
def test_a_number_with_commas_and_decimals_is_parsed(value: Decimal) -> None:
    assert parse(f"{value:,f}") == value


@given(VALUES, st.sampled_from([("万億兆", "ja"), ("万亿兆", "zh"), ("萬億兆", "zh")]))
def test_digits_mixed_with_large_units_are_parsed(value: int, kind: tuple[str, str]) -> None:
    assert parse(_mixed(value, kind[0][::-1]), kind[1]) == value  # type: ignore[arg-type]


@given(st.integers(min_value=1, max_value=10**15))
def test_japanese_numerals_are_parsed(value: int) -> None:
    assert parse(_han(value, "兆億万"), "ja") == value


@given(st.integers(min_value=1, max_value=10**15))
def test_chinese_numerals_with_zeros_are_parsed(value: int) -> None:
    assert parse(_han(value, "兆亿万", zero="零"), "zh") == value


@given(
    st.decimals(min_value=Decimal("0.001"), max_value=999, places=3),
    st.sampled_from(
        [(" million", 6), (" billion", 9), (" trillion", 12), ("k", 3), ("M", 6), ("bn", 9), ("B", 9)]
    ),
)
def test_english_magnitudes_multiply_the_number(value: Decimal, scale: tuple[str, int]) -> None:
    assert parse(f"{value}{scale[0]}") == value.scaleb(scale[1])


@given(st.text(alphabet="0123456789,.", min_size=1, max_size=20))
def test_full_width_digits_and_signs_read_as_narrow_ones(text: str) -> None:
    wide = "".join(chr(ord(char) + 0xFEE0) for char in text)
    assert normalize(wide) == text
    assert parse(wide) == parse(text)


@given(st.text(max_size=60))
def test_normalization_keeps_the_length(text: str) -> None:
    assert len(normalize(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("twenty-five", "en", 25),
        ("two hundred and fifty thousand", "en", 250_000),
        ("half a billion", "en", 500_000_000),
        ("a million", "en", 1_000_000),
        ("三億", "ja", 300_000_000),
        ("二十一", "ja", 21),
        ("二〇二四", "ja", 2024),
        ("12.5億", "ja", 1_250_000_000),
        ("17万3600", "ja", 173_600),
        ("9万4千", "ja", 94_000),
        ("两千", "zh", 2_000),
        ("2万亿", "zh", 2 * 10**12),
        ("三万五", "zh", 35_000),
        ("三万五", "ja", 30_005),
        ("一百五", "zh", 150),
        ("一万零五百", "zh", 10_500),
        ("5億2300万", "ja", 523_000_000),
        ("5亿2300万", "zh", 523_000_000),
        ("５億２３００万", "ja", 523_000_000),
    ],
)
def test_a_numeral_is_parsed_to_its_value(text: str, language: Language, value: int) -> None:
    assert parse(text, language) == value


@pytest.mark.parametrize("text", ["万億万億", "億万", "十百", "1万1億", "", "abc", "一億億", "9" * 60])
def test_an_invalid_numeral_has_no_value(text: str) -> None:
    assert parse(text, "ja") is None


def test_numerals_are_found_in_order() -> None:
    found = find_numerals("from 6.25 to 3.125 BTC at block 840,000, said ten people", "en")
    assert [numeral.value for numeral in found] == [Decimal("6.25"), Decimal("3.125"), 840_000, 10]


@given(st.text(alphabet="0123456789,.万億亿千百十 kMbn-", max_size=80))
def test_numerals_lie_within_any_text_in_order(text: str) -> None:
    ends = 0
    for numeral in find_numerals(text, "en"):
        assert ends <= numeral.start < numeral.end <= len(text)
        ends = numeral.start
