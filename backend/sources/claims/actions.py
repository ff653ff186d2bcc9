"""Finds the acts that a text states, and whether it affirms or denies them.

The verbs, their themes and their opposites are data (``data/verbs.yaml``). One automaton over the forms
of a language finds them; the longest match wins (制裁を解除 over 制裁). Denials are found by
:mod:`backend.sources.claims.negation`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

import ahocorasick_rs
import yaml

from backend.entities.model import Language
from backend.sources.claims import negation
from backend.sources.claims.model import Action

DATA = Path(__file__).parent / "data"
MAX_ACTIONS = 200
"""Maximum verbs of one text; a passage with more is not a statement."""

_DENIAL = re.compile(r"\bden(?:y|ies|ied|ying)\b|否认|否認")
_GAP = " * "
_ROOM = r" (?:[^\s,.;:]+ ){1,5}?"
"""Up to five words of one clause between a verb and its particle."""
_LATIN = re.compile(r"[a-z0-9]")


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb of the list with its themes, its opposites, and the acts that it presupposes (``after``).

    ``refusal``: it states that something did not happen. ``generic``: it is so common that two texts with it
    need not be about one event. ``once``: the same agents are unlikely to repeat it. ``roles``: the names of
    the roles of its agent, patient, recipient and giver; empty if it has no two parties. Roles of acts with
    one ``matter`` compare."""

    name: str
    themes: frozenset[str]
    opposites: frozenset[str]
    after: frozenset[str]
    forms: Mapping[Language, tuple[str, ...]]
    refusal: bool = False
    generic: bool = False
    once: bool = False
    roles: Mapping[str, str] = field(default_factory=dict)
    matter: str = ""


DIRECTED_ROLES: Mapping[str, str] = MappingProxyType(
    {"agent": "agent", "patient": "target", "recipient": "target"}
)
"""The roles of an act that is marked ``directed``."""


def _inflected(phrase: str, irregular: Mapping[str, list[str]]) -> Iterator[str]:
    """Generate all forms of a phrase, inflected at its first word; a phrase with ``=`` has one form. A word
    ``a|b`` means each alternative."""
    if "|" in phrase:
        for words in product(*(word.split("|") for word in phrase.split(" "))):
            yield from _inflected(" ".join(word for word in words if word), irregular)
        return
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
    """Load the verbs by name, once."""
    irregular = _yaml("inflections.yaml")
    listed = {}
    for name, entry in _yaml("verbs.yaml").items():
        english = [form for phrase in entry["en"] for form in _inflected(phrase, irregular)]
        themes, opposites, after = (frozenset(entry.get(key, ())) for key in ("theme", "opposites", "after"))
        refusal, generic, once = (entry.get(key, False) for key in ("refusal", "generic", "once"))
        unique: dict[Language, tuple[str, ...]] = {
            "en": tuple(dict.fromkeys(english)),
            "ja": tuple(entry["ja"]),
            "zh": tuple(entry["zh"]),
        }
        roles = entry.get("roles") or (DIRECTED_ROLES if entry.get("directed") else {})
        matter = entry.get("matter", name)
        listed[name] = Verb(name, themes, opposites, after, unique, refusal, generic, once, roles, matter)
    for verb in [*listed.values()]:
        for other in verb.opposites:
            listed[other] = replace(listed[other], opposites=listed[other].opposites | {verb.name})
    return MappingProxyType(listed)


@cache
def _automaton(language: Language) -> tuple[ahocorasick_rs.AhoCorasick, tuple[tuple[str, ...], ...]]:
    """Build the automaton of a language: its own forms, and English ones, which every text may contain."""
    meanings: dict[str, list[str]] = {}
    for verb in verbs().values():
        for form in dict.fromkeys((*verb.forms["en"], *verb.forms[language])):
            meanings.setdefault(form, []).append(verb.name)
    meanings |= {word: [] for word in _yaml("words.yaml")["no_acts"]}
    kind = ahocorasick_rs.MatchKind.LeftmostLongest
    whole = {form: names for form, names in meanings.items() if _GAP not in form}
    return ahocorasick_rs.AhoCorasick(list(whole), matchkind=kind), tuple(map(tuple, whole.values()))


@cache
def _parted() -> tuple[re.Pattern[str], Mapping[str, tuple[str, ...]]]:
    """Compile the forms with a gap (gave, back) to one pattern, and map each to its verbs."""
    meanings: dict[str, list[str]] = {}
    for verb in verbs().values():
        for form in verb.forms["en"]:
            if _GAP in form:
                meanings.setdefault(form, []).append(verb.name)
    pairs = [tuple(re.escape(half) for half in form.split(_GAP)) for form in meanings]
    ways = (rf"{first}(?={_ROOM}(?P<f{place}>{rest})\b)" for place, (first, rest) in enumerate(pairs))
    named = {f"f{place}": tuple(names) for place, names in enumerate(meanings.values())}
    return re.compile(rf"\b(?:{'|'.join(ways)})"), MappingProxyType(named)


