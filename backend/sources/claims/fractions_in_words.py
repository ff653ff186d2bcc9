"""Finds fractions in words as approximate whole percentages: three quarters, 4分の3, 四成."""

import re
from decimal import Decimal

from backend.entities.model import Language
from backend.sources.claims import numbers
from backend.sources.claims.model import Quantity

_FRACTION = re.compile(
    r"\b(?P<en>half|(?:an?|one|two|three|four|nine)[ -](?:third|quarter|fifth|tenth)s?)"
    r"(?: or (?:more|less))? (?:of(?! an? )|its|the)\b"
    r"|\bby (?P<by>(?:an?|one|two|three|four|nine)[ -](?:third|quarter|fifth|tenth)s?)"
    r"(?=[.,;]|$| (?:to|in|on|from|after|since|over|within|when|at|for|as|and)\b)"
    r"|(?P<part>[1-9一二三四五六七八九])分[の之](?P<of>[1-9一二三四五六七八九])"
    r"|(?P<tenth>\d(?:\.\d)?|[一二三四五六七八九]) ?(?:成(?![立功交为為果年员員本分])|割(?![引り]))"
    r"(?P<five>五|5|半)?|(?P<half>半分(?!を超)|半数|一半)",
    re.IGNORECASE,
)
_DENOMINATORS_EN = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_NUMERATORS_EN = {"a": 1, "an": 1, "half": 1, "one": 1, "two": 2, "three": 3, "four": 4, "nine": 9}


def find_fractions(text: str, language: Language, covered: bytearray) -> list[Quantity]:
    """Find fractions that do not begin at a ``covered`` character, and mark theirs as covered."""
    figures = []
    for match in _FRACTION.finditer(text):
        value = _compute_percentage(match, language)
        if value is None or covered[match.start()]:
            continue
        figures.append(Quantity(value, "%", *match.span(), match.group(), approximate=True))
        covered[match.start() : match.end()] = b"\1" * len(match.group())
    return figures


def _compute_percentage(match: re.Match[str], language: Language) -> Decimal | None:
    if (english := match["en"] or match["by"]) is not None:
        numerator, *_, denominator = re.split("[ -]", english.lower()) * 2  # "half" is both
        percentage = (
            Decimal(100 * _NUMERATORS_EN[numerator]) / _DENOMINATORS_EN[denominator.removesuffix("s")]
        )
        return percentage.quantize(Decimal(1))
    if match["half"] is not None:
        return Decimal(50)
    if match["tenth"] is not None:
        tenths = numbers.parse(match["tenth"], language)
        return None if tenths is None else 10 * tenths + (5 if match["five"] else 0)
    part, whole = numbers.parse(match["part"], language), numbers.parse(match["of"], language)
    if part is None or whole is None:
        return None
    part, whole = (whole, part) if "分の" in match.group() or "分之" in match.group() else (part, whole)
    return (100 * part / whole).quantize(Decimal(1)) if 0 < part < whole else None
