"""What all evidence together says of a claim: a probability, its confidence, a word and the reason.

Of one piece of evidence. Let c be the weight of its worst conflict (date 1.0, figure .95, agent .90,
polarity .85). Then

    z = -2.6 c                                                       with a conflict, whatever else agrees
    z = .4 + .4 min(entities, 3) + .9 [a date agrees] + .8 min(figures, 2)    without one
    p = .5 + (sigma(z) - .5) * relevance

A passage that shares too little with the claim to be ground for either
(:mod:`backend.sources.comparison.evidence_sufficiency`) keeps three tenths of that distance from one half,
and counts only where no other tells of the claim.

Of several: copies are counted once, passages of other events not at all; log(p / (1-p)) is averaged with
the authority of each source as its weight; and a conflict from a source of authority .8 or more is never
outvoted by lesser ones. Where nothing tells of the claim, p is one half.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from backend.entities.model import Language
from backend.sources.assessment import reasoning
from backend.sources.assessment.evidence import Evidence
from backend.sources.claims.model import Slot
from backend.sources.claims.simhash import near
from backend.sources.comparison.relevance import sigmoid
from backend.sources.schemas import AssessmentWord, Confidence

CONFLICT: dict[Slot, float] = {"date": 1.0, "figure": 0.95, "agent": 0.90, "polarity": 0.85}
STRONG = 0.8
"""Authority from which a source's conflict is not outvoted."""
SAME_STORY = 0.5
"""Evidence of less than this share of the best relevance is about something else."""
CLOSEST = 2.5
"""How much less close to the claim's event (as a logit) a passage may be than the closest one."""
SUPPORTED, CONTRADICTED = 0.65, 0.35
WITHOUT_GROUND = 0.3
"""What is left of evidence that shares too little with the claim: half of it stays within the bounds between
``CONTRADICTED`` and ``SUPPORTED``, so that the claim is unverified whatever agrees or differs."""


@dataclass(frozen=True, slots=True)
class TruthAssessment:
    """``deciding`` is the evidence that the answer rests on most; None where nothing tells of the claim."""

    truth_probability: float
    confidence_level: Confidence
    assessment: AssessmentWord
    reasoning: str
    deciding: Evidence | None


def probability(evidence: Evidence) -> float:
    """p = .5 + (sigma(z) - .5) * relevance, with the z of the module's description."""
    found = evidence.comparison
    if found.differences:
        z = -2.6 * max(CONFLICT[difference.slot] for difference in found.differences)
    else:
        z = 0.4 + 0.4 * min(found.shared_entities, 3) + 0.9 * min(found.same_dates, 1)
        z += 0.8 * min(found.same_figures, 2)
    reach = evidence.relevance if found.grounded else evidence.relevance * WITHOUT_GROUND
    return 0.5 + (sigmoid(z) - 0.5) * reach


def assess(evidence: Sequence[Evidence], *, language: Language = "en") -> TruthAssessment:
    """What ``evidence`` says together, with reasons in ``language``, the statement's."""
    counted = _with_ground(_about_the_claim(_once([one for one in evidence if one.comparison.same_event])))
    if not counted:
        return TruthAssessment(0.5, "low", "unverified", reasoning.unknown(language), None)
    agreeing = [piece for piece in counted if not piece.comparison.differences]
    conflicting = [piece for piece in counted if piece.comparison.differences]
    p = _together(counted)
    if (ruling := _ruling(agreeing, conflicting)) is not None:
        p = min(p, probability(ruling))
    deciding = ruling or _weightiest(agreeing if p >= 0.5 and agreeing else conflicting or agreeing)
    word = _word(p, agreeing, conflicting)
    text = reasoning.of(language, word, deciding, _other_side(deciding, agreeing, conflicting))
    return TruthAssessment(p, _confidence(p, deciding), word, text, deciding)


