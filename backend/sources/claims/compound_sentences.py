"""Splits compound sentences into statements with their own subject and act.

The statements are joined by a comma and "and", or by "and" alone if each has its own date.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from backend.entities.mention import Mention
from backend.entities.model import Language
from backend.sources.claims import actions, dates, numbers

MentionFinder = Callable[[str], Sequence[Mention]]
"""Finds the entities that a text names."""

_BARE = " and "
MAX_STATEMENTS = 3
"""Maximum statements of one sentence."""
_BOUNDARIES: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"(?:,|;) (?:and|while|whereas|but) (?:then )?|; | and (?=[A-Z])"),
    "ja": re.compile("、(?:そして|また|一方で?|さらに|かつ)、?"),
    "zh": re.compile("[，；,;] ?(?:并且|而且|同时|此外|另外|以及|而)，?|；"),
}


def split_compound_sentence(sentence: str, language: Language, find_mentions: MentionFinder) -> list[str]:
    """Split ``sentence`` into statements, in order; the whole sentence if its parts are not independent."""
    statements: list[str] = []
    start = 0
    for boundary in _BOUNDARIES[language].finditer(sentence):
        if len(statements) + 1 == MAX_STATEMENTS:
            break
        halves = sentence[start : boundary.start()], sentence[boundary.end() :]
        if boundary.group() == _BARE and not all(
            dates.find_dates(numbers.normalize(half, language)) for half in halves
        ):
            continue  # "sued Binance and Coinbase for listing": two objects of one act
        if all(_is_independent(half, language, find_mentions) for half in halves):
            statements.append(halves[0].strip())
            start = boundary.end()
    return [*statements, sentence[start:].strip()]


def _is_independent(text: str, language: Language, find_mentions: MentionFinder) -> bool:
    """True if a part names an entity before its act, or in Chinese and Japanese at all."""
    acts = actions.find_actions(numbers.normalize(text, language), language)
    if not acts:
        return False
    return any(mention.start < acts[0].start for mention in find_mentions(text))
