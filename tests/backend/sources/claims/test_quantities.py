"""Figures and their units in three languages."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.entities.model import LANGUAGES, Language
from backend.sources.claims import dates, numbers
from backend.sources.claims.model import Quantity
from backend.sources.claims.quantities import find_quantities


def read(text: str, language: Language = "en") -> list[Quantity]:
    plain = numbers.normalize(text)
    return find_quantities(plain, language, dates.find_dates(plain))


@pytest.mark.parametrize(
    ("text", "language", "value", "unit"),
    [
        ("$3.2bn", "en", "3200000000", "USD"),
        ("US$1.5 billion", "en", "1500000000", "USD"),
        ("1.5 billion dollars", "en", "1500000000", "USD"),
        ("32億ドル", "ja", "3200000000", "USD"),
        ("两分半钟", "zh", "2.5", "minute"),
        ("2時間半", "ja", "2.5", "hour"),
        ("一个半月", "zh", "1.5", "month"),
        ("a year and a half", "en", "1.5", "year"),
        ("half a year", "en", "6", "month"),
        ("半年", "ja", "6", "month"),
        ("约每四年半减一次", "zh", "4", "year"),
        ("再起動に17日を要した", "ja", "17", "day"),
        ("32亿美元", "zh", "3200000000", "USD"),
        ("￥4500", "ja", "4500", "JPY"),
        ("482億円", "ja", "48200000000", "JPY"),
        ("580亿日元", "zh", "58000000000", "JPY"),
        ("HK$50 million", "en", "50000000", "HKD"),
        ("€5m", "en", "5000000", "EUR"),
        ("£12", "en", "12", "GBP"),
        ("50BTC", "en", "50", "BTC"),
        ("6.25枚BTC", "zh", "6.25", "BTC"),
        ("1万枚比特币", "zh", "10000", "BTC"),
        ("約85万ビットコイン", "ja", "850000", "BTC"),
        ("USDC2550万枚", "ja", "25500000", "USDC"),
        ("523 million XEM", "en", "523000000", "XEM"),
        ("1万枚", "ja", "10000", "coin"),
        ("at block 840,000", "en", "840000", "block height"),
        ("ブロック高210,000で", "ja", "210000", "block height"),
        ("在区块高度210,000", "zh", "210000", "block height"),
        ("12 blocks", "en", "12", "block"),
        ("42 days", "en", "42", "day"),
        ("42日間", "ja", "42", "day"),
        ("7 countries", "en", "7", "country"),
        ("ten authorities", "en", "10", "authority"),
        ("七部门", "zh", "7", "authority"),
        ("7機関", "ja", "7", "authority"),
        ("11 spot bitcoin ETFs", "en", "11", "fund"),
        ("11只产品", "zh", "11", "fund"),
        ("13の違反", "ja", "13", "charge"),
        ("3.2 percent", "en", "3.2", "%"),
        ("３．２％", "ja", "3.2", "%"),
        ("3％ポイント", "ja", "3", "percentage point"),
        ("2个百分点", "zh", "2", "percentage point"),
        ("(-5%)", "en", "-5", "%"),
        ("−5%", "en", "-5", "%"),
        ("130余家公司", "zh", "130", "company"),
        ("two pizzas", "en", "2", "pizza"),
        ("the fourth halving", "en", "4", "halving"),
        ("3回目の半減期", "ja", "3", "halving"),
        ("首次减半", "zh", "1", "halving"),
    ],
)
def test_a_figure_is_parsed_to_its_value_and_unit(
    text: str, language: Language, value: str, unit: str
) -> None:
    (found,) = read(text, language)
    assert (found.value, found.unit) == (Decimal(value), unit)


@given(
    st.decimals(min_value=Decimal("0.1"), max_value=10**9, places=2),
    st.sampled_from(
        [("${}", "USD"), ("{} BTC", "BTC"), ("{}BTC", "BTC"), ("{}円", "JPY"), ("{}美元", "USD")]
    ),
    st.sampled_from(LANGUAGES),
)
def test_a_figure_beside_its_unit_is_parsed(
    value: Decimal, frame: tuple[str, str], language: Language
) -> None:
    (found,) = read(frame[0].format(f"{value:,f}"), language)
    assert (found.value, found.unit) == (value, frame[1])


@pytest.mark.parametrize(
    "text",
    [
        "v1.2.3",
        "FIN-2013-G001",
        "EIP-1559",
        "Release No. 34-80206",
        "0xabc123def4567890abc123def4567890abc12345",
        "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
        "+81 3 1234 5678",
        "03-1234-5678",
        "10:30",
        "192.168.0.1",
        "Web3",
        "https://example.org/block/840000",
        "2014-21号",
        "Executive Order 14178",
        "一つ",
        "九州の三菱",
        "one of them",
    ],
)
def test_a_number_in_a_name_is_not_a_figure(text: str) -> None:
    assert read(text, "en") == []


@pytest.mark.parametrize(
    ("text", "language", "bound"),
    [
        ("about $5 million", "en", None),
        ("約500万ドル", "ja", None),
        ("近500万美元", "zh", None),
        ("over 7 billion dollars", "en", "least"),
        ("70億ドル超", "ja", "least"),
        ("逾70亿美元", "zh", "least"),
        ("100人以上", "ja", "least"),
        ("百億ドルの大台を超えた", "ja", "least"),
        ("突破100亿美元", "zh", "least"),
        ("under $5 million", "en", "most"),
        ("100人未満", "ja", "most"),
    ],
)
def test_inexact_figures_are_marked(text: str, language: Language, bound: str | None) -> None:
    (found,) = read(text, language)
    assert found.approximate
    assert found.bound == bound


@pytest.mark.parametrize("text", ["3–5 %", "3-5%", "3〜5%", "3～5％"])
def test_a_range_becomes_a_lower_and_an_upper_bound(text: str) -> None:
    low, high = read(text)
    assert (low.value, low.unit, low.bound) == (Decimal(3), "%", "least")
    assert (high.value, high.unit, high.bound) == (Decimal(5), "%", "most")


@pytest.mark.parametrize(
    ("text", "language"),
    [("from 50 to 25 BTC", "en"), ("50BTCから25BTCに", "ja"), ("由50枚BTC减至25枚", "zh")],
)
def test_a_unit_given_once_applies_to_both_figures(text: str, language: Language) -> None:
    assert [(found.value, found.unit) for found in read(text, language)] == [
        (Decimal(50), "BTC"),
        (Decimal(25), "BTC"),
    ]


def test_vote_counts_are_separate_figures() -> None:
    found = read("passed the Senate 68 to 30", "en")
    assert [(vote.value, vote.unit) for vote in found] == [(Decimal(68), "vote"), (Decimal(30), "vote")]


@given(st.text(alphabet="0123456789,.-~$€%万億 kMBTCat約(ブロック)", max_size=80), st.sampled_from(LANGUAGES))
def test_figures_lie_within_any_text(text: str, language: Language) -> None:
    for found in read(text, language):
        assert 0 <= found.start < found.end <= len(text)


@pytest.mark.parametrize("text", ["1" * 50_000, "万億" * 25_000, "1-" * 25_000, "(" * 50_000, "a@" * 25_000])
def test_an_adversarial_text_yields_a_limited_number_of_figures(text: str) -> None:
    assert len(read(text)) <= 200


@pytest.mark.parametrize(
    ("text", "language", "percent"),
    [
        ("It sold three quarters of its bitcoin", "en", 75),
        ("It cut its stake by a third in May", "en", 33),
        ("保有ビットコインの4分の3を手放した", "ja", 75),
        ("約3割を売却した", "ja", 30),
        ("卖出约四成比特币", "zh", 40),
        ("卖掉四分之三", "zh", 75),
    ],
)
def test_a_fraction_becomes_an_approximate_percentage(text: str, language: Language, percent: int) -> None:
    found = [quantity for quantity in find_quantities(text, language) if quantity.unit == "%"]
    assert [(quantity.value, quantity.approximate) for quantity in found] == [(percent, True)]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The bill passed the House by 279 votes to 136", "en"),
        ("法案は賛成279、反対136で下院を通過した", "ja"),
        ("众议院以279票对136票通过", "zh"),
    ],
)
def test_votes_for_and_against_are_parsed(text: str, language: Language) -> None:
    votes = [quantity.value for quantity in find_quantities(text, language) if quantity.unit == "vote"]
    assert votes == [279, 136]


def test_an_amount_beside_the_word_block_numbers_no_block() -> None:
    assert [quantity.unit for quantity in find_quantities("報酬は1ブロック6.25BTCに縮んだ", "ja")][
        -1
    ] == "BTC"
    assert [quantity.unit for quantity in find_quantities("ブロック630,000で", "ja")] == ["block height"]


def test_the_counted_noun_is_found_behind_adjectives() -> None:
    assert [(q.value, q.unit) for q in find_quantities("Five separate sets of rules", "en")] == [(5, "set")]


def test_a_number_with_more_than_before_its_magnitude_is_one_number() -> None:
    assert [q.value for q in find_quantities("处理过2,050多万美元", "zh")] == [20_500_000]


def test_the_number_of_a_zeroth_block_is_no_amount() -> None:
    assert find_quantities("比特币零号区块", "zh") == []
