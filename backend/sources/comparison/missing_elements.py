"""Finds the elements of a claim that a passage about its event does not tell.

A claim is supported only if each of its elements is borne out. What a passage contradicts is found by
:mod:`backend.sources.comparison.claim_comparison`; this module finds what it is silent about: a figure, a
name, a place, an act, a word such as *first* or *still*, a denial, or a whole clause.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache

from backend.entities.model import Language
from backend.sources.claims import lexical_features, numbers
from backend.sources.claims.cues import find_cues
from backend.sources.claims.model import Claim, Difference, MissingElement, Quantity
from backend.sources.claims.units import units

MIN_CLAUSE_TERMS: Mapping[Language, int] = {"en": 3, "ja": 3, "zh": 4}
"""Content terms from which a clause says something of its own."""
MIN_TERM_CHARS = 5
"""Letters from which a stem is also looked for inside other words."""
HOME_COUNTRY = "United States"
"""Often named as a matter of course, beside its agencies and courts."""
MAX_ADJECTIVE_GAP = 14
"""Characters between a country and the name that it belongs to: the South Korean exchange Upbit."""
DECISIVE_ACTS = frozenset({"uphold", "ban", "acquit", "keep"})
_DERIVED_UNITS = frozenset({"time", "day", "week", "month", "year", "hour", "minute", "second", "%"})
"""Units of figures that a reader can work out: durations, multiples, shares."""


def find_missing(
    claim: Claim, passage: Claim, agreed: Sequence[Difference], *, known_entities: Collection[str]
) -> frozenset[MissingElement]:
    """Return the elements of ``claim`` that ``passage`` does not tell.

    ``agreed`` are the slots that agree. ``known_entities`` are the entities that the passage or its record
    names. In a passage of another language only figures and names can be found.
    """
    found = {*_find_figures(claim, passage, agreed), *_find_names(claim, passage, known_entities)}
    if claim.language == passage.language:
        others = (
            _find_cue(claim, passage),
            _find_place(claim, passage),
            _find_act(claim, passage),
            _find_negation(claim, passage),
            _find_clause(claim, passage, agreed, known_entities),
        )
        found |= {one for one in others if one is not None}
    return frozenset(found)


def _find_figures(claim: Claim, passage: Claim, agreed: Sequence[Difference]) -> Iterator[MissingElement]:
    told = {same.claimed for same in agreed if same.slot == "figure"}
    for one in claim.quantities:
        if one.text not in told and not _is_derived(claim, one):
            yield MissingElement("figure", one.text)
    yield from _find_numbers(claim, passage, told)
    yield from _find_ordinals(claim, passage)


_DIGITS = re.compile(r"(?<![A-Za-z\d.])\d[\d,]*(?:\.\d+)?(?![A-Za-z\d])")
MIN_DIGITS = 3


def _find_numbers(claim: Claim, passage: Claim, told: Collection[str]) -> Iterator[MissingElement]:
    """Find numbers without a unit, such as references and heights, that do not stand in the passage."""
    plain = numbers.plain(claim.text)
    taken = [(one.start, one.end) for one in (*claim.dates, *claim.quantities)]
    known = {match.group().replace(",", "") for match in _DIGITS.finditer(numbers.plain(passage.text))}
    known |= {digits for text in told for digits in re.findall(r"\d+", text.replace(",", ""))}
    for match in _DIGITS.finditer(plain):
        digits = match.group().replace(",", "").rstrip(".")
        is_slot = any(start < match.end() and match.start() < end for start, end in taken)
        if not is_slot and len(digits) >= MIN_DIGITS and digits not in known:
            yield MissingElement("figure", match.group())


_ORDINALS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?P<n>second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d{1,3}(?:nd|rd|th))\b"
        r"(?! (?:quarter|half|of|day|week))"
    ),
    "ja": re.compile("第?(?P<n>\\d{1,3}|[二三四五六七八九十]{1,2})(?:回目|度目|番目|例目|社目|代目|弾|陣)"),
    "zh": re.compile("第(?P<n>\\d{1,3}|[二三四五六七八九十]{1,2})(?=[个個次家只款位支版代批任起])"),
}
_ORDINAL_WORDS = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def _find_ordinals(claim: Claim, passage: Claim) -> Iterator[MissingElement]:
    if claim.language != passage.language:
        return
    ours, theirs = (_read_ordinals(text) for text in (claim, passage))
    for value, text in ours.items():
        if value not in theirs:
            yield MissingElement("figure", text)


def _read_ordinals(text: Claim) -> dict[str, str]:
    plain = numbers.plain(text.text).lower()
    found = {}
    for match in _ORDINALS[text.language].finditer(plain):
        if any(
            one.start < match.end() and match.start() < one.end for one in (*text.dates, *text.quantities)
        ):
            continue
        word = match["n"]
        value = numbers.parse(re.sub(r"\D+$", "", word) or word, text.language) if word[0].isdigit() else None
        if value is None and word in _ORDINAL_WORDS:
            value = Decimal(_ORDINAL_WORDS.index(word) + 2)
        value = value if value is not None else numbers.parse(word, text.language)
        found[str(value)] = match.group()
    return found


def _is_derived(claim: Claim, quantity: Quantity) -> bool:
    """Whether a figure need not stand in the source: durations, multiples, the peg of one dollar."""
    if quantity.unit in _DERIVED_UNITS:
        return True
    return quantity.value == 1 and quantity.unit in units().currencies  # the peg of a stablecoin


_ACRONYM = re.compile(r"[A-Z]{2,6}")
_KATAKANA = re.compile("[\u30a1-\u30fc]+")
_TITLE_JA = re.compile("(?:氏|判事|被告|容疑者|社長|議員|長官|大統領)")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;“\"(]\s*)$")


def _find_names(claim: Claim, passage: Claim, known: Collection[str]) -> Iterator[MissingElement]:
    low = _squeeze(passage.text)
    for mention in claim.mentions:
        if mention.entity_id not in known and _squeeze(mention.text) not in low:
            yield MissingElement("name", mention.text)
    for name in claim.names:
        if _squeeze(name) not in low and _is_certain_name(claim, name):
            yield MissingElement("name", name)


def _squeeze(text: str) -> str:
    """Lower case without spaces, hyphens and middle dots, which names are written with and without."""
    return re.sub("[\\s・·=＝-]", "", text.lower())


def _is_certain_name(claim: Claim, name: str) -> bool:
    """Whether a word that looks like a name surely is one.

    Left out are acronyms, which may stand for words of the source, the first words of sentences, and
    katakana words without the marks of a personal name.
    """
    if _ACRONYM.fullmatch(name):
        return False
    at = claim.text.find(name)
    if _KATAKANA.fullmatch(name):
        return "・" in name.strip("・") or _TITLE_JA.match(claim.text, at + len(name)) is not None
    starts = claim.language == "en" and _SENTENCE_START.search(claim.text[:at]) is not None
    return not (starts and name[1:].islower() and " " not in name)


def _find_place(claim: Claim, passage: Claim) -> MissingElement | None:
    """A country where something took place; not that of a name beside it, such as *India's WazirX*."""
    for country, text in claim.places.items():
        if country == HOME_COUNTRY or country in passage.places or text in passage.text:
            continue
        at = claim.text.find(text)
        if not any(0 <= one.start - at - len(text) <= MAX_ADJECTIVE_GAP for one in claim.mentions):
            return MissingElement("place", text)
    return None


