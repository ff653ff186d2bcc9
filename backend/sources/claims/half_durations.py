"""Finds durations that end in a half: 两分半钟, 2時間半, a year and a half, and half a year."""

import re
from decimal import Decimal

from backend.entities.model import Language
from backend.sources.claims import numbers
from backend.sources.claims.model import Quantity

_DURATION = re.compile(
    r"\b(?P<en>an?|one|two|three|four|five|six|\d{1,2})"
    r" (?P<unit_en>year|month|week|day|hour|minute)s? and a half\b"
    r"|(?<![\d.])(?P<n>\d{1,2}|[一二两兩三四五六七八九十]{1,2})"
    r"(?:(?P<unit>年|[个個かカヶ箇]月|週間|周|日|天|小时|小時|時間|分)半(?![ば年数減减載载導导])(?:钟|鐘|間)?"
    r"|[个個]半(?P<unit_zh>月|小时|小時|钟头|鐘頭))"
    r"|(?P<half_year>half a year|(?<![下上前后後四年])半年(?![度報报]))",
    re.IGNORECASE,
)
_UNITS = {
    "年": "year",
    "週間": "week",
    "周": "week",
    "日": "day",
    "天": "day",
    "分": "minute",
    **dict.fromkeys(("小时", "小時", "時間", "钟头", "鐘頭"), "hour"),
}
_HALF_A_YEAR = Decimal(6), "month"


def find_half_durations(text: str, language: Language, covered: bytearray) -> list[Quantity]:
    """Find durations that do not begin at a ``covered`` character, and mark theirs as covered.

    Their units are English words, such as ``hour``.
    """
    figures = []
    for match in _DURATION.finditer(text):
        read = _parse_duration(match, language)
        if read is not None and not covered[match.start()]:
            figures.append(Quantity(*read, *match.span(), match.group()))
            covered[match.start() : match.end()] = b"\1" * len(match.group())
    return figures


def _parse_duration(match: re.Match[str], language: Language) -> tuple[Decimal, str] | None:
    if match["half_year"] is not None:
        return _HALF_A_YEAR
    word, unit = match["en"] or match["n"], match["unit_en"] or match["unit"] or match["unit_zh"]
    whole = Decimal(1) if word.lower() in ("a", "an") else numbers.parse(word, language)
    if whole is None:
        return None
    return whole + Decimal("0.5"), "month" if unit.endswith("月") else _UNITS.get(unit, unit.lower())
