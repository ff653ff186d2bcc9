"""Compares a claim with a passage: the slots that agree and the slots that differ.

First it decides whether the passage is about the same event: an altered statement keeps most of its slots and
changes one, another event shares few. For another event nothing agrees and nothing differs.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

from backend.sources.claims import dates, negation, roles
from backend.sources.claims.model import Action, Claim, Comparison, DateSpan, Difference, Quantity
from backend.sources.claims.units import GENERIC, units
from backend.sources.comparison import (
    agents,
    evidence_sufficiency,
    figure_agreement,
    missing_elements,
    polarity,
)
from backend.sources.comparison.claim_passage import ClaimAndPassage
from backend.sources.comparison.same_event import SAME_EVENT, closeness_of, is_particular

MAX_ROUGH_GAP = Decimal("0.1")
MIN_TELLING_VALUE = 10
"""Amount from which equal amounts in different units are no coincidence."""
REPORTING_PERIOD = timedelta(days=60)
"""A quarter's figures are reported within this time, so that a record in it may be about the quarter."""
_PRECISIONS = ("day", "month", "quarter", "year")
_CLAUSE_END = re.compile(r"[.;!?](?=\s|$)|[。；！？\n]")
_NOTHING = Comparison(0, 0, 0, 0, (), same_event=False)


def compare(
    claim: Claim,
    passage: Claim,
    facts: Mapping[str, str],
    *,
    types: Mapping[str, str] | None = None,
    happened: DateSpan | None = None,
    published: date | None = None,
    entities: Collection[str] = (),
    bm25: float | None = None,
    passage_names: Collection[str] = (),
) -> Comparison:
    """Compare ``claim`` with ``passage`` and its record's ``facts`` and ``entities``.

    ``types`` maps entity ids to entity types. ``happened`` is the date of the record's event
    (``dates.build_record_date``): another date in the claim contradicts it. ``published`` is the day of a
    page: it can agree, because news report recent events, but never contradicts. ``bm25`` is the search
    score of the passage.
    """
    ids = frozenset(mention.entity_id for mention in passage.mentions) | frozenset(entities)
    pair = ClaimAndPassage(
        claim,
        passage,
        figure_agreement.of_facts(facts),
        types or {},
        happened,
        published,
        ids,
        frozenset(entities),
        passage_names,
    )
    shared = len({mention.entity_id for mention in claim.mentions} & ids)
    same_dates, wrong_date = _dates(pair)
    same_figures, wrong_figure = _figures(pair)
    on_its_day = happened is not None and any(dates.agree(mine, happened) for mine in claim.dates)
    same_actions, wrong_polarity = polarity.actions(
        claim, passage, is_record=happened is not None, on_its_day=on_its_day
    )
    wrong_roles = _compare_roles(claim, passage)
    wrong_agent = agents.difference(pair) if wrong_roles is None else None
    wrong = (wrong_date, wrong_figure, wrong_agent, wrong_roles, wrong_polarity)
    found = Comparison(
        shared,
        len(same_dates),
        len(same_figures),
        same_actions,
        tuple(difference for difference in wrong if difference is not None),
        (*same_dates, *same_figures),
    )
    closeness = closeness_of(claim, passage, found, bm25)
    if closeness < SAME_EVENT or not is_particular(claim, passage, found, bm25):
        return _NOTHING
    acting = {mention.entity_id for mention in claim.mentions if pair.kinds(mention.entity_id)}
    is_sufficient = evidence_sufficiency.is_sufficient(claim, passage, found, known=ids, acting=acting)
    denial = _compare_denial(claim, passage)
    if denial is not None and not found.differences:
        found = replace(found, differences=(denial,))
    missing = missing_elements.find_missing(
        claim, passage, found.agreed, passage_entities=ids, passage_names=passage_names
    )
    return replace(
        found,
        differences=tuple(_restore_wording(one, claim, passage) for one in found.differences),
        agreed=tuple(_restore_wording(one, claim, passage) for one in found.agreed),
        closeness=closeness,
        is_sufficient=is_sufficient,
        missing=frozenset(replace(one, text=claim.restore(one.text)) for one in missing),
        is_same_language=claim.language == passage.language,
    )


def _restore_wording(one: Difference, claim: Claim, passage: Claim) -> Difference:
    return replace(one, claimed=claim.restore(one.claimed), found=passage.restore(one.found))


def _dates(pair: ClaimAndPassage) -> tuple[list[Difference], Difference | None]:
    """Find the dates of the claim that agree, and the first that differs if none of the most precise
    agrees."""
    same = []
    borne_out = False
    wrong: Difference | None = None
    finest = min((_PRECISIONS.index(mine.precision) for mine in pair.claim.dates), default=0)
    for mine in pair.claim.dates:
        theirs = _same_date(pair, mine)
        is_finest = _PRECISIONS.index(mine.precision) == finest
        if theirs is not None:
            same.append(Difference("date", mine.text, theirs))
            borne_out |= is_finest
        elif wrong is None and is_finest:
            wrong = _wrong_date(pair, mine)
    return same, None if borne_out else wrong


def _same_date(pair: ClaimAndPassage, mine: DateSpan) -> str | None:
    if pair.happened is not None and dates.agree(mine, pair.happened):
        return pair.happened.text
    for theirs in pair.passage.dates:
        if not dates.agree(mine, theirs):
            continue
        if pair.happened is None or not (_is_vague(mine, theirs) or _tells_other(pair, theirs)):
            return theirs.text
    if pair.published is None or pair.happened is not None or pair.passage.dates:
        return None
    near = mine.first <= pair.published and pair.published - timedelta(days=1) <= mine.last
    return pair.published.isoformat() if near else None


