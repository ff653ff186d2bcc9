"""What a claim says was done, and whether it says so or denies it.

The verbs, their themes and their opposites are data (``data/verbs.yaml``). One automaton over all forms
of the three languages finds them; the longest wins (制裁を解除 over 制裁). A negation counts within its
scope: in English and Chinese it stands before the verb in the same clause, in Japanese behind it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import ahocorasick_rs
import yaml

from backend.entities.model import LANGUAGES, Language
from backend.sources.claims.model import Action

DATA = Path(__file__).parent / "data"
MOST_ACTIONS = 200
"""Verbs read of one text: a passage that has more is no statement."""

_BEFORE_EN, _BEFORE_ZH, _BEHIND_JA = 48, 10, 14
"""How many characters before or behind a verb its negation may stand."""
_CLAUSE = re.compile(r"[.,;:!?](?=\s|$)|[。、，；：！？\n]| (?:but|and then|although|while) ")
_NOT_EN = re.compile(
    r"\b(?:not(?! only)|never|cannot|no longer|nor|neither|fail(?:s|ed)? to|refus(?:es|ed) to"
    r"|declin(?:es|ed) to|yet to|den(?:y|ies|ied|ying)|refut(?:es?|ed|ing)|false(?:ly)?|rather than"
    r"|instead of|without|no)\b"
    r"|n't\b",
)
_ONLY_NEAR = frozenset({"no", "without", "not"})
_NOT_ZH = re.compile(
    r"从未|從未|没有|沒有|尚未|并未|並未|並非|并非|未能|否认|否認|拒绝|拒絕|不会|不會|不再|绝不"
    r"|(?:没|未(?!经|經|来|來)|不(?!断|仅|过|法|久|少)|无(?!注|许))(?=.{0,2}$)"
)
_NOT_JA = re.compile(
    r"(?:て|し|され|せ|れ|られ|い|が|は|には|を|に|と|さ|っ|わ|ま|か|え|め|け|ら|り|当た|行わ|認め|する|した"
    r"|で|も|の|こと|事実|方針|計画|予定){0,8}"
    r"(?:なかった|ない|なく|ません|ず(?![つっ])|否定|撤回)"
)
_DENIAL = re.compile(r"\bden(?:y|ies|ied|ying)\b|否认|否認")
_LATIN = re.compile(r"[a-z0-9]")


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb of the list: what it is about, what contradicts it, and what it takes for granted."""

    name: str
    themes: frozenset[str]
    opposites: frozenset[str]
    after: frozenset[str]
    forms: tuple[str, ...]


def _inflected(phrase: str, irregular: Mapping[str, list[str]]) -> Iterator[str]:
    """All forms of a phrase, by its first word; of a phrase marked ``=``, that one."""
    if phrase.startswith("="):
        yield phrase[1:]
        return
    word, _, rest = phrase.partition(" ")
    tail = f" {rest}" if rest else ""
    if word in irregular:
        forms = [word, *irregular[word]]
    elif word.endswith("e"):
        forms = [word, f"{word}s", f"{word}d", f"{word[:-1]}ing"]
    elif word.endswith("y") and word[-2] not in "aeiou":
        forms = [word, f"{word[:-1]}ies", f"{word[:-1]}ied", f"{word}ing"]
    else:
        plural = f"{word}es" if word.endswith(("s", "sh", "ch", "x")) else f"{word}s"
        forms = [word, plural, f"{word}ed", f"{word}ing"]
    yield from (form + tail for form in forms)


def _yaml(name: str) -> Any:
    return yaml.load((DATA / name).read_text("utf-8"), Loader=yaml.CSafeLoader)


@cache
def verbs() -> Mapping[str, Verb]:
    """The list by name, read once."""
    irregular = _yaml("inflections.yaml")
    listed = {}
    for name, entry in _yaml("verbs.yaml").items():
        forms = [form for phrase in entry["en"] for form in _inflected(phrase, irregular)]
        forms += [form for language in LANGUAGES[1:] for form in entry[language]]
        themes, opposites, after = (frozenset(entry.get(key, ())) for key in ("theme", "opposites", "after"))
        listed[name] = Verb(name, themes, opposites, after, tuple(dict.fromkeys(forms)))
    return MappingProxyType(listed)


@cache
def _automaton() -> tuple[ahocorasick_rs.AhoCorasick, tuple[tuple[str, ...], ...]]:
    meanings: dict[str, list[str]] = {}
    for verb in verbs().values():
        for form in verb.forms:
            meanings.setdefault(form, []).append(verb.name)
    kind = ahocorasick_rs.MatchKind.LeftmostLongest
    return ahocorasick_rs.AhoCorasick(list(meanings), matchkind=kind), tuple(map(tuple, meanings.values()))


def find(text: str, language: Language) -> list[Action]:
    """The actions of a plain ``text``, in order. A form of two verbs (公開) gives both."""
    low = text.lower()
    automaton, meanings = _automaton()
    found: list[Action] = []
    before_end = 0
    for index, start, end in automaton.find_matches_as_indexes(low):
        if not _stands_alone(low, start, end):
            continue
        affirmed = not _negated(low, start, end, before_end, language)
        found += [Action(verb, affirmed, start, end, text[start:end]) for verb in meanings[index]]
        before_end = end
        if len(found) >= MOST_ACTIONS:
            break
    return found or _mere_denial(low, text)


def _mere_denial(low: str, text: str) -> list[Action]:
    """Denied what no verb of the list tells (an application, a petition): turned down."""
    match = _DENIAL.search(low)
    return [] if match is None else [Action("reject", True, *match.span(), text[match.start() : match.end()])]


def _stands_alone(low: str, start: int, end: int) -> bool:
    """Whether a form in Latin letters is a whole word."""
    if not low[start].isascii():
        return True
    before = start > 0 and _LATIN.match(low[start - 1])
    behind = end < len(low) and _LATIN.match(low[end])
    return not before and not behind


def _negated(low: str, start: int, end: int, before_end: int, language: Language) -> bool:
    if low[start].isascii():
        window = low[max(before_end, start - _BEFORE_EN) : start]
        return _odd([match.group() for match in _NOT_EN.finditer(_last_clause(window)) if _near(match)])
    if language == "ja":
        window = low[end : end + _BEHIND_JA]
        clause = _CLAUSE.search(window)
        return _NOT_JA.match(window[: clause.start()] if clause else window) is not None
    window = low[max(before_end, start - _BEFORE_ZH) : start]
    return _odd(_NOT_ZH.findall(_last_clause(window)))


def _last_clause(window: str) -> str:
    ends = [match.end() for match in _CLAUSE.finditer(window)]
    return window[ends[-1] :] if ends else window


def _near(match: re.Match[str]) -> bool:
    """Short negations reach over four words at the most, a denial over its whole clause."""
    return match.group() not in _ONLY_NEAR or len(match.string[match.end() :].split()) <= 4


def _odd(negations: list[str]) -> bool:
    return len(negations) % 2 == 1
