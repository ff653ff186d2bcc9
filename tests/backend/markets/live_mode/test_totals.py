"""Tests the history of the live totals: recorded hour by hour, with gaps, and stale without a provider."""

from datetime import datetime
from itertools import pairwise

from tests.support.apps.live_mode import GLOBAL, Start
from tests.support.providers.provider_server import FAULTS


def test_live_totals_are_recorded_hour_by_hour_with_a_gap_while_the_service_is_off(start: Start) -> None:
    live = start()
    live.tick()
    for _ in range(8):
        live.tick(minutes=15)
    live.tick(hours=5)
    answer = live.running.json("/markets/totals?span=24h")
    figures = ("btc_market_cap_percentage", "eth_market_cap_percentage")
    shares = {tuple(point[figure] for figure in figures) for point in answer["points"]}
    assert shares == {("57.9539332566265", "9.58227145398409")}
    hours = [datetime.fromisoformat(point["at"]).hour for point in answer["points"]]
    assert hours == sorted(set(hours))
    gaps = [later - earlier for earlier, later in pairwise(hours)]
    assert gaps[:-1] == [1] * (len(hours) - 2)
    assert gaps[-1] == 5


def test_stale_totals_keep_their_history_and_say_so(start: Start) -> None:
    live = start()
    live.tick()
    live.clock.move(hours=4)
    live.running.poll_changes()
    answer = live.running.json("/markets/totals")
    assert answer["source"] == "coingecko:stale"
    assert len(answer["points"]) == 1


def test_a_fallback_has_a_line_of_its_own(start: Start) -> None:
    live = start()
    live.tick()
    live.server.always(GLOBAL, FAULTS["down"])
    for _ in range(20):
        live.tick(minutes=15)
    answer = live.running.json("/markets/totals")
    assert answer["source"] == "coinmarketcap"
    assert {point["btc_market_cap_percentage"] for point in answer["points"]} == {"57.7"}
    assert answer["history_since"] == answer["points"][0]["at"]
