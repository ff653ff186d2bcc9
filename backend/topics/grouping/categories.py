"""Assigns categories to topics by rule.

A topic is confirmed by three independent publishers, or by two kinds of sources: an official source and a
publisher with another owner. Breaking: it is confirmed within two hours, and it is about an incident, about
regulation, or about an entity whose price moved by three standard deviations. Important: it is confirmed at
any time. Normal: all others, such as a release that nobody reports. An official source counts only if it
writes about crypto, because a central bank's feed is mostly about other subjects.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

import yaml

from backend.entities.model import LANGUAGES, Language
from backend.topics.grouping.news_window import NewsArticle
from backend.topics.grouping.publishers import PublisherCatalogue
from backend.topics.model import Category

MIN_INDEPENDENT_PUBLISHERS = 3
"""Independent publishers that confirm a topic without an official source."""
BREAKING_WINDOW = timedelta(hours=2)
"""Maximum time from the first report to the confirmation of breaking news."""
MIN_URGENT_SHARE = 1 / 3
"""Share of a topic's headlines that must report an incident or regulation."""
_FILE = Path(__file__).parent / "data" / "urgent.yaml"

PriceMoveCheck = Callable[[Sequence[str], datetime], bool]
"""Returns whether the price of any of these entities moved by three standard deviations around a time."""


def assume_no_price_move(_entities: Sequence[str], _at: datetime) -> bool:
    """Return False; the default where no prices are available."""
    return False


def find_category(
    members: Sequence[NewsArticle],
    publishers: PublisherCatalogue,
    *,
    about: Sequence[str],
    is_relevant: bool,
    moved: PriceMoveCheck = assume_no_price_move,
) -> Category:
    """Return the category of a topic of ``members`` about the entities ``about``."""
    sources = [
        (
            min(member.published_at for member in group),
            is_relevant and any(publishers.is_primary_source(member, about) for member in group),
        )
        for group in publishers.group_by_source(members)
    ]
    sources.sort()
    if not _is_confirmed(sources):
        return Category.NORMAL
    first = min(member.published_at for member in members)
    sudden = any(
        _is_confirmed([source for source in sources[place:] if source[0] - start <= BREAKING_WINDOW])
        for place, (start, _) in enumerate(sources)
    )
    if sudden and (is_urgent(members) or moved(about, first)):
        return Category.BREAKING
    return Category.IMPORTANT


def _is_confirmed(sources: Sequence[tuple[datetime, bool]]) -> bool:
    """True if the independent ``sources``, given as time and whether official, are enough or of two kinds."""
    return len(sources) >= MIN_INDEPENDENT_PUBLISHERS or len({official for _, official in sources}) == 2


def is_urgent(members: Sequence[NewsArticle]) -> bool:
    """True if enough headlines report an incident or regulation."""
    urgent_count = sum(any(find_urgent_kinds(member.title, member.language).values()) for member in members)
    return urgent_count > 0 and urgent_count >= MIN_URGENT_SHARE * len(members)


def find_urgent_kinds(title: str, language: Language) -> Mapping[str, bool]:
    """Return whether a headline reports an ``incident`` and whether it reports ``regulation``."""
    return {
        kind: patterns_by_language[language].search(title) is not None
        for kind, patterns_by_language in _load_patterns().items()
    }


@cache
def _load_patterns() -> Mapping[str, Mapping[Language, re.Pattern[str]]]:
    data = yaml.load(_FILE.read_text("utf-8"), Loader=yaml.CSafeLoader)
    return {
        kind: {language: _build_pattern(words[language], language) for language in LANGUAGES}
        for kind, words in data.items()
    }


def _build_pattern(words: Iterable[str], language: Language) -> re.Pattern[str]:
    escaped = (re.escape(word).replace(r"\*", r"\w*").replace(r"\?", r"\w") for word in words)
    alternatives = "|".join(escaped)
    return re.compile(rf"\b(?:{alternatives})\b" if language == "en" else alternatives, re.IGNORECASE)
