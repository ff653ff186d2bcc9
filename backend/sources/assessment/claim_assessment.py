"""Assesses a claim by all its evidence: probability, confidence, assessment word and reasoning.

One piece of evidence: let c be the weight of its worst conflict (date 1.0, figure .95, roles
.95, agent .90, polarity .85). Then

    z = -2.6 c                                                 with a conflict; agreeing slots do not count
    z = 1.2 + .4 min(entities, 3) + .9 [a date agrees] + .8 min(figures, 2)    if the claim is entailed
    p = .5 + (sigma(z) - .5) * relevance * (.8 if the claim is entailed)

A claim is entailed by a passage in its language that is sufficient, differs in nothing and leaves no element
open; its relevance then counts as .8 at least. If no figure agrees and the passage has at most .85 of its
words, the two may differ in what no slot holds: p is .75 at most. In another language z is .8 lower. Each
open element (:mod:`backend.sources.comparison.missing_elements`) lowers p by .05 below one half, a name, a
figure or a place by .1, all together by .14 at most.

An insufficient passage (:mod:`backend.sources.comparison.evidence_sufficiency`) says nothing for the claim,
and its conflict keeps three tenths of the distance from one half. It counts only if no sufficient passage is
about the claim.

Several pieces: copies count once, passages about other events do not count. log(p / (1-p)) is averaged,
weighted by the authority of each source. Sources of lower authority never outvote a conflict from a source
of authority .8 or more. Unknown hosts count only if no known source tells of the event, and then move p to
between .4 and .6. Without evidence p is one half.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log

from backend.entities.model import Language
from backend.sources.assessment import reasoning
from backend.sources.assessment.evidence import Evidence
from backend.sources.authority import MIN_KNOWN_AUTHORITY
from backend.sources.claims.model import ElementKind, Slot
from backend.sources.claims.simhash import is_near
from backend.sources.comparison.relevance import sigmoid
from backend.sources.schemas import (
    CONTRADICTED,
    MIXED,
    SUPPORTED,
    UNVERIFIED,
    Assessment,
    Confidence,
)

CONFLICT_WEIGHTS: dict[Slot, float] = {
    "date": 1.0,
    "figure": 0.95,
    "agent": 0.90,
    "roles": 0.95,
    "polarity": 0.85,
}
STRONG_AUTHORITY = 0.8
"""Authority from which lesser sources do not outvote a source's conflict."""
MIN_RELEVANCE_SHARE = 0.5
"""Evidence below this share of the best relevance is about something else."""
MAX_CLOSENESS_GAP = 2.5
"""Maximum distance (as a logit) of a passage's closeness from that of the closest passage."""
MIN_SUPPORTED_PROBABILITY, MAX_CONTRADICTED_PROBABILITY = 0.65, 0.35
UNKNOWN_HOST_SHARE = 0.2
"""Share of the distance from one half that unknown hosts can move the probability: at most to 0.6."""
ENTAILED_LOGIT, MIN_ENTAILED_RELEVANCE = 0.8, 0.8
"""For a passage in the claim's language that is sufficient, differs in nothing and leaves nothing open."""
ENTAILED_FACTOR = 0.8
"""Of fresh statements called supported three quarters to four fifths were true (docs/sources.md), so that no
probability of an entailed claim exceeds .9."""
MISSING_STEP, MAX_MISSING = 0.05, 0.14
"""How far each element that no source tells lowers the probability below one half, and all together."""
MISSING_VALUE_STEP = 0.1
"""The same for a name, a figure or a place: a source of the event would rather have told another one."""
VALUES: frozenset[ElementKind] = frozenset({"name", "figure", "place"})
MAX_OTHER_WORDS_SHARE, MAX_OTHER_WORDS_PROBABILITY = 0.85, 0.75
"""A claim of which a passage has at most this share of words, and no figure, is supported with this
probability at most: of such claims in fresh statements two thirds to three quarters were true."""
INSUFFICIENT_FACTOR = 0.3
"""Factor on insufficient evidence. Half of it stays between the two probabilities above, so that such
evidence always leaves the claim unverified."""


@dataclass(frozen=True, slots=True)
class TruthAssessment:
    """``deciding`` is the evidence with the most weight; None if there is no evidence about the claim."""

    truth_probability: float
    confidence_level: Confidence
    assessment: Assessment
    reasoning: str
    deciding: Evidence | None


