"""The words beside an ambiguous name show whether it is a name."""

import pytest

from backend.articles.matching.name_cues import (
    DECISIVE_POINTS,
    STRONG_POINTS,
    has_finance_word,
    is_capitalised_inside_sentence,
    is_ordinary_use,
    score_name_cues,
    score_ticker_cues,
)
from backend.entities.model import EntityType


@pytest.mark.parametrize(
    ("before", "name", "after"),
    [
        ("he ran it in 12.4 ", "SEC", " on a phone"),
        ("it takes 30 ", "SEC", " at most"),
        ("included in ", "Zorb", " 15,537,393 at noon"),
        ("", "Zorb", " No. 7 was found"),
        ("They built a ", "Zorb", ", then left"),
        ("", "Zorb", " of flats"),
        ("broke its ", "zorb", " in the wind"),
        ("大学の投資", "サークル", "に入った"),
        ("水面の", "リップル", "のように広がる"),
        ("雪崩（", "アバランチ", "）の危険"),
        ("", "ブロック", "塀が倒れた"),
        ("摊了一张", "大饼", "吃"),
    ],
)
def test_numbers_determiners_and_compounds_make_an_ordinary_word(before: str, name: str, after: str) -> None:
    assert is_ordinary_use(before, name, after, is_ticker=False)


@pytest.mark.parametrize(
    ("before", "name", "after"),
    [
        ("in 2023 ", "SEC", " lawyers said"),
        ("the 13 ", "SEC", " lawsuits"),
        ("a ", "Zorb", " executive said"),
        ("米", "サークル", "は上場した"),
        ("暗号資産取引所", "クラーケン", "は"),
    ],
)
def test_attributes_and_appositions_leave_a_name_possible(before: str, name: str, after: str) -> None:
    assert not is_ordinary_use(before, name, after, is_ticker=False)


def test_an_amount_before_a_ticker_is_no_ordinary_use() -> None:
    assert not is_ordinary_use("worth 12.4 ", "ZRB", " on Monday", is_ticker=True)


@pytest.mark.parametrize(
    "after",
    [" rose 4%.", " and ABC fell", "が8%上昇した", "とABCが上昇した", "上涨", "和ABC下跌9%", "跌破150美元"],
)
def test_a_verb_of_the_market_is_a_cue_for_a_ticker_or_its_list(after: str) -> None:
    assert score_ticker_cues("", after) == DECISIVE_POINTS


def test_a_county_is_no_cue_for_a_ticker() -> None:
    assert score_ticker_cues("which left ", " County house prices unmoved") == 0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", " sued the regulator"),
        ("", " said it would close"),
        ("", " founder left"),
        ("", "’s CEO resigned"),
        ("according to ", ", volumes fell"),
        ("Jane's ", " posted a loss"),
        ("", "社は"),
        ("", "の創業者が語った"),
        ("", "の山田委員長は"),
        ("", "が決算を発表した"),
        ("東京のテック企業の", "は"),
        ("当局が", "を提訴した"),
        ("", "宣布裁员"),
        ("", "向监管机构提交了文件"),
        ("", "公司的股东"),
    ],
)
def test_acts_offices_and_sources_decide(before: str, after: str) -> None:
    assert score_name_cues(before, "Zorb", after, "company") >= DECISIVE_POINTS


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", " reversed its ban"),
        ("", " lent $40 million"),
        ("", " listed a token"),
        ("the firm acquired ", "."),
    ],
)
def test_weaker_acts_are_strong_cues_for_names_that_others_bear(before: str, after: str) -> None:
    assert score_name_cues(before, "Gemini", after, "company") == STRONG_POINTS


@pytest.mark.parametrize("after", [" reversed its ban", " survived the crash", " was hacked in 2022"])
def test_what_acts_without_an_article_is_a_name(after: str) -> None:
    assert score_name_cues("", "Zorb", after, "company") == DECISIVE_POINTS


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", " files are common to all compilers"),
        ("met near the ", ", where they talked"),
        ("", " has four large moons"),
        ("庭の", "が満開になった"),
    ],
)
def test_other_words_are_no_cues(before: str, after: str) -> None:
    assert score_name_cues(before, "Zorb", after, "company") == 0


@pytest.mark.parametrize(
    ("after", "entity_type", "points"),
    [("大涨", "asset", DECISIVE_POINTS), ("大涨", "company", 0), ("会長が", "person", DECISIVE_POINTS)],
)
def test_the_market_moves_coins_and_titles_belong_to_persons(
    after: str, entity_type: EntityType, points: int
) -> None:
    assert score_name_cues("", "灰度", after, entity_type) == points


@pytest.mark.parametrize("after", [" delayed the fair", " prices doubled", " rose 4%"])
def test_a_mass_noun_at_the_start_of_a_sentence_does_not_act(after: str) -> None:
    assert score_name_cues("", "Helium", after, "asset") == 0
    assert score_name_cues("", "Zorb", after, "asset") >= STRONG_POINTS


def test_a_capital_inside_a_sentence_is_told_from_one_at_its_start() -> None:
    assert is_capitalised_inside_sentence("when ", "Zorb")
    assert not is_capitalised_inside_sentence("", "Zorb")
    assert not is_capitalised_inside_sentence("Big ", "Zorb")


def test_words_of_finance_are_known_in_three_languages() -> None:
    assert all(map(has_finance_word, ["its shares", "costs $5", "株を売った", "融资完成"]))
    assert not has_finance_word("The garden is in bloom.")
