"""The calls against the real service: what arrives, in which types, and from which settings."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import pytest

from dashboard.client import api
from tests.dashboard.conftest import Backend


@pytest.mark.usefixtures("dashboard_backend")
def test_every_call_brings_the_services_answer() -> None:
    rankings = api.rankings("24h")
    assert rankings.error is None
    assert rankings.mode == "sample"
    assert rankings.data
    first = rankings.data[0]["id"]
    answers = [
        api.rankings(),
        api.rankings("7d"),
        api.prices(),
        api.figures(),
        api.quotes(first),
        api.asset(first),
        api.assets(),
        api.candles(first, "7d"),
        api.overview(),
        api.status(),
    ]
    assert [answer.error for answer in answers] == [None] * 10
    for is_open in (True, False):
        assert api.incidents(is_open=is_open, limit=5).error is None
    assert all(answer.data for answer in answers)


@pytest.mark.usefixtures("dashboard_backend")
def test_money_is_never_a_float_and_candles_are_what_a_chart_takes() -> None:
    token = (api.rankings("24h").data or [])[0]
    assert isinstance(token["market_cap"], Decimal | int)
    assert {type(value) for value in token["candles_24h"][0][1:5]} == {float}
    overview = api.overview().data
    assert overview is not None
    assert isinstance(overview["btc_market_cap_percentage"], Decimal | int)


@pytest.mark.usefixtures("dashboard_backend")
def test_every_priced_asset_has_its_facts_with_an_exact_volume() -> None:
    facts = api.figures().data or {}
    assert set(facts) == set(api.prices().data or {})
    assert isinstance(facts["bitcoin"]["volume_24h"], Decimal | int)
    quoted = api.quotes("bitcoin").data
    assert quoted is not None
    assert facts["bitcoin"]["reason"] == quoted["reason"]


@pytest.mark.usefixtures("dashboard_backend")
def test_calls_begun_ahead_give_what_they_would_have_given() -> None:
    asked = [api.ahead(api.prices), api.ahead(lambda: api.asset("bitcoin"))]
    prices, asset = (answer.result() for answer in asked)
    assert prices.data is api.prices().data
    assert asset.data is api.asset("bitcoin").data


@pytest.mark.usefixtures("dashboard_backend")
def test_an_unknown_asset_is_a_problem_with_a_request_id() -> None:
    error = api.asset("no-such-asset").error
    assert error is not None
    assert (error.title, error.status) == ("not_found", 404)
    assert error.request_id


@pytest.mark.usefixtures("dashboard_backend")
def test_an_icon_comes_with_its_type() -> None:
    image = api.icon("bitcoin")
    assert image is not None
    assert image[1].startswith("image/")
    assert api.icon("no-such-asset") is None


def test_the_local_key_file_serves_where_no_key_is_given(
    served_market: Backend, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CHAINPROOF_API_KEY", raising=False)
    monkeypatch.setenv("CHAINPROOF_BASE_URL", served_market.url)
    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path))
    refused = api.overview().error
    assert refused is not None
    assert refused.status == 401
    (tmp_path / "local.key").write_text(served_market.key + "\n")
    api.retry()
    assert api.overview().error is None


def test_all_threads_have_one_client_until_it_is_closed() -> None:
    with ThreadPoolExecutor(8) as pool:
        made = set(pool.map(lambda _: api.client(), range(8)))
    assert len(made) == 1
    api.close()
    assert api.client() not in made


def test_settings_that_cannot_be_read_are_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_PORT", "seventy")
    with pytest.raises(api.SettingsError, match="CHAINPROOF_PORT"):
        api.client()
