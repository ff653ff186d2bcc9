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
_GAP_PATTERN = r" (?:[^\s,.;:]+ ){1,5}?"
"""Up to five words of one clause between a verb and its particle."""
_LATIN = re.compile(r"[a-z0-9]")


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb of the list with its themes, its opposites, and the acts that it presupposes (``after``).

    ``refusal``: it states that something did not happen. ``generic``: it is so common that two texts with it
    need not be about one event. ``once``: the same agents are unlikely to repeat it. ``roles``: the names of
    the roles of its agent, patient, recipient and giver; empty if it has no two parties. Roles of acts with
    one ``role_group`` compare."""

    name: str
    themes: frozenset[str]
    opposites: frozenset[str]
    after: frozenset[str]
    forms: Mapping[Language, tuple[str, ...]]
    refusal: bool = False
    generic: bool = False
    once: bool = False
    roles: Mapping[str, str] = field(default_factory=dict)
    role_group: str = ""
    supported_by: frozenset[str] | None = None
    """The verbs that bear out this act, itself among them; None if it cannot be searched for."""


DIRECTED_ROLES: Mapping[str, str] = MappingProxyType(
    {"agent": "agent", "patient": "target", "recipient": "target"}
)
"""The roles of an act that is marked ``directed``."""


def _generate_inflections(phrase: str, irregular: Mapping[str, list[str]]) -> Iterator[str]:
    """Generate all forms of a phrase, inflected at its first word; a phrase with ``=`` has one form. A word
    ``a|b`` means each alternative."""
    if "|" in phrase:
        for words in product(*(word.split("|") for word in phrase.split(" "))):
            yield from _generate_inflections(" ".join(word for word in words if word), irregular)
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


def _load_yaml(name: str) -> Any:
    return yaml.load((DATA / name).read_text("utf-8"), Loader=yaml.CSafeLoader)


@cache
def load_verbs() -> Mapping[str, Verb]:
    """Load the verbs by name, once."""
    irregular = _load_yaml("inflections.yaml")
    verbs_by_name = {}
    for name, entry in _load_yaml("verbs.yaml").items():
        english = [form for phrase in entry["en"] for form in _generate_inflections(phrase, irregular)]
        themes, opposites, after = (frozenset(entry.get(key, ())) for key in ("theme", "opposites", "after"))
        refusal, generic, once = (entry.get(key, False) for key in ("refusal", "generic", "once"))
        unique: dict[Language, tuple[str, ...]] = {
            "en": tuple(dict.fromkeys(english)),
            "ja": tuple(entry["ja"]),
            "zh": tuple(entry["zh"]),
        }
        roles = entry.get("roles") or (DIRECTED_ROLES if entry.get("directed") else {})
        role_group = entry.get("matter", name)
        told_by = entry.get("told_by", "any" if generic else [])
        supported_by = None if told_by == "any" else frozenset({name, *told_by})
        verbs_by_name[name] = Verb(
            name, themes, opposites, after, unique, refusal, generic, once, roles, role_group, supported_by
        )
    for verb in [*verbs_by_name.values()]:
        for opposite in verb.opposites:
            verbs_by_name[opposite] = replace(
                verbs_by_name[opposite], opposites=verbs_by_name[opposite].opposites | {verb.name}
            )
    return MappingProxyType(verbs_by_name)


@cache
def _build_automaton(language: Language) -> tuple[ahocorasick_rs.AhoCorasick, tuple[tuple[str, ...], ...]]:
    """Build the automaton of a language: its own forms, and English ones, which every text may contain."""
    meanings: dict[str, list[str]] = {}
    for verb in load_verbs().values():
        for form in dict.fromkeys((*verb.forms["en"], *verb.forms[language])):
            meanings.setdefault(form, []).append(verb.name)
    meanings |= {word: [] for word in _load_yaml("words.yaml")["no_acts"]}
    kind = ahocorasick_rs.MatchKind.LeftmostLongest
    contiguous_forms = {form: names for form, names in meanings.items() if _GAP not in form}
    return ahocorasick_rs.AhoCorasick(list(contiguous_forms), matchkind=kind), tuple(
        map(tuple, contiguous_forms.values())
    )


@cache
def _compile_separable_forms() -> tuple[re.Pattern[str], Mapping[str, tuple[str, ...]]]:
    """Compile the forms with a gap (gave, back) to one pattern, and map each to its verbs."""
    meanings: dict[str, list[str]] = {}
    for verb in load_verbs().values():
        for form in verb.forms["en"]:
            if _GAP in form:
                meanings.setdefault(form, []).append(verb.name)
    pairs = [tuple(re.escape(half) for half in form.split(_GAP)) for form in meanings]
    alternatives = (
        rf"{first}(?={_GAP_PATTERN}(?P<f{index}>{rest})\b)" for index, (first, rest) in enumerate(pairs)
    )
    verbs_by_group = {f"f{index}": tuple(names) for index, names in enumerate(meanings.values())}
    return re.compile(rf"\b(?:{'|'.join(alternatives)})"), MappingProxyType(verbs_by_group)


@dataclass(frozen=True, slots=True)
class _Form:
    """A verb form in a text and its verbs. ``end`` is the end of its first part, ``whole`` that of all
    parts."""

    verbs: tuple[str, ...]
    start: int
    end: int
    full_end: int


def _find_forms(lowered: str, language: Language) -> list[_Form]:
    automaton, meanings = _build_automaton(language)
    forms_by_start = {
        start: _Form(meanings[index], start, end, end)
        for index, start, end in automaton.find_matches_as_indexes(lowered)
        if _stands_alone(lowered, start, end)
    }
    if language == "en":
        pattern, parted = _compile_separable_forms()
        for match in pattern.finditer(lowered):
            if match.lastgroup is not None:
                group = match.lastgroup
                forms_by_start[match.start()] = _Form(
                    parted[group], match.start(), match.end(), match.end(group)
                )
    return [forms_by_start[start] for start in sorted(forms_by_start)]


def find_actions(text: str, language: Language) -> list[Action]:
    """Find the actions of a plain ``text`` in order. A form of two verbs (公開) gives both."""
    lowered = text.lower()
    forms = _find_forms(lowered, language)
    actions: list[Action] = []
    governing_starts = negation.find_governing_starts(lowered)
    first_otherwise = negation.find_first_otherwise(lowered, language)
    is_negation_first = language != "ja"
    previous_end = 0
    negation_start = -1
    for index, form in enumerate(forms):
        start, end = form.start, form.end
        if start == negation_start or not form.verbs:
            continue  # the negation of the verb before, or a word that only holds a form
        following = forms[index + 1].start if index + 1 < len(forms) else None
        if _LAWMAKING_EN.fullmatch(lowered, start, end) and not _LAW_EN.search(lowered):
            continue
        if _GOING_UNDER_EN.fullmatch(lowered, start, end) and not _GONE_EN.match(lowered, end):
            continue
        if lowered.startswith(_THROUGH_ZH, start) and _is_preposition(lowered, start, end, following):
            continue
        if is_negation_first and start in governing_starts and negation.is_in_scope(lowered, end, following):
            continue
        negated, negation_offset = negation.find_verb_negation(lowered, start, end, previous_end, language)
        if negated and language == "en" and negation.UNTIL_EN.match(lowered, form.full_end):
            negated = False  # did not start until July: started in July
        negation_start = end + negation_offset if negation_offset is not None else negation_start
        if negated and any(span_start <= start < span_end for span_start, span_end in first_otherwise):
            negated = False  # had never listed a coin before: the first listing
        if negated and language == "zh" and _is_dropped_case(lowered, start, end):
            actions.append(Action("dismiss", True, start, end, text[start : form.full_end]))
            previous_end = end
            continue
        actions += [Action(verb, not negated, start, end, text[start : form.full_end]) for verb in form.verbs]
        previous_end = end
        if len(actions) >= MAX_ACTIONS:
            break
    actions = _apply_barring(lowered, actions)
    return negation.negate_denied_sentences(lowered, actions) or _find_unlisted_denial(lowered, text)


_LAWMAKING_EN = re.compile(r"pass(?:es|ed|ing)?")
_LAW_EN = re.compile(
    r"\b(?:acts?|bills?|laws?|legislat\w+|rules?|regulations?|directives?|statutes?|ordinances?|measures?"
    r"|resolutions?|motions?|amendments?|budget|standards?|guidelines?|frameworks?|constitution|treaty"
    r"|senat\w+|house|congress\w*|parliaments?|council|assembly|lawmakers?|chambers?|committee|commission"
    r"|voted?|votes|voters|referendum|proposals?|decree|strategy|legal tender|[a-z]{2,8}-\d+|bip\b|eip\b"
    r"|mica|gdpr|genius|clarity)\b"
)
"""Passing is an act of lawmaking only of a law: money passes through a mixer."""
_GOING_UNDER_EN = re.compile("(?:go|goes|going|gone|went) under")
_GONE_EN = re.compile(
    r"\s*(?:$|[.,;:!?)\]\"'”’—–-])"
    r"|\s+(?:in|on|at|after|before|amid|during|following|because|due|owing|when|while|as|since|and|but|or|by"
    r"|with|within|without|last|this|that|just|only|shortly|soon|early|late|earlier|later|again|too|first"
    r"|completely|entirely|today|yesterday|[a-z]+day|leaving|taking|for good|[12]\d{3}|[^\x00-\x7f])"
    r"(?![a-z0-9])|(?=[\u3040-\u9fff])"
)
"""Going under is a collapse at the end of a clause; with an object it is not (under contract, under $1)."""
_DROPPED_ZH = re.compile("(?:放弃|终止|停止|取消)了?[^，。]{0,14}$")
_CASES_ZH = frozenset({"诉讼", "訴訟", "指控", "官司"})


def _is_dropped_case(lowered: str, start: int, end: int) -> bool:
    """True if a case is given up, which ends it: 放弃了对其的诉讼."""
    return (
        lowered[start:end] in _CASES_ZH and _DROPPED_ZH.search(lowered, max(0, start - 20), start) is not None
    )


_THROUGH_ZH = "通过"
_PASSING_ZH = re.compile("(?:获|以|票|决|议|院|会|一致|正式|已|才|均|未|没有)$")
_MEANS_ZH = re.compile("[^，。]{1,14}(?:把|将|来|对|向|进行)")
_PASSED_ZH = re.compile("[了，。；、]|法|案|条例|决议|规则|预算|审[议批核查]|投票|表决")


def _is_preposition(lowered: str, start: int, end: int, following: int | None) -> bool:
    """True if 通过 only tells the means of the next act, not that a law passed."""
    if following is None and not _MEANS_ZH.match(lowered, end):
        return False
    return (
        _PASSING_ZH.search(lowered, max(0, start - 2), start) is None
        and _PASSED_ZH.search(lowered, end, following or end) is None
    )


def _apply_barring(lowered: str, actions: Sequence[Action]) -> list[Action]:
    """Negate the acts that are barred, and in Chinese each that directly follows such an act (发行融资)."""
    result: list[Action] = []
    for index, action in enumerate(actions):
        previous = actions[index - 1] if index else None
        last_result = result[-1] if result else None
        is_joined = (
            last_result is not None and last_result.end == action.start and not last_result.text.isascii()
        )
        if (
            is_joined
            and last_result is not None
            and previous is not None
            and last_result.affirmed != previous.affirmed
        ):
            result.append(replace(action, affirmed=not action.affirmed))
        else:
            result.append(_negate_if_barred(lowered, previous, action))
    return result


def _negate_if_barred(lowered: str, barring: Action | None, action: Action) -> Action:
    """Negate an act that is barred or blocked (blocked the repeal, 禁止推进)."""
    if barring is None or not barring.affirmed or barring.verb not in BARRING or barring.end > action.start:
        return action
    if load_verbs()[action.verb].themes & {"duty"} or not _CALLS_OFF.match(barring.text.lower()):
        return action
    if barring.text.lower().endswith(" on"):  # the ban on crypto is a noun
        return action
    if action.text.lower() == "executive order":
        return action  # scrapped the executive order: a thing
    is_object = _OBJECT.fullmatch(lowered, barring.end, action.start) is not None
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


def _find_unlisted_denial(lowered: str, text: str) -> list[Action]:
    """Return a rejection for a denial without a listed verb (of an application, a petition)."""
    match = _DENIAL.search(lowered)
    return [] if match is None else [Action("reject", True, *match.span(), text[match.start() : match.end()])]


def _stands_alone(lowered: str, start: int, end: int) -> bool:
    """True unless a form in Latin letters is part of a longer word."""
    if not lowered[start].isascii():
        return True
    before = start > 0 and _LATIN.match(lowered[start - 1])
    after = end < len(lowered) and _LATIN.match(lowered[end])
    return not before and not after
