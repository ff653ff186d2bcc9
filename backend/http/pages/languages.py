"""Chooses the language of a page by ``ui_locales`` and ``Accept-Language``."""

import re
from collections.abc import Mapping
from typing import Literal, get_args

Language = Literal["en", "ja", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
NAMES: Mapping[Language, str] = {"en": "English", "ja": "日本語", "zh": "中文"}
TAGS: Mapping[Language, str] = {"en": "en", "ja": "ja", "zh": "zh-Hans"}
QUALITY = re.compile(r"q=(0(\.\d{0,3})?|1(\.0{0,3})?)")
MOST_RANGES = 32


def chosen(ui_locales: str | None, accept_language: str | None) -> Language:
    """The first of ``ui_locales`` (language tags with spaces between them) that there is, else the one that
    ``Accept-Language`` likes best, else English."""
    ranges = [(tag, 1.0) for tag in (ui_locales or "").split()[:MOST_RANGES]]
    liked = [_weighed(part) for part in (accept_language or "").split(",")[:MOST_RANGES]]
    ranges += sorted(liked, key=_quality, reverse=True)
    for tag, quality in ranges:
        primary = tag.strip().lower().replace("_", "-").partition("-")[0]
        for language in LANGUAGES:
            if primary == language and quality > 0:
                return language
    return "en"


def _weighed(part: str) -> tuple[str, float]:
    tag, _, weight = part.partition(";")
    found = QUALITY.fullmatch(weight.strip())
    return tag, float(found[1]) if found else 1.0


def _quality(weighed: tuple[str, float]) -> float:
    return weighed[1]
