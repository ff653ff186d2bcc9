"""Compares a claim with a passage: the slots that agree and the slots that differ.

First it decides whether the passage is about the same event: an altered statement keeps most of its slots and
changes one, another event shares few. For another event nothing agrees and nothing differs.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from operator import attrgetter

from backend.entities.mention import Mention
from backend.sources.claims import dates, figure_roles, negation, role_relations, roles
from backend.sources.claims.lexical_features import normalize_name
from backend.sources.claims.model import Claim, Comparison, DateSpan, Difference, Quantity
from backend.sources.claims.units import GENERIC, load_units
from backend.sources.comparison import (
    act_order,
    agents,
    announcements,
    contrasts,
    date_agreement,
    event_order,
    evidence_sufficiency,
    figure_agreement,
    labels,
    missing_elements,
    names_given,
    polarity,
    ranks,
    swapped_slots,
)
from backend.sources.comparison.claim_passage import ClaimAndPassage
from backend.sources.comparison.same_event import SAME_EVENT, compute_closeness, is_particular

MAX_ROUGH_GAP = Decimal("0.1")
MIN_SHORTENED_CHARS = 3
"""Letters from which a name in a claim can stand for a longer one of the passage."""
MIN_TELLING_VALUE = 10
"""Amount from which equal amounts in different units are no coincidence."""
COUNTED_BLOCKS = frozenset({"block", "epoch length"})
"""Units in which a blockchain counts time."""
_OTHER_EVENT = Comparison(0, 0, 0, 0, (), same_event=False)


def compare(
    claim: Claim,
    passage: Claim,
    facts: Mapping[str, str],
    *,
    types: Mapping[str, str] | None = None,
    event_date: DateSpan | None = None,
    published: date | None = None,
    entities: Collection[str] = (),
    bm25: float | None = None,
    passage_names: Collection[str] = (),
) -> Comparison:
    """Compare ``claim`` with ``passage`` and its record's ``facts`` and ``entities``.

    ``types`` maps entity ids to entity types. ``event_date`` is the date of the record's event
    (``dates.build_record_date``): another date in the claim contradicts it. ``published`` is the day of a
    page: it can agree, because news report recent events, but never contradicts. ``bm25`` is the search
    score of the passage.
    """
    ids = frozenset(mention.entity_id for mention in passage.mentions) | frozenset(entities)
    inputs = ClaimAndPassage(
        claim,
        passage,
        figure_agreement.parse_fact_figures(facts),
        types or {},
        event_date,
        published,
        ids,
        frozenset(entities),
        passage_names,
    )
    shared = len({mention.entity_id for mention in claim.mentions} & ids)
    same_dates, wrong_date = date_agreement.compare_dates(inputs)
    wrong_date = wrong_date or announcements.find_difference(inputs)
    same_figures, wrong_figure = _compare_figures(inputs)
    wrong_figure = wrong_figure or ranks.find_difference(claim, passage)
    wrong_figure = wrong_figure or labels.find_difference(claim, passage)
    is_on_event_day = event_date is not None and any(
        dates.agree(claim_date, event_date) for claim_date in claim.dates
    )
    same_actions, wrong_polarity = polarity.compare_actions(
        claim, passage, is_record=event_date is not None, is_on_event_day=is_on_event_day
    )
    wrong_polarity = wrong_polarity or contrasts.find_difference(claim, passage)
    wrong_polarity = wrong_polarity or event_order.find_difference(claim, passage)
    wrong_polarity = wrong_polarity or act_order.find_difference(claim, passage, event_date)
    wrong_roles = _compare_roles(inputs)
    wrong_roles = wrong_roles or names_given.find_difference(inputs)
    wrong_agent = agents.find_differing_agent(inputs) if wrong_roles is None else None
    swapped = None if wrong_date or wrong_figure else swapped_slots.find_difference(claim, passage)
    differences = (wrong_date, wrong_figure, swapped, wrong_agent, wrong_roles, wrong_polarity)
    comparison = Comparison(
        shared,
        len(same_dates),
        len(same_figures),
        same_actions,
        tuple(difference for difference in differences if difference is not None),
        (*same_dates, *same_figures),
    )
    closeness = compute_closeness(claim, passage, comparison, bm25)
    if closeness < SAME_EVENT or not is_particular(claim, passage, comparison, bm25):
        return _OTHER_EVENT
    agent_ids = {mention.entity_id for mention in claim.mentions if inputs.list_kinds(mention.entity_id)}
    is_sufficient = evidence_sufficiency.is_sufficient(
        claim, passage, comparison, source_entities=ids, agent_ids=agent_ids
    )
    denial = _compare_denial(claim, passage)
    if denial is not None and not comparison.differences:
        comparison = replace(comparison, differences=(denial,))
    missing = missing_elements.find_missing_elements(
        claim,
        passage,
        comparison.agreed,
        passage_entities=ids,
        passage_names=passage_names,
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
    )


def _restore_wording(difference: Difference, claim: Claim, passage: Claim) -> Difference:
    return replace(
        difference, claimed=claim.restore(difference.claimed), found=passage.restore(difference.found)
    )


def _compare_figures(inputs: ClaimAndPassage) -> tuple[list[Difference], Difference | None]:
    """Find the figures of the claim that agree, and the first for which the source has only others of its
    unit."""
    source_figures = [*inputs.passage.quantities, *inputs.facts]
    agreements = []
    wrong: Difference | None = None
    matched = [
        source_figure
        for source_figure in source_figures
        if any(
            figure_agreement.agree(quantity, source_figure)
            and not figure_agreement.has_other_role(quantity, source_figure)
            for quantity in inputs.claim.quantities
        )
    ]
    for claim_figure in inputs.claim.quantities:
        equals = [
            source_figure
            for source_figure in source_figures
            if _is_matching_figure(claim_figure, source_figure, inputs.passage)
        ]
        fitting = [
            source_figure
            for source_figure in source_figures
            if not figure_agreement.has_other_role(claim_figure, source_figure)
        ]
        equal = next(
            (
                source_figure
                for source_figure in equals
                if not figure_agreement.has_other_role(claim_figure, source_figure)
            ),
            None,
        )
        equal = equal or figure_agreement.find_computed(claim_figure, inputs.claim, inputs.passage.quantities)
        equal = equal or next(
            (
                source_figure
                for source_figure in fitting
                if figure_agreement.are_equal_durations(claim_figure, source_figure)
            ),
            None,
        )
        rivals = [
            source_figure
            for source_figure in fitting
            if source_figure not in matched and _is_rival(claim_figure, source_figure)
        ]
        if equal is None and equals and not rivals and claim_figure.role not in figure_roles.VOTE_ROLES:
            equal = equals[0]  # the only figure of its kind, in any role
        if equal is not None and {claim_figure.bound, equal.bound} == {"least", "most"}:
            wrong = Difference("figure", claim_figure.text, equal.text)
        elif equal is not None:
            agreements.append(Difference("figure", claim_figure.text, equal.text))
        elif other_unit := next(
            (
                source_figure
                for source_figure in source_figures
                if source_figure not in matched and _has_other_unit(claim_figure, source_figure)
            ),
            None,
        ):
            wrong = Difference("figure", claim_figure.text, other_unit.text)
        elif wrong is None and claim_figure.unit is not None and rivals:
            nearest = min(rivals, key=lambda source_figure: _build_distance_key(claim_figure, source_figure))
            wrong = Difference("figure", claim_figure.text, nearest.text)
    if wrong is not None and _is_restated(
        inputs.claim.quantities, wrong.claimed, [agreement.claimed for agreement in agreements]
    ):
        agreements, wrong = [*agreements, Difference("figure", wrong.claimed, agreements[-1].found)], None
    return agreements, wrong


def _is_matching_figure(claim_figure: Quantity, source_figure: Quantity, passage: Claim) -> bool:
    """True if two figures agree; a record's bare fact does not if its text gives the figure another unit."""
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


