"""Tests properties of price paths: no leaps, finite values, and candles that contain all prices."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.markets.sample import EventKind, SampleMarket
from backend.markets.sample.calibration import derive_figures, load_shipped_calibration
from tests.backend.markets.sample.conftest import SEED, Coin, coins

MARKET = SampleMarket(SEED, coins())
ANY_TIME = st.datetimes(datetime(2024, 1, 1), datetime(2040, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001
FEW = settings(max_examples=25, deadline=None)


def is_in_crash(time: datetime) -> bool:
    return bool(MARKET.schedule.active(EventKind.CRASH, time))


def list_halted(time: datetime) -> set[str]:
    return {name for event in MARKET.schedule.active(EventKind.HALT, time) for name in event.assets}


@FEW
@given(ANY_TIME)
def test_every_figure_is_finite_and_sane_at_any_time(time: datetime) -> None:
    fields = MARKET.quote_fields(time)
    for values in (fields.price, fields.market_cap, fields.ath):
        assert np.isfinite(values).all()
        assert (values > 0).all()
    assert np.isfinite(fields.volume_24h).all()
    assert (fields.volume_24h >= 0).all()
    newcomer = MARKET.universe.index[MARKET.calibration.event_assets.listing]
    changes = np.delete(fields.changes, newcomer, axis=1)
    assert np.isfinite(changes).all()
    assert np.isnan(fields.changes[2:, newcomer]).all()
    assert (fields.price <= fields.ath * (1 + 1e-12)).all()
    assert (fields.ath_seconds <= fields.as_of).all()


@FEW
@given(ANY_TIME)
def test_prices_stay_near_their_anchors_for_ever(time: datetime) -> None:
    universe = MARKET.universe
    off = np.log(MARKET.prices(time)) - universe.log_anchor[: universe.visible]
    scripted = {
        universe.index[name]
        for name in (MARKET.calibration.event_assets.depeg, MARKET.calibration.event_assets.collapse)
    }
    max_deviation = universe.bound + np.abs(universe.trend) + np.abs(universe.wick) + 0.05
    max_deviation[universe.base >= 0] = np.inf
    max_deviation[list(scripted)] = 3.0
    assert (np.abs(off) < max_deviation[: universe.visible]).all()


@FEW
@given(ANY_TIME)
def test_five_seconds_move_a_price_by_little(time: datetime) -> None:
    later = time + timedelta(seconds=5)
    if (
        is_in_crash(time)
        or is_in_crash(later)
        or list_halted(time) != list_halted(later + timedelta(minutes=6))
    ):
        return
    price_moves = np.abs(np.log(MARKET.prices(later) / MARKET.prices(time)))
    sigma = np.maximum(MARKET.universe.sigma, 0.004)[: len(price_moves)]
    halted = [MARKET.universe.index[name] for name in MARKET.calibration.event_assets.halted]
    price_moves[halted] = 0
    assert (price_moves < 2.5 * sigma).all()


def test_prices_move_every_few_seconds(market: SampleMarket, calm_time: datetime) -> None:
    prices = np.array([market.prices(calm_time + timedelta(seconds=5 * n)) for n in range(60)])
    still = (np.diff(prices, axis=0) == 0).mean(axis=0)
    frozen = [market.universe.index[name] for name in list_halted(calm_time)]
    assert (still[frozen] == 1).all()
    assert (np.delete(still, frozen) < 0.05).all()


def test_prices_are_continuous_across_hours_cycles_and_nodes(market: SampleMarket) -> None:
    seams = [datetime(2026, 11, 16, tzinfo=UTC), datetime(2026, 11, 20, 15, tzinfo=UTC)]
    seams.append(datetime(2026, 11, 20, 15, 35, tzinfo=UTC))
    event_assets = market.calibration.event_assets
    halted = [market.universe.index[name] for name in (*event_assets.halted, event_assets.suspended)]
    for seam in seams:
        before, after = (market.prices(seam + timedelta(microseconds=shift)) for shift in (-1, 1))
        assert np.delete(np.abs(np.log(after / before)), halted).max() < 1e-6


@FEW
@given(ANY_TIME, st.sampled_from([300, 1800, 3600, 14_400]), st.floats(0, 1))
def test_a_candle_bounds_every_price_inside_it(time: datetime, seconds: int, share: float) -> None:
    table = MARKET.ohlc(MARKET.ids, seconds, time, time + timedelta(seconds=2 * seconds))
    opened = float(table.times[0])
    inside = np.log(MARKET.prices(datetime.fromtimestamp(opened + share * seconds * 0.999, UTC)))
    assert (inside <= np.log(table.high[0]) + 1e-12).all()
    assert (inside >= np.log(table.low[0]) - 1e-12).all()
    assert table.open[0] == pytest.approx(MARKET.prices(datetime.fromtimestamp(opened, UTC)), rel=1e-12)
    assert table.close[0] == pytest.approx(
        MARKET.prices(datetime.fromtimestamp(opened + seconds, UTC)), rel=1e-12
    )


@FEW
@given(ANY_TIME)
def test_an_open_candle_closes_at_the_current_price(time: datetime) -> None:
    table = MARKET.ohlc(["bitcoin", "solana"], 1800, time - timedelta(hours=3), time)
    now = [MARKET.price_at(name, time) for name in ("bitcoin", "solana")]
    assert table.close[-1] == pytest.approx(now, rel=1e-12)
    assert (table.low[-1] <= table.close[-1]).all()
    assert (table.close[-1] <= table.high[-1]).all()
    assert np.isfinite(table.volume).all()


def test_long_candles_match_the_short_ones(market: SampleMarket, calm_time: datetime) -> None:
    start = calm_time.replace(hour=0, minute=0, second=0)
    long = market.ohlc(market.ids, 14_400, start, start + timedelta(days=1))
    short = market.ohlc(market.ids, 1800, start, start + timedelta(days=1))
    grouped = {
        name: getattr(short, name).reshape(6, 8, -1) for name in ("open", "high", "low", "close", "volume")
    }
    assert (long.open == grouped["open"][:, 0]).all()
    assert (long.high == grouped["high"].max(axis=1)).all()
    assert (long.low == grouped["low"].min(axis=1)).all()
    assert (long.close == grouped["close"][:, -1]).all()
    assert long.volume == pytest.approx(grouped["volume"].sum(axis=1))


def test_candles_of_a_day_add_up_to_the_day_s_volume(market: SampleMarket) -> None:
    end = datetime(2026, 11, 28, 18, 0, tzinfo=UTC)
    table = market.ohlc(["bitcoin"], 1800, end - timedelta(days=1), end)
    place = market.universe.index["bitcoin"]
    assert table.volume.sum() == pytest.approx(market.quote_fields(end).volume_24h[place])


def test_the_volume_of_a_running_candle_grows_until_it_closes(market: SampleMarket) -> None:
    opened = datetime(2026, 11, 18, 10, 0, tzinfo=UTC)
    volumes = [
        market.ohlc(["bitcoin"], 1800, opened, opened + timedelta(minutes=minutes)).volume[0, 0]
        for minutes in (0.1, 4, 11, 12, 29.9, 30)
    ]
    assert volumes == sorted(volumes)
    assert volumes[0] < 0.02 * volumes[-1]
    assert volumes[-2] > 0.98 * volumes[-1]


def test_volume_rises_with_the_square_root_of_the_move(market: SampleMarket) -> None:
    begin = datetime(2025, 1, 1, tzinfo=UTC)
    hours = market.ohlc(["bitcoin"], 3600, begin, begin + timedelta(days=120))
    price_moves, volume = np.abs(np.log(hours.close / hours.open))[:, 0], np.log(hours.volume[:, 0])
    assert np.corrcoef(price_moves, volume)[0, 1] == pytest.approx(0.52, abs=0.08)
    large = price_moves > np.quantile(price_moves, 0.3)
    slope = np.polyfit(np.log(price_moves[large]), volume[large], 1)[0]
    assert slope == pytest.approx(0.45, abs=0.1)


@pytest.mark.parametrize("seconds", [0, -300, 60, 301])
def test_a_candle_of_unsupported_length_is_refused(
    market: SampleMarket, calm_time: datetime, seconds: int
) -> None:
    with pytest.raises(ValueError, match="multiple of 300"):
        market.ohlc(["bitcoin"], seconds, calm_time - timedelta(hours=1), calm_time)


def test_candles_of_an_unknown_asset_are_refused(market: SampleMarket, calm_time: datetime) -> None:
    with pytest.raises(KeyError, match="nobodys-coin"):
        market.ohlc(["nobodys-coin"], 300, calm_time - timedelta(hours=1), calm_time)


def test_an_empty_period_has_no_candles(market: SampleMarket, calm_time: datetime) -> None:
    table = market.ohlc(["bitcoin"], 1800, calm_time, calm_time)
    assert table.times.shape == (0,)
    assert table.close.shape == (0, 1)


@FEW
@given(ANY_TIME)
def test_changes_match_the_price_path(time: datetime) -> None:
    fields = MARKET.quote_fields(time)
    place = MARKET.universe.index["ethereum"]
    for row, hours in enumerate((1, 24, 168, 720)):
        before = MARKET.price_at("ethereum", time - timedelta(hours=hours))
        assert fields.changes[row, place] == pytest.approx(fields.price[place] / before - 1, abs=1e-9)


def test_a_tracking_asset_follows_its_target(market: SampleMarket) -> None:
    for day in range(30):
        time = datetime(2026, 11, 16, 21, 30, tzinfo=UTC) + timedelta(days=day)
        ratio = market.price_at("wrapped-bitcoin", time) / market.price_at("bitcoin", time)
        assert abs(ratio - 1) < 0.005


def test_a_user_s_own_assets_have_a_market_of_their_own(market: SampleMarket, calm_time: datetime) -> None:
    own = [market.price_at("my-own-token", calm_time + timedelta(days=day)) for day in range(5)]
    assert len(set(own)) == 5
    assert all(0 < price < 1000 for price in own)
    assert abs(market.price_at("my-own-dollar", calm_time) - 1) < 0.005


def test_derived_figures_are_the_same_everywhere() -> None:
    calibration = load_shipped_calibration()
    assert derive_figures(Coin("my-own-token"), calibration) == derive_figures(
        Coin("my-own-token"), calibration
    )
    assert derive_figures(Coin("my-own-token"), calibration) != derive_figures(
        Coin("her-own-token"), calibration
    )
    assert derive_figures(Coin("my-euro", pegged_to="eur"), calibration).group == "fiat"
    assert derive_figures(Coin("my-gold", pegged_to="xau"), calibration).group == "metal"
    assert derive_figures(Coin("my-btc", pegged_to="btc"), calibration).tracks == "bitcoin"
