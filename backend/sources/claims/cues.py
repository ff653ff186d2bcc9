"""Finds the words that qualify a statement: first, only, all, most, still, again, final, planned.

Beside them: that a purchase was completed, and that others did it before.

These words are not slots, but a statement with such a word says more than one without it.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, get_args

import yaml

from backend.entities.model import LANGUAGES, Language

DATA = Path(__file__).parent / "data" / "cues.yaml"
CueKind = Literal[
    "first", "only", "all", "most", "still", "again", "final", "completed", "others before", "planned"
]
CUE_KINDS: tuple[CueKind, ...] = get_args(CueKind)


def find_cues(plain: str, language: Language) -> dict[CueKind, str]:
    """Map each kind of cue in a plain text to its first occurrence."""
    text = plain.lower()
    cues: dict[CueKind, str] = {}
    for kind, (cue, excluded) in _patterns()[language].items():
        masked = excluded.sub(lambda match: "\0" * len(match.group()), text) if excluded else text
        if (match := cue.search(masked)) is not None:
            cues[kind] = plain[match.start() : match.end()]
    return cues


@cache
def _patterns() -> Mapping[Language, Mapping[CueKind, tuple[re.Pattern[str], re.Pattern[str] | None]]]:
    cue_data = yaml.load(DATA.read_text("utf-8"), Loader=yaml.CSafeLoader)
    compiled: dict[Language, dict[CueKind, tuple[re.Pattern[str], re.Pattern[str] | None]]] = {}
    for language in LANGUAGES:
        compiled[language] = {}
        for kind in CUE_KINDS:
            cues, excluded = cue_data[kind][language], cue_data[kind][f"{language}_not"]
            pattern = _compile(cues, language)
            compiled[language][kind] = (pattern, _compile(excluded, language) if excluded else None)
    return compiled


def _compile(expressions: list[str], language: Language) -> re.Pattern[str]:
    joined = "|".join(expressions)
    return re.compile(rf"\b(?:{joined})(?!\w)" if language == "en" else joined)
