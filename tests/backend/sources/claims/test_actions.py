"""What a claim says was done, and whether it affirms or denies it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.entities.model import LANGUAGES, Language
from backend.sources.claims.actions import MAX_ACTIONS, find_actions, load_verbs


@pytest.mark.parametrize(
    ("text", "language", "verb", "affirmed"),
    [
        ("The SEC approved the funds", "en", "approve", True),
        ("The SEC did not approve the funds", "en", "approve", False),
        ("The SEC hasn't approved the funds", "en", "approve", False),
        ("The exchange was never hacked", "en", "hack", False),
        ("The exchange denied that its wallets had been hacked", "en", "hack", False),
        ("It did not deny that it was hacked", "en", "hack", True),
        ("The SEC denied the application", "en", "reject", True),
        ("SEC放弃了对该公司的民事诉讼", "zh", "dismiss", True),
        ("The founder was acquitted", "en", "acquit", True),
        ("The Treasury lifts its sanctions on the mixer", "en", "lift_sanctions", True),
        ("SECは現物ETFを承認した", "ja", "approve", True),
        ("SECは現物ETFを承認しなかった", "ja", "approve", False),
        ("SECは現物ETFを不承認とした", "ja", "reject", True),
        ("取引所は流出を否定した", "ja", "hack", False),
        ("流出の事実はない", "ja", "hack", False),
        ("財務省は制裁を解除した", "ja", "lift_sanctions", True),
        ("SEC批准了现货ETF", "zh", "approve", True),
        ("SEC没有批准现货ETF", "zh", "approve", False),
        ("SEC并未批准现货ETF", "zh", "approve", False),
        ("币安否认被盗", "zh", "hack", False),
        ("指控其未经注册发行", "zh", "charge", True),
        ("交易所通过平台出售代币", "zh", "sell", True),
        ("以太坊通过EIP-2384把炸弹推迟", "zh", "delay", True),
        ("因未注册发行支付罚款", "zh", "launch", True),
        ("The funds did not start trading until July", "en", "list", True),
        ("The funds did not start trading", "en", "list", False),
        ("The order scrapped the earlier Executive Order", "en", "enact", True),
        ("卖出该币不算发行证券", "zh", "launch", False),
        ("议会通过法案", "zh", "enact", True),
        ("該会社は義務づけられなくなる", "ja", "compulsory", False),
        ("The mixer came off the Treasury's blacklist", "en", "lift_sanctions", True),
        ("未经注册发行代币", "zh", "launch", True),
    ],
)
def test_an_action_is_affirmed_or_negated(text: str, language: Language, verb: str, affirmed: bool) -> None:
    assert (verb, affirmed) in {(action.verb, action.affirmed) for action in find_actions(text, language)}


def test_a_negation_ends_with_its_clause() -> None:
    is_affirmed_by_verb = {
        action.verb: action.affirmed for action in find_actions("It was not hacked; the SEC sued it", "en")
    }
    assert is_affirmed_by_verb == {"hack": False, "sue": True}


def test_a_verb_form_inside_a_word_is_not_an_action() -> None:
    assert find_actions("urban planning and a disused winery", "en") == []


def test_opposite_verbs_are_symmetric_and_every_verb_has_a_theme() -> None:
    listed = load_verbs()
    for verb in listed.values():
        assert verb.themes
        assert all(verb.name in listed[other].opposites for other in verb.opposites)
        assert verb.after <= listed.keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_verb_has_recognizable_forms_in_every_language(language: Language) -> None:
    for verb in load_verbs().values():
        forms = verb.forms[language]
        assert forms
        assert any(verb.name in {action.verb for action in find_actions(form, language)} for form in forms)


@given(st.text(max_size=80), st.sampled_from(LANGUAGES))
def test_actions_lie_within_any_text(text: str, language: Language) -> None:
    for action in find_actions(text, language):
        assert text[action.start : action.end] == action.text


def test_a_text_with_too_many_verbs_is_read_up_to_a_limit() -> None:
    assert len(find_actions("not ban " * 20_000, "en")) <= MAX_ACTIONS + 2


@pytest.mark.parametrize(
    ("text", "verb", "whole"),
    [
        ("It brought the difficulty bomb forward", "advance", "brought the difficulty bomb forward"),
        ("The thief gave nearly all of it back", "give_back", "gave nearly all of it back"),
        ("They took the firm to court", "sue", "took the firm to court"),
    ],
)
def test_a_separated_verb_phrase_is_found_as_one_action(text: str, verb: str, whole: str) -> None:
    assert [(action.verb, action.text) for action in find_actions(text, "en") if action.verb == verb] == [
        (verb, whole)
    ]


def test_a_separated_verb_phrase_does_not_cross_clauses() -> None:
    assert not any(
        action.verb == "advance" for action in find_actions("It brought fees, and went forward", "en")
    )


def test_a_block_number_does_not_count_as_a_block_action() -> None:
    assert [action.verb for action in find_actions("At block 840,000 the block reward fell", "en")] == [
        "lower_level"
    ]


def test_a_longer_word_that_contains_a_verb_form_is_not_an_action() -> None:
    assert not {"shut_down", "reject"} & {one.verb for one in find_actions("清算机构的报告不准确", "zh")}
    assert not {"activate"} & {one.verb for one in find_actions("任命首席执行官", "zh")}


def test_through_is_no_act_in_chinese() -> None:
    assert "enact" not in {action.verb for action in find_actions("交易所通过平台出售代币", "zh")}


@pytest.mark.parametrize(
    ("text", "is_lawmaking"),
    [
        ("The Senate passed the bill.", True),
        ("Three billion passed through the mixer.", False),
        ("El Salvador adopted Bitcoin as its currency.", True),
    ],
)
def test_passing_is_an_act_of_lawmaking_only_of_a_law(text: str, is_lawmaking: bool) -> None:
    assert ("enact" in {action.verb for action in find_actions(text, "en")}) == is_lawmaking


@pytest.mark.parametrize(
    "text",
    ["The exchange went under.", "The bank went under in 2014", "It goes under, again", "Both go under"],
)
def test_going_under_is_a_collapse(text: str) -> None:
    assert {"bankrupt", "close_bank"} <= {action.verb for action in find_actions(text, "en")}


@pytest.mark.parametrize(
    "object_", ["contract", "review", "scrutiny", "the radar", "the hammer", "$1", "50 cents"]
)
def test_going_under_something_is_no_collapse(object_: str) -> None:
    verbs = {action.verb for action in find_actions(f"The coin went under {object_} in May", "en")}
    assert not verbs & {"bankrupt", "close_bank"}
