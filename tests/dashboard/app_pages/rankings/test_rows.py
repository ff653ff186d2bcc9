"""Rows of the rank table: building, sorting, filtering, and views in links."""

import itertools
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.app_pages.rankings.columns import (
    COLUMNS,
    DEFAULT_COLUMNS,
    DEFAULT_SORT,
    FACETS,
    FIXED_COLUMNS,
    MIN_CAPS,
    SORTABLE,
)
from dashboard.app_pages.rankings.rows import (
    Row,
    build_rows,
    compute_ordinals,
    get_sort_value,
    localize,
    matches_view,
    parse_exact,
    select_rows,
    sort_rows,
)
from dashboard.app_pages.rankings.table_view import TableView, build_view_params, parse_view
from dashboard.i18n import LANGUAGES

EARLY, LATE = "2026-05-18T12:00:00Z", "2026-05-18T12:00:15Z"
MUCH_LATER = "2026-05-18T12:03:01Z"


def token(asset: str = "bitcoin", **fields: Any) -> dict[str, Any]:
    return {
        "id": asset,
        "datasrc2_id": asset,
        "symbol": asset[:3].upper(),
        "name": asset.title(),
        "icon_url": f"/assets/{asset}/icon",
        "price_usd": "100.10",
        "market_cap": 10,
        "market_cap_rank": 1,
        "pct_change_24h": "1",
        "pct_change_7d": "2",
        "candles_24h": [],
        "candles_7d": [],
        "last_updated": EARLY,
        **fields,
    }


def record(asset: str = "bitcoin", **fields: Any) -> dict[str, Any]:
    return {
        **{key: token(asset)[key] for key in ("id", "symbol", "price_usd", "market_cap", "market_cap_rank")},
        "source": "coingecko",
        "last_updated": EARLY,
        "pct_change_1h": "0.1",
        "pct_change_24h": "1",
        "pct_change_7d": "2",
        "pct_change_30d": "3",
        "ath": "200",
        **fields,
    }


percents = st.none() | st.decimals("-90", "900", places=3)
rows = st.lists(
    st.builds(
        Row,
        id=st.uuids().map(str),
        symbol=st.sampled_from(["BTC", "btc", "ＥＴＨ", "X"]),
        name=st.sampled_from(["Bitcoin", "bitcoin cash", "Ether", "ﾃｽﾄ"]),
        rank=st.none() | st.integers(1, 5),
        price=st.none() | st.decimals("0.000000001", "1e12", allow_nan=False),
        pct_24h=percents,
        pct_7d=percents,
        market_cap=st.none() | st.integers(0, 10**13).map(Decimal),
        source=st.sampled_from([None, "sample", "coingecko:stale", "coingecko+coinmarketcap"]),
        last_updated=st.none() | st.datetimes(timezones=st.just(UTC)),
        flags=st.sampled_from([(), ("divergent",)]),
        categories=st.sampled_from([(), ("Stablecoin",), ("Layer 1 (L1)", "Smart Contracts")]),
    ),
    max_size=12,
    unique_by=lambda row: row.id,
)
sorts = st.lists(
    st.tuples(st.sampled_from(SORTABLE), st.booleans()), min_size=1, max_size=4, unique_by=lambda key: key[0]
).map(tuple)
views = st.builds(
    TableView,
    query=st.text(max_size=20).map(lambda text: " ".join(text.split())),
    sort=sorts,
    facets=st.sets(st.sampled_from(FACETS)).map(
        lambda facets: frozenset(facets - {"losers", "unpegged"} if len(facets) > 2 else facets & {"flagged"})
    ),
    category=st.sampled_from(["", "stablecoin", "layer-1-l1"]),
    min_cap=st.sampled_from(MIN_CAPS),
    watch=st.none() | st.just(("bitcoin", "ethereum")),
    columns=st.sets(st.sampled_from(COLUMNS)).map(
        lambda chosen: tuple(column for column in COLUMNS if column in chosen | set(FIXED_COLUMNS))
    ),
    span=st.sampled_from(["24h", "7d"]),
)


def test_a_row_takes_all_its_figures_from_one_response() -> None:
    newer = record(price_usd="101.5", last_updated=LATE, market_cap=11, pct_change_24h="1.5")
    (row,) = build_rows([token()], {"bitcoin": newer})
    assert (row.price, row.market_cap, row.pct_24h) == (Decimal("101.5"), 11, Decimal("1.5"))
    (row,) = build_rows([token(last_updated=MUCH_LATER)], {"bitcoin": record(price_usd="99")})
    assert row.price == Decimal("100.10")
    assert row.pct_1h is None, "an hour's change of an older quote does not belong to this price"


