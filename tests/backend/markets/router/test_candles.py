"""Tests candles in responses: complete, ascending, and only the requested ones."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from backend.markets.model import CANDLE_SECONDS_BY_SPAN, CANDLES_PER_SPAN, ChartSpan, Span
from tests.support.apps.market_app import Running


@pytest.mark.parametrize(("span", "other_field"), [("24h", "candles_7d"), ("7d", "candles_24h")])
def test_only_the_requested_candles_are_filled(sample: Running, span: Span, other_field: str) -> None:
    halted = {token["id"] for token in sample.json("/rankings") if is_stale(sample, token["id"])}
    assert "terra" in halted
    for token in sample.json(f"/rankings?with_candles={span}"):
        assert token[other_field] == []
        rows = token[f"candles_{span}"]
        check_candles(rows, span)
        if token["id"] not in halted | {"monad"}:  # the newcomer is younger than a week
            assert len(rows) == CANDLES_PER_SPAN[span], token["id"]
            assert rows[-1][0] == opened_ms(sample, span)


def test_an_asset_without_current_quotes_keeps_its_candles(sample: Running) -> None:
    token = next(t for t in sample.json("/rankings?with_candles=24h") if t["id"] == "terra")
    assert len(token["candles_24h"]) == CANDLES_PER_SPAN["24h"]
    assert token["candles_24h"][-1][0] < opened_ms(sample, "24h")
    series = sample.json("/prices/terra/quotes")
    assert series["source"] == "sample:stale"


@pytest.mark.parametrize("span", CANDLES_PER_SPAN)
@pytest.mark.parametrize("asset_id", ["bitcoin", "wrapped-bitcoin"])
def test_a_series_has_as_many_candles_as_its_span_holds(
    sample: Running, asset_id: str, span: ChartSpan
) -> None:
    series = sample.json(f"/assets/{asset_id}/candles?span={span}")
    assert series["interval_seconds"] == CANDLE_SECONDS_BY_SPAN[span]
    assert series["source"] == "sample"
    assert len(series["candles"]) == CANDLES_PER_SPAN[span]
    assert series["candles"][-1][0] == opened_ms(sample, span)
    check_candles(series["candles"], span)


@pytest.mark.parametrize("span", ["30d", "90d", "1y"])
def test_a_coin_listed_six_days_ago_has_the_candles_since_then(sample: Running, span: ChartSpan) -> None:
    series = sample.json(f"/assets/monad/candles?span={span}")
    listed_at = sample.clock().replace(hour=0, minute=0, second=0) - timedelta(days=6)
    length = timedelta(seconds=CANDLE_SECONDS_BY_SPAN[span])
    first = datetime.fromtimestamp(series["candles"][0][0] / 1000, UTC)
    assert listed_at - length <= first <= listed_at
    check_candles(series["candles"], span)


def test_without_candles_both_arrays_are_empty(sample: Running) -> None:
    assert all(token["candles_7d"] == token["candles_24h"] == [] for token in sample.json("/rankings"))


def is_stale(running: Running, asset_id: str) -> bool:
    record = running.json("/prices")[asset_id]
    return record["source"] is None or record["source"].endswith(":stale")


def opened_ms(running: Running, span: ChartSpan) -> int:
    """When the candle opened that is open now."""
    return (
        int(running.clock().timestamp()) // CANDLE_SECONDS_BY_SPAN[span] * CANDLE_SECONDS_BY_SPAN[span] * 1000
    )


def check_candles(rows: Sequence[Sequence[Any]], span: ChartSpan) -> None:
    """Ascending, on the grid, without gaps; low and high around the rest."""
    seconds = CANDLE_SECONDS_BY_SPAN[span]
    times = [row[0] for row in rows]
    assert all(type(time) is int and time % (seconds * 1000) == 0 for time in times)
    assert all(later - earlier == seconds * 1000 for earlier, later in pairwise(times))
    for _, first, high, low, last, volume in rows:
        assert low <= min(first, last) <= max(first, last) <= high
        assert volume is None or volume >= 0


def test_candles_around_an_instant_are_those_that_are_stored(sample: Running) -> None:
    at = sample.clock() - timedelta(hours=5)
    series = sample.json(f"/assets/bitcoin/candles/around?at={at:%Y-%m-%dT%H:%M:%SZ}")
    assert (series["id"], series["interval_seconds"], series["source"]) == ("bitcoin", 1_800, "sample")
    opened = [row[0] for row in series["candles"]]
    assert all(later - earlier == 1_800_000 for earlier, later in pairwise(opened))
    assert any(0 <= at.timestamp() * 1000 - start < 1_800_000 for start in opened)
    long_ago = sample.json("/assets/bitcoin/candles/around?at=2009-01-03T18:15:05Z")
    assert (long_ago["candles"], long_ago["interval_seconds"], long_ago["source"]) == ([], None, None)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("bitcoin/candles/around", 400),
        ("bitcoin/candles/around?at=yesterday", 400),
        ("bitcoin/candles/around?at=9999-12-31T23:59:59-12:00", 400),
        ("bitcoin/candles/around?at=0001-01-01T00:00:00Z", 200),
        ("no-such-coin/candles/around?at=2026-01-01T00:00:00Z", 404),
    ],
)
def test_an_invalid_instant_is_refused(sample: Running, path: str, status: int) -> None:
    assert sample.get(f"/assets/{path}").status == status
