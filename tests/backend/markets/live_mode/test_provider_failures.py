"""Tests live mode while one or all providers fail: other figures, last known figures, status."""

from pathlib import Path

import pytest
import structlog

from backend.markets import configuration
from tests.support.apps.live_mode import FEAR_GREED, GLOBAL, MARKETS, NOON, QUOTES, Start
from tests.support.apps.market_app import Clock, Worker, build_worker, enable_only, live_settings, run_app
from tests.support.processes.running import free_port
from tests.support.providers.provider_server import FAULTS

# -- one provider fails ------------------------------------------------------------------------------

STATES = {
    "throttled-json": ("throttled", "2026-05-18T12:01:00Z"),
    "throttled-json-7s": ("throttled", "2026-05-18T12:00:07Z"),
    "throttled-text": ("throttled", "2026-05-18T12:01:00Z"),
    "throttled-html": ("throttled", "2026-05-18T12:01:00Z"),
    "unauthorised": ("refused", "2026-05-18T12:00:30Z"),
    "payment": ("refused", "2026-05-18T12:00:30Z"),
    "forbidden-html": ("refused", "2026-05-18T12:00:30Z"),
    "broken-json": ("ok", None),
    "web-page": ("ok", None),
    "empty": ("ok", None),
    "cut-off": ("ok", None),
    "dropped": ("ok", None),
    "slow": ("ok", None),
    "down": ("ok", None),
}
"""What a provider's state is after one such answer, and when it is asked again."""


@pytest.mark.parametrize("fault", STATES)
def test_while_the_first_provider_fails_the_second_is_used_and_the_status_says_why(
    start: Start, fault: str
) -> None:
    live = start()
    live.server.always(MARKETS, FAULTS[fault])
    if fault == "slow":
        live.set_deadline("coingecko", MARKETS, seconds=0.01)
    live.tick()
    record = live.prices()["bitcoin"]
    assert record["source"] == "coinmarketcap"
    assert record["price_usd"] is not None
    assert [quote["provider"] for quote in live.quotes("bitcoin")["quotes"]] == ["coinmarketcap"]
    result = live.provider("coingecko")
    state, retry_at = STATES[fault]
    assert (result["state"], result["failing_since"]) == (state, "2026-05-18T12:00:00Z")
    # Up to a tenth is added to a wait that the provider did not name.
    assert (result["retry_at"] or "")[:18] == (retry_at or "")[:18]
    assert result["message"]
    assert live.provider("coinmarketcap")["state"] == "ok"
    assert live.overview()["market_cap"]["value"] is not None


@pytest.mark.parametrize(
    "fault", ["throttled-json", "month-spent", "key-wrong", "down", "broken-json", "payment"]
)
def test_while_the_second_provider_fails_the_first_is_used(start: Start, fault: str) -> None:
    live = start()
    live.server.always(QUOTES, FAULTS[fault])
    live.server.always("/v2/cryptocurrency/quotes/latest", FAULTS[fault])
    live.tick()
    assert live.prices()["bitcoin"]["source"] == "coingecko"
    result = live.provider("coinmarketcap")
    assert result["message"]
    expected = {"throttled-json": "throttled", "month-spent": "quota_spent", "key-wrong": "unauthorised"}
    assert result["state"] == expected.get(fault, "unauthorised" if fault == "payment" else "ok")


def test_a_throttled_provider_is_polled_again_exactly_at_retry_after(start: Start) -> None:
    live = start()
    live.server.once(MARKETS, FAULTS["throttled-json-7s"])
    live.tick()
    live.tick(seconds=6)
    assert len(live.server.seen(MARKETS)) == 1
    live.tick(seconds=2)
    assert len(live.server.seen(MARKETS)) == 2
    assert live.prices()["bitcoin"]["source"] == "coingecko+coinmarketcap"
    assert live.provider("coingecko")["state"] == "ok"


def test_a_provider_behind_a_firewall_is_probed_with_backoff_and_at_once_after_a_restart(
    start: Start,
) -> None:
    live = start()
    live.server.always(MARKETS, FAULTS["forbidden-html"])
    for _ in range(60):
        live.tick(minutes=1)
    request_count = len(live.server.seen(MARKETS))
    assert 5 <= request_count <= 10
    result = live.provider("coingecko")
    assert (result["state"], result["message_code"]) == ("refused", "access_refused")
    assert result["failing_since"] == "2026-05-18T12:01:00Z"
    assert "web page" in result["message"]
    live.worker = build_worker(live.running)
    live.tick(seconds=1)
    live.tick(seconds=15)
    assert len(live.server.seen(MARKETS)) == request_count + 1
    live.server.always(MARKETS, None)
    live.worker = build_worker(live.running)
    live.tick(seconds=15)
    result = live.provider("coingecko")
    assert (result["state"], result["message"], result["failing_since"]) == ("ok", None, None)
    assert live.prices()["bitcoin"]["source"] == "coingecko+coinmarketcap"


