"""Market endpoints of the real service: data, types and errors."""

from decimal import Decimal

import pytest

from dashboard.client import markets


@pytest.mark.usefixtures("dashboard_backend")
def test_every_endpoint_returns_the_data_of_the_service() -> None:
    rankings = markets.fetch_rankings("24h")
    assert rankings.error is None
    assert rankings.mode == "sample"
    assert rankings.data
    first = rankings.data[0]["id"]
    answers = [
        markets.fetch_rankings(),
        markets.fetch_rankings("7d"),
        markets.fetch_prices(),
        markets.fetch_figures(),
        markets.fetch_quotes(first),
        markets.fetch_asset(first),
        markets.fetch_assets(),
        markets.fetch_candles(first, "7d"),
        markets.fetch_overview(),
        markets.fetch_status(),
    ]
    assert [answer.error for answer in answers] == [None] * 10
    for is_open in (True, False):
        assert markets.fetch_incidents(is_open=is_open, limit=5).error is None
    assert all(answer.data for answer in answers)


@pytest.mark.usefixtures("dashboard_backend")
def test_amounts_are_exact_and_candles_are_floats_for_charts() -> None:
    token = (markets.fetch_rankings("24h").data or [])[0]
    assert isinstance(token["market_cap"], Decimal | int)
    assert {type(value) for value in token["candles_24h"][0][1:5]} == {float}
    overview = markets.fetch_overview().data
    assert overview is not None
    assert isinstance(overview["btc_market_cap_percentage"], Decimal | int)


@pytest.mark.usefixtures("dashboard_backend")
def test_every_priced_asset_has_figure_facts_with_an_exact_volume() -> None:
    facts = markets.fetch_figures().data or {}
    assert set(facts) == set(markets.fetch_prices().data or {})
    assert isinstance(facts["bitcoin"]["volume_24h"], Decimal | int)
    quoted = markets.fetch_quotes("bitcoin").data
    assert quoted is not None
    assert facts["bitcoin"]["reason"] == quoted["reason"]


@pytest.mark.usefixtures("dashboard_backend")
def test_an_unknown_asset_gives_a_problem_with_a_request_id() -> None:
    error = markets.fetch_asset("no-such-asset").error
    assert error is not None
    assert (error.title, error.status) == ("not_found", 404)
    assert error.request_id


@pytest.mark.usefixtures("dashboard_backend")
def test_an_icon_has_its_media_type() -> None:
    image = markets.fetch_icon("bitcoin")
    assert image is not None
    assert image[1].startswith("image/")
    assert markets.fetch_icon("no-such-asset") is None
