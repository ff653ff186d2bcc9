"""Tests the selection and order by query parameters, and which values are refused."""

import re
from decimal import Decimal
from typing import Any

import pytest

from tests.support.apps.market_app import Running
from tests.support.http.problems import assert_problem

# -- rankings ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("sort", ["market_cap", "pct_change_24h", "pct_change_7d"])
def test_rankings_are_in_order_with_nulls_last_and_ties_by_rank_then_id(
    running: Running, sort: str, order: str
) -> None:
    tokens = running.json(f"/rankings?sort={sort}&order={order}")
    assert len(tokens) == len(running.json("/prices"))

    def key(token: dict[str, Any]) -> tuple[Any, ...]:
        value, rank = token[sort], token["market_cap_rank"]
        size = Decimal(0) if value is None else Decimal(str(value))
        return value is None, -size if order == "desc" else size, rank is None, rank or 0, token["id"]

    assert tokens == sorted(tokens, key=key)


def test_rankings_are_sorted_by_descending_capitalisation_by_default(sample: Running) -> None:
    assert sample.json("/rankings") == sample.json("/rankings?sort=market_cap&order=desc")
    assert sample.json("/rankings")[0]["id"] == "bitcoin"


def test_a_limit_truncates_the_rankings(sample: Running) -> None:
    full_ranking = sample.json("/rankings")
    assert sample.json("/rankings?limit=3") == full_ranking[:3]
    assert sample.json("/rankings?limit=1&order=asc") == sample.json("/rankings?order=asc")[:1]
    assert sample.json("/rankings?limit=100000") == full_ranking


@pytest.mark.parametrize(
    "limit",
    ["0", "-1", "abc", "9" * 40, "", "1.5", "1e1", "%20", "+5", "0x3", "%D9%A3", "null", "00", "3,5", "-0"],
)
def test_a_limit_that_is_not_a_positive_integer_is_ignored(sample: Running, limit: str) -> None:
    assert sample.json(f"/rankings?limit={limit}") == sample.json("/rankings")


def test_unknown_query_parameters_are_ignored(sample: Running) -> None:
    for path in (
        "/rankings",
        "/prices",
        "/assets",
        "/crypto/market-overview",
        "/prices/all",
        "/aggregation/btc",
    ):
        assert sample.get(f"{path}?colour=blue&x=").text == sample.get(path).text


# -- assets ------------------------------------------------------------------------------------------


def test_the_filter_separates_enabled_and_disabled_assets(sample: Running) -> None:
    enabled, disabled, all_assets = (
        sample.json(f"/assets?filter={name}") for name in ("enabled", "disabled", "all")
    )
    assert sample.json("/assets") == enabled
    assert all(asset["enabled"] for asset in enabled)
    assert {asset["enabled"] for asset in disabled} == {False}
    assert {asset["id"] for asset in all_assets} == {asset["id"] for asset in [*enabled, *disabled]}
    assert len(all_assets) == len(enabled) + len(disabled)


@pytest.mark.parametrize("name", ["enabled", "all"])
def test_assets_are_by_capitalisation_unknown_ones_last(sample: Running, name: str) -> None:
    caps = [asset["market_cap"] for asset in sample.json(f"/assets?filter={name}")]
    known_caps = [cap for cap in caps if cap is not None]
    assert known_caps == sorted(known_caps, reverse=True)
    assert None not in caps[: len(known_caps)]


def test_a_disabled_asset_can_be_read_but_is_in_no_listing(sample: Running) -> None:
    assert sample.json("/assets/matic")["enabled"] is False
    assert "matic" not in sample.json("/prices")
    assert "matic" not in {token["id"] for token in sample.json("/rankings")}


# -- aggregation -------------------------------------------------------------------------------------


@pytest.mark.parametrize("term", ["bitcoin", "BTC", "btc", "bTc"])
def test_aggregation_finds_an_asset_by_id_and_by_symbol_in_any_case(sample: Running, term: str) -> None:
    assert sample.json(f"/aggregation/{term}") == sample.json("/prices")["bitcoin"]


