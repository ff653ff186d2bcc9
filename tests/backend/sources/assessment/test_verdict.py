"""Tests how the verdicts on several claims are join_verdicts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.sources.assessment.verdict import Verdict, join_verdicts
from backend.sources.schemas import Assessment, Confidence


def _verdict(p: float, word: Assessment, confidence: Confidence = "high") -> Verdict:
    return Verdict(p, confidence, word, f"Reason of {p}.")


TRUE, FALSE = _verdict(0.9, "supported"), _verdict(0.1, "contradicted")
UNKNOWN = _verdict(0.5, "unverified", "low")


def test_a_claim_without_evidence_leaves_the_statement_unverified() -> None:
    whole = join_verdicts([TRUE, TRUE, UNKNOWN])
    assert (whole.word, whole.probability, whole.confidence) == ("unverified", 0.5, "low")
    assert "Reason of 0.9." in whole.reasoning
    assert "Reason of 0.5." in whole.reasoning


def test_a_false_claim_makes_the_statement_mixed_and_sets_its_probability() -> None:
    whole = join_verdicts([TRUE, FALSE, UNKNOWN])
    assert (whole.word, whole.probability) == ("mixed", 0.1)
    assert whole.reasoning.startswith("Reason of 0.1.")


def test_claims_above_one_half_are_joined_by_the_mean_of_their_logits() -> None:
    whole = join_verdicts([TRUE, _verdict(0.6, "unverified", "low")])
    assert whole.probability == pytest.approx(0.786, abs=0.001)  # odds of sqrt(9 * 1.5)
    assert (whole.word, whole.confidence) == ("supported", "low")


@given(st.lists(st.sampled_from([TRUE, FALSE, UNKNOWN]), min_size=1, max_size=5))
def test_the_least_probable_claim_sets_the_probability_of_the_statement(verdicts: list[Verdict]) -> None:
    whole = join_verdicts(verdicts)
    assert whole.probability == pytest.approx(min(one.probability for one in verdicts))
    assert (whole.word == "supported") == all(one.word == "supported" for one in verdicts)
