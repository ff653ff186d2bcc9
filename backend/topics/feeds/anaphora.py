"""Finds sentences that only the title of their article makes clear, and titles that can stand before them.

A sentence that begins with *the companies* or 该公司 tells nothing to a reader who has not read the title,
and a text that leaves out that charges were *dismissed* tells the opposite of its title. The patterns are
data (``data/anaphora_patterns.yaml``).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from backend.entities.model import LANGUAGES, Language
from backend.formats.chinese import to_simplified

MAX_SUBJECT_WORDS = 7
"""English words, from the beginning of a sentence, within which a subject ends."""
_FILE = Path(__file__).parent / "data" / "anaphora_patterns.yaml"
_VERB = re.compile(
    r" (?:is|are|was|were|has|have|had|will|would|can|could|may|might|must|should|did|does|do|said|says"
    r"|(?<=[a-z] )[a-z]{2,}ed)\b|[,;:“”\"—–]"
)
"""An auxiliary, a verb of the past or a mark behind which a subject has ended."""
_PLACE = re.compile(r"\b(?:US|U\.S\.|UK|U\.K\.|EU)(?!\w)")
"""Says of which place something is, not what it is."""
_PRONOUNS = frozenset({"it", "he", "she", "they"})
_DEFINED = re.compile(r"[A-Z]|\d|\b(?:of|who|whose|that|behind|between)\b")
_PARTY = r"[A-Z][\w.&’'-]*(?: [A-Z][\w.&’'-]*){0,2}"
_TWO_PARTIES: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(rf"{_PARTY}(?:,| and| &) {_PARTY}"),
    "ja": re.compile(r"[^、。はがを]{2,16}(?:と|・|＆|や)[^、。はがを]{2,16}[、はが]"),
    "zh": re.compile(r"[^，。：]{2,12}(?:和|与|及|、)[^，。：]{2,12}"),
}
_ENDED = re.compile(r"[.。！!？?][”\"』」’')）]*$")


@dataclass(frozen=True, slots=True)
class _Patterns:
    opening: re.Pattern[str]
    one_party: re.Pattern[str]
    unique: re.Pattern[str]
    inner: re.Pattern[str]
    no_clause: re.Pattern[str]
    turn: re.Pattern[str]
    turned: re.Pattern[str]


def has_unclear_opening(sentence: str, language: Language) -> bool:
    """True if the subject of a sentence is something that was named before it and is not named in it."""
    patterns = _load_patterns()[language]
    compared = _normalize(sentence, language)
    opening = patterns.opening.match(compared)
    if opening is None or patterns.unique.match(compared):
        return False
    if language != "en" or opening.group().lower() in _PRONOUNS:
        return True
    words = compared[opening.end() :].split(" ")
    subject = " ".join(words[:MAX_SUBJECT_WORDS])
    verb = _VERB.search(subject)
    subject = _PLACE.sub("", subject[: verb.start()] if verb else subject)
    return _DEFINED.search(subject) is None


def has_unclear_words(sentence: str, language: Language) -> bool:
    """True if a sentence speaks of something (*the incident*) that neither it nor its opening names."""
    compared = _normalize(sentence, language)
    return any(
        not re.search(rf"\b{re.escape(match['noun'])}", compared[: match.start()], re.IGNORECASE)
        for match in _load_patterns()[language].inner.finditer(compared)
    )


def build_title_clause(title: str, language: Language) -> str:
    """Return a title as a sentence, word for word; empty if it is no sentence."""
    if _load_patterns()[language].no_clause.search(_normalize(title, language)):
        return ""
    return title if _ENDED.search(title) else f"{title}{'.' if language == 'en' else '。'}"


def is_made_clear(sentence: str, title: str, language: Language) -> bool:
    """True if a title in front of a sentence tells whom its opening means: not if it begins with two parties
    and the sentence speaks of one."""
    one_party = _load_patterns()[language].one_party.match(_normalize(sentence, language))
    return one_party is None or _TWO_PARTIES[language].match(title) is None


def loses_turn(title: str, texts: Sequence[str], language: Language) -> bool:
    """True if the title tells that something was dismissed, dropped or denied, and ``texts`` do not."""
    patterns = _load_patterns()[language]
    if not patterns.turn.search(_normalize(title, language)):
        return False
    told = _normalize("\n".join(texts), language)
    return not patterns.turn.search(told) and not patterns.turned.search(told)


def _normalize(text: str, language: Language) -> str:
    return to_simplified(text) if language == "zh" else text


@cache
def _load_patterns() -> Mapping[Language, _Patterns]:
    listed = yaml.safe_load(_FILE.read_text("utf-8"))
    return {
        language: _Patterns(
            **{
                name: re.compile(
                    "|".join(f"(?:{one})" for one in listed[language][name]) or r"(?!)",
                    re.IGNORECASE if language == "en" else re.NOFLAG,
                )
                for name in _Patterns.__slots__
            }
        )
        for language in LANGUAGES
    }
