"""Chooses the language of a page by ``ui_locales`` and ``Accept-Language``."""

import re
from collections.abc import Mapping
from typing import Literal, get_args

Language = Literal["en", "ja", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
LANGUAGE_NAMES: Mapping[Language, str] = {"en": "English", "ja": "日本語", "zh": "中文"}
LANGUAGE_TAGS: Mapping[Language, str] = {"en": "en", "ja": "ja", "zh": "zh-Hans"}
QUALITY = re.compile(r"q=(0(\.\d{0,3})?|1(\.0{0,3})?)")
MAX_LANGUAGE_RANGES = 32


def choose_language(ui_locales: str | None, accept_language: str | None) -> Language:
    """Return the first supported language of ``ui_locales`` (language tags separated by spaces), else the
    supported one with the highest quality in ``Accept-Language``, else English."""
    ranges = [(tag, 1.0) for tag in (ui_locales or "").split()[:MAX_LANGUAGE_RANGES]]
    accepted = [_parse_range(part) for part in (accept_language or "").split(",")[:MAX_LANGUAGE_RANGES]]
    ranges += sorted(accepted, key=_get_quality, reverse=True)
    for tag, quality in ranges:
        primary = tag.strip().lower().replace("_", "-").partition("-")[0]
        for language in LANGUAGES:
            if primary == language and quality > 0:
                return language
    return "en"


def _parse_range(part: str) -> tuple[str, float]:
    tag, _, weight = part.partition(";")
    match = QUALITY.fullmatch(weight.strip())
    return tag, float(match[1]) if match else 1.0


def _get_quality(language_range: tuple[str, float]) -> float:
    return language_range[1]
