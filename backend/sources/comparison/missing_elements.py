"""Finds the elements of a claim that a passage about its event does not contain.

A claim is supported only if each of its elements is. Contradictions are found by
:mod:`backend.sources.comparison.claim_comparison`; this module finds elements without a counterpart: a
figure, a name, a place, an act, a word such as *first* or *still*, a denial, or a whole clause."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from backend.entities.model import Language
from backend.sources.claims import lexical_features, numbers, subjects
from backend.sources.claims.actions import Verb, load_verbs
from backend.sources.claims.clauses import Clause
from backend.sources.claims.cues import find_cues
from backend.sources.claims.model import ComparedValue, DateSpan, MissingElement, ParsedStatement
from backend.sources.claims.places import find_cities, find_countries, load_homes
from backend.sources.claims.role_readers import NOMINAL_EN
from backend.sources.claims.roles import find_participants
from backend.sources.comparison import contrasts
from backend.sources.comparison.causes import find_missing_cause, has_denied_opposite
from backend.sources.comparison.clause_quotes import quote_clause
from backend.sources.comparison.law_stages import find_missing_stage
from backend.sources.comparison.missing_denials import find_missing_denial
from backend.sources.comparison.missing_figures import find_missing_figures

MIN_CLAUSE_TERMS: Mapping[Language, int] = {"en": 3, "ja": 3, "zh": 4}
"""Minimum content terms of a clause that counts as an element."""
MIN_NAMED_CLAUSE_TERMS: Mapping[Language, int] = {"en": 4, "ja": 6, "zh": 6}
"""The same for a clause that names an entity of the event: a detail beside it."""
MIN_LONG_CLAUSE_TERMS, MAX_UNRELATED_SHARE = 4, 0.25
"""A clause of so many terms, of which the passage contains at most this share, tells something else. Chinese
pairs of characters overlap too much for this."""
MIN_SUBSTRING_MATCH_CHARS = 5
"""Minimum letters of a stem that is searched inside other words."""
IMPLICIT_COUNTRY = "United States"
"""This country is often named only as the location of its agencies and courts."""
MAX_ADJECTIVE_GAP = 14
"""Characters between a country and the name that it belongs to: the South Korean exchange Upbit."""
MIN_SHORT_NAME_CHARS = 3
_PROHIBITIONS = frozenset({"不得", "may not", "must not"})


def find_missing_elements(
    claim: ParsedStatement,
    passage: ParsedStatement,
    matching_slots: Sequence[ComparedValue],
    *,
    passage_entities: Collection[str],
    record_names: Collection[str] = (),
    event_date: DateSpan | None = None,
) -> frozenset[MissingElement]:
    """Return the elements of ``claim`` that ``passage`` does not contain.

    ``matching_slots`` are the slots (dates, figures) that agree. ``passage_entities`` are the entities that
    the passage or its document names, ``record_names`` all their names. In a passage of another language
    only figures and names can be found.
    """
    missing = {
        *find_missing_figures(claim, passage, matching_slots),
        *_find_names(claim, passage, passage_entities, record_names),
    }
    if (property_element := contrasts.find_missing_property(claim, passage, event_date)) is not None:
        missing.add(property_element)
    if claim.language == passage.language:
        elements = (
            _find_cue(claim, passage, matching_slots),
            _find_place(claim, passage, record_names),
            _find_act(claim, passage) or _find_agent_of_other_act(claim, passage),
            find_missing_stage(claim, passage),
            find_missing_denial(claim, passage),
            _find_clause(claim, passage, matching_slots, passage_entities),
            find_missing_cause(claim, passage, passage_entities),
        )
        missing |= {element for element in elements if element is not None}
    return frozenset(missing)


_COUNTRY = re.compile("^(?:美国|美國|米国|米|us|u.s.|中国|韩国|日本|英国)(?=.{3})")
"""A country before a name, which a record may leave out: 美国众议院 and 众议院."""
_ARTICLE_JA = "ザ・"
_ACRONYM = re.compile(r"[A-Z]{2,6}")
_HIRAGANA = re.compile("[\u3041-\u3096]")
_KATAKANA = re.compile("[\u30a1-\u30fc]+")
_HONORIFIC_JA = re.compile("(?:氏|判事|被告|容疑者|社長|議員|長官|大統領)")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;“\"(]\s*)$")


def _find_names(
    claim: ParsedStatement,
    passage: ParsedStatement,
    passage_entities: Collection[str],
    record_names: Collection[str],
) -> Iterator[MissingElement]:
    told = " ".join((passage.text, *record_names))
    passage_terms = lexical_features.normalize_name(told)
    for mention in claim.mentions:
        if (
            mention.entity_id not in passage_entities
            and (name := lexical_features.normalize_name(mention.text)) not in passage_terms
            and _COUNTRY.sub("", name) not in passage_terms
            and not _has_other_first_name(mention.text, told)
        ):
            yield MissingElement("name", mention.text)
    for name in claim.names:
        bare_name = lexical_features.normalize_name(name.removeprefix(_ARTICLE_JA))
        if (
            bare_name not in passage_terms
            and not find_countries(name.removesuffix("s")).keys() & passage.places.keys()  # the Germans
            and not _has_other_first_name(name, told)
            and _is_unambiguous_name(claim, name)
        ):
            yield MissingElement("name", name)
    subject = claim.subject
    has_no_capitals = claim.language == passage.language != "en"
    if has_no_capitals and subject is not None and not subjects.is_known(subject.name, told):
        yield MissingElement("name", subject.name)


def _has_other_first_name(name: str, told: str) -> bool:
    """True if a text has the last name after a longer or shorter first name: Alex and Alexander Mashinsky."""
    first, _, last = name.lower().partition(" ")
    if len(first) < MIN_SHORT_NAME_CHARS or not last:
        return False
    others = re.findall(rf"\b(\w{{{MIN_SHORT_NAME_CHARS},}}) {re.escape(last)}\b", told.lower())
    return any(other.startswith(first) or first.startswith(other) for other in others)


def _is_unambiguous_name(claim: ParsedStatement, name: str) -> bool:
    """True if a word that looks like a name certainly is one.

    Left out are acronyms, which may stand for words of the source, countries, the first words of
    sentences, and katakana words without the marks of a personal name.
    """
    if _ACRONYM.fullmatch(name) or any(name in place for place in claim.places.values()):
        return False
    start = claim.text.find(name)
    if _KATAKANA.fullmatch(name):
        return "・" in name.strip("・") or _HONORIFIC_JA.match(claim.text, start + len(name)) is not None
    is_first_word = claim.language == "en" and _SENTENCE_START.search(claim.text[:start]) is not None
    if not (is_first_word and name[1:].islower()):
        return True
    # "Sotheby's auctioned": a first word in the singular that acts is a name; Police, Congress are not.
    end = start + len(name)
    is_plural = name.endswith("s") and not claim.text.startswith("'s", end)
    has_act = any(
        0 < action.start - end <= len("'s ") and not NOMINAL_EN.match(action.text.lower())
        for action in claim.actions
    )
    return has_act and not is_plural and name.lower() not in _COMMON_SUBJECTS


_COMMON_SUBJECTS = frozenset(
    {
        *("congress", "court", "police", "government", "parliament", "crypto", "management", "staff"),
        *("trading", "nobody", "someone", "somebody", "everybody", "everyone", "nothing", "neither", "both"),
        *("this", "that"),
    }
)
"""Words that can be the subject at the start of a sentence and are no names."""


def _find_place(
    claim: ParsedStatement, passage: ParsedStatement, record_names: Collection[str]
) -> MissingElement | None:
    """Find a place that the event's record does not name.

    A country beside a name, such as *India's WazirX*, is the seat of that entity.
    """
    texts = " ".join((passage.text, *record_names))
    for country, text in claim.places.items():
        if country in passage.places or text in texts:
            continue
        end = claim.text.find(text) + len(text)
        if any(mention.start <= end - len(text) and end <= mention.end for mention in claim.mentions):
            continue
        adjacent_mentions = [
            mention for mention in claim.mentions if 0 <= mention.start - end <= MAX_ADJECTIVE_GAP
        ]
        homes = {load_homes().get(mention.entity_id, country) for mention in adjacent_mentions}
        if homes - {country} or (not adjacent_mentions and country != IMPLICIT_COUNTRY):
            return MissingElement("place", text)
    passage_cities = find_cities(texts)
    for city, (start, end) in find_cities(claim.text).items():
        is_part_of_name = any(mention.start < end and start < mention.end for mention in claim.mentions)
        is_capital_of_known = bool(find_countries(claim.text[start:end]).keys() & passage.places.keys())
        if city not in passage_cities and not is_part_of_name and not is_capital_of_known:
            return MissingElement("place", claim.text[start:end])
    return None


def _find_act(claim: ParsedStatement, passage: ParsedStatement) -> MissingElement | None:
    """Find an act that no act of the passage bears out or presupposes."""
    verbs_by_name = load_verbs()
    passage_verbs = {action.verb for action in passage.actions}
    passage_verbs |= {verb for name in passage_verbs for verb in verbs_by_name[name].after}
    supported_starts = {
        action.start for action in claim.actions if _is_supported(verbs_by_name[action.verb], passage_verbs)
    }
    for action in claim.actions:
        # A form of two verbs is borne out by either.
        if action.start in supported_starts or not action.affirmed or action.text.lower() in _PROHIBITIONS:
            continue
        if any(figure.start <= action.start < figure.end for figure in claim.quantities):
            continue  # half of it: judged as a figure
        return MissingElement("act", action.text)
    return None


def _find_agent_of_other_act(claim: ParsedStatement, passage: ParsedStatement) -> MissingElement | None:
    """Find a theft whose agent the passage names only later, and only as the agent of other acts.

    The record says in a later clause who replaced the coins, which is not who took them.
    """
    first_end = next((clause.end for clause in passage.clauses), 0)
    leading = {mention.entity_id for mention in passage.mentions if mention.start < first_end}
    roles_of_passage = [(action, *find_participants(passage, action)) for action in passage.actions]
    for action in claim.actions:
        if "loss" not in load_verbs()[action.verb].themes or not action.affirmed:
            continue
        agents, _ = find_participants(claim, action)
        adjacent = {
            mention.entity_id for mention in claim.mentions if 0 <= action.start - mention.end <= len(" ")
        }
        for agent in agents & adjacent - leading:
            acts = {other.verb for other, other_agents, _ in roles_of_passage if agent in other_agents}
            if acts and not acts & {action.verb, "attribute"} and not _bears_out(action.verb, acts):
                return MissingElement("act", action.text)
    return None


def _bears_out(verb: str, acts: Collection[str]) -> bool:
    return bool((load_verbs()[verb].supported_by or frozenset()) & set(acts))


def _is_supported(verb: Verb, passage_verbs: Collection[str]) -> bool:
    return verb.supported_by is None or not verb.supported_by.isdisjoint(passage_verbs)


def _find_cue(
    claim: ParsedStatement, passage: ParsedStatement, matching_slots: Sequence[ComparedValue]
) -> MissingElement | None:
    found_in_claim = find_cues(numbers.normalize(claim.text), claim.language)
    found_in_passage = find_cues(numbers.normalize(passage.text), passage.language)
    for kind, text in found_in_claim.items():
        if kind == "planned" and kind not in found_in_passage:
            if _INTENTIONS[passage.language].search(passage.text.lower()):
                continue
            return MissingElement("modality", text)
        if kind not in found_in_passage:
            position = claim.text.find(text)
            if kind == "only" and _counts_agreed(claim, position + len(text), matching_slots):
                continue
            return MissingElement("qualifier", quote_clause(claim, position, position + len(text)))
    return None


def _counts_agreed(claim: ParsedStatement, end: int, matching_slots: Sequence[ComparedValue]) -> bool:
    """True if the word that ends here only calls a figure small that the source confirms: only 32."""
    agreed = {slot.claimed for slot in matching_slots if slot.slot == "figure"}
    return any(
        quantity.text in agreed and 0 <= quantity.start - end <= len("有 ") for quantity in claim.quantities
    )


_INTENTIONS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:will|(?:up)?coming|future|agree[sd]? to|to (?:buy|sell|launch|close|issue|list)|seeks?|sought"
        r"|files? for)\b"
    ),
    "ja": re.compile("方針|合意|申請|申し立て|求め|予定|今後|すると発表|を発表"),
    "zh": re.compile("将|即将|未来|同意|申请|寻求|宣布"),
}
"""Words of a passage that tell of an intention, which a claim may call a plan."""


def _find_clause(
    claim: ParsedStatement,
    passage: ParsedStatement,
    matching_slots: Sequence[ComparedValue],
    passage_entities: Collection[str],
) -> MissingElement | None:
    """Find the first clause with its own content of which the passage contains nothing."""
    passage_terms, lowered = _list_terms(passage.text), passage.text.lower()
    matched_spans = _find_matched_spans(claim, passage, matching_slots, passage_entities)
    names = {(mention.start, mention.end) for mention in claim.mentions}
    for clause in claim.clauses:
        if len(clause.terms) < MIN_CLAUSE_TERMS[claim.language] or _is_apposition(claim, clause):
            continue
        inside = [span for span in matched_spans if span[0] < clause.end and clause.start < span[1]]
        is_named_only = all(span in names for span in inside)
        if inside and not (is_named_only and len(clause.terms) >= MIN_NAMED_CLAUSE_TERMS[claim.language]):
            continue
        contained = sum(_passage_contains(term, passage_terms, lowered) for term in clause.terms)
        is_long = len(clause.terms) >= MIN_LONG_CLAUSE_TERMS and claim.language != "zh" and not inside
        if contained <= (len(clause.terms) * MAX_UNRELATED_SHARE if is_long else 0):
            return MissingElement("clause", claim.text[clause.start : clause.end].strip())
    return None


def _is_apposition(claim: ParsedStatement, clause: Clause) -> bool:
    """True for nouns that only introduce a quoted name: 人気ゲーム「…」."""
    return (
        claim.language == "ja"
        and claim.text.startswith(("「", "『"), clause.end)
        and _HIRAGANA.search(claim.text, clause.start, clause.end) is None
    )


def _find_matched_spans(
    claim: ParsedStatement,
    passage: ParsedStatement,
    matching_slots: Sequence[ComparedValue],
    passage_entities: Collection[str],
) -> list[tuple[int, int]]:
    """Return the spans of the claim's slots that the passage has too."""
    matched_texts = {slot.claimed for slot in matching_slots}
    passage_verbs = {action.verb for action in passage.actions}
    return [
        *(
            (mention.start, mention.end)
            for mention in claim.mentions
            if mention.entity_id in passage_entities
        ),
        *((quantity.start, quantity.end) for quantity in claim.quantities if quantity.text in matched_texts),
        *((span.start, span.end) for span in claim.dates if span.text in matched_texts),
        *(
            (action.start, action.end)
            for action in claim.actions
            if action.verb in passage_verbs or has_denied_opposite(action, passage)
        ),
        *_find_shared_cues(claim, passage),
    ]


