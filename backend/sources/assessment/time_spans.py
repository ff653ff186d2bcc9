"""Checks spans of time between a claim's event and another one: five years after the theft.

The other event is looked for among the records that were found for the claim. It has the names of the words
behind *after*, or the names of the claim where these words name nobody, and one of their acts. If several
records fit and one of them has the span, the claim has it too.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from backend.entities.model import Language
from backend.sources.assessment.evidence_scoring import EvidenceScorer, ScoredDocument
from backend.sources.claims.lexical_features import normalize_name
from backend.sources.claims.model import ComparedValue, Comparison, ParsedStatement, Quantity

DAYS: Mapping[str | None, Decimal] = {
    "day": Decimal(1),
    "week": Decimal(7),
    "month": Decimal("30.44"),
    "year": Decimal("365.25"),
}
"""Days in each unit of a span."""
MIN_WRONG_UNITS, MIN_WRONG_SHARE = Decimal("1.5"), Decimal("0.25")
"""A span is wrong if it is off by more than this many of its units, and by more than this share."""
MAX_BOUND_GAP = Decimal("0.1")
"""Share of a unit by which a span may miss a bound, because units of time have several lengths."""
MAX_ANCHOR_CHARS = 80

_BEHIND: Mapping[Language, re.Pattern[str] | None] = {
    "en": re.compile(
        r"(?: (?:had |have )?(?:gone by|passed|elapsed))? (?P<word>after|since|following|from|before)"
        r" (?P<anchor>[^,;.]+?)(?= when |[,;]|\.(?:\s|$)|$)"
    ),
    "ja": None,
    "zh": None,
}
_AHEAD: Mapping[Language, re.Pattern[str] | None] = {
    "en": None,
    "ja": re.compile(r"(?P<anchor>[^、。]+?)(?:から|の|後)(?:約|およそ|わずか|ほぼ|たった)?$"),
    "zh": re.compile(
        r"(?:距离?|离)?(?P<anchor>[^，。]+?)(?:之后|以来|后|仅|才)?(?:大?约|不到|仅仅?|才|近)?$"
    ),
}
_TAILS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(""),
    "ja": re.compile("(?:後|(?:も|と)?(?:たた|経た)な|足らず|以内|余り|(?:以上)?(?:たっ|経っ))"),
    "zh": re.compile("(?:[多余])?(?:之?后|内|，|,|$)"),
}


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A span of a claim. ``anchor`` is the text of the other event; ``is_later``: that event comes later."""

    quantity: Quantity
    anchor: str
    start: int
    end: int
    is_later: bool = False


def find_time_spans(claim: ParsedStatement) -> Iterator[TimeSpan]:
    """Generate the spans of a claim that name the event from which they count."""
    text = claim.text
    for quantity in claim.quantities:
        if quantity.unit not in DAYS or not _TAILS[claim.language].match(text, quantity.end):
            continue
        behind, ahead = _BEHIND[claim.language], _AHEAD[claim.language]
        if behind is not None and (match := behind.match(text, quantity.end)) is not None:
            yield TimeSpan(
                quantity, match["anchor"], quantity.start, match.end(), is_later=match["word"] == "before"
            )
        start = max(0, quantity.start - MAX_ANCHOR_CHARS)
        if ahead is not None and (match := ahead.search(text[start : quantity.start])) is not None:
            yield TimeSpan(quantity, match["anchor"], start + match.start("anchor"), quantity.end)


def check_time_spans(
    claim: ParsedStatement, scored: Sequence[ScoredDocument], scorer: EvidenceScorer
) -> list[ScoredDocument]:
    """Compare the spans of ``claim`` with the dates of records. In the comparisons of those that tell of its
    event, what a span that agrees names is not missing, and a wrong span is a difference."""
    spans = list(find_time_spans(claim))
    if not spans:
        return list(scored)
    records = [one for one in scored if _find_day(one) is not None]
    return [
        _check(claim, document, spans, records, scorer)
        if document.is_about and document in records
        else document
        for document in scored
    ]


