"""Compares properties that exclude each other: settled in cash or in coins, a direct listing or an offering.

The groups are data (``claims/data/contrasts.yaml``). They are the same in all languages, so that a statement
in one language is compared with a source in another.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cache, lru_cache
from pathlib import Path

import yaml

from backend.entities.model import LANGUAGES, Language
from backend.sources.claims import actions, numbers
from backend.sources.claims.model import ComparedValue, DateSpan, MissingElement, ParsedStatement

DATA = Path(actions.__file__).parent / "data" / "contrasts.yaml"
SAME_TIME = "same time"
"""This value needs no source if the source tells of one event: it has no dates of its own."""
NEXT_DAY = "next day"
"""This value needs no source that tells it if two of the dates are on adjacent days."""
CUMULATIVE_GROUPS = frozenset({"offence", "way of the theft"})
"""Groups of which several values can be true of one event, so that another one is only not told."""
MAX_CACHED_TEXTS = 1024
"""Texts whose properties are kept: one claim is compared with many passages."""
_NEGATED_BEFORE: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"(?:\b(?:not?|never|without|neither|nor|rather than|instead of)|n't)(?: \w+){0,2} $"),
    "zh": re.compile("(?:不是|并非|没有|并未|而非|不会)[^，。]{0,4}$"),
}
_NEGATED_BEHIND_JA = re.compile(
    "(?:では|は|が|に|を|も)?(?:な[いくか]|ありません|せず|しない)"
    "|(?:で)?は[^、。]{0,12}(?:でき|やっていけ|認められ|許され)(?:な|ず|ません)"
)


def find_difference(claim: ParsedStatement, passage: ParsedStatement) -> ComparedValue | None:
    """Return the first property for which both texts have values and share none."""
    claim_values, passage_values = _find_values(claim), _find_values(passage)
    for group in claim_values:
        if group not in passage_values or group in CUMULATIVE_GROUPS:
            continue
        if not claim_values[group].keys() & passage_values[group].keys():
            return ComparedValue(
                "polarity",
                next(iter(claim_values[group].values())),
                next(iter(passage_values[group].values())),
            )
    return None


def find_missing_property(
    claim: ParsedStatement, passage: ParsedStatement, event_date: DateSpan | None = None
) -> MissingElement | None:
    """Return the first property of the claim that a source would tell and the passage does not."""
    days = [span for span in (*claim.dates, *passage.dates, event_date) if span is not None]
    passage_values = _find_values(passage)
    for group, values in _find_values(claim).items():
        for value, text in values.items():
            is_told = value in passage_values.get(group, {})
            is_told |= value == SAME_TIME and not passage.dates
            is_told |= value == NEXT_DAY and _has_adjacent_days(days)
            if (group, value) in _list_expected_values() and not is_told:
                return MissingElement("qualifier", text)
    return None


def _has_adjacent_days(spans: Sequence[DateSpan]) -> bool:
    days = {day for span in spans if span.precision == "day" for day in (span.first, span.last)}
    return any(day + timedelta(days=1) in days for day in days)


def locate_properties(statement: ParsedStatement) -> Iterator[tuple[str, str, tuple[int, int]]]:
    """Yield group, value and span of each property that a text affirms."""
    yield from _locate_in_text(statement.text, statement.language)


@lru_cache(maxsize=MAX_CACHED_TEXTS)
def _locate_in_text(text: str, language: Language) -> tuple[tuple[str, str, tuple[int, int]], ...]:
    return tuple(_scan_text(numbers.normalize(text).lower(), language))


def _scan_text(lowered: str, language: Language) -> Iterator[tuple[str, str, tuple[int, int]]]:
    for group, values in _patterns()[language].items():
        matches = [(match.span(), value) for value, pattern in values for match in pattern.finditer(lowered)]
        for (start, end), value in sorted(matches):
            is_part = any(
                other_value != value
                and other_start <= start
                and end <= other_end
                and other_end - other_start > end - start
                for (other_start, other_end), other_value in matches
            )
            if not is_part and not _is_negated(lowered, start, end, language):
                yield group, value, (start, end)


def _find_values(statement: ParsedStatement) -> dict[str, dict[str, str]]:
    """Map groups to their values in a text, with the words of each. Denied values are left out."""
    plain = numbers.normalize(statement.text)
    values_by_group: dict[str, dict[str, str]] = {}
    for group, value, (start, end) in locate_properties(statement):
        values_by_group.setdefault(group, {}).setdefault(value, plain[start:end])
    return values_by_group


def _is_negated(lowered: str, start: int, end: int, language: Language) -> bool:
    if language == "ja":
        return _NEGATED_BEHIND_JA.match(lowered, end) is not None
    return _NEGATED_BEFORE[language].search(lowered[max(0, start - 24) : start]) is not None


@cache
def _patterns() -> Mapping[Language, Mapping[str, tuple[tuple[str, re.Pattern[str]], ...]]]:
    return {
        language: {
            group: tuple(
                (value, _compile(expressions[language], language)) for value, expressions in values.items()
            )
            for group, values in _load().items()
        }
        for language in LANGUAGES
    }


def _compile(expressions: list[str], language: Language) -> re.Pattern[str]:
    joined = "|".join(expressions).lower() if language != "en" else "|".join(expressions)
    return re.compile(rf"\b(?:{joined})(?!\w)" if language == "en" else joined)


@cache
def _list_expected_values() -> frozenset[tuple[str, str]]:
    return frozenset(
        (group, value)
        for group, values in _load().items()
        for value, expressions in values.items()
        if "told" in expressions
    )


@cache
def _load() -> dict[str, dict[str, dict[str, list[str]]]]:
    groups: dict[str, dict[str, dict[str, list[str]]]] = yaml.load(
        DATA.read_text("utf-8"), Loader=yaml.CSafeLoader
    )
    return groups
