from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.markets.model import ChartSpan, ErrorKind, ProviderError, Span
from backend.markets.provider_names import SAMPLE_PROVIDERS
from backend.markets.sample import EventKind, SampleMarket, SampleProvider
from backend.markets.sample.decimal_conversion import to_percent, to_price
from backend.markets.sample.event_schedule import EPOCH
from backend.markets.sample.fear_greed import BANDS
from tests.backend.markets.sample.conftest import SEED, Coin
from tests.support.providers.sample_events import next_event

Views = Mapping[str, SampleProvider]


def test_a_poll_returns_a_quote_for_every_asset(
    views: Views, assets: list[Coin], calm_time: datetime
) -> None:
    poll = views["sample-a"].quotes(assets, calm_time)
    assert (poll.provider, poll.received_at, poll.credits, poll.missing) == ("sample-a", calm_time, 0, ())
    assert set(poll.quotes) == {asset.id for asset in assets}
    for asset_id, result in poll.quotes.items():
        assert (result.provider, result.asset_id, result.external_id) == ("sample-a", asset_id, asset_id)
        assert result.as_of <= calm_time
        assert result.as_of.tzinfo is UTC
        assert result.price > 0
        assert result.ath is not None
        assert result.ath >= result.price
        assert result.ath_change_percentage is not None
        assert -100 < result.ath_change_percentage <= 0


def test_each_view_has_its_own_delay(views: Views, assets: list[Coin], calm_time: datetime) -> None:
    first, second = (
        views[name].quotes([Coin("bitcoin")], calm_time).quotes["bitcoin"] for name in SAMPLE_PROVIDERS
    )
    assert timedelta(seconds=8) <= calm_time - first.as_of <= timedelta(seconds=45)
    assert timedelta(seconds=45) <= calm_time - second.as_of <= timedelta(seconds=90)
    assert first.price != second.price
    assert abs(first.price / second.price - 1) < Decimal("0.005")
    stamps = {result.as_of for result in views["sample-a"].quotes(assets, calm_time).quotes.values()}
    assert len(stamps) > 10


def test_a_view_changes_a_figure_only_with_its_time(views: Views, calm_time: datetime) -> None:
    results = [
        views["sample-a"].quotes([Coin("solana")], calm_time + timedelta(seconds=n)).quotes["solana"]
        for n in range(120)
    ]
    figures = {(result.as_of, result.price, result.market_cap) for result in results}
    assert len(figures) == len({result.as_of for result in results})
    assert 4 <= len(figures) <= 5


def test_the_figures_of_a_quote_are_consistent(
    views: Views, market: SampleMarket, calm_time: datetime
) -> None:
    result = views["sample-a"].quotes([Coin("ethereum")], calm_time).quotes["ethereum"]
    now = market.price_at("ethereum", result.as_of)
    assert float(result.price) == pytest.approx(now, rel=0.001)
    for hours, change in (
        (1, result.pct_change_1h),
        (24, result.pct_change_24h),
        (168, result.pct_change_7d),
    ):
        before = market.price_at("ethereum", result.as_of - timedelta(hours=hours))
        assert change is not None
        assert float(change) == pytest.approx(100 * (now / before - 1), abs=1e-4)
    later = views["sample-a"].quotes([Coin("ethereum")], calm_time + timedelta(days=365)).quotes["ethereum"]
    assert result.market_cap is not None
    assert later.market_cap is not None
    growth = (later.market_cap / later.price) / (result.market_cap / result.price)
    assert Decimal("0.999") < growth < Decimal("1.05")


def test_an_unknown_asset_is_missing_not_an_error(views: Views, calm_time: datetime) -> None:
    poll = views["sample-a"].quotes([Coin("bitcoin"), Coin("added-later")], calm_time)
    assert list(poll.quotes) == ["bitcoin"]
    assert poll.missing == ("added-later",)
    assert views["sample-a"].ohlc(Coin("added-later"), "24h", calm_time) == ()
    assert (
        views["sample-a"].past_candles([Coin("added-later")], calm_time - timedelta(hours=3), calm_time) == {}
    )


def test_a_sparkline_is_the_last_168_hourly_closes(
    views: Views, market: SampleMarket, calm_time: datetime
) -> None:
    closes = views["sample-a"].quotes([Coin("bitcoin")], calm_time).sparklines["bitcoin"]
    assert len(closes) == 168
    hour = calm_time.replace(minute=0, second=0)
    for hours_ago in (0, 1, 100, 167):
        assert closes[-1 - hours_ago] == to_price(
            market.price_at("bitcoin", hour - timedelta(hours=hours_ago))
        )


