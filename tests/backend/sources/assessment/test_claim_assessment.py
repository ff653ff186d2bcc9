"""Tests the assessment of a claim by all its evidence."""

from dataclasses import replace
from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.entities.model import LANGUAGES, Language
from backend.sources.assessment.claim_assessment import assess, compute_probability
from backend.sources.assessment.evidence import Evidence
from backend.sources.claims.model import Comparison, ElementKind, MissingElement, Slot
from backend.sources.claims.simhash import compute_fingerprint, is_near
from tests.backend.sources.evidence import evidence

PIECES = st.builds(
    evidence,
    agreed=st.sampled_from([(), ("date",), ("figure",), ("date", "figure")]),
    entities=st.integers(0, 4),
    authority=st.floats(0, 1),
    relevance=st.floats(0, 1),
    url=st.sampled_from([f"https://example.org/{k}" for k in range(9)]),
)
CONFLICTS = st.builds(
    lambda slot, authority, relevance: evidence(
        slot, authority=authority, relevance=relevance, url="https://example.org/conflict"
    ),
    st.sampled_from(["date", "figure", "agent", "polarity"]),
    st.floats(0, 1),
    st.floats(0, 1),
)


def expected(z: float, relevance: float = 1.0) -> float:
    return 0.5 + (1 / (1 + exp(-z)) - 0.5) * relevance


@pytest.mark.parametrize(
    ("piece", "z"),
    [
        (evidence("date"), -2.6),
        (evidence("figure"), -2.6 * 0.95),
        (evidence("agent"), -2.6 * 0.90),
        (evidence("polarity"), -2.6 * 0.85),
        (evidence("polarity", "date", agreed=("figure",)), -2.6),
        (evidence(entities=0), 1.2),
        (evidence(entities=2), 2.0),
        (evidence(entities=5), 2.4),
        (evidence(entities=1, agreed=("date", "date")), 2.5),
        (evidence(entities=1, agreed=("date", "figure", "figure", "figure")), 4.1),
    ],
)
def test_one_piece_of_evidence_follows_the_formula(piece: Evidence, z: float) -> None:
    share = 1.0 if piece.comparison.differences else 0.8  # an entailed claim is never certain
    assert compute_probability(piece) == pytest.approx(expected(z, share))
    assert assess([piece]).truth_probability == pytest.approx(expected(z, share))


def test_a_claim_in_mostly_other_words_is_supported_with_less_certainty_unless_a_figure_agrees() -> None:
    def weigh(*agreed: Slot) -> float:
        piece = evidence(entities=3, agreed=agreed)
        return compute_probability(replace(piece, comparison=replace(piece.comparison, told_share=0.4)))

    assert weigh("date") == 0.75
    assert weigh("date", "figure") > 0.85


@given(st.integers(0, 4), st.lists(st.sampled_from(["date", "figure"]), max_size=3), st.floats(0, 1))
def test_a_source_in_another_language_never_gives_more_certainty(
    entities: int, agreed: list[Slot], relevance: float
) -> None:
    piece = evidence(entities=entities, agreed=tuple(agreed), relevance=relevance)
    other = replace(piece, comparison=replace(piece.comparison, is_same_language=False))
    assert compute_probability(other) <= compute_probability(piece) <= 0.9


def test_a_figure_that_a_much_less_close_source_has_by_chance_stays_missing() -> None:
    missing = frozenset({MissingElement("figure", "3")})
    close, far = (
        replace(piece, comparison=replace(piece.comparison, closeness=closeness, missing=elements))
        for piece, closeness, elements in (
            (evidence(entities=2, agreed=("date",)), 6.0, missing),
            (
                evidence(entities=2, agreed=("figure",), url="https://example.org/2"),
                1.0,
                frozenset[MissingElement](),
            ),
        )
    )
    assert assess([close, far]).assessment == "unverified"


