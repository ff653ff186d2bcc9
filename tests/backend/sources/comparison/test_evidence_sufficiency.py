"""What a passage has to share with a claim before the claim is called true or false by it."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.entities.model import Language
from backend.sources.assessment.claim_assessment import (
    MAX_CONTRADICTED_PROBABILITY,
    MIN_SUPPORTED_PROBABILITY,
    assess,
    compute_probability,
)
from backend.sources.claims.model import ComparedValue, Comparison, Slot
from tests.backend.sources.evidence import LOSS, evidence, held

PURCHASE = (
    "Tesla discloses a 1.5 billion dollar bitcoin purchase. It was stated in the annual report for 2020.",
    datetime(2021, 2, 8, tzinfo=UTC),
)
LISTING = (
    "Coinbase lists on Nasdaq. The shares trade under the ticker COIN after a direct listing.",
    datetime(2021, 4, 14, tzinfo=UTC),
)
LOSS_JA = (
    "コインチェックで約5億2300万XEMが流出。同社は顧客に円で補償した。",
    datetime(2018, 1, 26, tzinfo=UTC),
)


@pytest.mark.parametrize(
    ("text", "record"),
    [
        ("Tesla bought $1.5 billion of bitcoin in February 2021.", PURCHASE),
        ("Tesla disclosed a bitcoin purchase in February 2021.", PURCHASE),
        ("Coinbase went public in April 2021.", LISTING),
        ("Coinbase went public in April 2019.", LISTING),
        ("Hackers had stolen 850,000 BTC, Mt. Gox said in May 2016.", LOSS),
        ("Mt. Gox did not file for bankruptcy in February 2014.", LOSS),
    ],
)
def test_matching_entities_and_matching_action_are_sufficient_evidence(
    text: str, record: tuple[str, datetime]
) -> None:
    assert held(text, record).is_sufficient


@pytest.mark.parametrize(
    ("text", "record"),
    [
        ("Tesla recalled 2,000 cars in February 2021.", PURCHASE),
        ("Tesla bought a battery firm in February 2021.", PURCHASE),
        ("Tesla spent $1.5 billion on a plant in February 2021.", PURCHASE),
        ("Tesla bought bitcoin in March 2023.", PURCHASE),
        ("Coinbase hired a new head of marketing in April 2021.", LISTING),
    ],
)
def test_the_same_entities_in_the_same_month_are_not_sufficient_evidence(
    text: str, record: tuple[str, datetime]
) -> None:
    found = held(text, record)
    assert not (found.same_event and found.is_sufficient)


@pytest.mark.parametrize(
    ("text", "is_ground"),
    [
        ("2018年1月、コインチェックから約5億2300万XEMが流出した。", True),
        ("コインチェックは2018年1月に新しい広告を放映した。", False),
        ("コインチェックは2018年1月にサッカー大会を後援した。", False),
    ],
)
def test_an_unrelated_action_is_not_sufficient_evidence_in_japanese(text: str, is_ground: bool) -> None:
    found = held(text, LOSS_JA, "ja")
    assert (found.same_event and found.is_sufficient) is is_ground


def test_a_one_time_event_can_differ_in_its_date_but_a_repeatable_event_cannot() -> None:
    once, often = (
        held("The shares of Coinbase were listed on Nasdaq in April 2019.", LISTING),
        held("Tesla bought bitcoin in April 2019.", PURCHASE),
    )
    assert [one.slot for one in once.differences] == ["date"]
    assert once.is_sufficient
    assert not (often.same_event and often.is_sufficient)


def _without_ground(*differences: Slot, entities: int, figures: int, dates: int) -> Comparison:
    slots = tuple(ComparedValue(slot, "mine", "theirs") for slot in differences)
    return Comparison(entities, dates, figures, 1, slots, (), 9.0, is_sufficient=False)


@given(
    st.lists(st.sampled_from(["date", "figure", "agent", "polarity"]), max_size=4, unique=True),
    st.integers(0, 9),
    st.integers(0, 9),
    st.integers(0, 3),
    st.floats(0, 1),
    st.floats(0, 1),
    st.sampled_from(["en", "ja", "zh"]),
)
def test_insufficient_evidence_gives_an_unverified_verdict_with_low_confidence(
    slots: list[Slot],
    entities: int,
    figures: int,
    dates: int,
    authority: float,
    relevance: float,
    language: Language,
) -> None:
    comparison = _without_ground(*slots, entities=entities, figures=figures, dates=dates)
    piece = evidence(authority=authority, relevance=relevance, comparison=comparison)
    assessed = assess([piece], language=language)
    assert MAX_CONTRADICTED_PROBABILITY <= compute_probability(piece) <= MIN_SUPPORTED_PROBABILITY
    assert abs(assessed.truth_probability - 0.5) <= 0.2
    assert (assessed.assessment, assessed.confidence_level) == ("unverified", "low")


def test_insufficient_evidence_does_not_dilute_sufficient_evidence() -> None:
    near = _without_ground("date", entities=2, figures=0, dates=0)
    own = evidence(agreed=("date", "figure"), url="https://example.org/own")
    both = assess([own, evidence(comparison=near, authority=0.98)])
    assert both.truth_probability == assess([own]).truth_probability
    assert both.assessment == "supported"
