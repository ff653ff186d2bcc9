"""Compares the two sides of *X, not Y*: a statement that rejects what the source tells contradicts it."""

import re
from collections.abc import Mapping
from functools import lru_cache

from backend.entities.model import Language
from backend.sources.claims.model import ComparedValue, ParsedStatement

MIN_ACTS = 2
"""A rejected act and a stated one."""
_SIDE_EN, _SIDE_HAN = r"[^,.;:]{3,60}?", "[^、。，；：]{2,30}?"
_ALTERNATIVES: Mapping[Language, tuple[re.Pattern[str], ...]] = {
    "en": (
        re.compile(
            rf"\bnot (?!only|just|merely)(?P<rejected>{_SIDE_EN}),? but (?P<stated>{_SIDE_EN})(?=[,.;:]|$)"
        ),
        re.compile(
            rf"(?P<stated>{_SIDE_EN}),? (?:rather than|instead of|as opposed to)"
            rf" (?P<rejected>{_SIDE_EN})(?=[,.;:]|$)"
        ),
    ),
    "ja": (re.compile(f"(?P<rejected>{_SIDE_HAN})では?なく、?(?P<stated>{_SIDE_HAN})(?=[、。]|$)"),),
    "zh": (
        re.compile(
            f"(?:并非|并不是|不是)(?P<rejected>{_SIDE_HAN})[，,]?而是(?P<stated>{_SIDE_HAN})(?=[，。；]|$)"
        ),
        re.compile(
            f"(?P<stated>{_SIDE_HAN})[，,]?(?:而不是|而非|而并非)(?P<rejected>{_SIDE_HAN})(?=[，。；]|$)"
        ),
    ),
}


def find_difference(claim: ParsedStatement, passage: ParsedStatement) -> ComparedValue | None:
    """Return both sides if the passage tells the act that the claim rejects, not the one it states."""
    if claim.language != passage.language:
        return None
    told_acts = {action.verb for action in passage.actions if action.affirmed}
    if told_acts.isdisjoint(action.verb for action in claim.actions) or len(claim.actions) < MIN_ACTS:
        return None
    for match in _find_alternatives(claim.text, claim.language):
        rejected, stated = (
            [action.verb for action in claim.actions if match.start(side) <= action.start < match.end(side)]
            for side in ("rejected", "stated")
        )
        if not rejected or not stated or stated[0] in told_acts or stated[0] in rejected:
            continue
        if told_acts.intersection(rejected):
            return ComparedValue("polarity", match.group().strip(), match["rejected"].strip())
    return None


@lru_cache(1_000)
def _find_alternatives(text: str, language: Language) -> tuple[re.Match[str], ...]:
    return tuple(match for pattern in _ALTERNATIVES[language] for match in pattern.finditer(text))
