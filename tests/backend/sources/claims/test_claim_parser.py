"""A claim and all its slots."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.entities.mention import Mention
from backend.entities.model import LANGUAGES, Language
from backend.sources.claims.claim_parser import MAX_CHARS, parse_claim
from backend.sources.claims.model import ParsedStatement


def _places(claim: ParsedStatement) -> list[list[tuple[int, int]]]:
    return [
        [(span.start, span.end) for span in claim.dates],
        [(figure.start, figure.end) for figure in claim.quantities],
        [(action.start, action.end) for action in claim.actions],
    ]


def test_a_statement_is_parsed_into_slots() -> None:
    text = "On 10 January 2024 the SEC approved 11 spot bitcoin ETFs of Foocorp."
    claim = parse_claim(text, "en", [Mention("sec", 23, 26, "SEC")])
    assert [span.first for span in claim.dates] == [date(2024, 1, 10)]
    assert [(figure.value, figure.unit) for figure in claim.quantities] == [(Decimal(11), "fund")]
    assert [action.verb for action in claim.actions] == ["approve"]
    assert claim.names == ("Foocorp",)
    assert "approv" in claim.words
    assert not claim.words & {"januar", "sec"}


def test_full_width_text_keeps_its_original_offsets() -> None:
    text = "２０２４年４月２０日、報酬は３．１２５ＢＴＣになった。"
    claim = parse_claim(text, "ja")
    (span,), (figure,) = claim.dates, claim.quantities
    assert text[span.start : span.end] == "２０２４年４月２０日"
    assert text[figure.start : figure.end] == "３．１２５ＢＴＣ"
    assert (figure.value, figure.unit) == (Decimal("3.125"), "BTC")


def test_a_verb_within_a_name_is_not_an_action() -> None:
    text = "The Merge changed the network."
    assert parse_claim(text, "en", [Mention("ethereum", 0, 9, "The Merge")]).actions == ()
    assert parse_claim(text, "en").actions


def test_a_reference_date_resolves_yesterday() -> None:
    claim = parse_claim("The exchange was hacked yesterday.", "en", reference_date=date(2025, 2, 22))
    assert [span.first for span in claim.dates] == [date(2025, 2, 21)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Regulators approved it.", ()),
        ("Google bought bitcoin.", ("Google",)),
        ("The upgrade Foobar brought EIP-1559.", ("Foobar", "EIP-1559")),
        ("SEC Approves Spot Bitcoin Funds For Trading In New York", ()),
        ("フーバーのアップグレード", ("フーバー",)),
    ],
)
def test_names_are_distinguished_from_common_words(text: str, names: tuple[str, ...]) -> None:
    assert parse_claim(text, "en").names == names


@given(st.text(max_size=100), st.sampled_from(LANGUAGES))
def test_slots_of_any_text_have_valid_sorted_offsets(text: str, language: Language) -> None:
    claim = parse_claim(text, language)
    for places in _places(claim):
        assert all(0 <= start < end <= len(text) for start, end in places)
        assert [start for start, _ in places] == sorted(start for start, _ in places)


@pytest.mark.parametrize(
    "piece", ["1", "万億", "(", "1,", "not ban ", "2024年", "A1b2", "\"'", "一", "April ", "$1-", "ビ"]
)
def test_an_adversarial_text_is_parsed_up_to_the_length_limit(piece: str) -> None:
    claim = parse_claim(piece * (200_000 // len(piece)), "en")
    assert all(end <= MAX_CHARS for places in _places(claim) for _, end in places)