def _once(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Each address and each text once: the piece of the most authority, then relevance."""
    kept: list[Evidence] = []
    for piece in sorted(evidence, key=lambda piece: (-piece.authority, -piece.relevance)):
        if not any(piece.url == other.url or near(piece.text_digest, other.text_digest) for other in kept):
            kept.append(piece)
    return kept


def _about_the_claim(evidence: list[Evidence]) -> list[Evidence]:
    """Without passages that are much less relevant or less close than the best, and without conflicts of
    another event: where a source bears out the same slot and is no further from the claim, what another
    source tells differently it tells of something else."""
    best = max((piece.relevance for piece in evidence), default=0.0)
    closest = max((piece.comparison.closeness for piece in evidence), default=0.0)
    near_best = [
        piece
        for piece in evidence
        if piece.relevance >= SAME_STORY * best
        and (_bears_out(piece) or piece.comparison.closeness >= closest - CLOSEST)
    ]
    return [piece for piece in near_best if not any(_explains(other, piece) for other in near_best)]


def _with_ground(evidence: list[Evidence]) -> list[Evidence]:
    """Without what tells only of something nearby, where anything tells of the claim."""
    return [piece for piece in evidence if piece.comparison.grounded] or evidence


def _bears_out(piece: Evidence) -> bool:
    return bool(piece.comparison.agreed) and not piece.comparison.differences


def _explains(other: Evidence, conflict: Evidence) -> bool:
    """Whether ``other`` shows that ``conflict`` is about another event."""
    return (
        bool(conflict.comparison.differences)
        and _bears_out(other)
        and other.authority >= conflict.authority
        and other.relevance >= conflict.relevance
        and other.comparison.closeness >= conflict.comparison.closeness
    )


def _together(evidence: Sequence[Evidence]) -> float:
    """The mean of the logits, weighted by authority."""
    weights = [max(piece.authority, 0.01) for piece in evidence]
    logits = [log(p / (1 - p)) for p in map(probability, evidence)]
    return sigmoid(sum(map(float.__mul__, weights, logits)) / sum(weights))


def _ruling(agreeing: Sequence[Evidence], conflicting: Sequence[Evidence]) -> Evidence | None:
    """The strong conflict that lesser sources must not outvote; None where a source as strong agrees."""
    strong = [piece for piece in conflicting if piece.authority >= STRONG]
    if not strong:
        return None
    ruling = min(strong, key=probability)
    return None if any(_answers(piece, ruling) for piece in agreeing) else ruling


def _answers(piece: Evidence, ruling: Evidence) -> bool:
    """Whether a source as strong says the claim's word in the slot that the conflict is about."""
    if piece.authority < ruling.authority or probability(piece) < SUPPORTED:
        return False
    disputed = {difference.slot for difference in ruling.comparison.differences}
    said = disputed & {same.slot for same in piece.comparison.agreed}
    return bool(said or disputed & {"agent", "polarity"}) and (
        piece.comparison.closeness >= ruling.comparison.closeness - 1
    )


def _weightiest(evidence: Sequence[Evidence]) -> Evidence:
    return max(evidence, key=lambda piece: (abs(probability(piece) - 0.5) * piece.authority, piece.relevance))


def _other_side(
    deciding: Evidence, agreeing: Sequence[Evidence], conflicting: Sequence[Evidence]
) -> Evidence | None:
    others = agreeing if deciding.comparison.differences else conflicting
    return _weightiest(others) if others else None


def _word(p: float, agreeing: Sequence[Evidence], conflicting: Sequence[Evidence]) -> AssessmentWord:
    """Mixed where neither side is clear and both have a source that is."""
    if CONTRADICTED < p < SUPPORTED:
        sides = (
            any(probability(piece) >= SUPPORTED for piece in agreeing),
            any(probability(piece) <= CONTRADICTED for piece in conflicting),
        )
        return "mixed" if all(sides) else "unverified"
    return "supported" if p >= SUPPORTED else "contradicted"


def _confidence(p: float, deciding: Evidence) -> Confidence:
    """High: |p-.5| > .35 from a source of relevance > .8 and authority >= .8; medium: |p-.5| > .15."""
    distance = abs(p - 0.5)
    if distance > 0.35 and deciding.relevance > 0.8 and deciding.authority >= 0.8:
        return "high"
    return "medium" if distance > 0.15 else "low"