def _is_restated(quantities: Sequence[Quantity], rough_text: str, agreed_texts: Sequence[str]) -> bool:
    """True if a rough figure restates an agreeing one: a quarter of a billion, $235m."""
    rough_figure = next((quantity for quantity in quantities if quantity.text == rough_text), None)
    agreed_figures = [quantity for quantity in quantities if quantity.text in agreed_texts]
    return rough_figure is not None and any(
        figure.unit == rough_figure.unit
        and abs(figure.value - rough_figure.value) <= max(figure.value, rough_figure.value) * MAX_ROUGH_GAP
        for figure in agreed_figures
    )


def _compare_denial(claim: Claim, passage: Claim) -> Difference | None:
    """Return the difference if the claim calls untrue what the passage tells."""
    denial = negation.find_denial(claim.text.lower(), claim.language)
    if denial is None or negation.find_denial(passage.text.lower(), passage.language) is not None:
        return None
    return Difference(
        "polarity", denial, date_agreement.SENTENCE_END.split(passage.text, maxsplit=1)[0].strip()
    )


def _has_other_unit(claim_figure: Quantity, source_figure: Quantity) -> bool:
    """True if two equal amounts have different units: $4,710 and 4,710 BTC, 42 days and 42 weeks."""
    measured = load_units().codes
    if {
        claim_figure.unit,
        source_figure.unit,
    } <= figure_agreement.HOURS.keys() and claim_figure.unit != source_figure.unit:
        return claim_figure.value == source_figure.value > 1
    if claim_figure.unit in figure_agreement.HOURS and source_figure.unit in COUNTED_BLOCKS:
        return claim_figure.value == source_figure.value >= MIN_TELLING_VALUE
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
        return True  # one dollar each, one yen each
    if claim_figure.unit == "coin" and source_figure.unit not in load_units().currencies:
        return False
    is_equal = figure_agreement.agree(replace(claim_figure, unit=source_figure.unit), source_figure)
    return is_equal and abs(claim_figure.value) >= MIN_TELLING_VALUE


