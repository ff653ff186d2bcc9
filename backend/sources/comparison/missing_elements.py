"""Finds the elements of a claim that a passage about its event does not contain.

A claim is supported only if each of its elements is. Contradictions are found by
:mod:`backend.sources.comparison.claim_comparison`; this module finds elements without a counterpart: a
figure, a name, a place, an act, a word such as *first* or *still*, a denial, or a whole clause."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from backend.entities.model import Language
from backend.sources.claims import lexical_features, negation, numbers
from backend.sources.claims.cues import find_cues
from backend.sources.claims.model import Claim, Difference, MissingElement
from backend.sources.claims.places import find, find_cities, load_homes
from backend.sources.claims.roles import NOMINAL_EN
from backend.sources.comparison.missing_figures import find_figures

MIN_CLAUSE_TERMS: Mapping[Language, int] = {"en": 3, "ja": 3, "zh": 4}
"""Minimum content terms of a clause that counts as an element."""
MIN_NAMED_CLAUSE_TERMS: Mapping[Language, int] = {"en": 4, "ja": 6, "zh": 6}
"""The same for a clause that names an entity of the event: a detail beside it."""
MIN_SUBSTRING_MATCH_CHARS = 5
"""Minimum letters of a stem that is searched inside other words."""
IMPLICIT_COUNTRY = "United States"
"""This country is often named only as the location of its agencies and courts."""
MAX_ADJECTIVE_GAP = 14
"""Characters between a country and the name that it belongs to: the South Korean exchange Upbit."""
OUTCOME_VERBS: Mapping[str, frozenset[str]] = {
    "uphold": frozenset({"uphold"}),
    "ban": frozenset({"ban"}),
    "acquit": frozenset({"acquit"}),
    "keep": frozenset({"keep"}),
    "become_law": frozenset({"become_law", "take_effect", "legal_tender", "sign"}),
    "win": frozenset({"win", "lose_case", "overturn", "uphold", "rule", "approve", "reject", "dismiss"}),
    "pardon": frozenset({"pardon"}),
    "sentence": frozenset({"sentence"}),
    "convict": frozenset({"convict", "plead_guilty", "sentence"}),
    "arrest": frozenset({"arrest"}),
    "delist": frozenset({"delist", "remove", "shut_down"}),
}
"""Verbs that decide the outcome of a matter, each with those that bear it out. Other verbs have too many
synonyms to search for."""
_PROHIBITIONS = frozenset({"不得", "may not", "must not"})


def find_missing(
    claim: Claim,
    passage: Claim,
    matching_slots: Sequence[Difference],
    *,
    passage_entities: Collection[str],
    passage_names: Collection[str] = (),
) -> frozenset[MissingElement]:
    """Return the elements of ``claim`` that ``passage`` does not contain.

    ``matching_slots`` are the slots (dates, figures) that agree. ``passage_entities`` are the entities that
    the passage or its document names, ``passage_names`` all their names. In a passage of another language
    only figures and names can be found.
    """
    found = {
        *find_figures(claim, passage, matching_slots),
        *_find_names(claim, passage, passage_entities, passage_names),
    }
    if claim.language == passage.language:
        others = (
            _find_cue(claim, passage),
            _find_place(claim, passage, passage_names),
            _find_act(claim, passage),
            _find_negation(claim, passage),
            _find_clause(claim, passage, matching_slots, passage_entities),
        )
        found |= {one for one in others if one is not None}
    return frozenset(found)


_ACRONYM = re.compile(r"[A-Z]{2,6}")
_KATAKANA = re.compile("[\u30a1-\u30fc]+")
_HONORIFIC_JA = re.compile("(?:氏|判事|被告|容疑者|社長|議員|長官|大統領)")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;“\"(]\s*)$")


def _find_names(
    claim: Claim, passage: Claim, known: Collection[str], passage_names: Collection[str]
) -> Iterator[MissingElement]:
    passage_terms = lexical_features.normalize_name(" ".join((passage.text, *passage_names)))
    for mention in claim.mentions:
        if (
            mention.entity_id not in known
            and lexical_features.normalize_name(mention.text) not in passage_terms
        ):
            yield MissingElement("name", mention.text)
    for name in claim.names:
        if lexical_features.normalize_name(name) not in passage_terms and _is_unambiguous_name(claim, name):
            yield MissingElement("name", name)


def _is_unambiguous_name(claim: Claim, name: str) -> bool:
    """True if a word that looks like a name certainly is one.

    Left out are acronyms, which may stand for words of the source, countries, the first words of
    sentences, and katakana words without the marks of a personal name.
    """
    if _ACRONYM.fullmatch(name) or any(name in place for place in claim.places.values()):
        return False
    at = claim.text.find(name)
    if _KATAKANA.fullmatch(name):
        return "・" in name.strip("・") or _HONORIFIC_JA.match(claim.text, at + len(name)) is not None
    starts = claim.language == "en" and _SENTENCE_START.search(claim.text[:at]) is not None
    if not (starts and name[1:].islower()):
        return True
    # "Sotheby's auctioned": a first word in the singular that acts is a name; Police, Congress are not.
    end = at + len(name)
    is_plural = name.endswith("s") and not claim.text.startswith("'s", end)
    acts = any(
        0 < one.start - end <= len("'s ") and not NOMINAL_EN.match(one.text.lower()) for one in claim.actions
    )
    return acts and not is_plural and name.lower() not in _COMMON_SUBJECTS


_COMMON_SUBJECTS = frozenset(
    {
        *("congress", "court", "police", "government", "parliament", "crypto", "management", "staff"),
        *("trading", "nobody", "someone", "somebody", "everybody", "everyone", "nothing", "neither", "both"),
        *("this", "that"),
    }
)
"""Words that can be the subject at the start of a sentence and are no names."""


def _find_place(claim: Claim, passage: Claim, passage_names: Collection[str]) -> MissingElement | None:
    """Find a place that the event's record does not name.

    A country beside a name, such as *India's WazirX*, is the seat of that entity.
    """
    texts = " ".join((passage.text, *passage_names))
    for country, text in claim.places.items():
        if country in passage.places or text in texts:
            continue
        end = claim.text.find(text) + len(text)
        beside = [one for one in claim.mentions if 0 <= one.start - end <= MAX_ADJECTIVE_GAP]
        homes = {load_homes().get(one.entity_id, country) for one in beside}
        if homes - {country} or (not beside and country != IMPLICIT_COUNTRY):
            return MissingElement("place", text)
    known = find_cities(texts)
    for city, (start, end) in find_cities(claim.text).items():
        is_part_of_name = any(one.start < end and start < one.end for one in claim.mentions)
        is_capital_of_known = bool(find(claim.text[start:end]).keys() & passage.places.keys())
        if city not in known and not is_part_of_name and not is_capital_of_known:
            return MissingElement("place", claim.text[start:end])
    return None


def _find_act(claim: Claim, passage: Claim) -> MissingElement | None:
    """Find a decisive act that the passage does not contain."""
    passage_terms = frozenset(action.verb for action in passage.actions)
    for action in claim.actions:
        bearing_out = OUTCOME_VERBS.get(action.verb, passage_terms)
        if bearing_out & passage_terms or not action.affirmed or not bearing_out:
            continue
        if action.text.lower() not in _PROHIBITIONS:
            return MissingElement("act", action.text)
    return None


def _find_cue(claim: Claim, passage: Claim) -> MissingElement | None:
    found_in_claim = find_cues(numbers.normalize(claim.text), claim.language)
    found_in_passage = find_cues(numbers.normalize(passage.text), passage.language)
    for kind, text in found_in_claim.items():
        if kind == "planned" and kind not in found_in_passage:
            if _INTENTIONS[passage.language].search(passage.text.lower()):
                continue
            return MissingElement("modality", text)
        if kind not in found_in_passage:
            return MissingElement("qualifier", _quote_phrase(claim, text))
    return None


_INTENTIONS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:will|agree[sd]? to|to (?:buy|sell|launch|close|issue|list)|seeks?|sought|files? for)\b"
    ),
    "ja": re.compile("方針|合意|申請|申し立て|求め|する予定|すると発表|を発表"),
    "zh": re.compile("将|同意|申请|寻求|宣布"),
}
"""Words of a passage that tell of an intention, which a claim may call a plan."""
MAX_WORDS_BESIDE_CHARS = 24


def _quote_phrase(claim: Claim, word: str) -> str:
    """Return a qualifying word with the words of its clause beside it: still holds every coin."""
    at = claim.text.find(word)
    clause = next(((one.start, one.end) for one in claim.clauses if one.start <= at < one.end), None)
    first, last = clause or (0, len(claim.text))
    start, end = max(first, at - MAX_WORDS_BESIDE_CHARS), min(last, at + len(word) + MAX_WORDS_BESIDE_CHARS)
    before, behind = claim.text[start:at], claim.text[at + len(word) : end]
    if claim.language == "en":  # never from the middle of a word
        before = before.partition(" ")[2] if start > first else before
        behind = behind.rpartition(" ")[0] if end < last else behind
    return f"{before}{word}{behind}".strip(" .。,，、")


_NEGATION_PATTERNS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:not(?! only| less| more| fewer)|never|nobody|none|nor|neither|cannot|no longer"
        r"|(?:fail|refuse|decline)(?:s|d|ed)? to"
        r"|no(?! less| more| fewer| later| sooner| doubt))\b|n't\b"
    ),
    "ja": re.compile(
        "なかった|ていない|できない|されない|しない|はない|がない|もない|くない|ではない(?![がで])"
        "|ありません|ませんでした|ず(?=に終|、|。|$)"
    ),
    "zh": re.compile(
        "没有|沒有|并未|並未|从未|從未|从来没|尚未|未曾|未能|并非|並非|并没|並沒|不再|不是(?!.{0,12}而是)"
        "|绝不|并不|並不"
    ),
}
_NEGATIVE_WORD_PATTERNS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:not?|never|none|nor|neither|cannot|without|un[a-z]{4,}|non[- ][a-z]+|free|exempt\w*|refus\w+"
        r"|declin\w+|fail\w*|reject\w*|den(?:y|ied|ies)|lack\w*|ban(?:s|ned|ning)?|halt\w*|stop\w*|end(?:s|ed|ing)?|voluntary)\b|n't\b"
    ),
    "ja": re.compile("ない|なかっ|ません|ず|未|無|非|不|免|拒|却下|断|中止|停止|見送|禁|任意"),
    "zh": re.compile("没|沒|未|不|非|免|无|無|禁|拒|停|否|终止|自愿"),
}
_NEGATION_CONTEXT_CHARS = 24


def _find_negation(claim: Claim, passage: Claim) -> MissingElement | None:
    """Find a denial in the claim if the passage has no negative word at all."""
    lowered = claim.text.lower()
    found_in_claim = _NEGATION_PATTERNS[claim.language].search(lowered)
    if found_in_claim is None or negation.is_exceptive(lowered, claim.language):
        return None
    if _NEGATIVE_WORD_PATTERNS[passage.language].search(passage.text.lower()):
        return None
    start, end = (
        max(0, found_in_claim.start() - _NEGATION_CONTEXT_CHARS),
        found_in_claim.end() + _NEGATION_CONTEXT_CHARS,
    )
    start = claim.text.find(" ", start) + 1 if start and claim.language == "en" else start
    end = claim.text.rfind(" ", 0, end) if end < len(claim.text) and claim.language == "en" else end
    return MissingElement("negation", claim.text[start:end].strip(" .,。，、"))


def _find_clause(
    claim: Claim, passage: Claim, matching_slots: Sequence[Difference], known: Collection[str]
) -> MissingElement | None:
    """Find the first clause with its own content of which the passage contains nothing."""
    passage_terms, lowered = _list_terms(passage.text), passage.text.lower()
    matched_spans = _find_matched_spans(claim, passage, matching_slots, known)
    names = {(one.start, one.end) for one in claim.mentions}
    for clause in claim.clauses:
        if len(clause.terms) < MIN_CLAUSE_TERMS[claim.language]:
            continue
        inside = [span for span in matched_spans if span[0] < clause.end and clause.start < span[1]]
        is_named_only = all(span in names for span in inside)
        if inside and not (is_named_only and len(clause.terms) >= MIN_NAMED_CLAUSE_TERMS[claim.language]):
            continue
        if not any(_passage_contains(term, passage_terms, lowered) for term in clause.terms):
            return MissingElement("clause", claim.text[clause.start : clause.end].strip())
    return None


def _find_matched_spans(
    claim: Claim, passage: Claim, matching_slots: Sequence[Difference], known: Collection[str]
) -> list[tuple[int, int]]:
    """Return the spans of the claim's slots that the passage has too."""
    same = {one.claimed for one in matching_slots}
    acts = {action.verb for action in passage.actions}
    return [
        *((one.start, one.end) for one in claim.mentions if one.entity_id in known),
        *((one.start, one.end) for one in claim.quantities if one.text in same),
        *((one.start, one.end) for one in claim.dates if one.text in same),
        *((one.start, one.end) for one in claim.actions if one.verb in acts),
    ]


def _passage_contains(term: str, passage_terms: frozenset[str], lowered: str) -> bool:
    return term in passage_terms or (
        (not term.isascii() or len(term) >= MIN_SUBSTRING_MATCH_CHARS) and term in lowered
    )


@lru_cache(4_000)
def _list_terms(text: str) -> frozenset[str]:
    return lexical_features.list_terms(numbers.normalize(text), ())