def _find_act(claim: Claim, passage: Claim) -> MissingElement | None:
    """An act that turns a matter round and of which the passage tells nothing."""
    told = {action.verb for action in passage.actions}
    for action in claim.actions:
        if action.verb in DECISIVE_ACTS and action.affirmed and action.verb not in told:
            return MissingElement("act", action.text)
    return None


def _find_cue(claim: Claim, passage: Claim) -> MissingElement | None:
    ours = find_cues(numbers.plain(claim.text), claim.language)
    theirs = find_cues(numbers.plain(passage.text), passage.language)
    for kind, text in ours.items():
        if kind not in theirs:
            return MissingElement("modality" if kind == "planned" else "qualifier", text)
    return None


_NEGATIONS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:not(?! only| less| more| fewer)|never|nobody|none|nor|neither|cannot|no longer"
        r"|no(?! less| more| fewer| later| sooner| doubt))\b|n't\b"
    ),
    "ja": re.compile(
        "(?:なかった|ていない|できない|されない|しない|はない|がない|もない|くない|ではない(?![がで])|ありません|ませんでした|ず(?=に終|、|。|$))"
    ),
    "zh": re.compile(
        "没有|沒有|并未|並未|从未|從未|从来没|尚未|未曾|未能|并非|並非|并没|並沒|不再|不是(?!.{0,12}而是)|绝不|并不|並不"
    ),
}
_NEGATIVE: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:not?|never|none|nor|neither|cannot|without|un[a-z]{4,}|non[- ][a-z]+|free|exempt\w*|refus\w+"
        r"|declin\w+|fail\w*|reject\w*|den(?:y|ied|ies)|lack\w*|ban\w*|halt\w*|stop\w*|end\w*)\b|n't\b"
    ),
    "ja": re.compile("ない|なかっ|ません|ず|未|無|非|不|免|拒|却下|断|中止|停止|見送|禁"),
    "zh": re.compile("没|沒|未|不|非|免|无|無|禁|拒|停|否|终止"),
}


def _find_negation(claim: Claim, passage: Claim) -> MissingElement | None:
    """A denial in the claim where the passage has nothing negative at all."""
    ours = _NEGATIONS[claim.language].search(claim.text.lower())
    if ours is None or _NEGATIVE[passage.language].search(passage.text.lower()):
        return None
    return MissingElement("negation", claim.text[max(0, ours.start() - 20) : ours.end() + 20].strip())


def _find_clause(
    claim: Claim,
    passage: Claim,
    agreed: Sequence[Difference],
    known: Collection[str],
) -> MissingElement | None:
    """The first clause with content of its own of which the passage shares nothing."""
    told = _known_terms(passage.text)
    low = passage.text.lower()
    anchors = [
        *((one.start, one.end) for one in claim.mentions if one.entity_id in known),
        *(
            (one.start, one.end)
            for one in claim.quantities
            if any(one.text == same.claimed for same in agreed)
        ),
        *((one.start, one.end) for one in claim.dates if any(one.text == same.claimed for same in agreed)),
    ]
    acts = {action.verb for action in passage.actions}
    anchors += [(one.start, one.end) for one in claim.actions if one.verb in acts]
    for clause in claim.clauses:
        if len(clause.terms) < MIN_CLAUSE_TERMS[claim.language]:
            continue
        if any(start < clause.end and clause.start < end for start, end in anchors):
            continue
        if not any(_is_told(term, told, low) for term in clause.terms):
            return MissingElement("clause", claim.text[clause.start : clause.end].strip())
    return None


def _is_told(term: str, told: frozenset[str], low: str) -> bool:
    return term in told or ((not term.isascii() or len(term) >= MIN_TERM_CHARS) and term in low)


@lru_cache(4_000)
def _known_terms(text: str) -> frozenset[str]:
    return lexical_features.words(numbers.plain(text), ())