@dataclass(frozen=True, slots=True)
class _Form:
    """A verb form in a text and its verbs. ``end`` is the end of its first part, ``whole`` that of all
    parts."""

    verbs: tuple[str, ...]
    start: int
    end: int
    whole: int


def _forms(low: str, language: Language) -> list[_Form]:
    automaton, meanings = _automaton(language)
    found = {
        start: _Form(meanings[index], start, end, end)
        for index, start, end in automaton.find_matches_as_indexes(low)
        if _stands_alone(low, start, end)
    }
    if language == "en":
        pattern, parted = _parted()
        for match in pattern.finditer(low):
            if match.lastgroup is not None:
                group = match.lastgroup
                found[match.start()] = _Form(parted[group], match.start(), match.end(), match.end(group))
    return [found[start] for start in sorted(found)]


def find(text: str, language: Language) -> list[Action]:
    """Find the actions of a plain ``text`` in order. A form of two verbs (公開) gives both."""
    low = text.lower()
    forms = _forms(low, language)
    found: list[Action] = []
    governing = negation.governing(low)
    stands_before = language != "ja"
    before_end = 0
    used = -1
    for place, form in enumerate(forms):
        start, end = form.start, form.end
        if start == used or not form.verbs:
            continue  # the negation of the verb before, or a word that only holds a form
        following = forms[place + 1].start if place + 1 < len(forms) else None
        if stands_before and start in governing and negation.reaches(low, end, following):
            continue
        negated, behind = negation.of(low, start, end, before_end, language)
        used = end + behind if behind is not None else used
        found += [Action(verb, not negated, start, end, text[start : form.whole]) for verb in form.verbs]
        before_end = end
        if len(found) >= MAX_ACTIONS:
            break
    found = _apply_barring(low, found)
    return negation.without_denied(low, found) or _mere_denial(low, text)


def _apply_barring(low: str, found: Sequence[Action]) -> list[Action]:
    """Negate the acts that are barred, and in Chinese each that directly follows such an act (发行融资)."""
    result: list[Action] = []
    for place, action in enumerate(found):
        before = found[place - 1] if place else None
        last = result[-1] if result else None
        is_joined = last is not None and last.end == action.start and not last.text.isascii()
        if is_joined and last is not None and before is not None and last.affirmed != before.affirmed:
            result.append(replace(action, affirmed=not action.affirmed))
        else:
            result.append(_forbidden(low, before, action))
    return result


def _forbidden(low: str, before: Action | None, action: Action) -> Action:
    """Negate an act that is barred or blocked (blocked the repeal, 禁止推进)."""
    if before is None or not before.affirmed or before.verb not in BARRING or before.end > action.start:
        return action
    if verbs()[action.verb].themes & {"duty"} or not _CALLS_OFF.match(before.text.lower()):
        return action
    if before.text.lower().endswith(" on"):  # the ban on crypto is a noun
        return action
    is_object = _OBJECT.fullmatch(low, before.end, action.start) is not None
    return replace(action, affirmed=not action.affirmed) if is_object else action


BARRING = frozenset({"ban", "reject", "shut_down"})
_CALLS_OFF = re.compile(r"(?!clos|shut|w[io]u?nd|end|leave|leav|left|stay)|[^a-z]")
"""Verbs that close something existing; they do not prevent an act."""
_OBJECT = re.compile(
    r" (?:the |its |a |an |any |all |their )?"
    r"(?:(?!(?:after|of|over|for|in|on|to|amid|following|from|with|by|and|at|as|against)\b)[\w.-]+ ){0,2}"
    r"| (?:[\w.'-]+ ){0,4}"
    r"(?:plea|bid|request|application|appeal|petition|motion|call|offer|proposal)s? (?:for|to) (?:the |an? )?"
    r"|(?:了)?[\u4e00-\u9fffA-Za-z0-9]{0,16}"
)
"""Text that may stand between a barring verb and the barred act."""


def _mere_denial(low: str, text: str) -> list[Action]:
    """Return a rejection for a denial without a listed verb (of an application, a petition)."""
    match = _DENIAL.search(low)
    return [] if match is None else [Action("reject", True, *match.span(), text[match.start() : match.end()])]


def _stands_alone(low: str, start: int, end: int) -> bool:
    """True unless a form in Latin letters is part of a longer word."""
    if not low[start].isascii():
        return True
    before = start > 0 and _LATIN.match(low[start - 1])
    behind = end < len(low) and _LATIN.match(low[end])
    return not before and not behind
