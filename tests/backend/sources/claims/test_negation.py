"""Whether a text says that something was done, or denies it: refusals, failures and denials of a whole."""

import pytest

from backend.entities.model import Language
from backend.sources.claims.actions import find_actions


@pytest.mark.parametrize(
    ("text", "language", "verb"),
    [
        ("The SEC refused to drop its lawsuit", "en", "dismiss"),
        ("The upgrade failed to activate", "en", "activate"),
        ("The Treasury decided not to lift the sanctions", "en", "lift_sanctions"),
        ("The exchange scrapped its plan to list on Nasdaq", "en", "list"),
        ("The regulator ordered it to cease minting", "en", "mint"),
        ("The listing was blocked", "en", "list"),
        ("SECは訴訟の取り下げを拒んだ", "ja", "dismiss"),
        ("議会は採択を見送った", "ja", "enact"),
        ("取引所への上場を取りやめた", "ja", "list"),
        ("恩赦を拒否した", "ja", "pardon"),
        ("社名を変更するとの報道を否定した", "ja", "rename"),
        ("财政部拒绝解除对混币器的制裁", "zh", "lift_sanctions"),
        ("取消了在纽约证券交易所上市的计划", "zh", "list"),
        ("现货基金未获证监会批准", "zh", "approve"),
        ("上市计划告吹", "zh", "list"),
        ("收购一事不属实", "zh", "buy"),
    ],
)
def test_refused_abandoned_or_untrue_actions_are_negated(text: str, language: Language, verb: str) -> None:
    found = {action.verb: action.affirmed for action in find_actions(text, language)}
    assert found[verb] is False


@pytest.mark.parametrize(
    ("text", "language", "verb"),
    [
        ("The SEC refused the application", "en", "reject"),
        ("The bank failed", "en", "close_bank"),
        ("The exchange halted withdrawals", "en", "freeze"),
        ("申請を却下した", "ja", "reject"),
        ("出金を停止した", "ja", "freeze"),
        ("SEC拒绝了申请", "zh", "reject"),
        ("交易所暂停提现", "zh", "freeze"),
    ],
)
def test_a_refusal_without_a_governed_verb_is_an_action(text: str, language: Language, verb: str) -> None:
    assert (verb, True) in {(action.verb, action.affirmed) for action in find_actions(text, language)}


@pytest.mark.parametrize(
    ("text", "language"), [("It refused to sell", "en"), ("売却を拒否した", "ja"), ("拒绝出售", "zh")]
)
def test_a_refusal_with_a_governed_verb_is_not_a_separate_action(text: str, language: Language) -> None:
    assert [action.verb for action in find_actions(text, language)] == ["sell"]


def test_a_failure_to_act_does_not_negate_the_verb_after_and() -> None:
    is_affirmed_by_verb = {
        action.verb: action.affirmed for action in find_actions("It failed to register and is paying", "en")
    }
    assert is_affirmed_by_verb == {"pay": True}


def test_a_denial_does_not_negate_the_next_sentence() -> None:
    is_affirmed_by_verb = {
        action.verb: action.affirmed for action in find_actions("收购一事不属实。SEC批准了基金。", "zh")
    }
    assert is_affirmed_by_verb == {"buy": False, "approve": True}


def test_a_text_with_too_many_denials_is_read_up_to_a_limit() -> None:
    assert len(find_actions("收购不属实" * 4_000, "zh")) <= 202


@pytest.mark.parametrize(
    "text", ["验证者没让Kraken停下来", "法院未使交易所停止运营", "团队始终没有让网络停下来"]
)
def test_not_letting_something_happen_denies_it(text: str) -> None:
    assert {action.affirmed for action in find_actions(text, "zh")} == {False}
