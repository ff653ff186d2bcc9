"""When two figures say the same."""

from decimal import Decimal
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.entities.model import Language
from backend.sources.claims.model import Quantity
from backend.sources.comparison.figure_agreement import agree, find_computed, parse_fact_figures
from tests.backend.sources.evidence import claim


def figure(
    value: str,
    unit: str | None = "BTC",
    *,
    about: bool = False,
    bound: Literal["least", "most"] | None = None,
) -> Quantity:
    return Quantity(Decimal(value), unit, 0, 0, value, about or bound is not None, bound)


@pytest.mark.parametrize(
    ("claimed", "known", "same"),
    [
        (figure("119754"), figure("119754"), True),
        (figure("119745"), figure("119754"), False),
        (figure("120000"), figure("119754"), True),
        (figure("6"), figure("6.25"), False),
        (figure("1.5E+9"), figure("1.46E+9"), True),
        (figure("15E+9"), figure("1.5E+9"), False),
        (figure("2E+9"), figure("1.5E+9"), False),
        (figure("850000", about=True), figure("844408"), True),
        (figure("744000", about=True), figure("850000", about=True), False),
        (figure("532E+6"), figure("523E+6", about=True), False),
        (figure("7E+9", bound="least"), figure("7.4E+9"), True),
        (figure("7.4E+9"), figure("7E+9", bound="least"), True),
        (figure("9E+9"), figure("7E+9", bound="least"), False),
        (figure("9E+9", bound="least"), figure("7E+9", bound="least"), False),
        (figure("8", "%", bound="most"), figure("5", "%"), False),
        (figure("840001", "block height"), figure("840000", "block height"), False),
        (figure("-5", "%"), figure("5", "%"), False),
        (figure("5", "BTC"), figure("5", "ETH"), False),
        (figure("11", "item"), figure("11", "fund"), True),
        (figure("11", "item"), figure("11", "USD"), False),
    ],
)
def test_figures_agree_within_their_written_precision(claimed: Quantity, known: Quantity, same: bool) -> None:
    assert agree(claimed, known) is same


@given(
    st.decimals(min_value=-(10**12), max_value=10**12, places=4),
    st.sampled_from(["BTC", "%", None, "block height"]),
)
def test_a_figure_agrees_with_itself(value: Decimal, unit: str | None) -> None:
    one = Quantity(value, unit, 0, 0, str(value))
    assert agree(one, one) or unit is None


@given(
    st.decimals(min_value=1, max_value=10**9, places=2),
    st.sampled_from([Decimal("0.5"), Decimal(2), Decimal(10)]),
)
def test_a_figure_half_or_twice_as_large_never_agrees(value: Decimal, times: Decimal) -> None:
    for about in (False, True):
        one = Quantity(value, "BTC", 0, 0, "", about)
        assert not agree(Quantity(value * times, "BTC", 0, 0, ""), one)


def test_a_fact_name_gives_the_unit_and_bound_of_its_figure() -> None:
    facts = {
        "reward_after_btc": "3.125",
        "usd_more_than": "7000000000",
        "block": "840000",
        "jpy_about": "58000000000",
    }
    assert [(figure.unit, figure.approximate, figure.bound) for figure in parse_fact_figures(facts)] == [
        ("BTC", False, None),
        ("USD", True, "least"),
        ("block height", False, None),
        ("JPY", True, None),
    ]


def test_facts_without_figures_are_ignored_and_a_vote_yields_two_figures() -> None:
    assert parse_fact_figures({"ticker": "COIN", "release": "34-80206", "nan": "NaN"}) == []
    assert [figure.value for figure in parse_fact_figures({"senate": "68-30"})] == [68, 30]


@pytest.mark.parametrize(
    ("statement", "passage", "language", "is_computed"),
    [
        (
            "It paid 53 million dollars in total.",
            "It pays 24 million dollars and 29 million dollars.",
            "en",
            True,
        ),
        ("It paid 53 million dollars.", "It pays 24 million dollars and 29 million dollars.", "en", False),
        ("It passed by a margin of 143 votes.", "It passed by 279 to 136 votes.", "en", True),
        ("It passed by a margin of 150 votes.", "It passed by 279 to 136 votes.", "en", False),
        ("A quarter of the coins was left.", "It sold 75% of its coins.", "en", True),
        ("A third of the coins was left.", "It sold 75% of its coins.", "en", False),
        ("It sold 25% of its coins and kept the rest.", "It sold 75% of its coins.", "en", False),
        ("It still sold 25% of its coins.", "It sold 75% of its coins.", "en", False),
        ("手元に残ったのは25%だった。", "75%を売却した。", "ja", True),
        ("只剩下四分之一的比特币。", "出售了75%的比特币。", "zh", True),
        ("法案以143票之差通过。", "法案以279票对136票通过。", "zh", True),
        ("合計53万ドルを支払った。", "24万ドルと29万ドルを支払う。", "ja", True),
    ],
)
def test_a_total_a_margin_or_a_rest_is_computed_from_figures(
    statement: str, passage: str, language: Language, is_computed: bool
) -> None:
    claimed = claim(statement, language)
    found = find_computed(claimed.quantities[0], claimed, claim(passage, language).quantities)
    assert (found is not None) is is_computed
