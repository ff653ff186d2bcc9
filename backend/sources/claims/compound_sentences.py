"""Splits compound sentences into statements with their own subject and act.

The statements are joined by a comma and "and", or by "and" alone if each has its own date.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from backend.entities.mention import Mention
from backend.entities.model import Language
from backend.sources.claims import actions, dates, numbers

Naming = Callable[[str], Sequence[Mention]]
"""Finds the entities that a text names."""

_BARE = " and "
MAX_STATEMENTS = 3
"""Maximum statements of one sentence."""
_JOINTS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"(?:,|;) (?:and|while|whereas|but) (?:then )?|; | and (?=[A-Z])"),
    "ja": re.compile("、(?:そして|また|一方で?|さらに|かつ)、?"),
    "zh": re.compile("[，；,;] ?(?:并且|而且|同时|此外|另外|以及|而)，?|；"),
}


def parts(sentence: str, language: Language, naming: Naming) -> list[str]:
    """Split ``sentence`` into statements, in order; the whole sentence if its parts are not independent."""
    found: list[str] = []
    start = 0
    for joint in _JOINTS[language].finditer(sentence):
        if len(found) + 1 == MAX_STATEMENTS:
            break
        halves = sentence[start : joint.start()], sentence[joint.end() :]
        if joint.group() == _BARE and not all(
            dates.find(numbers.normalize(half, language)) for half in halves
        ):
            continue  # "sued Binance and Coinbase for listing": two objects of one act
        if all(_stands_alone(half, language, naming) for half in halves):
            found.append(halves[0].strip())
            start = joint.end()
    return [*found, sentence[start:].strip()]


def _stands_alone(text: str, language: Language, naming: Naming) -> bool:
    """True if a part names an entity before its act, or in Chinese and Japanese at all."""
    told = actions.find(numbers.normalize(text, language), language)
    if not told:
        return False
    return any(mention.start < told[0].start for mention in naming(text))
