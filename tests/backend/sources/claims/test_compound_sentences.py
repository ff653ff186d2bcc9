"""Sentences that state two things are taken apart; lists and shared subjects are left whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.entities.mention import Mention
from backend.entities.model import LANGUAGES, Language
from backend.sources.claims.claim_splitting import split_claims
from backend.sources.claims.compound_sentences import MAX_STATEMENTS, split_compound_sentence
from tests.backend.sources.evidence import claim


def _naming(text: str) -> tuple[Mention, ...]:
    return claim(text).mentions


@pytest.mark.parametrize(
    ("sentence", "language", "found"),
    [
        (
            "The SEC approved the ETFs on January 10, 2024, and Ethereum launched in September 2021.",
            "en",
            ["The SEC approved the ETFs on January 10, 2024", "Ethereum launched in September 2021."],
        ),
        (
            "Tesla bought bitcoin in February 2021 and Coinbase was hacked in May 2022.",
            "en",
            ["Tesla bought bitcoin in February 2021", "Coinbase was hacked in May 2022."],
        ),
        (
            "SECはETFを承認し、そしてビットコインは2021年に流出した。",
            "ja",
            ["SECはETFを承認し", "ビットコインは2021年に流出した。"],
        ),
        (
            "SEC批准了ETF，并且比特币于2021年被禁止。",
            "zh",
            ["SEC批准了ETF", "比特币于2021年被禁止。"],
        ),
    ],
)
def test_a_compound_sentence_is_split_into_two_statements(
    sentence: str, language: Language, found: list[str]
) -> None:
    assert split_compound_sentence(sentence, language, _naming) == found
    assert split_claims(sentence, language, _naming) == found


@pytest.mark.parametrize(
    "sentence",
    [
        "The SEC charged Kraken and Coinbase with listing securities in June 2023.",
        "The SEC sued Coinbase, Tesla, and Kraken in June 2023.",
        "The SEC sued Coinbase in June 2023, and later dropped the case.",
        "Coinbase was hacked, and it refunded its users.",
        "Coinbase, Tesla, and Kraken were hacked.",
    ],
)
def test_a_list_or_a_shared_subject_is_not_split(sentence: str) -> None:
    assert split_compound_sentence(sentence, "en", _naming) == [sentence]


@given(st.text(max_size=120), st.sampled_from(LANGUAGES))
def test_statements_are_substrings_of_the_sentence_and_limited_in_number(
    sentence: str, language: Language
) -> None:
    found = split_compound_sentence(sentence, language, _naming)
    assert 1 <= len(found) <= MAX_STATEMENTS
    assert all(part in sentence for part in found)
