"""Two statements in one sentence: each with a subject and an act of its own, joined by a comma and
"and"; or by "and" alone where each has its own date."""

import re
from collections.abc import Callable, Mapping, Sequence

from backend.entities.mention import Mention
from backend.entities.model import Language
from backend.sources.claims import actions, dates, numbers

Naming = Callable[[str], Sequence[Mention]]
"""Gives the entities that a text names."""

_BARE = " and "
MOST = 3
"""Statements of one sentence."""
_JOINTS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"(?:,|;) (?:and|while|whereas|but) (?:then )?|; | and (?=[A-Z])"),
    "ja": re.compile("、(?:そして|また|一方で?|さらに|かつ)、?"),
    "zh": re.compile("[，；,;] ?(?:并且|而且|同时|此外|另外|以及|而)，?|；"),
}


def parts(sentence: str, language: Language, naming: Naming) -> list[str]:
    """The statements of ``sentence``, in order: the whole where its parts do not stand alone."""
    found: list[str] = []
    start = 0
    for joint in _JOINTS[language].finditer(sentence):
        if len(found) + 1 == MOST:
            break
        halves = sentence[start : joint.start()], sentence[joint.end() :]
        if joint.group() == _BARE and not all(dates.find(numbers.plain(half)) for half in halves):
            continue  # "sued Binance and Coinbase for listing": two objects of one act
        if all(_stands_alone(half, language, naming) for half in halves):
            found.append(halves[0].strip())
            start = joint.end()
    return [*found, sentence[start:].strip()]


def _stands_alone(text: str, language: Language, naming: Naming) -> bool:
    """Whether a part names who acts before it tells the act, or in Chinese and Japanese at all."""
    told = actions.find(numbers.plain(text), language)
    if not told:
        return False
    return any(mention.start < told[0].start for mention in naming(text))