def _find_shared_cues(claim: ParsedStatement, passage: ParsedStatement) -> Iterator[tuple[int, int]]:
    """Yield the spans of the words such as *first* that the passage has too."""
    plain = numbers.normalize(claim.text)
    told = find_cues(numbers.normalize(passage.text), passage.language)
    for kind, text in find_cues(plain, claim.language).items():
        if kind in told and (start := plain.find(text)) >= 0:
            yield start, start + len(text)


def compute_told_share(claim: ParsedStatement, passage: ParsedStatement) -> float:
    """Return the share of the claim's content terms that the passage contains; 1 without such terms."""
    if not claim.content_terms or claim.language != passage.language:
        return 1.0
    passage_terms, lowered = _list_terms(passage.text), passage.text.lower()
    told = sum(_passage_contains(term, passage_terms, lowered) for term in claim.content_terms)
    return told / len(claim.content_terms)


def _passage_contains(term: str, passage_terms: frozenset[str], lowered: str) -> bool:
    return term in passage_terms or (
        (not term.isascii() or len(term) >= MIN_SUBSTRING_MATCH_CHARS) and term in lowered
    )


@lru_cache(4_000)
def _list_terms(text: str) -> frozenset[str]:
    return lexical_features.list_terms(numbers.normalize(text), ())