def _check(
    claim: ParsedStatement,
    document: ScoredDocument,
    spans: Sequence[TimeSpan],
    records: Sequence[ScoredDocument],
    scorer: EvidenceScorer,
) -> ScoredDocument:
    comparison = document.evidence.comparison
    day = _find_day(document)
    for span in spans:
        anchor = scorer.parse_claim(span.anchor, claim.language)
        days = [
            other_day
            for record in records
            if (other_day := _find_day(record)) is not None
            and day is not None
            and (other_day > day if span.is_later else other_day < day)
            and _is_anchor(claim, anchor, record, scorer)
        ]
        if day is None or not days:
            continue
        own_days = _list_own_days(document, day, scorer, is_later=span.is_later)
        if any(_fits(span.quantity, abs((day - other).days)) for other in (*days, *own_days)):
            comparison = _drop_missing_in_span(comparison, claim.text, span)
        elif all(_is_wrong(span.quantity, abs((day - other).days)) for other in days):
            nearest = min(days, key=lambda other: abs((day - other).days))
            first, last = sorted((nearest, day))
            found = f"{first.isoformat()} – {last.isoformat()}"
            difference = ComparedValue("figure", span.quantity.text, found)
            comparison = replace(comparison, differences=(*comparison.differences, difference))
    return replace(document, evidence=replace(document.evidence, comparison=comparison))


def _list_own_days(
    document: ScoredDocument, day: date, scorer: EvidenceScorer, *, is_later: bool
) -> list[date]:
    """List the other days that a record names itself, before or after that of its event."""
    passage = scorer.parse_passage(document.document, document.passage)
    days = [span.first for span in passage.dates if span.precision == "day"]
    return [other for other in days if (other > day if is_later else other < day)]


def _find_day(scored: ScoredDocument) -> date | None:
    """Return the day of a record's event; None for pages and for records without a day."""
    document = scored.document
    if document.kind != "landmark" or document.date_precision != "day" or document.published_at is None:
        return None
    return document.published_at.date()


def _is_anchor(
    claim: ParsedStatement, anchor: ParsedStatement, record: ScoredDocument, scorer: EvidenceScorer
) -> bool:
    """True if a record tells of the anchor: its names, or the claim's, and one of its acts or its words."""
    passage = scorer.parse_passage(record.document, record.passage)
    entities = {*record.document.entities, *(mention.entity_id for mention in passage.mentions)}
    acts = {action.verb for action in anchor.actions} & {action.verb for action in passage.actions}
    if anchor.mentions or anchor.names:
        text = normalize_name(passage.text)
        is_named = {mention.entity_id for mention in anchor.mentions} <= entities and all(
            normalize_name(name) in text for name in anchor.names
        )
        return is_named and (bool(acts) or not anchor.actions)
    return bool(acts) and bool({mention.entity_id for mention in claim.mentions} & entities)


def _fits(quantity: Quantity, days: int) -> bool:
    unit = DAYS[quantity.unit]
    units = Decimal(days) / unit
    if quantity.bound == "least":
        return units >= quantity.value - MAX_BOUND_GAP
    if quantity.bound == "most":
        return units <= quantity.value + MAX_BOUND_GAP
    return abs(units - quantity.value) < 1


def _is_wrong(quantity: Quantity, days: int) -> bool:
    units = Decimal(days) / DAYS[quantity.unit]
    gap = abs(units - quantity.value)
    if _fits(quantity, days):
        return False
    return gap > MIN_WRONG_UNITS and gap > MIN_WRONG_SHARE * quantity.value


def _drop_missing_in_span(comparison: Comparison, text: str, span: TimeSpan) -> Comparison:
    """Drop the missing elements that lie in the words of a span that agrees, or hold its figure."""
    words = text[span.start : span.end]
    missing = frozenset(
        one for one in comparison.missing if one.text not in words and span.quantity.text not in one.text
    )
    return replace(comparison, missing=missing)