def test_each_missing_element_lowers_the_probability_below_one_half() -> None:
    piece = evidence(entities=2, agreed=("date",))
    kind: ElementKind
    for kind, count, p in (("clause", 1, 0.45), ("clause", 2, 0.40), ("clause", 3, 0.36), ("name", 1, 0.40)):
        missing = frozenset(MissingElement(kind, f"part {number}") for number in range(count))
        open_piece = replace(piece, comparison=replace(piece.comparison, missing=missing))
        found = assess([open_piece])
        assert (found.truth_probability, found.assessment) == (pytest.approx(p), "unverified")
        assert "part 0" in found.reasoning


def test_words_of_a_clause_that_no_source_tells_are_quoted_once_and_its_values_besides() -> None:
    piece = evidence(entities=2, agreed=("date",))
    missing = frozenset(
        MissingElement(kind, text)
        for kind, text in (
            ("act", "kept"),
            ("qualifier", "and kept only nine coins"),
            ("clause", "and kept only nine coins"),
            ("figure", "nine"),
        )
    )
    found = assess([replace(piece, comparison=replace(piece.comparison, missing=missing))])
    assert found.reasoning.count("kept") == 1
    assert "the figure nine" in found.reasoning


def test_an_element_in_another_source_is_not_missing() -> None:
    piece = evidence(entities=2, agreed=("date",))
    open_piece = replace(
        piece, comparison=replace(piece.comparison, missing=frozenset({MissingElement("name", "Aldo")}))
    )
    other = replace(evidence(entities=2, agreed=("date",), url="https://example.org/2"))
    assert assess([open_piece, other]).assessment == "supported"


def test_low_relevance_moves_the_probability_towards_one_half() -> None:
    piece = evidence("date", relevance=0.3)
    assert compute_probability(piece) == pytest.approx(expected(-2.6, 0.3))


def test_without_evidence_the_claim_is_unverified() -> None:
    for pieces in ([], [Evidence(Comparison(0, 0, 0, 0, (), same_event=False), 0.9, 1.0, "A", "u")]):
        found = assess(pieces)
        assert found.truth_probability == 0.5
        assert (found.assessment, found.confidence_level, found.deciding) == ("unverified", "low", None)


def test_weaker_sources_do_not_outvote_a_strong_conflict() -> None:
    strong = evidence("date", authority=0.95, name="The regulator")
    lesser = [
        evidence(agreed=("date", "figure"), authority=0.6, url=f"https://example.org/{k}", name="News")
        for k in range(2, 9)
    ]
    found = assess([*lesser, strong])
    assert found.truth_probability <= compute_probability(strong)
    assert (found.assessment, found.deciding) == ("contradicted", strong)
    assert "The regulator" in found.reasoning


def test_a_strong_source_outvotes_a_weak_conflict() -> None:
    weak = evidence("date", authority=0.3, url="https://example.org/2")
    found = assess([evidence(agreed=("date", "figure"), authority=0.95), weak])
    assert found.assessment == "supported"


def test_disagreeing_sources_of_equal_authority_are_mixed() -> None:
    yes = evidence(agreed=("date", "figure"), authority=0.9, relevance=0.9, name="One")
    no = evidence("date", authority=0.9, relevance=1.0, url="https://example.org/2", name="Other")
    found = assess([yes, no])
    assert found.assessment == "mixed"
    assert "One" in found.reasoning
    assert "Other" in found.reasoning


def test_a_conflict_about_another_event_is_ignored_if_a_closer_source_supports_the_claim() -> None:
    yes = evidence(agreed=("date", "figure"), closeness=6.0)
    no = evidence("date", url="https://example.org/2", closeness=1.0)
    assert assess([yes, no]).truth_probability == compute_probability(yes)


def test_an_event_of_another_agent_is_ignored_if_the_claim_s_own_is_told_as_well() -> None:
    own = evidence(entities=2, agreed=("date",), relevance=0.95)
    other = evidence("agent", relevance=0.99, url="https://example.org/2")
    assert assess([own, other]).assessment == "supported"
    assert assess([other]).assessment == "contradicted"


