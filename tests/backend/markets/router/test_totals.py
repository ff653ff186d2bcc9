"""Tests the endpoint of past totals: its points, source, time and entity tag."""

from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise

import pytest

from backend.markets.model import TOTALS_PERIODS, TotalsSpan
from tests.support.apps.market_app import Running


@pytest.mark.parametrize("span", TOTALS_PERIODS)
def test_a_new_user_of_the_sample_market_gets_a_point_of_every_hour_of_the_span(
    sample: Running, span: TotalsSpan
) -> None:
    answer = sample.json(f"/markets/totals?span={span}")
    assert (answer["span"], answer["mode"], answer["source"]) == (span, "sample", "sample")
    times = [datetime.fromisoformat(point["at"]) for point in answer["points"]]
    start = sample.clock() - TOTALS_PERIODS[span]
    assert start <= times[0] < start + timedelta(hours=1)
    hours = [time.replace(minute=0) for time in times]
    assert {later - earlier for earlier, later in pairwise(hours)} == {timedelta(hours=1)}
    assert hours[-1] == sample.clock().replace(minute=0, second=0)
    assert datetime.fromisoformat(answer["history_since"]) <= times[0]


def test_the_last_point_is_the_figure_of_the_overview(sample: Running) -> None:
    overview, last = sample.json("/crypto/market-overview"), sample.json("/markets/totals")["points"][-1]
    assert last["at"] == overview["market_cap"]["last_updated"]
    assert Decimal(last["market_cap"]) == overview["market_cap"]["value"]
    assert Decimal(last["volume_24h"]) == overview["volume_24h"]["value"]
    assert float(last["btc_market_cap_percentage"]) == overview["btc_market_cap_percentage"]


def test_seven_days_are_the_default(sample: Running) -> None:
    assert sample.json("/markets/totals") == sample.json("/markets/totals?span=7d")


def test_a_client_that_holds_the_history_gets_304(sample: Running) -> None:
    answer = sample.get("/markets/totals")
    again = sample.get("/markets/totals", if_none_match=answer.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert answer.headers["cache-control"] == "private, no-cache"


def test_before_the_first_refresh_the_history_is_empty(empty: Running) -> None:
    answer = empty.json("/markets/totals")
    assert answer == {"span": "7d", "mode": "sample", "source": None, "history_since": None, "points": []}


def test_a_provider_that_gives_the_cap_alone_has_points_with_nulls(bare: Running) -> None:
    answer = bare.json("/markets/totals")
    assert (answer["mode"], answer["source"]) == ("live", "coingecko")
    (point,) = answer["points"]
    assert answer["history_since"] == point["at"]
    assert point["volume_24h"] is point["btc_market_cap_percentage"] is None
