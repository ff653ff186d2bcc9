"""Recognises articles that report no single event: round-ups, opinion, price commentary, advertising,
newsletters and explainers.

They are recognised by the words of their title, by the first sentences of their text and by the section in
their URL. They belong to no topic, because they would join the events that they mention.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast
from urllib.parse import urlsplit

import yaml

from backend.entities.model import LANGUAGES, Language
from backend.topics.grouping.headline_features import MAX_LEAD_CHARS

ArticleKind = Literal["sponsored", "newsletter", "roundup", "price_commentary", "opinion", "explainer"]
_FILE = Path(__file__).parent / "data" / "article_kinds.yaml"
_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class _Patterns:
    sections: frozenset[str]
    title: Mapping[Language, re.Pattern[str]]
    text: Mapping[Language, re.Pattern[str]]


def find_kind(title: str, language: Language, text: str = "", url: str = "") -> ArticleKind | None:
    """Return the kind of an article that reports no single event; None for a report."""
    lead = text[:MAX_LEAD_CHARS]
    sections = frozenset(_split_path(url))
    for kind, patterns in _load_patterns().items():
        if (
            sections & patterns.sections
            or patterns.title[language].search(title)
            or (lead and patterns.text[language].search(lead))
        ):
            return kind
    return None


def _split_path(url: str) -> list[str]:
    try:
        return urlsplit(url).path.lower().split("/")[:-1]
    except ValueError:
        return []


@cache
def _load_patterns() -> Mapping[ArticleKind, _Patterns]:
    data: Mapping[str, Any] = yaml.load(_FILE.read_text("utf-8"), Loader=yaml.CSafeLoader)
    return {
        cast(ArticleKind, kind): _Patterns(
            frozenset(entry["address"]),
            {language: _join(entry[language]["title"]) for language in LANGUAGES},
            {language: _join(entry[language]["text"]) for language in LANGUAGES},
        )
        for kind, entry in data.items()
    }


def _join(patterns: Sequence[str]) -> re.Pattern[str]:
    return (
        re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE) if patterns else _NEVER
    )
