"""Laws are told apart by their titles."""

import pytest

from backend.entities.model import Language
from backend.sources.comparison.named_laws import are_different
from tests.backend.sources.evidence import claim


@pytest.mark.parametrize(
    ("statement", "record", "language"),
    [
        ("The HARBOR Act became law.", "The LANTERN Act was signed.", "en"),
        ("The Securities Exchange Act was amended.", "The Commodity Exchange Act was amended.", "en"),
        ("The Digital Assets Act became law.", "The Data Access Act became law.", "en"),
        ("HARBOR法案が成立した。", "LANTERN法案、成立。", "ja"),
        ("《HARBOR法案》成为法律。", "《LANTERN法案》签署。", "zh"),
    ],
)
def test_two_titles_are_two_laws(statement: str, record: str, language: Language) -> None:
    assert are_different(claim(statement, language), claim(record, language))


@pytest.mark.parametrize(
    ("statement", "record"),
    [
        ("The HARBOR Act became law.", "Congress passes the HARBOR Act."),
        ("The HARBOR Act became law.", "The President signed the bill."),
        ("The bill became law.", "The HARBOR Act was signed."),
        (
            "The GENIUS Act became law.",
            "The Guiding and Establishing National Innovation for U.S. Stablecoins Act was signed.",
        ),
        ("The HARBOR Act became law.", "The Help Bring Reserves Act was signed."),
        ("The Securities Exchange Act was amended.", "The Prices and Securities for the 21st Century Act."),
        ("The Bank Secrecy Act was amended.", "A rule under the BSA cites the Securities Exchange Act."),
        ("The Payment Systems Act became law.", "The PS Act was signed."),
    ],
)
def test_one_title_its_initials_and_titles_of_two_kinds_are_not_two_laws(statement: str, record: str) -> None:
    assert not are_different(claim(statement), claim(record))