def test_aggregation_takes_the_id_before_a_symbol_and_a_symbol_before_a_source_id(sample: Running) -> None:
    assets = sample.json("/assets?filter=all")
    ids, symbols = {a["id"] for a in assets}, {a["symbol"].upper() for a in assets}
    by_second = next(
        a
        for a in assets
        if a["datasrc2_id"] and a["datasrc2_id"] not in ids and a["datasrc2_id"].upper() not in symbols
    )
    assert sample.json(f"/aggregation/{by_second['datasrc2_id']}")["id"] == by_second["id"]
    seconds = {a["datasrc2_id"] for a in assets}
    by_first = next(
        a
        for a in assets
        if a["datasrc1_slug"]
        and a["datasrc1_slug"] not in ids | seconds
        and a["datasrc1_slug"].upper() not in symbols
    )
    assert sample.json(f"/aggregation/{by_first['datasrc1_slug']}")["id"] == by_first["id"]
    for asset in assets:
        if asset["id"].upper() in symbols:  # such as an asset whose id is another's symbol
            assert sample.json(f"/aggregation/{asset['id']}")["id"] == asset["id"]


def test_aggregation_takes_the_largest_of_those_that_share_a_symbol(sample: Running) -> None:
    assert sample.json("/aggregation/neiro-on-eth")["id"] == "neiro-on-eth"
    by_symbol = sample.json("/prices/all")["NEIRO"]
    found = sample.json("/aggregation/NEIRO")
    assert found == by_symbol


def test_aggregation_of_an_unknown_term_is_404(sample: Running) -> None:
    answer = sample.get("/aggregation/no-such-thing")
    assert answer.status == 404
    assert answer.json()["code"] == "not_found"
    assert "no-such-thing" in answer.json()["detail"]


@pytest.mark.parametrize("path", ["/prices/all", "/aggregation/bitcoin"])
def test_deprecated_paths_say_so_and_name_the_successor(running: Running, path: str) -> None:
    headers = running.get(path).headers
    assert re.fullmatch(r"@\d+", headers["deprecation"])
    assert headers["link"] == '</prices>; rel="successor-version"'


@pytest.mark.parametrize("path", ["/prices", "/rankings", "/assets", "/crypto/market-overview"])
def test_current_paths_carry_no_deprecation(sample: Running, path: str) -> None:
    assert "deprecation" not in sample.get(path).headers


# -- what is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/rankings?sort=price",
        "/rankings?sort=",
        "/rankings?order=up",
        "/rankings?order=DESC",
        "/rankings?with_candles=1h",
        "/rankings?with_candles=",
        "/assets?filter=some",
        "/assets/bitcoin/candles?span=2y",
        "/markets/totals?span=1h",
        "/markets/totals?span=",
        "/rankings?sort=%FF%FE",
        "/rankings?order=%ED%A0%80",
    ],
)
def test_an_invalid_choice_is_400_with_its_location(sample: Running, path: str) -> None:
    problem = assert_problem(sample.get(path), 400, "invalid_request")
    assert {"type", "title", "status", "detail", "instance", "code", "errors"} == set(problem)
    (fault,) = problem["errors"]
    assert set(fault) == {"loc", "msg", "type"}
    assert fault["loc"] == ["query", path.partition("?")[2].partition("=")[0]]


def test_every_error_of_a_request_is_reported(sample: Running) -> None:
    problem = sample.get("/rankings?sort=x&order=y&with_candles=z").json()
    assert [fault["loc"][1] for fault in problem["errors"]] == ["sort", "order", "with_candles"]
    assert "2 more" in problem["detail"]


@pytest.mark.parametrize(
    "path",
    [
        "/assets/nothing",
        "/assets/nothing/candles",
        "/prices/nothing/quotes",
        "/assets/nothing/icon",
        "/assets/%00",
        "/prices/%ED%A0%80/quotes",
        f"/aggregation/{'x' * 5000}",
        "/aggregation/%F0%9F%92%A9",
        "/assets/BITCOIN",
    ],
)
def test_an_unknown_asset_is_404(running: Running, path: str) -> None:
    answer = running.get(path)
    assert_problem(answer, 404, "not_found")
    assert len(answer.body) < 1000