def compute_probability(evidence: Evidence) -> float:
    """p = .5 + (sigma(z) - .5) * relevance, with z as in the module's docstring."""
    comparison = evidence.comparison
    if comparison.missing and not comparison.differences:
        steps = sum(
            MISSING_VALUE_STEP if element.kind in VALUES else MISSING_STEP for element in comparison.missing
        )
        return 0.5 - min(steps, MAX_MISSING) * evidence.relevance
    if comparison.differences:
        z = -2.6 * max(CONFLICT_WEIGHTS[difference.slot] for difference in comparison.differences)
    else:
        z = 0.4 + 0.4 * min(comparison.shared_entities, 3) + 0.9 * min(comparison.same_dates, 1)
        z += 0.8 * min(comparison.same_figures, 2)
    if _is_entailed(evidence):
        z += ENTAILED_LOGIT
        p = 0.5 + (sigmoid(z) - 0.5) * max(evidence.relevance, MIN_ENTAILED_RELEVANCE) * ENTAILED_FACTOR
        is_in_other_words = not comparison.same_figures and comparison.told_share <= MAX_OTHER_WORDS_SHARE
        return min(p, MAX_OTHER_WORDS_PROBABILITY) if is_in_other_words else p
    if not comparison.is_sufficient and not comparison.differences:
        return 0.5
    weight = evidence.relevance if comparison.is_sufficient else evidence.relevance * INSUFFICIENT_FACTOR
    if not comparison.differences:
        weight *= ENTAILED_FACTOR
    return 0.5 + (sigmoid(z) - 0.5) * weight


def _is_entailed(evidence: Evidence) -> bool:
    comparison = evidence.comparison
    return (
        comparison.is_sufficient
        and comparison.is_same_language
        and not comparison.differences
        and not comparison.missing
    )


def assess(
    evidence: Sequence[Evidence], *, language: Language = "en", searched_web: bool = False
) -> TruthAssessment:
    """Assess a claim by ``evidence``, with reasons in ``language``, that of the statement.

    ``searched_web``: beside the archive the web was searched.
    """
    same_event = [piece for piece in evidence if piece.comparison.same_event]
    counted = _prefer_sufficient(_drop_other_events(_deduplicate(_prefer_known(same_event))))
    counted = _share_elements(counted)
    if not counted:
        text = reasoning.explain_unknown(language, searched_web=searched_web)
        return TruthAssessment(0.5, "low", UNVERIFIED, text, None)
    agreeing = [piece for piece in counted if not piece.comparison.differences]
    conflicting = [piece for piece in counted if piece.comparison.differences]
    p = _combine(counted)
    if (ruling := _find_ruling_conflict(agreeing, conflicting)) is not None:
        p = min(p, compute_probability(ruling))
    deciding = ruling or _find_weightiest(agreeing if p >= 0.5 and agreeing else conflicting or agreeing)
    if deciding.authority < MIN_KNOWN_AUTHORITY:
        p = 0.5 + (p - 0.5) * UNKNOWN_HOST_SHARE
        text = reasoning.explain_unknown_host(language, deciding)
        return TruthAssessment(p, "low", UNVERIFIED, text, deciding)
    word = _choose_word(p, agreeing, conflicting)
    text = reasoning.explain(language, word, deciding, _find_other_side(deciding, agreeing, conflicting))
    return TruthAssessment(p, _grade_confidence(p, deciding), word, text, deciding)


def find_word(p: float) -> Assessment:
    """Return the assessment word of a probability."""
    if p >= MIN_SUPPORTED_PROBABILITY:
        return SUPPORTED
    return CONTRADICTED if p <= MAX_CONTRADICTED_PROBABILITY else UNVERIFIED


