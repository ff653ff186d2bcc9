"""How far a bill got."""

import pytest

from backend.entities.model import Language
from backend.sources.comparison.law_stages import find_difference, find_missing_stage
from tests.backend.sources.evidence import claim

RECORDS: dict[Language, str] = {
    "en": "The U.S. House passes the HARBOR bill. It went to the Senate.",
    "ja": "米下院、HARBOR法案を可決。法案は上院に送られた。",
    "zh": "美国众议院通过HARBOR法案。法案送交参议院。",
}


@pytest.mark.parametrize(
    ("statement", "language"),
    [
        ("The HARBOR bill was signed into law.", "en"),
        ("The HARBOR bill took effect.", "en"),
        ("HARBOR法案が成立した。", "ja"),
        ("HARBOR法案が施行された。", "ja"),
        ("HARBOR法案正式生效。", "zh"),
        ("HARBOR法案由总统签署。", "zh"),
    ],
)
def test_the_vote_of_one_chamber_bears_out_no_later_stage(statement: str, language: Language) -> None:
    assert find_missing_stage(claim(statement, language), claim(RECORDS[language], language)) is not None


@pytest.mark.parametrize(
    ("statement", "language"),
    [
        ("The Senate passed the HARBOR bill.", "en"),
        ("The HARBOR bill cleared the House and the Senate.", "en"),
        ("HARBOR法案は上院で可決された。", "ja"),
        ("HARBOR法案获参议院通过。", "zh"),
    ],
)
def test_a_chamber_that_has_not_voted_did_not_pass_it(statement: str, language: Language) -> None:
    assert find_difference(claim(statement, language), claim(RECORDS[language], language)) is not None


@pytest.mark.parametrize(
    ("statement", "language"),
    [
        ("The HARBOR bill passed the House and went to the Senate.", "en"),
        ("The House passed the HARBOR bill, yet the Senate never took it up.", "en"),
        ("下院はHARBOR法案を可決し、上院に送った。", "ja"),
        ("众议院通过HARBOR法案，并送交参议院。", "zh"),
    ],
)
def test_the_stage_of_the_record_is_borne_out(statement: str, language: Language) -> None:
    parsed, record = claim(statement, language), claim(RECORDS[language], language)
    assert find_difference(parsed, record) is None
    assert find_missing_stage(parsed, record) is None


def test_a_signed_law_may_be_told_as_law() -> None:
    record = claim("The President signed the HARBOR Act, which the House had passed.")
    assert find_missing_stage(claim("The HARBOR Act became law."), record) is None


@pytest.mark.parametrize(
    "record",
    [
        "The House passed the HARBOR bill. The Senate has a committee for it.",
        "The House passed the Senate bill.",
        "The House passed a bill backed by the Senate.",
        "The Senate Banking Committee passed it on, and the House passed the bill.",
    ],
)
def test_a_chamber_that_is_only_mentioned_has_not_passed_the_bill(record: str) -> None:
    assert find_missing_stage(claim("The HARBOR bill was signed into law."), claim(record)) is not None


def test_a_chamber_that_refused_a_change_and_passed_the_bill_passed_it() -> None:
    record = claim("The Senate refused to amend the HARBOR Act and passed it.")
    assert find_difference(claim("The Senate passed the HARBOR Act."), record) is None


@pytest.mark.parametrize(
    "statement",
    [
        "The President signed it into law.",
        "The HARBOR bill was signed by the president.",
        "The President signed the long HARBOR Act.",
    ],
)
def test_a_signature_under_a_law_is_a_later_stage(statement: str) -> None:
    assert find_missing_stage(claim(statement), claim(RECORDS["en"])) is not None


@pytest.mark.parametrize("statement", ["Coinbase signed a deal.", "The House signed off on the HARBOR bill."])
def test_another_signature_is_no_stage(statement: str) -> None:
    assert find_missing_stage(claim(statement), claim(RECORDS["en"])) is None