def test_logits_are_averaged_by_authority() -> None:
    one = evidence(entities=3, authority=0.9)
    other = evidence(entities=0, authority=0.6, url="https://example.org/2")
    logits = [log(p / (1 - p)) for p in (compute_probability(one), compute_probability(other))]
    mean = (0.9 * logits[0] + 0.6 * logits[1]) / 1.5
    assert assess([one, other]).truth_probability == pytest.approx(1 / (1 + exp(-mean)))


def test_duplicate_texts_and_repeated_urls_count_once() -> None:
    text = "At block 840,000 the reward of miners fell by half, as the rules of the network had foretold."
    copies = [
        evidence(entities=0, digest=compute_fingerprint(text), url=f"https://example.org/{k}", authority=0.5)
        for k in range(5)
    ]
    other = evidence(entities=3, authority=0.5, url="https://example.org/other")
    assert assess([*copies, other]).truth_probability == assess([copies[0], other]).truth_probability
    assert assess([other, other, other]).truth_probability == assess([other]).truth_probability


def test_only_near_duplicates_have_similar_fingerprints() -> None:
    base = " ".join(f"word{chr(97 + k)}{chr(97 + k % 7)} of the report" for k in range(26))
    assert is_near(compute_fingerprint(base), compute_fingerprint(base + " Updated"))
    assert not is_near(
        compute_fingerprint(base),
        compute_fingerprint("The regulator approved eleven funds in one order on Wednesday"),
    )
    assert not is_near(compute_fingerprint(""), compute_fingerprint(""))


@pytest.mark.parametrize(
    ("piece", "level"),
    [
        (evidence("date", relevance=0.95, authority=0.95), "high"),
        (evidence("date", relevance=0.95, authority=0.7), "medium"),
        (evidence(agreed=("date",), relevance=0.6), "medium"),
        (evidence(entities=0), "medium"),
        (evidence(entities=0, authority=0.3), "low"),
    ],
)
def test_confidence_depends_on_probability_relevance_and_authority(piece: Evidence, level: str) -> None:
    assert assess([piece]).confidence_level == level


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("slot", ["date", "figure", "agent", "polarity"])
def test_the_reasoning_names_both_values_and_the_source(language: Language, slot: str) -> None:
    reason = assess([evidence(slot, name="Example Gazette")], language=language).reasoning  # type: ignore[arg-type]
    assert all(part in reason for part in ("claimed", "found", "Example Gazette"))


def test_a_source_name_with_braces_is_quoted_unchanged() -> None:
    assert "{0} {x}" in assess([evidence("date", name="{0} {x}")]).reasoning


@given(st.lists(st.one_of(PIECES, CONFLICTS), max_size=6), st.sampled_from(LANGUAGES))
def test_any_evidence_gives_a_probability_and_a_reason(pieces: list[Evidence], language: Language) -> None:
    found = assess(pieces, language=language)
    assert 0 < found.truth_probability < 1
    assert found.reasoning
    assert found.assessment in ("supported", "contradicted", "mixed", "unverified")


@given(st.lists(PIECES, max_size=5, unique_by=lambda piece: piece.url), CONFLICTS)
def test_the_order_of_the_evidence_does_not_matter(pieces: list[Evidence], conflict: Evidence) -> None:
    together = [*pieces, conflict]
    assert assess(together).truth_probability == pytest.approx(assess(together[::-1]).truth_probability)


@given(st.lists(PIECES, max_size=5), st.floats(0.8, 1), st.floats(0.5, 1))
def test_any_number_of_weaker_sources_cannot_outvote_a_strong_conflict(
    pieces: list[Evidence], authority: float, relevance: float
) -> None:
    strong = evidence("figure", authority=authority, relevance=relevance, url="https://example.org/strong")
    lesser = [piece for piece in pieces if piece.authority < authority and piece.relevance <= relevance]
    assert assess([*lesser, strong]).truth_probability <= compute_probability(strong) + 1e-9
