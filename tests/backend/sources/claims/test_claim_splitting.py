"""The checkable statements of a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.entities.mention import Mention
from backend.entities.model import LANGUAGES, Language
from backend.sources.claims.claim_splitting import (
    MAX_CLAIMS,
    compute_check_worthiness,
    sentences,
    split_claims,
)


def test_periods_in_abbreviations_numbers_and_quotations_do_not_end_a_sentence() -> None:
    text = (
        'Mr. Smith of Coinbase Inc. said U.S. volume was $4.6 billion. "We did it. We won," said Grayscale. '
        "Mt. Gox lost 850,000 BTC."
    )
    assert list(sentences(text)) == [
        "Mr. Smith of Coinbase Inc. said U.S. volume was $4.6 billion.",
        '"We did it. We won," said Grayscale.',
        "Mt. Gox lost 850,000 BTC.",
    ]


def test_a_letter_behind_on_is_a_name_and_no_initial() -> None:
    text = "Coinbase said so in a post on X. The post was deleted by J. Smith."
    assert list(sentences(text)) == [
        "Coinbase said so in a post on X.",
        "The post was deleted by J. Smith.",
    ]


def test_an_initial_behind_on_ends_no_sentence() -> None:
    text = "The inquiry focused on J. Doe of Orrin."
    assert list(sentences(text)) == [text]


def test_japanese_and_chinese_punctuation_ends_sentences() -> None:
    assert list(sentences("承認した。「停止する。再開は未定」と発表した！终于？")) == [
        "承認した。",
        "「停止する。再開は未定」と発表した！",
        "终于？",
    ]


@pytest.mark.parametrize(
    ("text", "language", "kept"),
    [
        (
            "The SEC approved 11 funds on 10 January 2024. I think this is great. Will it rise? "
            "Mt. Gox lost 850,000 BTC in 2014.",
            "en",
            ["The SEC approved 11 funds on 10 January 2024.", "Mt. Gox lost 850,000 BTC in 2014."],
        ),
        (
            "SECは2024年1月10日に11本を承認した。素晴らしいと思う。上がるのか？取引所は約85万BTCを失った。",
            "ja",
            ["SECは2024年1月10日に11本を承認した。", "取引所は約85万BTCを失った。"],
        ),
        (
            "SEC于2024年1月10日批准了11只产品。我认为会涨到100美元！你信吗？Mt. Gox丢失85万枚比特币。",
            "zh",
            ["SEC于2024年1月10日批准了11只产品。", "Mt. Gox丢失85万枚比特币。"],
        ),
    ],
)
def test_factual_sentences_are_kept_in_order_without_opinions_and_questions(
    text: str, language: Language, kept: list[str]
) -> None:
    assert split_claims(text, language) == kept


def test_an_article_yields_at_most_five_claims_with_the_highest_worthiness() -> None:
    dull = [f"The exchange opened office {k}." for k in range(8)]
    facts = [f"It lost {k},000 BTC on {k} May 2020." for k in range(1, 6)]
    mixed = [
        sentence for pair in zip(dull, [*facts, "", "", ""], strict=True) for sentence in pair if sentence
    ]
    assert split_claims(" ".join(mixed), "en") == facts


def test_a_repeated_sentence_is_one_claim() -> None:
    assert split_claims("It lost 5 BTC. It lost 5 BTC. It lost 6 BTC.", "en") == [
        "It lost 5 BTC.",
        "It lost 6 BTC.",
    ]


def test_a_single_sentence_is_always_a_claim() -> None:
    assert split_claims("Is this so?", "en") == ["Is this so?"]
    assert split_claims("   ", "en") == []


def test_more_slots_raise_the_check_worthiness() -> None:
    more = compute_check_worthiness("The exchange lost 5 BTC in May 2020.", "en")
    assert more > compute_check_worthiness("The exchange lost coins.", "en") > 0


@given(st.text(alphabet="ab. 。！？\n\"'「」(）1B", max_size=120), st.sampled_from(LANGUAGES))
def test_claims_are_substrings_of_the_text_and_limited_in_number(text: str, language: Language) -> None:
    claims = split_claims(text, language)
    assert len(claims) <= MAX_CLAIMS
    assert all(claim in text for claim in claims)


@pytest.mark.parametrize(
    "text", ["。" * 100_000, "a. " * 50_000, "「" * 100_000, "(?" * 50_000, '"' * 100_000]
)
def test_an_adversarial_text_is_split_within_the_claim_limit(text: str) -> None:
    assert len(split_claims(text, "en")) <= MAX_CLAIMS


def _names_the_company(text: str) -> list[Mention]:
    at = text.find("Coincheck")
    return [] if at < 0 else [Mention("coincheck", at, at + 9, "Coincheck")]


def test_a_sentence_that_names_nobody_is_read_with_the_one_before_it() -> None:
    text = "Coincheck lost 523 million coins in January 2018. The company put the loss at 58 billion yen."
    assert split_claims(text, "en", _names_the_company) == [text]


@pytest.mark.parametrize(
    "second",
    [
        "Coincheck was sold in April 2018 for 3.6 billion yen.",  # its own name and date
        "I think this is great.",
        "Was the loss 58 billion yen?",
        "I like it.",
    ],
)
def test_other_sentences_are_not_read_with_the_one_before_them(second: str) -> None:
    first = "Coincheck lost 523 million coins in January 2018."
    assert split_claims(f"{first} {second}", "en", _names_the_company)[0] == first