def _is_vague(mine: DateSpan, theirs: DateSpan) -> bool:
    """True if a record's second date is too coarse to support the claim's (a year for a day)."""
    return _PRECISIONS.index(theirs.precision) > _PRECISIONS.index(mine.precision) + 1


def _tells_other(pair: ClaimAndPassage, theirs: DateSpan) -> bool:
    """True if a record's second date belongs to another act than the claim's (trading began on …)."""
    ours = {action.verb for action in pair.claim.actions}
    beside = {action.verb for action in _beside(pair.passage, theirs)}
    elsewhere = {action.verb for action in pair.passage.actions} - beside
    return bool(beside) and not ours & beside and bool(ours & elsewhere)


def _wrong_date(pair: ClaimAndPassage, mine: DateSpan) -> Difference | None:
    if pair.happened is not None:
        if mine.precision == "quarter" and timedelta(0) < pair.happened.first - mine.last <= REPORTING_PERIOD:
            return None
        return Difference("date", mine.text, pair.happened.text)
    ours = {action.verb for action in pair.claim.actions}
    for theirs in pair.passage.dates:  # a page has many dates: only one of the same act contradicts
        if ours & {action.verb for action in _beside(pair.passage, theirs)}:
            return Difference("date", mine.text, theirs.text)
    return None


def _beside(passage: Claim, span: DateSpan) -> Sequence[Action]:
    """List the actions of the sentence with a date."""
    if len(passage.actions) < 2:
        return passage.actions
    text = passage.text
    start = max((match.end() for match in _CLAUSE_END.finditer(text, 0, span.start)), default=0)
    after = _CLAUSE_END.search(text, span.end)
    end = after.start() if after else len(text)
    return [action for action in passage.actions if start <= action.start < end]


def _figures(pair: ClaimAndPassage) -> tuple[list[Difference], Difference | None]:
    """Find the figures of the claim that agree, and the first for which the source has only others of its
    unit."""
    theirs = [*pair.passage.quantities, *pair.facts]
    same = []
    wrong: Difference | None = None
    for mine in pair.claim.quantities:
        equals = [known for known in theirs if figure_agreement.agree(mine, known)]
        fitting = [known for known in theirs if not figure_agreement.plays_another_part(mine, known)]
        equal = next(
            (known for known in equals if not figure_agreement.plays_another_part(mine, known)), None
        )
        equal = equal or next(
            (known for known in fitting if figure_agreement.are_equal_durations(mine, known)), None
        )
        rivals = [known for known in fitting if _is_rival(mine, known)]
        if equal is None and equals and not rivals:
            equal = equals[0]  # the only figure of its kind, in any role
        if equal is not None and {mine.bound, equal.bound} == {"least", "most"}:
            wrong = Difference("figure", mine.text, equal.text)
        elif equal is not None:
            same.append(Difference("figure", mine.text, equal.text))
        elif other_unit := next((known for known in theirs if _has_other_unit(mine, known)), None):
            wrong = Difference("figure", mine.text, other_unit.text)
        elif wrong is None and mine.unit is not None and rivals:
            nearest = min(rivals, key=lambda known: _distance(mine, known))
            wrong = Difference("figure", mine.text, nearest.text)
    if wrong is not None and _restates(pair.claim.quantities, wrong.claimed, [one.claimed for one in same]):
        same, wrong = [*same, Difference("figure", wrong.claimed, same[-1].found)], None
    return same, wrong


def _restates(quantities: Sequence[Quantity], rough: str, agreed: Sequence[str]) -> bool:
    """True if a rough figure restates an agreeing one: a quarter of a billion, $235m."""
    mine = next((one for one in quantities if one.text == rough), None)
    others = [one for one in quantities if one.text in agreed]
    return mine is not None and any(
        one.unit == mine.unit and abs(one.value - mine.value) <= max(one.value, mine.value) * MAX_ROUGH_GAP
        for one in others
    )


def _compare_denial(claim: Claim, passage: Claim) -> Difference | None:
    """Return the difference if the claim calls untrue what the passage tells."""
    ours = negation.find_denial(claim.text.lower(), claim.language)
    if ours is None or negation.find_denial(passage.text.lower(), passage.language) is not None:
        return None
    return Difference("polarity", ours, _CLAUSE_END.split(passage.text, maxsplit=1)[0].strip())


def _has_other_unit(mine: Quantity, known: Quantity) -> bool:
    """True if two equal amounts have different units: $4,710 and 4,710 BTC, 42 days and 42 weeks."""
    measured = units().codes
    if {mine.unit, known.unit} <= figure_agreement.HOURS.keys() and mine.unit != known.unit:
        return mine.value == known.value > 1
    if mine.unit == known.unit or known.unit not in measured or mine.unit not in measured | {"coin"}:
        return False
    if mine.unit == "coin" and known.unit not in units().currencies:
        return False
    same = figure_agreement.agree(replace(mine, unit=known.unit), known)
    return same and abs(mine.value) >= MIN_TELLING_VALUE


def _compare_roles(claim: Claim, passage: Claim) -> Difference | None:
    """Return who did it to whom in both texts if the passage has it the other way round."""
    told = roles.find_roles(passage)
    for mine in roles.find_roles(claim):
        for known in told:
            if roles.are_swapped(mine, known):
                return Difference("roles", mine.text, known.text)
    return None


def _distance(mine: Quantity, known: Quantity) -> tuple[bool, Decimal]:
    """Return a sort key by distance; figures with the same role come first."""
    return mine.role != known.role, abs(known.value - mine.value)


def _is_rival(mine: Quantity, known: Quantity) -> bool:
    """True if two figures measure the same thing. Coins of an unspecified kind compare with those of any
    asset."""
    if mine.unit in GENERIC:
        return mine.unit == "coin" and known.unit in units().codes - units().currencies
    return mine.unit == known.unit
