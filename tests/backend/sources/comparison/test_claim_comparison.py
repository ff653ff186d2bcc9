"""Holding a claim against a passage: which slots agree, which differ, and whether it is one event."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.entities.mention import Mention
from backend.sources.claims import dates
from backend.sources.claims.claim_parser import parse_claim
from backend.sources.claims.model import ComparedValue, ParsedStatement
from backend.sources.comparison.claim_comparison import compare
from tests.backend.sources.evidence import APPROVAL, HALVING, LOSS, TYPES, claim, held, slots


@pytest.mark.parametrize(
    "text",
    [
        "The fourth Bitcoin halving took place in April 2024.",
        "On 20 April 2024 the reward of Bitcoin fell to 3.125 BTC at block 840,000.",
        "Bitcoin's fourth halving came in 2024.",
    ],
)
def test_a_true_statement_has_no_differences(text: str) -> None:
    found = held(text, HALVING)
    assert found.same_event
    assert found.differences == ()
    assert found.same_dates == 1
    assert found.shared_entities == 1


def test_an_entity_that_the_statement_itself_rules_out_does_not_differ() -> None:
    found = held("In April 2024 not Ethereum but Bitcoin had its fourth halving.", HALVING)
    assert found.differences == ()
    assert not any(element.kind == "name" for element in found.missing)
    denial = "On 10 January 2024 the SEC approved not futures but spot bitcoin ETFs, and trading never began."
    assert any(element.kind == "negation" for element in held(denial, APPROVAL).missing)
    other = held("In April 2024 not Bitcoin but Ethereum had its fourth halving.", HALVING)
    assert [difference.slot for difference in other.differences] == ["agent"]


@pytest.mark.parametrize(
    ("text", "difference"),
    [
        (
            "The fourth Bitcoin halving took place in May 2023.",
            ComparedValue("date", "May 2023", "2024-04-20"),
        ),
        (
            "The fourth Bitcoin halving was on 2024-04-21.",
            ComparedValue("date", "2024-04-21", "2024-04-20"),
        ),
        (
            "At the fourth Bitcoin halving in April 2024 the block reward fell to 1.5 BTC.",
            ComparedValue("figure", "1.5 BTC", "3.125 BTC"),
        ),
        (
            "The fourth Bitcoin halving was at block 740,000.",
            ComparedValue("figure", "740,000", "840,000"),
        ),
        (
            "The third Bitcoin halving in April 2024 cut the block reward to 3.125 BTC.",
            ComparedValue("figure", "third Bitcoin halving", "Fourth Bitcoin halving"),
        ),
        (
            "The fourth Ethereum halving in April 2024 cut the block reward to 3.125 at block 840,000.",
            ComparedValue("agent", "Ethereum", "Bitcoin"),
        ),
    ],
)
def test_an_altered_slot_is_reported_with_both_values(text: str, difference: ComparedValue) -> None:
    assert difference in held(text, HALVING).differences


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("Coinbase said that about 850,000 BTC had been stolen in February 2014.", "agent"),
        ("Mt. Gox said that 650,000 BTC had been stolen in February 2014.", "figure"),
        ("Mt. Gox denied that about 850,000 BTC had been stolen in February 2014.", "polarity"),
        ("Google said that about 850,000 BTC had been stolen in February 2014.", "agent"),
    ],
)
def test_an_altered_loss_statement_differs_in_the_altered_slot(text: str, slot: str) -> None:
    assert slots(held(text, LOSS)) == {slot}


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("The SEC rejected spot bitcoin ETFs in January 2024.", "polarity"),
        ("The SEC did not approve spot bitcoin ETFs in January 2024.", "polarity"),
        ("The CFTC approved eleven spot bitcoin ETFs in January 2024.", "agent"),
        ("The SEC approved spot bitcoin ETFs on 11 January 2024.", "date"),
    ],
)
def test_an_altered_approval_statement_differs_in_the_altered_slot(text: str, slot: str) -> None:
    assert slot in slots(held(text, APPROVAL))


def test_a_second_date_in_the_record_supports_the_claim() -> None:
    found = held("Spot bitcoin ETFs approved by the SEC began trading on 11 January.", APPROVAL)
    assert (found.same_dates, found.differences) == (1, ())


def test_another_event_has_no_agreement_and_no_difference() -> None:
    for text in (
        "Kraken acquired a broker for 1.5 billion dollars in March 2025.",
        "Tesla bought 9,000 BTC in January 2021.",
        "Bitcoin was sold by a museum in Norway in 2016.",
    ):
        found = held(text, HALVING)
        assert not found.same_event
        assert (found.shared_entities, found.same_dates, found.differences) == (0, 0, ())


def test_a_record_that_reverses_an_action_does_not_contradict_that_action() -> None:
    record = ("SEC dismisses its case against Coinbase.", datetime(2025, 2, 27, tzinfo=UTC))
    assert "polarity" not in slots(held("The SEC sued Coinbase.", record))
    sued = ("SEC sues Coinbase.", datetime(2023, 6, 6, tzinfo=UTC))
    assert "polarity" in slots(held("The SEC dismissed its case against Coinbase.", sued))


def test_record_facts_support_figures_that_the_record_text_lacks() -> None:
    found = held("The fourth Bitcoin halving in April 2024 paid 31 dollars.", HALVING, usd="31")
    assert [same.slot for same in found.agreed] == ["date", "figure", "figure"]


def test_a_page_agrees_by_its_date_and_contradicts_only_by_its_text() -> None:
    page = claim("The fourth Bitcoin halving cut the block reward.")
    statement = claim("The fourth Bitcoin halving cut the block reward in April 2024.")
    assert (
        compare(statement, page, {}, entity_types=TYPES, publication_date=date(2024, 4, 20)).same_dates == 1
    )
    later = compare(statement, page, {}, entity_types=TYPES, publication_date=date(2024, 6, 1))
    assert (later.same_dates, later.differences) == (0, ())


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("ビットフライヤーは2018年1月に約5億2300万XEMを失った。", "agent"),
        ("コインチェックは2018年1月に約8億2300万XEMの流出を発表した。", "figure"),
        ("コインチェックは2019年3月に約5億2300万XEMの流出を発表した。", "date"),
    ],
)
def test_altered_japanese_statements_differ_in_the_altered_slot(text: str, slot: str) -> None:
    record = (
        "コインチェックから約5億2300万XEMが流出。取引所は被害を約580億円とした。",
        datetime(2018, 1, 26, tzinfo=UTC),
    )
    assert slots(held(text, record, "ja")) == {slot}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("币安在2023年11月承认有罪，支付逾43亿美元。", set()),
        ("币安在2023年11月认罪，支付逾93亿美元。", {"figure"}),
        ("币安在2023年11月没有认罪。", {"polarity"}),
        ("Kraken在2023年11月认罪，支付逾43亿美元。", {"agent"}),
    ],
)
def test_altered_chinese_statements_differ_in_the_altered_slots(text: str, found: set[str]) -> None:
    record = ("币安在美国认罪。和解金额逾43亿美元，首席执行官卸任。", datetime(2023, 11, 21, tzinfo=UTC))
    assert slots(held(text, record, "zh")) == found


@given(st.text(max_size=120), st.text(max_size=120))
def test_any_two_texts_can_be_compared(one: str, other: str) -> None:
    compare(claim(one), claim(other), {"btc": other})


@given(st.sampled_from([HALVING, LOSS, APPROVAL]))
def test_a_record_never_differs_from_its_own_text(record: tuple[str, datetime]) -> None:
    found = held(record[0], record)
    assert found.same_event
    assert found.differences == ()


def test_a_record_within_weeks_of_a_quarter_matches_the_quarter() -> None:
    record = ("Tesla sold bitcoin. About 75 percent was sold.", datetime(2022, 7, 20, tzinfo=UTC))
    assert slots(held("Tesla sold bitcoin in the second quarter of 2022, about 75 percent.", record)) == set()
    assert slots(held("Tesla sold bitcoin in the second quarter of 2021, about 75 percent.", record)) == {
        "date"
    }


def test_an_amount_in_unnamed_coins_is_compared_with_the_amount_of_the_asset() -> None:
    found = held("The fourth halving of Bitcoin in April 2024 cut the reward to 12.5 coins.", HALVING)
    assert slots(found) == {"figure"}


def test_a_ticker_is_not_another_agent() -> None:
    record = (
        "Tesla discloses a bitcoin purchase. It bought bitcoin for 1.5 billion dollars.",
        datetime(2021, 2, 8, tzinfo=UTC),
    )
    assert slots(held("TSLA bought bitcoin for $1.5 billion in February 2021.", record)) == set()
    assert slots(held("Walmart bought bitcoin for $1.5 billion in February 2021.", record)) == {"agent"}


def test_a_shared_entity_and_a_common_verb_are_not_the_same_event() -> None:
    record = ("Coinbase launches a network. It was opened to all.", datetime(2023, 8, 9, tzinfo=UTC))
    assert not held("Coinbase launched a scholarship in Chile.", record).same_event
    assert held("Coinbase launched a network on 9 August 2023.", record).same_event


def test_the_starting_value_of_a_change_does_not_match_its_final_value() -> None:
    wrong = held("The fourth Bitcoin halving cut the block reward to 6.25 BTC.", HALVING)
    assert ComparedValue("figure", "6.25 BTC", "3.125 BTC") in wrong.differences
    for text in (
        "The fourth Bitcoin halving cut the block reward to 3.125 BTC.",
        "The fourth Bitcoin halving cut the block reward from 6.25 to 3.125 BTC.",
    ):
        assert held(text, HALVING, reward_before_btc="6.25").differences == ()


FINE = (
    "Court fines Coinbase 125 million dollars. The judge set a civil penalty of 125,035,150 dollars, far "
    "below the roughly 2 billion dollars that the SEC had asked for.",
    datetime(2024, 8, 7, tzinfo=UTC),
)


def test_a_requested_amount_does_not_match_the_ordered_amount() -> None:
    wrong = held("Coinbase was ordered to pay a civil penalty of $2 billion.", FINE)
    assert [one.found for one in wrong.differences] == ["125,035,150 dollars"]
    assert held("Coinbase was ordered to pay a civil penalty of $125 million.", FINE).differences == ()
    asked = held("The SEC asked for a civil penalty of $2 billion from Coinbase.", FINE)
    assert "figure" not in slots(asked)


ATTRIBUTED = (
    "Coinbase is robbed. Coins were stolen from the exchange; the FBI attributed the theft to North Korea.",
    datetime(2025, 2, 21, tzinfo=UTC),
)


def test_an_agent_other_than_that_of_the_source_is_a_difference() -> None:
    wrong = held("The Coinbase hack was carried out by Iran.", ATTRIBUTED)
    assert wrong.differences == (ComparedValue("agent", "Iran", "North Korea"),)
    assert held("The Coinbase hack was carried out by North Korea.", ATTRIBUTED).differences == ()


LOAN = (
    "A loan limits bitcoin. Under the agreement on 1.4 billion dollars, acceptance is to be voluntary.",
    datetime(2024, 12, 18, tzinfo=UTC),
)


def test_a_figure_without_a_shared_action_does_not_make_the_same_event() -> None:
    assert not held("Bitcoin reached $100,000 in December 2024.", LOAN).same_event


def test_a_source_without_shared_entities_or_agreement_is_another_event() -> None:
    record = ("The founder of a lender is sentenced to 12 years.", datetime(2025, 5, 8, tzinfo=UTC))
    assert not held("The founder of Coinbase was sentenced to 40 years.", record).same_event


def test_a_negated_verb_is_reported_with_its_context() -> None:
    (difference,) = held("The SEC did not approve spot bitcoin ETFs in January 2024.", APPROVAL).differences
    assert difference.slot == "polarity"
    assert difference.claimed == "The SEC did not approve spot bitcoin ETFs in"
    assert difference.found.startswith("SEC approves spot bitcoin ETFs")


@pytest.mark.parametrize(
    ("claimed_figure", "known_figure"),
    [("at most 80 percent", "at least 80 percent"), ("42 weeks", "42 days"), ("24 days", "24 hours")],
)
def test_an_opposite_bound_or_another_unit_of_time_is_another_figure(
    claimed_figure: str, known_figure: str
) -> None:
    text = "In May 2021 Coinbase sold {} of its tokens in public.".format
    if "percent" not in claimed_figure:
        text = "In May 2021 the sale of tokens by Coinbase stayed open for {}.".format
    comparison = compare(claim(text(claimed_figure)), claim(text(known_figure)), {}, entity_types=TYPES)
    assert comparison.same_event
    assert [difference.slot for difference in comparison.differences] == ["figure"]
    assert (
        compare(claim(text(known_figure)), claim(text(known_figure)), {}, entity_types=TYPES).differences
        == ()
    )


def test_a_statement_in_traditional_characters_is_quoted_as_it_was_written() -> None:
    record = claim("2024年4月20日，比特币完成第四次减半，区块奖励降至3.125枚BTC。", "zh")
    statement = claim("2023年4月20日，比特幣完成第四次減半，區塊獎勵降至3.125枚BTC。", "zh")
    comparison = compare(statement, record, {}, entity_types=TYPES)
    assert comparison.same_event
    assert statement.wording == "2023年4月20日，比特幣完成第四次減半，區塊獎勵降至3.125枚BTC。"
    assert {one.claimed for one in comparison.agreed} >= {"第四次減半"}


def _parse(text: str, ids_by_name: dict[str, str]) -> ParsedStatement:
    mentions = [
        Mention(entity_id, text.index(name), text.index(name) + len(name), name)
        for name, entity_id in ids_by_name.items()
    ]
    return parse_claim(text, "en", mentions)


def test_a_name_in_short_takes_part_in_the_roles() -> None:
    record = _parse(
        "Monex Group agrees to buy Kraken for 3 million dollars.",
        {"Monex Group": "monex", "Kraken": "kraken"},
    )
    event_date = dates.build_record_date(datetime(2018, 4, 6, tzinfo=UTC), "day")
    for text, slots_found in (
        ("In April 2018 Kraken agreed to buy Monex for 3 million dollars.", ["roles"]),
        ("In April 2018 Monex agreed to buy Kraken for 3 million dollars.", []),
    ):
        found = compare(_parse(text, {"Kraken": "kraken"}), record, {}, event_date=event_date)
        assert [one.slot for one in found.differences] == slots_found


def test_other_units_of_one_number_and_the_only_figure_of_a_dated_event_suffice() -> None:
    record = ("Kraken is robbed. Hackers took 7,000 bitcoin.", datetime(2019, 5, 7, tzinfo=UTC))
    for text in (
        "Kraken lost 7,000 ether in May 2019.",
        "Kraken, with 9,000 bitcoin gone, was stunned in May 2019.",
    ):
        found = held(text, record)
        assert found.differences
        assert found.is_sufficient


def test_an_act_that_happens_once_tells_of_the_event_even_on_another_day() -> None:
    found = held("Mt. Gox filed for bankruptcy in May 2019.", LOSS)
    assert found.same_event
    assert [difference.slot for difference in found.differences] == ["date"]
    other = held("Kraken filed for bankruptcy in May 2019.", LOSS)
    assert not other.same_event