def test_candles_of_a_span_end_with_the_running_one(views: Views, calm_time: datetime) -> None:
    spans: list[tuple[Span, int, int]] = [("24h", 48, 1800), ("7d", 42, 14_400)]
    for span, count, seconds in spans:
        candles = views["sample-a"].ohlc(Coin("bitcoin"), span, calm_time)
        assert len(candles) == count
        gaps = {later.open_time - earlier.open_time for earlier, later in pairwise(candles)}
        assert gaps == {timedelta(seconds=seconds)}
        assert candles[-1].open_time <= calm_time < candles[-1].open_time + timedelta(seconds=seconds)
        assert all(first.close == second.open for first, second in pairwise(candles))
        for candle in candles:
            assert candle.low <= min(candle.open, candle.close)
            assert max(candle.open, candle.close) <= candle.high


@pytest.mark.parametrize(("span", "hours"), [("30d", 720), ("90d", 2160), ("1y", 8760)])
def test_past_prices_are_hourly_and_end_at_the_present_price(
    views: Views, market: SampleMarket, calm_time: datetime, span: ChartSpan, hours: int
) -> None:
    points = views["sample-a"].past_prices(Coin("ethereum"), span, calm_time)
    hour = calm_time.replace(minute=0, second=0)
    assert [at for at, _ in points[:-1]] == [hour - timedelta(hours=n) for n in range(hours - 1, -1, -1)]
    assert points[-1] == (calm_time, to_price(market.price_at("ethereum", calm_time)))
    assert points == views["sample-b"].past_prices(Coin("ethereum"), span, calm_time)


def test_past_prices_agree_with_the_changes_of_the_quotes(views: Views, market: SampleMarket) -> None:
    hour = EPOCH + timedelta(days=1000, hours=5)
    points = dict(views["sample-a"].past_prices(Coin("ethereum"), "90d", hour))
    changes = market.quote_fields(hour).changes[:, market.universe.index["ethereum"]]
    for days, change in ((7, changes[2]), (30, changes[3])):
        ratio = float(points[hour] / points[hour - timedelta(days=days)]) - 1
        assert ratio == pytest.approx(float(change), abs=1e-5)


def test_past_prices_begin_with_the_listing_and_are_empty_for_an_unknown_asset(
    views: Views, market: SampleMarket, calm_time: datetime
) -> None:
    listing = market.calibration.event_assets.listing
    points = views["sample-a"].past_prices(Coin(listing), "1y", calm_time)
    assert points[0][0] == market.schedule.listed_at(calm_time)
    assert views["sample-a"].past_prices(Coin("added-later"), "1y", calm_time) == ()


def test_history_contains_only_closed_half_hours(views: Views, calm_time: datetime) -> None:
    known_coins = [Coin("bitcoin"), Coin(views["sample-a"].market.calibration.event_assets.listing)]
    past = views["sample-a"].past_candles(known_coins, calm_time - timedelta(days=8), calm_time)
    bitcoin, newcomer = (past[asset.id] for asset in known_coins)
    assert bitcoin[0].open_time >= calm_time - timedelta(days=8)
    assert bitcoin[-1].open_time + timedelta(minutes=30) <= calm_time
    assert len(bitcoin) == 8 * 48 - 1
    assert newcomer[0].open_time == views["sample-a"].market.schedule.listed_at(calm_time)
    repeated = views["sample-a"].past_candles(known_coins, calm_time - timedelta(days=8), calm_time)
    assert repeated == past


def test_the_totals_exceed_the_sum_of_the_ranking_slightly(
    views: Views, assets: list[Coin], calm_time: datetime
) -> None:
    figures = views["sample-a"].market_totals(calm_time)
    quotes = views["sample-a"].quotes(assets, calm_time).quotes
    ranked = sum(result.market_cap or 0 for result in quotes.values() if result.market_cap_rank)
    assert Decimal("1.03") < figures.market_cap / ranked < Decimal("1.09")
    assert figures.btc_market_cap_percentage is not None
    bitcoin = quotes["bitcoin"].market_cap
    assert bitcoin is not None
    assert figures.btc_market_cap_percentage == pytest.approx(
        100 * bitcoin / figures.market_cap, abs=Decimal("0.2")
    )
    before = views["sample-a"].market_totals(calm_time - timedelta(days=1))
    assert figures.market_cap_change_24h is not None
    expected = 100 * (figures.market_cap / before.market_cap - 1)
    assert figures.market_cap_change_24h == pytest.approx(expected, abs=Decimal("0.001"))