def _deduplicate(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Keep each URL and each text once: the piece with the highest authority, then relevance."""
    kept: list[Evidence] = []
    for piece in sorted(evidence, key=lambda piece: (-piece.authority, -piece.relevance)):
        if not any(piece.url == other.url or is_near(piece.text_digest, other.text_digest) for other in kept):
            kept.append(piece)
    return kept


def _drop_other_events(evidence: list[Evidence]) -> list[Evidence]:
    """Drop passages much less relevant or less close than the best, and conflicts about another event.

    If one source supports the claim and is as close to it, the conflicting source is about another event.
    """
    best = max((piece.relevance for piece in evidence), default=0.0)
    closest = max((piece.comparison.closeness for piece in evidence), default=0.0)
    near_best = [
        piece
        for piece in evidence
        if piece.relevance >= MIN_RELEVANCE_SHARE * best
        and (_is_supporting(piece) or piece.comparison.closeness >= closest - MAX_CLOSENESS_GAP)
    ]
    return [piece for piece in near_best if not any(_shows_other_event(other, piece) for other in near_best)]


def _prefer_sufficient(evidence: list[Evidence]) -> list[Evidence]:
    """Drop insufficient evidence if there is any sufficient one."""
    return [piece for piece in evidence if piece.comparison.is_sufficient] or evidence


def _prefer_known(evidence: Sequence[Evidence]) -> Sequence[Evidence]:
    """Drop unknown hosts if a known source tells of the event: they must not fill what it leaves open."""
    return [piece for piece in evidence if piece.authority >= MIN_KNOWN_AUTHORITY] or evidence


def _share_elements(evidence: list[Evidence]) -> list[Evidence]:
    """Drop the missing elements that another piece about the same event tells.

    A piece in another language tells figures and names only. A piece much less close than the closest can
    agree in a figure by chance.
    """
    closest = max((piece.comparison.closeness for piece in evidence), default=0.0)
    agreeing = [
        piece.comparison
        for piece in evidence
        if not piece.comparison.differences and piece.comparison.closeness >= closest - MAX_CLOSENESS_GAP
    ]
    if not agreeing:
        return evidence
    same_language = [comparison for comparison in agreeing if comparison.is_same_language] or agreeing
    everywhere = frozenset.intersection(*(comparison.missing for comparison in same_language))
    in_any_language = frozenset.intersection(*(comparison.missing for comparison in agreeing))
    missing = frozenset(
        element
        for element in everywhere
        if element.kind not in ("figure", "name") or element in in_any_language
    )
    return [
        piece
        if piece.comparison.differences
        else replace(piece, comparison=replace(piece.comparison, missing=missing))
        for piece in evidence
    ]


def _is_supporting(piece: Evidence) -> bool:
    return _is_entailed(piece) or bool(piece.comparison.agreed and not piece.comparison.differences)


def _shows_other_event(other: Evidence, conflict: Evidence) -> bool:
    """Whether ``other`` shows that ``conflict`` is about another event.

    A source that differs in the agent alone is about another agent's event, if one as good tells of the
    claim's agent everything that the claim says.
    """
    slots = {difference.slot for difference in conflict.comparison.differences}
    if slots == {"agent"} and _is_entailed(other) and other.authority >= conflict.authority:
        return True
    return (
        bool(conflict.comparison.differences)
        and _is_supporting(other)
        and other.authority >= conflict.authority
        and other.relevance >= conflict.relevance
        and other.comparison.closeness >= conflict.comparison.closeness
    )


def _combine(evidence: Sequence[Evidence]) -> float:
    """Return the mean of the logits, weighted by authority, as a probability."""
    weights = [max(piece.authority, 0.01) for piece in evidence]
    logits = [log(p / (1 - p)) for p in map(compute_probability, evidence)]
    return sigmoid(sum(map(float.__mul__, weights, logits)) / sum(weights))


def _find_ruling_conflict(agreeing: Sequence[Evidence], conflicting: Sequence[Evidence]) -> Evidence | None:
    """Find the strong conflict that decides; None if an equally strong source supports the claim."""
    strong = [piece for piece in conflicting if piece.authority >= STRONG_AUTHORITY]
    if not strong:
        return None
    ruling = min(strong, key=compute_probability)
    return None if any(_outweighs(piece, ruling) for piece in agreeing) else ruling


def _outweighs(piece: Evidence, ruling: Evidence) -> bool:
    """Whether an equally strong source supports the claim in the slot of the conflict."""
    if piece.authority < ruling.authority or compute_probability(piece) < MIN_SUPPORTED_PROBABILITY:
        return False
    disputed = {difference.slot for difference in ruling.comparison.differences}
    agreed = disputed & {agreement.slot for agreement in piece.comparison.agreed}
    return bool(agreed or disputed & {"agent", "polarity"}) and (
        piece.comparison.closeness >= ruling.comparison.closeness - 1
    )


def _find_weightiest(evidence: Sequence[Evidence]) -> Evidence:
    return max(
        evidence, key=lambda piece: (abs(compute_probability(piece) - 0.5) * piece.authority, piece.relevance)
    )


def _find_other_side(
    deciding: Evidence, agreeing: Sequence[Evidence], conflicting: Sequence[Evidence]
) -> Evidence | None:
    others = agreeing if deciding.comparison.differences else conflicting
    return _find_weightiest(others) if others else None


def _choose_word(p: float, agreeing: Sequence[Evidence], conflicting: Sequence[Evidence]) -> Assessment:
    """Choose the word: mixed if the total is unclear and each side has a source that is clear."""
    if MAX_CONTRADICTED_PROBABILITY < p < MIN_SUPPORTED_PROBABILITY:
        sides = (
            any(compute_probability(piece) >= MIN_SUPPORTED_PROBABILITY for piece in agreeing),
            any(compute_probability(piece) <= MAX_CONTRADICTED_PROBABILITY for piece in conflicting),
        )
        return MIXED if all(sides) else UNVERIFIED
    return find_word(p)


def _grade_confidence(p: float, deciding: Evidence) -> Confidence:
    """Grade the confidence.

    High: |p-.5| > .35 from a source of relevance > .8 and authority >= .8. Medium: |p-.5| > .15.
    """
    distance = abs(p - 0.5)
    if distance > 0.35 and deciding.relevance > 0.8 and deciding.authority >= 0.8:
        return "high"
    return "medium" if distance > 0.15 else "low"
