"""Combines the assessments of a statement's claims into one verdict.

A statement is only as true as its worst claim. A contradicted claim decides alone. Otherwise a claim without
any evidence leaves the statement unverified. Only if every claim has evidence is the mean of the logits
taken, so that a sentence that adds little to the one before it does not outweigh that one.

A language model is a second judge of each claim. It can always lower *supported* to *unverified*. It can
raise an unverified claim only if a known source tells of the event, leaves no element open and conflicts in
no slot, as

    logit p = .6 logit p_model + .4 logit p_rules
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from backend.entities.model import Language
from backend.sources.assessment import reasoning_texts
from backend.sources.assessment.claim_assessment import (
    MAX_CONTRADICTED_PROBABILITY,
    MIN_SUPPORTED_PROBABILITY,
    TruthAssessment,
    find_word,
)
from backend.sources.authority import MIN_KNOWN_AUTHORITY
from backend.sources.comparison.relevance import sigmoid
from backend.sources.language_model_steps import Stance
from backend.sources.schemas import (
    CONTRADICTED,
    MIXED,
    SUPPORTED,
    UNVERIFIED,
    Assessment,
    Confidence,
)

UNKNOWN_PROBABILITY = 0.5
"""The probability of a claim without evidence."""
VETO_PROBABILITY = 0.5
"""The probability of a claim that the rules call supported and the model does not."""
MODEL_SHARE = 0.6
STANCE_LOGIT = 2.2
"""Logit of a stance whose quote stands in the passage: a probability of 0.9."""
MAX_CERTAINTY = 0.985
_CONFIDENCE_LEVELS: tuple[Confidence, ...] = ("low", "medium", "high")


@dataclass(frozen=True, slots=True)
class Verdict:
    probability: float
    confidence: Confidence
    word: Assessment
    reasoning: str


@dataclass(frozen=True, slots=True)
class WeightedStance:
    """A stance of the model with the authority (0..1) of the source of its passage."""

    stance: Stance
    authority: float


def build_rules_verdict(assessed: TruthAssessment) -> Verdict:
    """Return the verdict of the rules alone."""
    return Verdict(
        assessed.truth_probability, assessed.confidence_level, assessed.assessment, assessed.reasoning
    )


def apply_stances(
    assessed: TruthAssessment,
    stances: Sequence[WeightedStance],
    model: str,
    language: Language,
    *,
    finds_nothing: bool = False,
) -> Verdict:
    """Apply the model's stances to the rules' assessment of a claim; without stances the rules decide.

    ``finds_nothing``: the model called each passage unrelated to the claim.
    """
    rules = build_rules_verdict(assessed)
    if not stances and not finds_nothing:
        return rules
    weight = sum(weighted.authority for weighted in stances)
    balance = sum((1 if weighted.stance.supports else -1) * weighted.authority for weighted in stances)
    if rules.word == SUPPORTED and balance <= 0:
        veto = reasoning_texts.describe_veto(language, model)
        return Verdict(VETO_PROBABILITY, "low", UNVERIFIED, f"{rules.reasoning} {veto}")
    if not stances:
        return rules
    if rules.word != UNVERIFIED or not _can_be_raised(assessed):
        supporting = sum(weighted.stance.supports for weighted in stances)
        summary = reasoning_texts.describe_stances(language, model, supporting, len(stances) - supporting)
        return Verdict(rules.probability, rules.confidence, rules.word, f"{rules.reasoning} {summary}")
    logit = MODEL_SHARE * STANCE_LOGIT * balance / weight + (1 - MODEL_SHARE) * _logit(rules.probability)
    p = sigmoid(logit)
    supporting = sum(weighted.stance.supports for weighted in stances)
    summary = reasoning_texts.describe_stances(language, model, supporting, len(stances) - supporting)
    reasoning = f"{rules.reasoning} {summary}"
    if 0 < supporting < len(stances) and MAX_CONTRADICTED_PROBABILITY < p < MIN_SUPPORTED_PROBABILITY:
        return Verdict(p, "low", MIXED, reasoning)
    confidence: Confidence = "medium" if abs(p - 0.5) > 0.15 else "low"
    return Verdict(
        p, max(confidence, rules.confidence, key=_CONFIDENCE_LEVELS.index), find_word(p), reasoning
    )


def join_verdicts(verdicts: Sequence[Verdict]) -> Verdict:
    """Join the verdicts on a statement's claims, of which there is at least one."""
    if len(verdicts) == 1:
        return verdicts[0]
    wrong = [verdict for verdict in verdicts if verdict.word == CONTRADICTED]
    right = [verdict for verdict in verdicts if verdict.word == SUPPORTED]
    deciding = min(wrong, key=lambda verdict: verdict.probability) if wrong else None
    reasons = dict.fromkeys(verdict.reasoning for verdict in [*wrong, *right, *verdicts])
    if deciding is not None:
        word: Assessment = MIXED if right else CONTRADICTED
        return Verdict(deciding.probability, deciding.confidence, word, " ".join(reasons))
    worst = min(verdict.probability for verdict in verdicts)
    mean = sigmoid(sum(_logit(verdict.probability) for verdict in verdicts) / len(verdicts))
    p = mean if worst > UNKNOWN_PROBABILITY else worst
    confidence = min((verdict.confidence for verdict in verdicts), key=_CONFIDENCE_LEVELS.index)
    is_mixed = any(verdict.word == MIXED for verdict in verdicts)
    return Verdict(p, confidence, MIXED if is_mixed else find_word(p), " ".join(reasons))


def _can_be_raised(assessed: TruthAssessment) -> bool:
    """Whether a known source tells of the event, and no slot conflicts and no element is missing."""
    deciding = assessed.deciding
    return (
        deciding is not None
        and deciding.authority >= MIN_KNOWN_AUTHORITY
        and not deciding.comparison.differences
        and not deciding.comparison.missing
    )


def _logit(p: float) -> float:
    bounded = min(max(p, 1 - MAX_CERTAINTY), MAX_CERTAINTY)
    return log(bounded / (1 - bounded))
