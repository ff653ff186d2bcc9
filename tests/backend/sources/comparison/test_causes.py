"""Causes that only the claim gives."""

import pytest

from backend.entities.model import Language
from backend.sources.comparison.causes import find_missing_cause
from tests.backend.sources.evidence import claim

STOP = "The network stops for 17 hours. A flood of transactions by bots exhausted the memory."


@pytest.mark.parametrize(
    ("statement", "passage", "language", "cause"),
    [
        ("It stopped because of a hack.", STOP, "en", "a hack"),
        ("It stopped due to an earthquake, they said.", STOP, "en", "an earthquake"),
        (
            "停止したのは地震が原因だった。",
            "取引が17時間停止。ボットの大量送信でメモリが枯渇した。",
            "ja",
            "地震",
        ),
        ("损失是因为员工偷窃。", "币安损失约15亿美元。黑客攻击了钱包。", "zh", "员工偷窃"),
    ],
)
def test_a_cause_of_which_the_passage_tells_nothing_is_missing(
    statement: str, passage: str, language: Language, cause: str
) -> None:
    element = find_missing_cause(claim(statement, language), claim(passage, language), ())
    assert element is not None
    assert element.text == cause


@pytest.mark.parametrize(
    "statement", ["It stopped because of bots.", "It stopped because the memory ran out.", "It stopped."]
)
def test_a_cause_with_a_word_of_the_passage_is_told(statement: str) -> None:
    assert find_missing_cause(claim(statement), claim(STOP), ()) is None


def test_a_cause_with_an_entity_of_the_event_is_told() -> None:
    statement = claim("It went bankrupt because of Kraken.")
    assert find_missing_cause(statement, claim(STOP), {"kraken"}) is None
    assert find_missing_cause(statement, claim(STOP), ()) is not None


def test_an_act_that_the_statement_tells_twice_bears_out_no_cause() -> None:
    statement = claim("1億ドルが失われたのは、社員の端末から秘密鍵が盗まれたためだった。", "ja")
    passage = claim("約1億ドルが流出。フラッシュローン攻撃で1億ドルを失った。", "ja")
    element = find_missing_cause(statement, passage, ())
    assert element is not None
    assert element.text == "社員の端末から秘密鍵が盗まれ"


@pytest.mark.parametrize("words", ["kept the loss quiet", "concealed the loss", "kept it under wraps"])
def test_what_was_kept_quiet_was_not_disclosed(words: str) -> None:
    record = claim("Kraken pays a fine for not disclosing the loss.")
    assert find_missing_cause(claim(f"Kraken paid a fine because it had {words}."), record, set()) is None
    other = claim("Kraken pays a fine for late reports.")
    assert find_missing_cause(claim(f"Kraken paid a fine because it had {words}."), other, set()) is not None
