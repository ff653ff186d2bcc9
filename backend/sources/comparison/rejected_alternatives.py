"""Finds claims such as *X rather than Y* that a source contradicts because it states Y."""

import re
from collections.abc import Mapping
from functools import lru_cache

from backend.entities.model import Language
from backend.sources.claims.model import ComparedValue, ParsedStatement

_MIN_CLAIM_ACTIONS = 2
"""The rejected action and the stated one."""
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
    "ja": (
        re.compile(
            f"(?P<rejected>{_SIDE_HAN})(?<!だけ)(?<!のみ)(?<!ばかり)では?なく(?!な)、?(?P<stated>{_SIDE_HAN})(?=[、。]|$)"
        ),
    ),
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
    """Return a difference if the passage states the action that the claim rejects, not the other one."""
    if claim.language != passage.language:
        return None
    passage_verbs = {action.verb for action in passage.actions if action.affirmed}
    if (
        passage_verbs.isdisjoint(action.verb for action in claim.actions)
        or len(claim.actions) < _MIN_CLAIM_ACTIONS
    ):
        return None
    for match in _find_alternatives(claim.text, claim.language):
        rejected, stated = (
            [action.verb for action in claim.actions if match.start(side) <= action.start < match.end(side)]
            for side in ("rejected", "stated")
        )
        if not rejected or not stated or passage_verbs.intersection(stated) or stated[0] in rejected:
            continue
        if passage_verbs.intersection(rejected):
            return ComparedValue("polarity", match.group().strip(), match["rejected"].strip())
    return None


def find_rejected_spans(text: str, language: Language) -> list[tuple[int, int]]:
    """Return the spans of what a text replaces by something else: *not on Nasdaq but on the NYSE*, 不是…而是.

    In Japanese the span begins behind the last particle, because the subject stands in front of it.
    """
    pattern = _REJECTED_JA if language == "ja" else _ALTERNATIVES[language][0]
    return [match.span("rejected") for match in pattern.finditer(text)]


_REJECTED_JA = re.compile(
    "(?P<rejected>[^、。，；：はがをでにへのと]{1,30}?)(?<!だけ)(?<!のみ)(?<!ばかり)では?なく(?!な)"
)


@lru_cache(1_000)
def _find_alternatives(text: str, language: Language) -> tuple[re.Match[str], ...]:
    return tuple(match for pattern in _ALTERNATIVES[language] for match in pattern.finditer(text))
