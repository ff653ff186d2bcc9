"""Compares the dates of a claim with those of a passage and of its record's event."""

import re
from collections.abc import Sequence
from datetime import timedelta

from backend.sources.claims import dates
from backend.sources.claims.actions import load_verbs
from backend.sources.claims.model import Action, ComparedValue, DateSpan, ParsedStatement
from backend.sources.comparison.claim_passage import ClaimAndPassage

REPORTING_PERIOD = timedelta(days=60)
"""A quarter's figures are reported within this time, so that a record in it may be about the quarter."""
MIN_OTHER_DAYS = 2
"""Days between two dates of a month from which no time zone explains them."""
_PRECISIONS = ("day", "month", "quarter", "year")
SENTENCE_END = re.compile(r"[.;!?](?=\s|$)|[。；！？\n]")


def compare_dates(inputs: ClaimAndPassage) -> tuple[list[ComparedValue], ComparedValue | None]:
    """Find the dates of the claim that agree, and the first that differs if none of the most precise
    agrees."""
    agreements = []
    is_supported = False
    wrong: ComparedValue | None = None
    shifted: ComparedValue | None = None
    has_event_day = inputs.event_date is not None and any(
        dates.can_agree(claim_date, inputs.event_date) for claim_date in inputs.claim.dates
    )
    finest = min((_PRECISIONS.index(claim_date.precision) for claim_date in inputs.claim.dates), default=0)
    for claim_date in inputs.claim.dates:
        passage_text = _find_matching_date(inputs, claim_date)
        if passage_text is None and has_event_day:  # a second date, beside that of the event
            passage_text = next(
                (span.text for span in inputs.passage.dates if dates.can_agree(claim_date, span)), None
            )
        is_finest = _PRECISIONS.index(claim_date.precision) == finest
        if passage_text is not None:
            agreements.append(ComparedValue("date", claim_date.text, passage_text))
            is_supported |= is_finest
        else:
            shifted = shifted or _find_shifted_date(inputs, claim_date)
            if wrong is None and is_finest:
                wrong = _find_contradicting_date(inputs, claim_date)
    return agreements, shifted if is_supported else wrong


def _find_matching_date(inputs: ClaimAndPassage, claim_date: DateSpan) -> str | None:
    if inputs.event_date is not None and dates.can_agree(claim_date, inputs.event_date):
        return inputs.event_date.text
    for passage_date in inputs.passage.dates:
        if not dates.can_agree(claim_date, passage_date):
            continue
        if inputs.event_date is None or not (
            _is_vague(claim_date, passage_date) or _belongs_to_other_act(inputs, claim_date, passage_date)
        ):
            return passage_date.text
    if inputs.publication_date is None or inputs.event_date is not None or inputs.passage.dates:
        return None
    is_recent = (
        claim_date.first <= inputs.publication_date
        and inputs.publication_date - timedelta(days=1) <= claim_date.last
    )
    return inputs.publication_date.isoformat() if is_recent else None


def _is_vague(claim_date: DateSpan, passage_date: DateSpan) -> bool:
    """True if a record's second date is too coarse to support the claim's (a year for a day)."""
    return _PRECISIONS.index(passage_date.precision) > _PRECISIONS.index(claim_date.precision) + 1


def _belongs_to_other_act(inputs: ClaimAndPassage, claim_date: DateSpan, passage_date: DateSpan) -> bool:
    """True if a record's second date belongs to another act than the claim's (trading began on …).

    The claim's acts are those in the clause of its date, if other clauses tell acts too.
    """
    claim_verbs = _list_verbs_of_date(inputs.claim, claim_date)
    dated_verbs = {action.verb for action in _list_actions_in_sentence(inputs.passage, passage_date)}
    dated_verbs -= {verb for name in dated_verbs for verb in load_verbs()[name].after}  # dropped the suit
    other_verbs = {action.verb for action in inputs.passage.actions} - dated_verbs
    return bool(dated_verbs) and not claim_verbs & dated_verbs and bool(claim_verbs & other_verbs)


def _list_verbs_of_date(claim: ParsedStatement, claim_date: DateSpan) -> set[str]:
    """List the acts in the clause of a date; all acts of the claim if its other clauses tell none."""
    clause = next((clause for clause in claim.clauses if clause.start <= claim_date.start < clause.end), None)
    inside = {
        action.verb
        for action in claim.actions
        if clause is not None and clause.start <= action.start < clause.end
    }
    outside = {action.verb for action in claim.actions} - inside
    is_later_clause = clause is not None and any(
        action.start < clause.start and action.verb in outside for action in claim.actions
    )
    return inside if is_later_clause else inside | outside


def _find_contradicting_date(inputs: ClaimAndPassage, claim_date: DateSpan) -> ComparedValue | None:
    if inputs.event_date is not None:
        if (
            claim_date.precision == "quarter"
            and timedelta(0) < inputs.event_date.first - claim_date.last <= REPORTING_PERIOD
        ):
            return None
        return ComparedValue("date", claim_date.text, inputs.event_date.text)
    claim_verbs = {action.verb for action in inputs.claim.actions}
    for passage_date in inputs.passage.dates:  # a page has many dates: only one of the same act contradicts
        if claim_verbs & {action.verb for action in _list_actions_in_sentence(inputs.passage, passage_date)}:
            return ComparedValue("date", claim_date.text, passage_date.text)
    return None


def _list_actions_in_sentence(passage: ParsedStatement, span: DateSpan) -> Sequence[Action]:
    """List the actions of the sentence with a date."""
    if len(passage.actions) < 2:
        return passage.actions
    text = passage.text
    start = max((match.end() for match in SENTENCE_END.finditer(text, 0, span.start)), default=0)
    after = SENTENCE_END.search(text, span.end)
    end = after.start() if after else len(text)
    return [action for action in passage.actions if start <= action.start < end]


def _find_shifted_date(inputs: ClaimAndPassage, claim_date: DateSpan) -> ComparedValue | None:
    """Find a further date of the passage of which the claim has another year, or another day of the month."""
    if claim_date.yearless or claim_date.precision not in ("day", "month"):
        return None
    for passage_date in inputs.passage.dates:
        is_claimed = any(dates.can_agree(other, passage_date) for other in inputs.claim.dates)
        if is_claimed or passage_date.yearless or passage_date.precision != claim_date.precision:
            continue
        first, other_first = claim_date.first, passage_date.first
        has_other_year = first.year != other_first.year and (
            (first.month, first.day) == (other_first.month, other_first.day)
        )
        has_other_day = (first.year, first.month) == (other_first.year, other_first.month) and (
            abs((first - other_first).days) >= MIN_OTHER_DAYS
        )
        if has_other_year or has_other_day:
            return ComparedValue("date", claim_date.text, passage_date.text)
    return None
