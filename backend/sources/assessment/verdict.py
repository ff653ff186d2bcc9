"""One verdict on a statement, out of what is known of each of its claims.

Claims are joined as a whole statement is read: it is only as true as its worst claim. One that is known to
be wrong decides alone; where none is, one that nothing bears out, however weakly, leaves the whole
unverified. Only where a source tells of the event of every claim is the mean of the logits taken, so that a
sentence that adds little to the one before it does not outweigh that one. A language model's stances are
blended in per claim, as

    logit p = .6 logit p_model + .4 logit p_rules

but never above what the rules make of a conflict in an official source.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from backend.entities.model import Language
from backend.sources.assessment import language_model_texts
from backend.sources.assessment.claim_assessment import CONTRADICTED, STRONG, SUPPORTED, TruthAssessment
from backend.sources.comparison.relevance import sigmoid
from backend.sources.language_model_steps import Stance
from backend.sources.schemas import AssessmentWord, Confidence

UNKNOWN = 0.5
"""The probability of a claim that nothing tells of."""
MODEL_SHARE = 0.6
STANCE_LOGIT = 2.2
"""A stance with a true quote, as a logit: a probability of 0.9."""
MOST_CERTAIN = 0.985
_CONFIDENCE: tuple[Confidence, ...] = ("low", "medium", "high")


@dataclass(frozen=True, slots=True)
class Verdict:
    probability: float
    confidence: Confidence
    word: AssessmentWord
    reasoning: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A stance of the model and the authority of the source that it is about."""

    stance: Stance
    authority: float


def of_rules(assessed: TruthAssessment) -> Verdict:
    return Verdict(
        assessed.truth_probability, assessed.confidence_level, assessed.assessment, assessed.reasoning
    )


def blended(assessed: TruthAssessment, judged: Sequence[Judged], model: str, language: Language) -> Verdict:
    """The rules' assessment of a claim with the model's stances, if it has any."""
    rules = of_rules(assessed)
    if not judged:
        return rules
    weight = sum(one.authority for one in judged)
    stances = sum((1 if one.stance.supports else -1) * one.authority for one in judged)
    logit = MODEL_SHARE * STANCE_LOGIT * stances / weight + (1 - MODEL_SHARE) * _logit(rules.probability)
    p = sigmoid(logit)
    if _is_ruled_out(assessed):
        p = min(p, rules.probability)
    supporting = sum(one.stance.supports for one in judged)
    told = language_model_texts.read(language, model, supporting, len(judged) - supporting)
    reasoning = f"{rules.reasoning} {told}"
    if 0 < supporting < len(judged) and CONTRADICTED < p < SUPPORTED:
        return Verdict(p, "low", "mixed", reasoning)
    confidence: Confidence = "medium" if abs(p - 0.5) > 0.15 else "low"
    return Verdict(p, max(confidence, rules.confidence, key=_CONFIDENCE.index), _word(p), reasoning)


def joined(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict on a statement of these claims, which are at least one."""
    if len(verdicts) == 1:
        return verdicts[0]
    wrong = [one for one in verdicts if one.word == "contradicted"]
    right = [one for one in verdicts if one.word == "supported"]
    deciding = min(wrong, key=lambda one: one.probability) if wrong else None
    reasons = dict.fromkeys(one.reasoning for one in [*wrong, *right, *verdicts])
    if deciding is not None:
        word: AssessmentWord = "mixed" if right else "contradicted"
        return Verdict(deciding.probability, deciding.confidence, word, " ".join(reasons))
    worst = min(one.probability for one in verdicts)
    mean = sigmoid(sum(_logit(one.probability) for one in verdicts) / len(verdicts))
    p = mean if worst > UNKNOWN else worst
    confidence = min((one.confidence for one in verdicts), key=_CONFIDENCE.index)
    mixed = any(one.word == "mixed" for one in verdicts)
    return Verdict(p, confidence, "mixed" if mixed else _word(p), " ".join(reasons))


def _is_ruled_out(assessed: TruthAssessment) -> bool:
    deciding = assessed.deciding
    return deciding is not None and bool(deciding.comparison.differences) and deciding.authority >= STRONG


def _word(p: float) -> AssessmentWord:
    if p >= SUPPORTED:
        return "supported"
    return "contradicted" if p <= CONTRADICTED else "unverified"


def _logit(p: float) -> float:
    bounded = min(max(p, 1 - MOST_CERTAIN), MOST_CERTAIN)
    return log(bounded / (1 - bounded))
