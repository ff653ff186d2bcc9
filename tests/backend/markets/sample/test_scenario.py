"""Tests that each scripted event happens to its asset at its time."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import numpy as np
import pytest

from backend.markets.assets.registry import load_assets
from backend.markets.model import Quote
from backend.markets.sample import EventKind, SampleMarket, SampleProvider
from backend.markets.sample.calibration import load_shipped_calibration
from tests.backend.markets.sample.conftest import Coin
from tests.support.providers.sample_events import next_event

CYCLE_START = datetime(2026, 11, 16, tzinfo=UTC)
ALTS = ["solana", "xrp", "dogecoin", "cardano", "chainlink", "avalanche", "sui", "polkadot", "near", "aave"]
ALTS += ["uniswap", "pepe", "shiba-inu", "aptos", "filecoin", "litecoin", "stellar", "cosmos", "neo", "qtum"]
Views = Mapping[str, SampleProvider]


def quote(views: Views, name: str, asset_id: str, time: datetime) -> Quote:
    return views[name].quotes([Coin(asset_id)], time).quotes[asset_id]


def spread_pct(views: Views, asset_id: str, time: datetime) -> float:
    first, second = (quote(views, name, asset_id, time).price for name in ("sample-a", "sample-b"))
    return float(abs(first - second) / ((first + second) / 2) * 100)


@pytest.mark.parametrize("cycle", range(3))
def test_the_crash_hour_has_the_proportions_of_the_real_one(market: SampleMarket, cycle: int) -> None:
    crash = next_event(market.schedule, EventKind.CRASH, CYCLE_START + timedelta(days=30 * cycle))
    hour = market.ohlc(["bitcoin", *ALTS], 3600, crash.starts, crash.ends)
    wick, close = 100 * (hour.low / hour.open - 1)[0], 100 * (hour.close / hour.open - 1)[0]
    assert wick[0] == pytest.approx(-11.5, abs=1.2)
    assert close[0] == pytest.approx(-0.9, abs=0.9)
    assert np.median(wick[1:]) == pytest.approx(-62, abs=6)
    assert np.median(close[1:]) == pytest.approx(-18.5, abs=4)


def test_after_the_crash_the_alts_recover_and_the_market_is_rough(market: SampleMarket) -> None:
    crash = next_event(market.schedule, EventKind.CRASH, CYCLE_START)
    index = [market.universe.index[name] for name in ALTS]

    def volatility(start: datetime) -> float:
        closes = np.log(market.hourly_closes(start + timedelta(days=3), 72))
        return float(np.diff(closes[:, index], axis=0).std())

    # Over many cycles, since in one of them chance may have it otherwise.
    cycles = [crash.ends + timedelta(days=30 * n) for n in range(12)]
    crash_volatility = np.mean([volatility(end) for end in cycles])
    calm_volatility = np.mean([volatility(end - timedelta(days=14)) for end in cycles])
    assert crash_volatility > 2 * calm_volatility
    against_bitcoin = [
        np.log((market.prices(time) / market.price_at("bitcoin", time))[index])
        for end in cycles
        for time in (end, end + timedelta(days=7))
    ]
    assert np.median(np.array(against_bitcoin[1::2]) - np.array(against_bitcoin[::2])) > 0.05


def test_a_stablecoin_falls_to_0_877_and_recovers_within_three_days(market: SampleMarket) -> None:
    coin = market.calibration.event_assets.depeg
    fall = next_event(market.schedule, EventKind.DEPEG, CYCLE_START)
    table = market.ohlc([coin], 1800, fall.starts, fall.ends)
    assert fall.ends - fall.starts == timedelta(days=3)
    assert table.low.min() == pytest.approx(0.877, abs=0.008)
    for quiet in (fall.starts - timedelta(hours=1), fall.ends + timedelta(hours=1)):
        assert market.price_at(coin, quiet) == pytest.approx(1, abs=0.003)


def test_an_algorithmic_coin_falls_to_a_tenth_and_stays_there(market: SampleMarket) -> None:
    coin = market.calibration.event_assets.collapse
    fall = next_event(market.schedule, EventKind.COLLAPSE, CYCLE_START)
    assert market.price_at(coin, fall.starts - timedelta(hours=1)) == pytest.approx(1, abs=0.003)
    for day in range(5, 17):
        assert market.price_at(coin, fall.starts + timedelta(days=day)) == pytest.approx(0.1, rel=0.25)


def test_the_new_listing_has_no_long_term_changes_and_fewer_candles(
    views: Views, calm_time: datetime
) -> None:
    view = views["sample-a"]
    newcomer = Coin(view.market.calibration.event_assets.listing)
    poll = view.quotes([newcomer], calm_time)
    result = poll.quotes[newcomer.id]
    assert result.pct_change_24h is not None
    assert (result.pct_change_7d, result.pct_change_30d) == (None, None)
    listed = view.market.schedule.listed_at(calm_time)
    assert result.ath_date is not None
    assert listed <= result.ath_date <= calm_time
    assert 24 * 6 <= len(poll.sparklines[newcomer.id]) < 168
    candles = view.ohlc(newcomer, "7d", calm_time)
    assert 36 <= len(candles) < 42
    assert candles[0].open_time >= listed
    assert len(view.ohlc(newcomer, "24h", calm_time)) == 48


def test_a_halted_asset_keeps_the_price_and_time_of_its_last_trade(views: Views, calm_time: datetime) -> None:
    market = views["sample-a"].market
    halt = market.schedule.active(EventKind.HALT, calm_time)[0]
    asset = halt.assets[0]
    quotes = [quote(views, "sample-a", asset, halt.starts + timedelta(hours=n)) for n in (1, 3, 5)]
    assert {result.as_of for result in quotes} == {halt.starts}
    assert (
        len(
            {(result.price, result.market_cap, result.pct_change_24h, result.volume_24h) for result in quotes}
        )
        == 1
    )
    flat = market.ohlc([asset], 1800, halt.starts, halt.starts + timedelta(hours=5))
    assert (flat.high == flat.low).all()
    assert (flat.volume == 0).all()
    resumed = quote(views, "sample-a", asset, halt.ends + timedelta(minutes=10))
    assert resumed.as_of > halt.ends
    assert resumed.price != quotes[0].price


def test_a_suspension_lasts_longer_than_a_day(views: Views) -> None:
    asset = views["sample-a"].market.calibration.event_assets.suspended
    time = CYCLE_START + timedelta(days=8)
    assert time - quote(views, "sample-a", asset, time).as_of == timedelta(days=3)


@pytest.mark.parametrize("day", range(0, 30, 3))
def test_some_assets_disagree_and_nearly_all_agree(views: Views, assets: list[Coin], day: int) -> None:
    time = CYCLE_START + timedelta(days=day, hours=11, minutes=3)
    schedule = views["sample-a"].market.schedule
    first, second = (views[name].quotes(assets, time).quotes for name in views)
    spreads = {
        name: float(abs(result.price - second[name].price) / result.price * 100)
        for name, result in first.items()
        if name in second
    }
    for event in schedule.active(EventKind.DIVERGENCE, time):
        assert 1.5 < spreads[event.assets[0]] < 4.5
    for event in schedule.active(EventKind.CONFLICT, time):
        assert spreads[event.assets[0]] > 5
    agreeing = [name for name, spread in spreads.items() if spread < 0.5]
    assert len(agreeing) > 0.85 * len(spreads)


def test_one_view_is_forty_minutes_behind_with_one_asset(views: Views, calm_time: datetime) -> None:
    asset = views["sample-a"].market.calibration.event_assets.lagging
    assert calm_time - quote(views, "sample-a", asset, calm_time).as_of < timedelta(minutes=2)
    assert (
        timedelta(minutes=40)
        <= calm_time - quote(views, "sample-b", asset, calm_time).as_of
        < timedelta(minutes=42)
    )


def test_one_asset_is_unknown_to_one_view(views: Views, calm_time: datetime) -> None:
    asset = Coin(views["sample-a"].market.calibration.event_assets.one_view_only)
    assert asset.id in views["sample-a"].quotes([asset], calm_time).quotes
    assert views["sample-b"].quotes([asset], calm_time).missing == (asset.id,)


def test_wrapped_and_similar_assets_have_no_rank(
    views: Views, assets: list[Coin], calm_time: datetime
) -> None:
    quotes = views["sample-a"].quotes(assets, calm_time).quotes
    unranked = {name for name, result in quotes.items() if result.market_cap_rank is None}
    assert unranked == set(views["sample-a"].market.calibration.event_assets.unranked)
    ranked = sorted(
        (result for result in quotes.values() if result.market_cap_rank),
        key=lambda result: result.market_cap_rank or 0,
    )
    assert [result.market_cap_rank for result in ranked] == list(range(1, len(ranked) + 1))
    caps = [result.market_cap or Decimal(0) for result in ranked]
    assert caps == sorted(caps, reverse=True)


def test_a_price_of_a_billionth_keeps_its_digits(views: Views, calm_time: datetime) -> None:
    result = quote(views, "sample-a", views["sample-a"].market.calibration.event_assets.tiny_price, calm_time)
    assert Decimal("1e-10") < result.price < Decimal("1e-8")
    assert len(result.price.as_tuple().digits) == 7


def test_all_assets_of_scripted_events_are_in_the_registry() -> None:
    event_assets, registry = load_shipped_calibration().event_assets, load_assets().by_id
    first, second = (registry[asset_id] for asset_id in event_assets.shared_symbol)
    assert first.symbol.lower() == second.symbol.lower()
    assert not registry[event_assets.disabled].enabled
    assert not registry[event_assets.collapse].enabled
    listed = [
        event_assets.depeg,
        event_assets.listing,
        event_assets.suspended,
        event_assets.lagging,
        event_assets.one_view_only,
        event_assets.tiny_price,
    ]
    listed += [
        *event_assets.halted,
        *event_assets.divergent,
        *event_assets.conflicting,
        *event_assets.shared_symbol,
        *event_assets.unranked,
    ]
    assert [asset_id for asset_id in listed if not registry[asset_id].enabled] == []
    assert len(set(listed)) == len(listed)


def test_every_shipped_asset_has_figures_of_its_own() -> None:
    calibrated = load_shipped_calibration().assets
    assert [asset.id for asset in load_assets() if asset.id not in calibrated] == []
