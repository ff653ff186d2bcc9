"""Laws are told apart by their titles."""

import pytest

from backend.entities.model import Language
from backend.sources.comparison.named_laws import are_different
from tests.backend.sources.evidence import claim


@pytest.mark.parametrize(
    ("statement", "record", "language"),
    [
        ("The HARBOR Act became law.", "The LANTERN Act was signed.", "en"),
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
        ("The Payment Systems Act became law.", "The PS Act was signed."),
    ],
)
def test_one_title_in_either_text_or_its_initials_are_one_law(statement: str, record: str) -> None:
    assert not are_different(claim(statement), claim(record))
