"""The two sides of *X, not Y*, against what a source tells."""

import pytest

from backend.entities.model import Language
from backend.sources.comparison.rejected_alternatives import find_difference, find_rejected_spans
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


def test_not_only_rejects_nothing() -> None:
    record = claim("コインチェックに罰金と免許停止。", "ja")
    for words in ("だけではなく", "のみではなく", "ばかりではなく"):
        statement = claim(f"コインチェックは罰金{words}、無罪を争う権利も失った。", "ja")
        assert find_difference(statement, record) is None, words


@pytest.mark.parametrize(
    ("text", "language", "rejected"),
    [
        ("It chose not Kraken but Coinbase.", "en", "Kraken"),
        ("東京ではなく、大阪に開いた。", "ja", "東京"),
        ("同社は先物ではなく現物を選んだ。", "ja", "先物"),
        ("选的不是币安，而是Kraken。", "zh", "币安"),
    ],
)
def test_what_a_statement_rules_out_is_found(text: str, language: Language, rejected: str) -> None:
    assert [text[start:end] for start, end in find_rejected_spans(text, language)] == [rejected]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The coins were stolen, not by hackers.", "en"),
        ("同社は法定通貨ではなくなったと述べた。", "ja"),
        ("罰金だけではなく、免許も失った。", "ja"),
    ],
)
def test_a_plain_denial_replaces_nothing(text: str, language: Language) -> None:
    assert find_rejected_spans(text, language) == []