def test_a_repeated_throttle_lasts_longer_even_if_other_roles_succeed(start: Start) -> None:
    live = start()
    live.server.always(MARKETS, FAULTS["throttled-html"])
    for _ in range(120):
        live.tick(seconds=30)
    assert 5 <= len(live.server.seen(MARKETS)) <= 8
    assert len(live.server.seen(GLOBAL)) >= 2
    assert live.provider("coingecko")["state"] == "throttled"


def test_a_refused_key_is_probed_with_backoff_and_a_new_key_at_once(start: Start, tmp_path: Path) -> None:
    live = start()
    live.server.always(QUOTES, FAULTS["key-wrong"])
    live.tick()
    live.tick(seconds=15)
    assert live.provider("coinmarketcap")["state"] == "unauthorised"
    assert len(live.server.seen(QUOTES)) == 1
    live.server.always(QUOTES, None)
    settings = live_settings(tmp_path, live.server.url, coinmarketcap_api_key="another-key")
    market = configuration.build_market(settings, live.running.database)
    live.worker = Worker(live.running.database, market, live.clock)
    live.tick(seconds=1)
    assert len(live.server.seen(QUOTES)) == 2
    assert "coinmarketcap" in live.prices()["bitcoin"]["source"]
    market.close()


def test_without_the_overview_in_the_plan_the_other_provider_gives_it(start: Start) -> None:
    live = start()
    live.server.always(GLOBAL, FAULTS["unauthorised"])
    for _ in range(6):
        live.tick(minutes=5)
    assert live.prices()["bitcoin"]["source"] == "coingecko+coinmarketcap"
    assert live.overview()["market_cap"]["source"] == "coinmarketcap"
    live.server.always(GLOBAL, None)
    for _ in range(4):
        live.tick(hours=1)
    assert live.overview()["market_cap"]["source"] == "coingecko"


def test_a_provider_with_a_spent_quota_leaves_the_overview_to_the_other(start: Start) -> None:
    live = start(coingecko_api_key="k", coingecko_plan="demo", coingecko_monthly_quota=100)
    live.tick()
    with live.running.database.write() as connection:
        connection.exec_driver_sql(
            "UPDATE provider_states SET body = replace(body, '\"used\":2', '\"used\":100')"
        )
    live.tick(days=2)
    assert live.provider("coingecko")["credits_used"] == 100
    assert live.overview()["market_cap"]["source"] == "coinmarketcap"
    assert live.prices()["bitcoin"]["source"] == "coinmarketcap"


def test_the_index_returns_to_its_own_provider_when_it_recovers(start: Start) -> None:
    live = start()
    live.server.once(FEAR_GREED, FAULTS["web-page"])
    live.tick()
    live.tick(seconds=15)
    live.tick(hours=2)
    live.tick(hours=2)
    assert live.overview()["fear_greed"]["source"] == "alternative.me"


def test_the_index_comes_from_the_other_provider_while_its_own_fails(start: Start) -> None:
    live = start()
    live.server.always(FEAR_GREED, FAULTS["web-page"])
    live.tick()
    live.tick(seconds=15)
    fear_greed = live.overview()["fear_greed"]
    assert (fear_greed["value"], fear_greed["label"], fear_greed["source"]) == (64, "Greed", "coinmarketcap")


# -- both fail ---------------------------------------------------------------------------------------


def test_with_all_providers_down_figures_become_stale_then_null_then_recover(start: Start) -> None:
    live = start()
    live.tick()
    before = live.prices()["bitcoin"]
    live.server.always("*", FAULTS["web-page"])
    live.tick(minutes=10)
    assert live.prices()["bitcoin"] == before
    live.tick(minutes=25)
    assert live.prices()["bitcoin"] == before | {"source": "coingecko+coinmarketcap:stale"}
    assert live.running.json("/markets/status")["stale"] == len(live.prices())
    live.tick(hours=20)
    assert live.prices()["bitcoin"]["price_usd"] == before["price_usd"]
    assert live.overview()["market_cap"]["source"] == "coingecko:stale"
    live.tick(hours=4)
    assert live.prices()["bitcoin"]["price_usd"] is live.prices()["bitcoin"]["source"] is None
    live.server.always("*", None)
    live.tick(hours=1)
    assert live.prices()["bitcoin"]["source"] == "coingecko+coinmarketcap"
    assert live.overview()["market_cap"]["source"] == "coingecko"


def test_an_unreachable_provider_has_a_message_in_the_status(tmp_path: Path) -> None:
    enable_only(tmp_path, ("bitcoin",))
    settings = live_settings(tmp_path, f"http://127.0.0.1:{free_port()}")
    running = run_app(settings, Clock(NOON))
    with structlog.testing.capture_logs():
        report = build_worker(running).tick()
    running.poll_changes()
    assert report.answered == ()
    assert running.json("/prices")["bitcoin"]["price_usd"] is None
    for result in running.json("/markets/status")["providers"]:
        assert result["last_success_at"] is None
        assert result["message"]
    running.close()
