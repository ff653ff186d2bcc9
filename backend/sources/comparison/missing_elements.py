"""Finds the elements of a claim that a passage about its event does not tell.

A claim is supported only if each of its elements is borne out. What a passage contradicts is found by
:mod:`backend.sources.comparison.claim_comparison`; this module finds what it is silent about: a figure, a
name, a place, an act, a word such as *first* or *still*, a denial, or a whole clause.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from backend.entities.model import Language
from backend.sources.claims import lexical_features, numbers
from backend.sources.claims.cues import find_cues
from backend.sources.claims.model import Claim, Difference, MissingElement, Quantity

MIN_CLAUSE_TERMS: Mapping[Language, int] = {"en": 3, "ja": 3, "zh": 4}
"""Content terms from which a clause says something of its own."""
MIN_TERM_CHARS = 5
"""Letters from which a stem is also looked for inside other words."""
_DERIVED_UNITS = frozenset({"time", "day", "week", "month", "year", "hour", "minute", "second", "%"})
"""Units of figures that a reader can work out: durations, multiples, shares."""


def find_missing(
    claim: Claim, passage: Claim, agreed: Sequence[Difference], *, known_entities: Collection[str]
) -> frozenset[MissingElement]:
    """Return the elements of ``claim`` that ``passage`` does not tell.

    ``agreed`` are the slots that agree. ``known_entities`` are the entities that the passage or its record
    names. In a passage of another language only figures and names can be found.
    """
    found = {*_find_figures(claim, agreed), *_find_names(claim, passage, known_entities)}
    if claim.language == passage.language:
        others = (
            _find_cue(claim, passage),
            _find_negation(claim, passage),
            _find_clause(claim, passage, agreed, known_entities),
        )
        found |= {one for one in others if one is not None}
    return frozenset(found)


def _find_figures(claim: Claim, agreed: Sequence[Difference]) -> Iterator[MissingElement]:
    told = {same.claimed for same in agreed if same.slot == "figure"}
    for one in claim.quantities:
        if one.text not in told and not _is_derived(claim, one):
            yield MissingElement("figure", one.text)


_PARTITIVE = re.compile(r"(?:うち|内)の?$|其中(?:的|有)?$|^ ?(?:of|out of)\b|^之一|^つである$")


def _is_derived(claim: Claim, quantity: Quantity) -> bool:
    """Whether a figure need not stand in the source: durations, multiples, one of several."""
    if quantity.unit in _DERIVED_UNITS:
        return True
    before, behind = claim.text[: quantity.start], claim.text[quantity.end :]
    return quantity.value == 1 and bool(_PARTITIVE.search(before) or _PARTITIVE.match(behind))


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