def _compare_roles(inputs: ClaimAndPassage) -> Difference | None:
    """Return who did it to whom in both texts if the passage has it the other way round, or has another
    target of the act, of the same kind, that the claim does not name."""
    passage_acts = roles.find_roles(inputs.passage)
    claim = _add_shortened_names(inputs.claim, inputs.passage)
    claimed = {mention.entity_id for mention in claim.mentions}
    for claim_act in roles.find_roles(claim):
        for passage_act in passage_acts:
            if role_relations.are_swapped(claim_act, passage_act):
                return Difference("roles", claim_act.text, passage_act.text)
        other_act = role_relations.find_other_target(claim_act, passage_acts)
        if other_act is not None and not role_relations.list_targets(other_act) & claimed:
            kinds, other_kinds = (
                frozenset().union(*map(inputs.list_kinds, role_relations.list_targets(act)))
                for act in (claim_act, other_act)
            )
            if kinds == other_kinds and role_relations.list_targets(claim_act) <= inputs.record_ids:
                return Difference("roles", claim_act.text, other_act.text)
    return None


def _add_shortened_names(claim: Claim, passage: Claim) -> Claim:
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
        if entity_id is not None and len(short) >= MIN_SHORTENED_CHARS:
            added.append(Mention(entity_id, start, start + len(name), name))
    mentions = tuple(sorted((*claim.mentions, *added), key=attrgetter("start")))
    return replace(claim, mentions=mentions, subject=None) if added else claim


def _build_distance_key(claim_figure: Quantity, source_figure: Quantity) -> tuple[bool, Decimal]:
    """Return a sort key by distance; figures with the same role come first."""
    return claim_figure.role != source_figure.role, abs(source_figure.value - claim_figure.value)


def _is_rival(claim_figure: Quantity, source_figure: Quantity) -> bool:
    """True if two figures measure the same thing. Coins of an unspecified kind compare with those of any
    asset."""
    if claim_figure.unit in GENERIC and claim_figure.value == 1:
        return False  # one piece of something
    if claim_figure.role == "total" and source_figure.value < claim_figure.value:
        return False  # one of three counts, of which the source counts the other two
    if claim_figure.unit in GENERIC:
        return (
            claim_figure.unit == "coin" and source_figure.unit in load_units().codes - load_units().currencies
        )
    return claim_figure.unit == source_figure.unit
