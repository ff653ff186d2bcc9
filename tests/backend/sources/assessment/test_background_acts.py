"""Acts that only describe a name, and that another record tells."""

import pytest

from backend.entities.model import Language
from backend.sources.assessment.background_acts import find_described_entity
from tests.backend.sources.evidence import claim


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("He ran the bankrupt lender Kraken.", "en"),
        ("He worked for the hacked Kraken.", "en"),
        ("破綻した取引所コインチェックの創業者が有罪となった。", "ja"),
        ("倒闭的交易所币安开始还款。", "zh"),
    ],
)
def test_an_act_before_a_name_describes_it(text: str, language: Language) -> None:
    statement = claim(text, language)
    assert find_described_entity(statement, statement.actions[0]) == statement.mentions[0].entity_id


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The SEC approved Kraken.", "en"),
        ("It won approval for its spot bitcoin trust.", "en"),
        ("He became bankrupt after the Kraken case.", "en"),
        ("警方逮捕币安员工。", "zh"),
    ],
)
def test_an_act_done_to_a_name_does_not_describe_it(text: str, language: Language) -> None:
    statement = claim(text, language)
    assert find_described_entity(statement, statement.actions[0]) is None