def test_the_change_of_an_hour_stays_while_only_the_rankings_are_refreshed() -> None:
    older = record(price_usd="99", pct_change_1h="0.4")
    (row,) = build_rows([token(last_updated=LATE)], {"bitcoin": older})
    assert (row.price, row.pct_1h) == (Decimal(99), Decimal("0.4"))


def test_prices_keep_every_digit_that_was_sent() -> None:
    (row,) = build_rows([token(price_usd="0.00000000123456789012345678")])
    assert f"{row.price:f}" == "0.00000000123456789012345678"
    assert parse_exact(1.33e12) == Decimal("1330000000000")
    assert parse_exact("NaN") is None


def test_a_coin_without_a_price_record_still_has_its_row() -> None:
    (row,) = build_rows([token(price_usd=None, last_updated=None)], {})
    assert row.price is None
    assert row.source is None


def test_rule_reason_and_volume_come_from_the_figure_facts() -> None:
    facts = {
        "rule": "nearest",
        "reason": "They differ.",
        "flags": ["divergent"],
        "stale": False,
        "spread_pct": "3.0262",
        "volume_24h": 278539922,
    }
    with_facts, without_facts = build_rows([token(), token("ether")], figures={"bitcoin": facts})
    assert (with_facts.rule, with_facts.reason, with_facts.flags) == (
        "nearest",
        "They differ.",
        ("divergent",),
    )
    assert (with_facts.spread, with_facts.volume) == (Decimal("3.0262"), Decimal(278539922))
    assert (without_facts.rule, without_facts.flags, without_facts.spread, without_facts.volume) == (
        None,
        (),
        None,
        None,
    )


def test_candles_do_not_determine_the_volume() -> None:
    day = [[n * 1_800_000, 1.0, 1.0, 1.0, 1.0, 2.0] for n in range(48)]
    assert build_rows([token(candles_24h=day)])[0].volume is None


def test_categories_of_all_levels_are_listed_once() -> None:
    asset = {"id": "bitcoin", "metadata": {"categories": [["Stablecoin", "USD Stablecoin"], ["Stablecoin"]]}}
    (row,) = build_rows([token()], assets=[asset])
    assert row.categories == ("Stablecoin", "USD Stablecoin")
    assert row.stablecoin


def test_unknown_values_are_last_in_both_directions() -> None:
    priced, unpriced = Row("a", "A", "A", price=Decimal(1)), Row("b", "B", "B", rank=1)
    for descending in (True, False):
        assert sort_rows([unpriced, priced], [("price", descending)]) == [priced, unpriced]


def test_ties_go_by_rank_then_id_in_both_directions() -> None:
    first, second, unranked = Row("z", "Z", "Z", rank=1), Row("a", "A", "A", rank=2), Row("b", "B", "B")
    for descending in (True, False):
        assert sort_rows([unranked, second, first], [("price", descending)]) == [first, second, unranked]


def test_a_second_key_decides_ties_of_the_first() -> None:
    first = Row("a", "A", "A", pct_24h=Decimal(1), market_cap=Decimal(1))
    two = replace(first, id="b", market_cap=Decimal(2))
    assert sort_rows([first, two], [("24h", True), ("cap", True)]) == [two, first]


@given(rows, sorts)
def test_ordinals_sort_rows_like_exact_values(some: list[Row], sort: Any) -> None:
    numbers = {column: compute_ordinals(some, column) for column, _ in sort}
    position_by_id = {row.id: n for n, row in enumerate(sort_rows(some, ()))}

    def browser_key(n: int) -> tuple[object, ...]:
        keys: list[object] = []
        for column, descending in sort:
            ordinal = numbers[column][n]
            keys += [ordinal is None, -(ordinal or 0) if descending else (ordinal or 0)]
        return (*keys, position_by_id[some[n].id])

    in_browser = [some[n].id for n in sorted(range(len(some)), key=browser_key)]
    assert in_browser == [row.id for row in sort_rows(some, sort)]


@given(rows, views)
def test_a_selection_contains_exactly_the_matching_rows(some: list[Row], view: TableView) -> None:
    selected = select_rows(some, view)
    assert {row.id for row in selected} <= {row.id for row in some}
    assert all(
        row.market_cap is not None and row.market_cap >= view.min_cap for row in selected if view.min_cap
    )
    if "gainers" in view.facets:
        assert all((row.change(view.span) or 0) > 0 for row in selected)
    everything = select_rows(
        some, replace(view, query="", facets=frozenset(), category="", min_cap=0, watch=None)
    )
    assert len(everything) == len(some)
    for before, after in itertools.pairwise(everything):
        column, descending = view.sort[0]
        left, right = get_sort_value(before, column), get_sort_value(after, column)
        assert right is None or (left is not None and (left >= right if descending else left <= right))


@given(views)
def test_a_view_survives_a_round_trip_through_its_link(view: TableView) -> None:
    assert parse_view(build_view_params(view)) == view


