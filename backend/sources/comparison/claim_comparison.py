"""Compares a claim with a passage: the slots that agree and the slots that differ.

If the two share too few slots, the passage is about another event and the result is empty. A false statement
usually changes only one slot of the true one.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from operator import attrgetter

from backend.entities.mention import Mention
from backend.sources.claims import dates, figure_roles, negation, role_relations, roles
from backend.sources.claims.lexical_features import normalize_name
from backend.sources.claims.model import ComparedValue, Comparison, DateSpan, ParsedStatement, Quantity
from backend.sources.claims.units import GENERIC_UNITS, load_units
from backend.sources.comparison import (
    act_order,
    affiliations,
    agents,
    announcements,
    contrasts,
    date_agreement,
    event_order,
    evidence_sufficiency,
    exchanged_clauses,
    figure_agreement,
    labels,
    law_stages,
    missing_elements,
    named_laws,
    names_given,
    polarity,
    ranks,
    rejected_alternatives,
    swapped_slots,
)
from backend.sources.comparison.claim_passage import ClaimAndPassage
from backend.sources.comparison.same_event import MIN_SAME_EVENT_CLOSENESS, compute_closeness, is_distinctive

ROUNDING_TOLERANCE = Decimal("0.1")
"""Maximum difference, as a share of the larger figure, of a figure and its rounded repetition."""
MIN_SHORT_NAME_CHARS = 3
"""Minimum letters of a name in a claim that can be short for a longer name in the passage."""
MIN_DISTINCTIVE_AMOUNT = 10
"""Smallest amount at which the same number in another unit counts as a difference, not as a coincidence."""
BLOCK_TIME_UNITS = frozenset({"block", "epoch length"})
"""Units in which a blockchain counts time."""
_OTHER_EVENT = Comparison(0, 0, 0, 0, (), same_event=False)


def compare(
    claim: ParsedStatement,
    passage: ParsedStatement,
    facts: Mapping[str, str],
    *,
    entity_types: Mapping[str, str] | None = None,
    event_date: DateSpan | None = None,
    publication_date: date | None = None,
    listed_entity_ids: Collection[str] = (),
    bm25: float | None = None,
    record_names: Collection[str] = (),
) -> Comparison:
    """Compare ``claim`` with ``passage``, and with the stored record that the passage comes from.

    ``facts`` and ``listed_entity_ids`` are those that the record lists, and ``record_names`` all names of
    these entities. ``entity_types`` maps entity ids to entity types. A date in the claim that differs from
    ``event_date`` (``dates.build_record_date``) is a contradiction. ``publication_date`` is that of a web
    page: a date in the claim may agree with it, but a different date is no contradiction. ``bm25`` is the
    search score of the passage.
    """
    if named_laws.are_different(claim, passage):
        return _OTHER_EVENT
    claim = _without_rejected(claim)
    record_entity_ids = frozenset(mention.entity_id for mention in passage.mentions) | frozenset(
        listed_entity_ids
    )
    inputs = ClaimAndPassage(
        claim,
        passage,
        figure_agreement.parse_fact_figures(facts),
        entity_types or {},
        event_date,
        publication_date,
        record_entity_ids,
        frozenset(listed_entity_ids),
        record_names,
    )
    shared = len({mention.entity_id for mention in claim.mentions} & record_entity_ids)
    agreeing_dates, date_difference = date_agreement.compare_dates(inputs)
    date_difference = date_difference or announcements.find_difference(inputs)
    agreeing_figures, figure_difference = _compare_figures(inputs)
    figure_difference = figure_difference or ranks.find_difference(claim, passage)
    figure_difference = figure_difference or labels.find_difference(claim, passage)
    is_on_event_day = event_date is not None and any(
        dates.can_agree(claim_date, event_date) for claim_date in claim.dates
    )
    same_action_count, action_difference = polarity.compare_actions(
        claim, passage, is_record=event_date is not None, is_on_event_day=is_on_event_day
    )
    action_difference = action_difference or contrasts.find_difference(claim, passage)
    action_difference = action_difference or rejected_alternatives.find_difference(claim, passage)
    action_difference = action_difference or law_stages.find_difference(claim, passage)
    action_difference = action_difference or event_order.find_difference(claim, passage)
    action_difference = action_difference or act_order.find_difference(claim, passage, event_date)
    role_difference = _compare_roles(inputs)
    role_difference = role_difference or names_given.find_difference(inputs)
    role_difference = role_difference or affiliations.find_difference(claim, passage)
    role_difference = role_difference or exchanged_clauses.find_difference(claim, passage)
    agent_difference = agents.find_differing_agent(inputs) if role_difference is None else None
    swapped = None if date_difference or figure_difference else swapped_slots.find_difference(claim, passage)
    differences = (
        date_difference,
        figure_difference,
        swapped,
        agent_difference,
        role_difference,
        action_difference,
    )
    comparison = Comparison(
        shared,
        len(agreeing_dates),
        len(agreeing_figures),
        same_action_count,
        tuple(difference for difference in differences if difference is not None),
        (*agreeing_dates, *agreeing_figures),
    )
    closeness = compute_closeness(claim, passage, comparison, bm25)
    if closeness < MIN_SAME_EVENT_CLOSENESS or not is_distinctive(claim, passage, comparison, bm25):
        return _OTHER_EVENT
    agent_ids = {
        mention.entity_id for mention in claim.mentions if inputs.list_entity_kinds(mention.entity_id)
    }
    is_sufficient = evidence_sufficiency.is_sufficient(
        claim, passage, comparison, source_entities=record_entity_ids, agent_ids=agent_ids
    )
    denial = _compare_denial(claim, passage)
    if denial is not None and not comparison.differences:
        comparison = replace(comparison, differences=(denial,))
    missing = missing_elements.find_missing_elements(
        claim,
        passage,
        comparison.agreed,
        passage_entities=record_entity_ids,
        record_names=record_names,
        event_date=event_date,
    )
    return replace(
        comparison,
        differences=tuple(
            _restore_wording(difference, claim, passage) for difference in comparison.differences
        ),
        agreed=tuple(_restore_wording(agreement, claim, passage) for agreement in comparison.agreed),
        closeness=closeness,
        is_sufficient=is_sufficient,
        missing=frozenset(replace(element, text=claim.restore(element.text)) for element in missing),
        is_same_language=claim.language == passage.language,
        told_share=missing_elements.compute_told_share(claim, passage),
    )


def _without_rejected(claim: ParsedStatement) -> ParsedStatement:
    """Leave out the entities that the claim itself rules out: *not on Nasdaq but on the NYSE*."""
    rejected = rejected_alternatives.find_rejected_spans(claim.text, claim.language)
    mentions = tuple(
        mention
        for mention in claim.mentions
        if not any(start <= mention.start and mention.end <= end for start, end in rejected)
    )
    return claim if len(mentions) == len(claim.mentions) else replace(claim, mentions=mentions)


def _restore_wording(
    difference: ComparedValue, claim: ParsedStatement, passage: ParsedStatement
) -> ComparedValue:
    return replace(
        difference, claimed=claim.restore(difference.claimed), found=passage.restore(difference.found)
    )


def _compare_figures(inputs: ClaimAndPassage) -> tuple[list[ComparedValue], ComparedValue | None]:
    """Return the claim's figures that the source confirms, and the first one that it contradicts.

    The source contradicts a figure if it gives only other figures in the same unit.
    """
    source_figures = [*inputs.passage.quantities, *inputs.facts]
    agreements = []
    difference: ComparedValue | None = None
    taken = [
        source_figure
        for source_figure in source_figures
        if any(
            figure_agreement.agree(quantity, source_figure)
            and not figure_agreement.has_other_role(quantity, source_figure)
            for quantity in inputs.claim.quantities
        )
    ]
    for claim_figure in inputs.claim.quantities:
        equal_figures = [
            source_figure
            for source_figure in source_figures
            if _is_matching_figure(claim_figure, source_figure, inputs.passage)
        ]
        same_role_figures = [
            source_figure
            for source_figure in source_figures
            if not figure_agreement.has_other_role(claim_figure, source_figure)
        ]
        match = next(
            (
                source_figure
                for source_figure in equal_figures
                if not figure_agreement.has_other_role(claim_figure, source_figure)
            ),
            None,
        )
        match = match or figure_agreement.find_computed(claim_figure, inputs.claim, inputs.passage.quantities)
        match = match or next(
            (
                source_figure
                for source_figure in same_role_figures
                if figure_agreement.are_equal_durations(claim_figure, source_figure)
            ),
            None,
        )
        comparable_figures = [
            source_figure
            for source_figure in same_role_figures
            if source_figure not in taken and _is_comparable(claim_figure, source_figure)
        ]
        if (
            match is None
            and equal_figures
            and not comparable_figures
            and claim_figure.role not in figure_roles.VOTE_ROLES
        ):
            match = equal_figures[0]  # the only figure of its kind, in any role
        if match is not None and {claim_figure.bound, match.bound} == {"least", "most"}:
            difference = ComparedValue("figure", claim_figure.text, match.text)
        elif match is not None:
            agreements.append(ComparedValue("figure", claim_figure.text, match.text))
        elif other_unit := next(
            (
                source_figure
                for source_figure in source_figures
                if source_figure not in taken and _has_other_unit(claim_figure, source_figure)
            ),
            None,
        ):
            difference = ComparedValue("figure", claim_figure.text, other_unit.text)
        elif difference is None and claim_figure.unit is not None and comparable_figures:
            nearest = min(
                comparable_figures, key=lambda source_figure: _build_distance_key(claim_figure, source_figure)
            )
            difference = ComparedValue("figure", claim_figure.text, nearest.text)
    if difference is not None and _is_restated(
        inputs.claim.quantities, difference.claimed, [agreement.claimed for agreement in agreements]
    ):
        agreements, difference = (
            [*agreements, ComparedValue("figure", difference.claimed, agreements[-1].found)],
            None,
        )
    return agreements, difference


def _is_matching_figure(claim_figure: Quantity, source_figure: Quantity, passage: ParsedStatement) -> bool:
    """True if two figures agree.

    A fact without a unit does not agree if the passage gives the same number another unit.
    """
    if not figure_agreement.agree(claim_figure, source_figure):
        return False
    is_bare_fact = (
        source_figure.unit is None
        and claim_figure.unit is not None
        and source_figure.start == source_figure.end
    )
    return not is_bare_fact or not any(
        quantity.value == source_figure.value
        and not figure_agreement.is_same_unit(claim_figure.unit, quantity.unit)
        for quantity in passage.quantities
    )


def _is_restated(quantities: Sequence[Quantity], rounded_text: str, agreed_texts: Sequence[str]) -> bool:
    """True if a figure is a rounded repetition of one that agrees, as "a quarter of a billion" of "$235m"."""
    rounded_figure = next((quantity for quantity in quantities if quantity.text == rounded_text), None)
    agreed_figures = [quantity for quantity in quantities if quantity.text in agreed_texts]
    return rounded_figure is not None and any(
        figure.unit == rounded_figure.unit
        and abs(figure.value - rounded_figure.value)
        <= max(figure.value, rounded_figure.value) * ROUNDING_TOLERANCE
        for figure in agreed_figures
    )


def _compare_denial(claim: ParsedStatement, passage: ParsedStatement) -> ComparedValue | None:
    """Return a difference if the claim denies what the passage states."""
    denial = negation.find_denial(claim.text.lower(), claim.language)
    if denial is None or negation.find_denial(passage.text.lower(), passage.language) is not None:
        return None
    return ComparedValue(
        "polarity", denial, date_agreement.SENTENCE_END.split(passage.text, maxsplit=1)[0].strip()
    )


def _has_other_unit(claim_figure: Quantity, source_figure: Quantity) -> bool:
    """True if two equal amounts have different units: $4,710 and 4,710 BTC, 42 days and 42 weeks."""
    measured = load_units().codes
    if {
        claim_figure.unit,
        source_figure.unit,
    } <= figure_agreement.HOURS_PER_UNIT.keys() and claim_figure.unit != source_figure.unit:
        return claim_figure.value == source_figure.value > 1
    if claim_figure.unit in figure_agreement.HOURS_PER_UNIT and source_figure.unit in BLOCK_TIME_UNITS:
        return claim_figure.value == source_figure.value >= MIN_DISTINCTIVE_AMOUNT
    if (
        claim_figure.unit == source_figure.unit
        or source_figure.unit not in measured
        or claim_figure.unit not in measured | {"coin"}
    ):
        return False
    if {
        claim_figure.unit,
        source_figure.unit,
    } <= load_units().currencies and claim_figure.value == source_figure.value == 1:
        return True  # for currencies even 1 is distinctive: "$1 each" differs from "1 yen each"
    if claim_figure.unit == "coin" and source_figure.unit not in load_units().currencies:
        return False
    is_equal = figure_agreement.agree(replace(claim_figure, unit=source_figure.unit), source_figure)
    return is_equal and abs(claim_figure.value) >= MIN_DISTINCTIVE_AMOUNT


def _compare_roles(inputs: ClaimAndPassage) -> ComparedValue | None:
    """Return a difference if the passage swaps who did it to whom, or names another target.

    Another target counts if it is of the same kind and the claim does not mention it.
    """
    passage_acts = roles.find_roles(inputs.passage)
    claim = _add_shortened_names(inputs.claim, inputs.passage)
    claimed = {mention.entity_id for mention in claim.mentions}
    for claim_act in roles.find_roles(claim):
        for passage_act in passage_acts:
            if role_relations.are_swapped(claim_act, passage_act):
                return ComparedValue("roles", claim_act.text, passage_act.text)
        other_act = role_relations.find_other_target(claim_act, passage_acts)
        if other_act is not None and not role_relations.list_targets(other_act) & claimed:
            kinds, other_kinds = (
                frozenset().union(*map(inputs.list_entity_kinds, role_relations.list_targets(act)))
                for act in (claim_act, other_act)
            )
            if kinds == other_kinds and role_relations.list_targets(claim_act) <= inputs.record_entity_ids:
                return ComparedValue("roles", claim_act.text, other_act.text)
    return None


def _add_shortened_names(claim: ParsedStatement, passage: ParsedStatement) -> ParsedStatement:
    """Add mentions of entities of the passage that the claim names in short: Monex for Monex Group."""
    known = {mention.entity_id for mention in claim.mentions}
    entities_by_name = {
        normalize_name(mention.text): mention.entity_id
        for mention in passage.mentions
        if mention.entity_id not in known
    }
    added = []
    for name in claim.names:
        short, start = normalize_name(name), claim.text.find(name)
        entity_id = next((one for long, one in entities_by_name.items() if long.startswith(short)), None)
        if entity_id is not None and len(short) >= MIN_SHORT_NAME_CHARS:
            added.append(Mention(entity_id, start, start + len(name), name))
    mentions = tuple(sorted((*claim.mentions, *added), key=attrgetter("start")))
    return replace(claim, mentions=mentions, subject=None) if added else claim


def _build_distance_key(claim_figure: Quantity, source_figure: Quantity) -> tuple[bool, Decimal]:
    """Return a sort key by distance; figures with the same role come first."""
    return claim_figure.role != source_figure.role, abs(source_figure.value - claim_figure.value)


def _is_comparable(claim_figure: Quantity, source_figure: Quantity) -> bool:
    """True if two figures measure the same thing. Coins of an unspecified kind compare with those of any
    asset."""
    if claim_figure.unit in GENERIC_UNITS and claim_figure.value == 1:
        return False  # one piece of something
    if claim_figure.role == "total" and source_figure.value < claim_figure.value:
        return False  # a total may include counts that the source gives separately
    if claim_figure.unit in GENERIC_UNITS:
        return (
            claim_figure.unit == "coin" and source_figure.unit in load_units().codes - load_units().currencies
        )
    return claim_figure.unit == source_figure.unit