def test_past_totals_are_those_of_every_full_hour(views: Views, calm_time: datetime) -> None:
    start = calm_time - timedelta(days=7)
    past = views["sample-a"].past_totals(start, calm_time)
    hour = calm_time.replace(minute=0, second=0)
    assert [item.as_of for item in past] == [hour - timedelta(hours=n) for n in range(167, -1, -1)]
    for item in (past[0], past[100], past[-1]):
        polled = views["sample-b"].market_totals(item.as_of)
        assert (item.market_cap, item.volume_24h) == (polled.market_cap, polled.volume_24h)
        assert item.btc_market_cap_percentage == polled.btc_market_cap_percentage
        assert item.eth_market_cap_percentage == polled.eth_market_cap_percentage
    assert views["sample-a"].past_totals(hour, hour) == ()


def test_past_totals_move_as_those_of_a_market_do(views: Views, calm_time: datetime) -> None:
    past = views["sample-a"].past_totals(calm_time - timedelta(days=7), calm_time)
    caps = [item.market_cap for item in past]
    assert Decimal("1.005") < max(caps) / min(caps) < Decimal(2)
    assert len(set(caps)) > 160
    for item in past:
        assert item.btc_market_cap_percentage is not None
        assert item.eth_market_cap_percentage is not None
        assert 0 < item.eth_market_cap_percentage < item.btc_market_cap_percentage < 100


def test_a_market_without_ether_has_no_share_of_it(calm_time: datetime) -> None:
    lone = SampleProvider("sample-a", SampleMarket(SEED, [Coin("bitcoin")]))
    assert lone.market_totals(calm_time).eth_market_cap_percentage is None


def test_the_fear_and_greed_index_follows_the_market(views: Views, market: SampleMarket) -> None:
    crash = next_event(market.schedule, EventKind.CRASH, EPOCH)
    before, after = [], []
    for cycle in range(8):
        time = crash.starts + timedelta(days=30 * cycle)
        before.append(views["sample-a"].fear_greed(time - timedelta(days=1)))
        after.append(views["sample-a"].fear_greed(time + timedelta(days=3)))
    assert sum(result.value for result in before) > sum(result.value for result in after) + 8 * 15
    for result in (*before, *after):
        assert result.provider == "sample"
        assert 0 <= result.value <= 100
        assert result.label == next(word for bound, word in BANDS if result.value < bound)
        assert result.as_of.minute == result.as_of.second == 0


def test_a_view_in_an_outage_raises_an_error(views: Views, market: SampleMarket) -> None:
    event = next_event(market.schedule, EventKind.OUTAGE, EPOCH)
    assert event.provider is not None
    down = views[event.provider]
    during = event.starts + timedelta(minutes=3)
    asks = [
        lambda: down.quotes([Coin("bitcoin")], during),
        lambda: down.market_totals(during),
        lambda: down.fear_greed(during),
        lambda: down.ohlc(Coin("bitcoin"), "24h", during),
    ]
    for ask in asks:
        with pytest.raises(ProviderError) as caught:
            ask()
        assert caught.value.kind is ErrorKind.UNAVAILABLE
        assert caught.value.provider == event.provider
    assert down.quotes([Coin("bitcoin")], event.ends).quotes
    other_view = next(view for name, view in views.items() if name != event.provider)
    assert other_view.quotes([Coin("bitcoin")], during).quotes


def test_a_throttled_view_gives_retry_after(views: Views, market: SampleMarket) -> None:
    event = next_event(market.schedule, EventKind.THROTTLE, EPOCH)
    assert event.provider is not None
    during = event.starts + timedelta(minutes=2)
    with pytest.raises(ProviderError) as caught:
        views[event.provider].quotes([Coin("bitcoin")], during)
    assert caught.value.kind is ErrorKind.THROTTLED
    assert caught.value.retry_after == (event.ends - during).total_seconds()
    retry_time = during + timedelta(seconds=caught.value.retry_after)
    assert views[event.provider].quotes([Coin("bitcoin")], retry_time).quotes


def test_there_is_no_third_view() -> None:
    with pytest.raises(ValueError, match="sample-c"):
        SampleProvider("sample-c", SampleMarket(SEED, [Coin("bitcoin")]))


@given(st.floats(1e-12, 1e9))
def test_a_price_keeps_seven_digits_in_plain_notation(value: float) -> None:
    result = to_price(value)
    assert abs(result / Decimal(value) - 1) < Decimal("1e-6")
    assert int(result.as_tuple().exponent) <= 0


@given(st.floats(1e-12, 1e9), st.floats(1e-12, 1e9))
def test_rounding_keeps_the_order_of_prices(first: float, second: float) -> None:
    low, high = sorted((first, second))
    assert to_price(low) <= to_price(high)


def test_an_unchanged_price_is_zero_percent_and_an_unknown_change_is_null() -> None:
    assert str(to_percent(-0.0)) == str(to_percent(-1e-9)) == "0.0000"
    assert to_percent(float("nan")) is None
    assert to_percent(0.012345678) == Decimal("1.2346")
