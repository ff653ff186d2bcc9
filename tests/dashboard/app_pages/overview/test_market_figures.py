"""Movers, breadth, doubtful figures, incidents and quotas, with unknown figures kept unknown."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.app_pages.overview import market_figures
from dashboard.app_pages.overview.market_figures import CLASS_BOUNDS, Coin

NOW = datetime(2026, 5, 16, 12, tzinfo=UTC)


def coin(
    name: str,
    change: str | None = "1",
    cap: str | None = "1000",
    *,
    stale: bool = False,
    volume: int | None = None,
) -> Coin:
    return Coin(
        id=name,
        symbol=name.upper(),
        name=name.title(),
        icon=f"/assets/{name}/icon",
        price=Decimal(1),
        change=None if change is None else Decimal(change),
        market_cap=None if cap is None else Decimal(cap),
        volume=None if volume is None else Decimal(volume),
        stale=stale,
        closes=(),
    )


def record(**fields: Any) -> Any:
    return {
        "symbol": "ABC",
        "price_usd": "1.0",
        "source": "coingecko+coinmarketcap",
        "last_updated": "2026-05-16T11:59:00Z",
        **fields,
    }


def facts(*flags: str, **fields: Any) -> Any:
    return {
        "rule": "mean",
        "reason": "They agree.",
        "reason_code": "two_agree",
        "reason_values": {},
        "flags": list(flags),
        "volume_24h": None,
        **fields,
    }


def test_rows_join_ranking_and_price_and_keep_unknown_figures_unknown() -> None:
    token: Any = {
        "id": "abc",
        "symbol": "ABC",
        "name": "Abc",
        "icon_url": "/assets/abc/icon",
        "price_usd": None,
        "market_cap": Decimal("12.5"),
        "pct_change_24h": "0.10",
        "pct_change_7d": None,
        "candles_24h": [],
        "candles_7d": [(1, 1.0, 2.0, 0.5, 1.5, None)],
    }
    figures = {"abc": facts(volume_24h=278539922)}
    (day,) = market_figures.build_coins([token], {"abc": record(source="coingecko")}, figures, "24h")
    (old,) = market_figures.build_coins([token], {"abc": record(source="coingecko:stale")}, figures, "24h")
    (week,) = market_figures.build_coins([token], {}, {}, "7d")
    assert (day.volume, week.volume) == (Decimal(278539922), None)
    assert (day.price, day.change, day.market_cap, day.stale) == (
        None,
        Decimal("0.10"),
        Decimal("12.5"),
        False,
    )
    assert (old.stale, old.market_cap) == (True, Decimal("12.5"))
    # No panel counts a change or volume that is not of today.
    assert (old.change, old.volume) == (None, None)
    assert (
        market_figures.compute_breadth([old], "24h").up,
        market_figures.compute_breadth([old], "24h").unknown,
    ) == (0, 1)
    assert (market_figures.find_movers([old], 0, 5), market_figures.find_most_active([old], 5)) == (
        ([], []),
        [],
    )
    assert (week.change, week.stale, list(week.closes)) == (None, False, [1.5])


def test_gainers_rose_and_losers_fell_largest_change_first() -> None:
    rows = [
        coin("a", "1"),
        coin("b", "-2"),
        coin("c", "3"),
        coin("d", "-4"),
        coin("e", "0.001"),
        coin("f", None),
    ]
    gainers, losers = market_figures.find_movers(rows, 0, 5)
    assert [row.id for row in gainers] == ["c", "a"]
    assert [row.id for row in losers] == ["d", "b"]


def test_assets_below_the_minimum_capitalisation_are_no_gainers() -> None:
    rows = [
        coin("dust", "900", "10"),
        coin("unknown", "70", None),
        coin("real", "2"),
    ]
    gainers, _ = market_figures.find_movers(rows, 1000, 5)
    assert [row.id for row in gainers] == ["real"]
    assert [row.id for row in market_figures.find_movers(rows, 0, 2)[0]] == ["dust", "unknown"]


@given(st.lists(st.decimals("-50", "50", places=3), max_size=40), st.integers(1, 8))
def test_no_asset_is_both_gainer_and_loser(changes: list[Decimal], count: int) -> None:
    rows = [coin(f"c{number}", str(change)) for number, change in enumerate(changes)]
    gainers, losers = market_figures.find_movers(rows, 0, count)
    assert not {row.id for row in gainers} & {row.id for row in losers}
    assert len(gainers) <= count
    rises = [row.change for row in gainers if row.change is not None]
    assert len(rises) == len(gainers)
    assert rises == sorted(rises, reverse=True)


def test_the_most_active_assets_have_the_largest_known_volume() -> None:
    rows = [
        coin("small", volume=1),
        coin("unknown"),
        coin("large", volume=9),
        coin("middle", volume=5),
    ]
    assert market_figures.find_most_active(rows, 2) == [(rows[2], Decimal(9)), (rows[3], Decimal(5))]


def test_the_largest_assets_have_a_known_capitalisation() -> None:
    rows = [coin("a", cap=None), coin("b", cap="5"), coin("c", cap="7"), coin("d", cap="0")]
    assert [row.id for row in market_figures.find_largest(rows, 5)] == ["c", "b"]


def test_breadth_counts_every_asset_once() -> None:
    rows = [coin(str(n), change) for n, change in enumerate(["2", "-2", "0.001", None, "7", "-12"])]
    counted = market_figures.compute_breadth(rows, "24h")
    assert (counted.up, counted.down, counted.flat, counted.unknown) == (2, 2, 1, 1)
    assert counted.median == Decimal("0.001")
    assert list(counted.classes) == [1, 0, 0, 1, 1, 0, 1, 0]


@given(st.lists(st.decimals("-80", "80", places=2), max_size=60), st.sampled_from(["24h", "7d"]))
def test_every_rise_and_fall_belongs_to_a_class(changes: list[Decimal], span: Any) -> None:
    counted = market_figures.compute_breadth(
        [coin(str(n), str(change)) for n, change in enumerate(changes)], span
    )
    half = len(counted.classes) // 2
    assert (sum(counted.classes[:half]), sum(counted.classes[half:])) == (counted.down, counted.up)
    assert len(counted.classes) == len(CLASS_BOUNDS[span]) + 1


def test_without_a_change_there_is_no_median() -> None:
    assert market_figures.compute_breadth([coin("a", None)], "7d").median is None


def test_the_most_serious_doubtful_figure_comes_first_with_its_reason() -> None:
    prices = {
        "fine": record(),
        "old": record(source="coingecko:stale"),
        "split": record(source="coingecko"),
        "gone": record(price_usd=None, source=None, last_updated=None),
        "torn": record(source="coingecko"),
    }
    figures = {
        "split": facts("divergent", rule="nearest", reason="Too far."),
        "torn": facts("divergent", "conflict"),
        "leap": facts("jump"),
        "loose": facts("depeg"),
        "fine": facts("other"),
    }
    found = market_figures.find_doubtful_figures(
        {**prices, "leap": record(), "loose": record()}, figures, {"old": "Old Coin"}
    )
    assert [(figure.asset_id, figure.concern) for figure in found] == [
        ("gone", "unknown"),
        ("torn", "conflict"),
        ("split", "divergent"),
        ("leap", "jump"),
        ("loose", "depeg"),
        ("old", "stale"),
    ]
    assert (found[2].rule, found[2].reason) == ("nearest", "Too far.")
    assert (found[5].name, found[5].reason, found[0].since) == ("Old Coin", None, None)


def test_the_source_label_joins_all_providers() -> None:
    prices = {"a": record(), "b": record(source="coingecko:stale"), "c": record(source=None)}
    assert market_figures.join_sources(prices) == "coingecko+coinmarketcap"
    assert market_figures.join_sources({}) is None


def incident(number: int, opened: str, closed: str | None = None, **fields: Any) -> Any:
    return {
        "id": number,
        "asset_id": f"asset-{number}",
        "name": f"Asset {number}",
        "kind": "depeg",
        "opened_at": opened,
        "closed_at": closed,
        "worst_pct": "-12.3",
        "detail": "Fell.",
        "detail_code": None,
        "detail_values": {},
        **fields,
    }


def test_open_incidents_come_first_and_then_the_latest_closed_ones() -> None:
    open_incidents = [incident(4, "2026-05-03T00:00:00Z"), incident(1, "2026-05-01T00:00:00Z")]
    closed = [
        incident(5, "2026-05-06T00:00:00Z", "2026-05-07T00:00:00Z"),
        incident(3, "2026-05-02T00:00:00Z", "2026-05-09T00:00:00Z"),
    ]
    found = market_figures.merge_incidents(open_incidents, closed)
    assert [entry.id for entry in found] == [4, 1, 3, 5]
    assert (found[0].name, found[0].worst, found[0].closed_at) == ("Asset 4", Decimal("-12.3"), None)
    assert found[3].closed_at == datetime(2026, 5, 7, tzinfo=UTC)


def test_an_incident_in_both_responses_is_listed_once_as_closed() -> None:
    opened, closed = "2026-05-03T00:00:00Z", "2026-05-04T00:00:00Z"
    (entry,) = market_figures.merge_incidents([incident(1, opened)], [incident(1, opened, closed)])
    assert entry.closed_at == datetime(2026, 5, 4, tzinfo=UTC)


def provider(**fields: Any) -> Any:
    return {"credits_used": 600, "credits_quota": 1000, "quota_resets_at": "2026-06-01T00:00:00Z", **fields}


def test_quota_usage_is_compared_with_the_elapsed_month() -> None:
    half = market_figures.compute_quota_usage(provider(), NOW)
    assert half is not None
    assert (half.share, half.is_ahead) == (0.6, True)
    assert half.elapsed == pytest.approx(0.5)
    slow = market_figures.compute_quota_usage(provider(credits_used=400), NOW)
    assert slow is not None
    assert not slow.is_ahead


def test_an_unknown_quota_has_no_usage() -> None:
    assert market_figures.compute_quota_usage(provider(credits_quota=None), NOW) is None
    assert market_figures.compute_quota_usage(provider(credits_used=None), NOW) is None
    usage = market_figures.compute_quota_usage(provider(quota_resets_at=None, credits_used=5000), NOW)
    assert usage is not None
    assert (usage.share, usage.elapsed, usage.is_ahead) == (1.0, None, False)


def test_a_quota_month_may_start_in_the_previous_year() -> None:
    january = market_figures.compute_quota_usage(
        provider(quota_resets_at="2026-01-01T00:00:00Z"), datetime(2025, 12, 16, 12, tzinfo=UTC)
    )
    assert january is not None
    assert january.elapsed == pytest.approx(0.5)


@given(st.lists(st.floats(1e-9, 1e6), min_size=2, max_size=200))
def test_a_trend_line_spans_its_frame(closes: list[float]) -> None:
    path = market_figures.build_trend_path(closes, 72, 24)
    assert path is not None
    places = [tuple(map(float, place.split())) for place in path.removeprefix("M").split("L")]
    assert (places[0][0], places[-1][0]) == (0, 72)
    assert all(0 <= y <= 24 for _, y in places)
    assert len(places) <= 33


def test_a_pegged_price_looks_flat_and_a_single_close_has_no_line() -> None:
    path = market_figures.build_trend_path([1.0, 1.0001, 0.9999], 72, 24)
    assert path is not None
    heights = [float(place.split()[1]) for place in path.removeprefix("M").split("L")]
    assert max(heights) - min(heights) < 2
    assert market_figures.build_trend_path([1.0], 72, 24) is None
    assert market_figures.build_trend_path([1.0, 1.0], 72, 24) == "M0 12.0L72 12.0"


def test_coins_and_incidents_have_the_names_of_the_readers_language() -> None:
    token: Any = {
        "id": "asset-1",
        "symbol": "ONE",
        "name": "Asset 1",
        "icon_url": None,
        "price_usd": None,
        "market_cap": None,
        "pct_change_24h": None,
        "pct_change_7d": None,
        "candles_24h": [],
        "candles_7d": [],
    }
    names = {"asset-1": "第一资产"}
    (coin,) = market_figures.build_coins([token], {}, {}, "24h", names)
    assert coin.name == "第一资产"
    (unnamed,) = market_figures.build_coins([token], {}, {}, "24h")
    assert unnamed.name == "Asset 1"
    opened: Any = {**incident(1, "2026-05-03T00:00:00Z"), "asset_id": "asset-1"}
    (entry,) = market_figures.merge_incidents([opened], [], names)
    assert entry.name == "第一资产"
