"""How urgent a topic is, by rule.

Breaking: three independent outlets, or an official source, within two hours, and it tells of an incident, of
regulation, or of somebody whose price moved by three standard deviations. Important: three independent
outlets at any time, or an official source. Normal: the rest. What an official source says counts where it
speaks of the field: a central bank's feed is mostly about other things.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

import yaml

from backend.entities.model import LANGUAGES, Language
from backend.topics.grouping.news_window import Member
from backend.topics.grouping.outlets import Outlets
from backend.topics.model import Category

ENOUGH = 3
"""Independent outlets that make a topic important."""
AT_ONCE = timedelta(hours=2)
TOLD = 1 / 3
"""Share of a topic's headlines that has to tell of an incident or of regulation."""
_FILE = Path(__file__).parent / "data" / "urgent.yaml"

Moved = Callable[[Sequence[str], datetime], bool]
"""Whether the price of one of these entities moved by three standard deviations around an instant."""


def never_moved(_entities: Sequence[str], _at: datetime) -> bool:
    """For where no prices are at hand."""
    return False


def category(
    members: Sequence[Member],
    outlets: Outlets,
    *,
    about: Sequence[str],
    of_the_field: bool,
    moved: Moved = never_moved,
) -> Category:
    """The category of a topic of ``members`` that tells of the entities ``about``."""
    official = of_the_field and any(outlets.is_primary(one, about) for one in members)
    spread = len(outlets.independent(members)) >= ENOUGH
    if not (official or spread):
        return Category.NORMAL
    first = min(member.published_at for member in members)
    if (official or _at_once(members, outlets)) and (is_urgent(members) or moved(about, first)):
        return Category.BREAKING
    return Category.IMPORTANT


def is_urgent(members: Sequence[Member]) -> bool:
    """Whether enough of the headlines tell of an incident or of regulation."""
    told = sum(any(tells(member.title, member.language).values()) for member in members)
    return told > 0 and told >= TOLD * len(members)


def tells(title: str, language: Language) -> Mapping[str, bool]:
    """What a headline tells of: ``incident`` and ``regulation``."""
    return {kind: found[language].search(title) is not None for kind, found in _patterns().items()}


def _at_once(members: Sequence[Member], outlets: Outlets) -> bool:
    """Whether enough independent outlets told it within two hours."""
    times = sorted(min(one.published_at for one in group) for group in outlets.independent(members))
    return any(late - early <= AT_ONCE for early, late in zip(times, times[ENOUGH - 1 :], strict=False))


@cache
def _patterns() -> Mapping[str, Mapping[Language, re.Pattern[str]]]:
    data = yaml.load(_FILE.read_text("utf-8"), Loader=yaml.CSafeLoader)
    return {
        kind: {language: _pattern(words[language], language) for language in LANGUAGES}
        for kind, words in data.items()
    }


def _pattern(words: Iterable[str], language: Language) -> re.Pattern[str]:
    escaped = (re.escape(word).replace(r"\*", r"\w*").replace(r"\?", r"\w") for word in words)
    alternatives = "|".join(escaped)
    return re.compile(rf"\b(?:{alternatives})\b" if language == "en" else alternatives, re.IGNORECASE)
