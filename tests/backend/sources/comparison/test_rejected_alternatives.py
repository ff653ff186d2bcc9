"""The two sides of *X, not Y*, against what a source tells."""

import pytest

from backend.entities.model import Language
from backend.sources.comparison.rejected_alternatives import find_difference
from tests.backend.sources.evidence import claim


@pytest.mark.parametrize(
    ("statement", "record", "language"),
    [
        ("The court did not convict Kraken, but acquitted it.", "A court convicted Kraken.", "en"),
        ("The court acquitted Kraken instead of convicting it.", "A court convicted Kraken.", "en"),
        ("裁判所はコインチェックへの罰金ではなく、無罪を言い渡した。", "コインチェックに罰金。", "ja"),
        ("法院并非对币安罚款，而是宣判其无罪。", "法院对币安罚款。", "zh"),
    ],
)
def test_a_statement_that_rejects_what_the_source_tells_differs(
    statement: str, record: str, language: Language
) -> None:
    assert find_difference(claim(statement, language), claim(record, language)) is not None


@pytest.mark.parametrize(
    "statement",
    [
        "The court did not acquit Kraken, but convicted it.",
        "The court convicted Kraken rather than acquit it.",
        "The court convicted Kraken, not only once but twice.",
    ],
)
def test_a_statement_that_states_what_the_source_tells_does_not_differ(statement: str) -> None:
    assert find_difference(claim(statement), claim("A court convicted Kraken.")) is None