@given(
    st.dictionaries(st.sampled_from(["q", "sort", "facet", "cat", "min", "cols", "span", "watch"]), st.text())
)
def test_any_link_gives_a_view_that_survives_a_round_trip(params: dict[str, str]) -> None:
    view = parse_view(params)
    assert parse_view(build_view_params(view)) == view


def test_the_default_view_has_no_parameters() -> None:
    assert build_view_params(TableView()) == {}
    assert parse_view({}) == TableView(sort=DEFAULT_SORT, columns=DEFAULT_COLUMNS)


def test_opposite_facets_cannot_both_hold() -> None:
    assert parse_view({"facet": "gainers,losers,flagged"}).facets == {"gainers", "flagged"}


def test_the_text_filter_matches_name_symbol_and_id_in_any_width_and_case() -> None:
    row = Row("shiba-inu", "SHIB", "Shiba Inu")
    for query in ("shib", "ＳＨＩＢＡ", "inu shiba", "shiba-inu"):
        assert select_rows([row], TableView(query=query)) == [row]
    assert select_rows([row], TableView(query="shiba doge")) == []


def test_a_stale_change_is_neither_a_gain_nor_a_loss() -> None:
    fresh = Row("a", "A", "A", pct_24h=Decimal(2), source="coingecko")
    rose = Row("b", "B", "B", pct_24h=Decimal(3), source="coingecko:stale")
    fell = Row("c", "C", "C", pct_24h=Decimal(-3), source="coingecko:stale")
    assert select_rows([fresh, rose, fell], TableView(facets=frozenset({"gainers"}))) == [fresh]
    assert select_rows([fresh, rose, fell], TableView(facets=frozenset({"losers"}))) == []
    assert rose.change("24h") is None


@pytest.mark.parametrize("descending", [True, False])
def test_stale_changes_and_volumes_sort_as_unknown_but_stale_prices_do_not(
    descending: bool,
) -> None:
    def row(asset: str, value: Decimal, source: str) -> Row:
        names = ("pct_1h", "pct_24h", "pct_7d", "pct_30d", "volume", "price")
        return Row(asset, asset, asset, source=source, **dict.fromkeys(names, value))

    fresh = [row("a", Decimal(0), "coingecko"), row("c", Decimal(1), "coingecko")]
    stale = row("b", Decimal("0.5"), "coingecko:stale")
    for column in ("1h", "24h", "7d", "30d", "volume"):
        assert sort_rows([stale, *fresh], [(column, descending)])[-1] is stale
        assert compute_ordinals([stale, *fresh], column) == [None, 0, 1]
    assert sort_rows([stale, *fresh], [("price", descending)])[1] is stale


def test_the_flagged_facet_selects_stale_and_disputed_figures() -> None:
    fresh = Row("a", "A", "A", source="coingecko")
    stale, disputed = Row("b", "B", "B", source="coingecko:stale"), Row("c", "C", "C", flags=("divergent",))
    assert select_rows([fresh, stale, disputed], TableView(facets=frozenset({"flagged"}))) == [
        stale,
        disputed,
    ]


def test_a_change_that_rounds_to_zero_is_neither_gain_nor_loss() -> None:
    row = Row("a", "A", "A", pct_24h=Decimal("0.004"), last_updated=datetime(2026, 1, 1, tzinfo=UTC))
    assert select_rows([row], TableView(facets=frozenset({"gainers"}))) == []
    assert select_rows([row], TableView(facets=frozenset({"losers"}))) == []


NAMES = {
    "bitcoin": {"en": "Bitcoin", "ja": "ビットコイン", "zh": "比特币", "aliases": ["BTC", "比特幣"]},
}


def test_an_asset_is_found_by_its_names_in_all_languages() -> None:
    tokens = [{"id": "bitcoin", "symbol": "BTC", "name": "Bitcoin", "last_updated": None}]
    (row,) = build_rows(tokens, names=NAMES)
    for query in ("Bitcoin", "ビットコイン", "ﾋﾞｯﾄｺｲﾝ", "比特币", "比特幣", "btc"):
        assert matches_view(row, TableView(query=query)), query
    assert not matches_view(row, TableView(query="イーサ"))


def test_a_name_is_shown_in_the_readers_language_if_there_is_one() -> None:
    token = {"id": "bitcoin", "symbol": "BTC", "name": "Bitcoin", "last_updated": None}
    (row,) = build_rows([token], names=NAMES)
    assert [localize(row, lang).name for lang in LANGUAGES] == ["Bitcoin", "ビットコイン", "比特币"]
    (unnamed,) = build_rows([token])
    assert [localize(unnamed, lang).name for lang in LANGUAGES] == ["Bitcoin"] * 3
