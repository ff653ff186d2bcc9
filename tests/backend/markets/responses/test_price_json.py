"""Tests the JSON of figures: order and exact numbers, without loss or rounding."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from itertools import pairwise
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.markets import schemas
from backend.markets.assets.model import Asset
from backend.markets.model import FearGreed, MarketTotals, PublishedPrice
from backend.markets.reasons import Reason
from backend.markets.responses.asset_json import encode_asset
from backend.markets.responses.overview_json import Overview, encode_overview
from backend.markets.responses.price_json import PricedAsset, build_price_record
from backend.markets.responses.rankings_json import Order, SortKey, encode_ranked_token, sort_positions

NOON = datetime(2026, 5, 18, 12, tzinfo=UTC)
FIGURES = st.one_of(
    st.none(),
    st.decimals("-1e12", "1e12", places=18),
    st.builds(Decimal, st.sampled_from(["1.223e-09", "1E+12", "0"])),
)


def entry(asset_id: str, **figures: Any) -> PricedAsset:
    asset = Asset(id=asset_id, name=asset_id.title(), symbol="SYM")
    fields: dict[str, Any] = {
        "price": Decimal(1),
        "providers": ("coingecko",),
        "last_updated": NOON,
    } | figures
    return PricedAsset(
        asset, PublishedPrice(asset_id, stale=False, rule="single", reason=Reason(None, ""), **fields)
    )


ENTRIES = st.lists(
    st.builds(
        lambda number, value, rank: entry(
            f"a-{number}", market_cap=value, pct_change_24h=value, market_cap_rank=rank
        ),
        st.integers(0, 999),
        st.one_of(st.none(), st.sampled_from([Decimal(1), Decimal(2), Decimal("-3.5")])),
        st.one_of(st.none(), st.integers(1, 3)),
    ),
    unique_by=lambda item: item.asset.id,
    max_size=12,
)


@given(ENTRIES, st.sampled_from(["market_cap", "pct_change_24h"]), st.sampled_from(["asc", "desc"]))
def test_sorting_puts_nulls_last_and_breaks_ties_by_rank_then_id(
    entries: list[PricedAsset], sort: SortKey, order: Order
) -> None:
    positions = sort_positions(entries, sort, order)
    assert sorted(positions) == list(range(len(entries)))
    sorted_ones = [entries[position] for position in positions]
    values = [getattr(item.figure, sort) for item in sorted_ones]
    known_values = [value for value in values if value is not None]
    assert known_values == sorted(known_values, reverse=order == "desc")
    assert None not in values[: len(known_values)]
    for first_entry, second_entry in pairwise(sorted_ones):
        if getattr(first_entry.figure, sort) == getattr(second_entry.figure, sort):
            first, second = first_entry.figure.market_cap_rank, second_entry.figure.market_cap_rank
            assert (first is None, first or 0, first_entry.asset.id) < (
                second is None,
                second or 0,
                second_entry.asset.id,
            )


@given(ENTRIES)
def test_the_order_does_not_depend_on_the_input_order(entries: list[PricedAsset]) -> None:
    def ids(given_ones: list[PricedAsset]) -> list[str]:
        return [
            given_ones[position].asset.id for position in sort_positions(given_ones, "market_cap", "desc")
        ]

    assert ids(entries) == ids(entries[::-1])


@given(price=FIGURES, cap=FIGURES, change=FIGURES)
def test_figures_are_encoded_exactly_without_exponents(
    price: Decimal | None, cap: Decimal | None, change: Decimal | None
) -> None:
    priced = entry(
        "coin", price=price, market_cap=cap, pct_change_24h=change, pct_change_7d=change, ath=price
    )
    for body in (
        encode_ranked_token(priced, None, None),
        encode_asset(priced),
        orjson.dumps(build_price_record(priced)),
    ):
        assert b"e-" not in body.lower()
        assert b"e+" not in body.lower()
    token = json.loads(encode_ranked_token(priced, None, None), parse_float=Decimal, parse_int=Decimal)
    assert token["market_cap"] == cap
    assert (None if token["price_usd"] is None else Decimal(token["price_usd"])) == price
    assert (None if token["pct_change_24h"] is None else Decimal(token["pct_change_24h"])) == change
    schemas.RankedToken.model_validate_json(encode_ranked_token(priced, None, None))


@pytest.mark.parametrize(
    ("span", "filled", "empty"), [("24h", "candles_24h", "candles_7d"), ("7d", "candles_7d", "candles_24h")]
)
def test_candles_are_in_the_field_of_the_requested_span(span: Any, filled: str, empty: str) -> None:
    token = json.loads(encode_ranked_token(entry("coin"), span, "[[1,2,3,4,5,null]]"))
    assert token[filled] == [[1, 2, 3, 4, 5, None]]
    assert token[empty] == []
    assert json.loads(encode_ranked_token(entry("coin"), span, None))[filled] == []


def overview(**fields: Any) -> Any:
    nothing = Overview(None, False, None, False)
    return json.loads(encode_overview(replace(nothing, **fields)))


def test_an_empty_overview_has_only_nulls() -> None:
    result = overview()
    schemas.MarketOverview.model_validate(result)
    assert result["btc_market_cap_percentage"] is result["fear_greed"]["value"] is None
    assert set(result["market_cap"].values()) == {None}


def test_a_partial_overview_keeps_its_known_values() -> None:
    totals = MarketTotals("coingecko", NOON, Decimal("2693886540498"), None, None, None, Decimal("57.95"))
    result = overview(
        totals=totals, totals_stale=True, fear_greed=FearGreed("alternative.me", NOON, 0, "Extreme Fear")
    )
    assert result["market_cap"] == {
        "value": 2693886540498,
        "display_value": "$2.69T",
        "change_24h": None,
        "last_updated": "2026-05-18T12:00:00Z",
        "source": "coingecko:stale",
    }
    assert result["volume_24h"]["value"] is result["volume_24h"]["display_value"] is None
    assert result["btc_market_cap_percentage"] == 57.95
    assert result["fear_greed"]["value"] == 0
    assert result["fear_greed"]["source"] == "alternative.me"


def test_an_asset_lists_only_providers_that_have_it() -> None:
    encoded = json.loads(encode_asset(entry("coin")))
    assert (encoded["sources"], encoded["datasrc1_slug"], encoded["urls"]["datasrc2"]) == ({}, None, None)
    asset = Asset(id="coin", name="Coin", symbol="SYM", datasrc1_slug="a-slug", datasrc2_id="an-id")
    result = json.loads(encode_asset(replace(entry("coin"), asset=asset)))
    assert result["sources"] == {"coinmarketcap": "a-slug", "coingecko": "an-id"}
    assert result["urls"]["datasrc2"].endswith("/coins/an-id")


def test_changed_assets_with_one_id_do_not_share_cached_parts() -> None:
    """Such as before and after a change of the user's file."""
    first = json.loads(encode_asset(entry("coin")))
    renamed = replace(entry("coin"), asset=Asset(id="coin", name="Another", symbol="SYM"))
    assert json.loads(encode_asset(renamed))["metadata"]["name"] == "Another" != first["metadata"]["name"]
