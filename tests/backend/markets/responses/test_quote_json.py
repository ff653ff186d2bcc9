"""Tests ``/prices/{id}/quotes``, which explains a figure, through the application."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from tests.support.apps.market_app import (
    FEW,
    Clock,
    Running,
    Worker,
    build_worker,
    enable_only,
    run_app,
    settings_in,
)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    enable_only(tmp_path, FEW)
    running = run_app(settings_in(tmp_path), Clock())
    yield running
    running.close()


@pytest.fixture
def worker(running: Running) -> Worker:
    return build_worker(running)


def test_a_mean_shows_both_quotes_their_spread_and_the_limits(running: Running, worker: Worker) -> None:
    worker.tick()
    running.poll_changes()
    body = running.json("/prices/bitcoin/quotes")
    assert (body["rule"], body["flags"], body["incidents"]) == ("mean", [], [])
    assert Decimal(body["spread_pct"]) <= Decimal(body["agree_pct"]) <= Decimal(body["conflict_pct"])
    low, high = sorted(Decimal(quote["price_usd"]) for quote in body["quotes"])
    assert low <= Decimal(body["price_usd"]) <= high
    assert abs((high - low) / ((high + low) / 2) * 100 - Decimal(body["spread_pct"])) < Decimal("0.0001")
    assert {quote["freshness"] for quote in body["quotes"]} == {"fresh"}
    assert all(0 <= quote["age_seconds"] < 180 for quote in body["quotes"])


def test_a_stale_quote_is_shown_but_not_used(running: Running, worker: Worker) -> None:
    worker.tick()
    running.poll_changes()
    body = running.json("/prices/monero/quotes")
    late = next(quote for quote in body["quotes"] if quote["provider"] == "sample-b")
    assert (late["freshness"], late["used"]) == ("stale", False)
    assert late["age_seconds"] > 2000
    assert "Stale" in late["reason"]
    assert body["rule"] == "single"
    assert body["spread_pct"] is body["agree_pct"] is None


def test_limits_are_given_only_for_compared_quotes(running: Running, worker: Worker) -> None:
    worker.tick()
    with running.database.write() as connection:
        old = "2026-11-18T10:02:00.000000Z"  # ageing beside a fresh one
        connection.exec_driver_sql(f"UPDATE provider_quotes SET as_of = '{old}' WHERE provider = 'sample-b'")
    worker.tick()
    running.poll_changes()
    body = running.json("/prices/bitcoin/quotes")
    assert {quote["freshness"] for quote in body["quotes"]} == {"fresh", "ageing"}
    assert body["spread_pct"] is body["agree_pct"] is body["conflict_pct"] is None


def test_incidents_appear_in_the_response_when_they_open_and_close(running: Running, worker: Worker) -> None:
    worker.tick()
    running.poll_changes()
    (incident,) = running.json("/prices/litecoin/quotes")["incidents"]
    assert (incident["kind"], incident["closed_at"]) == ("divergent", None)
    assert incident["opened_at"] == "2026-11-18T10:07:42Z"
    assert Decimal(2) < Decimal(incident["worst_pct"]) < Decimal(4)
    assert running.json("/prices/bitcoin/quotes")["incidents"] == []

    worker.tick(days=10)
    worker.tick(minutes=16)
    running.poll_changes()
    (closed,) = running.json("/prices/litecoin/quotes")["incidents"]
    assert closed["closed_at"] == "2026-11-28T10:23:42Z"
    worker.tick(days=29)
    running.poll_changes()
    assert closed["id"] in [item["id"] for item in running.json("/prices/litecoin/quotes")["incidents"]]
    worker.tick(days=2)
    running.poll_changes()
    assert closed["id"] not in [item["id"] for item in running.json("/prices/litecoin/quotes")["incidents"]]


def test_quotes_match_the_published_price_even_when_it_became_stale_while_served(
    running: Running, worker: Worker
) -> None:
    worker.tick()
    running.clock.move(minutes=30)
    running.poll_changes()
    body, record = running.json("/prices/bitcoin/quotes"), running.json("/prices")["bitcoin"]
    assert body["source"] == record["source"] == "sample:stale"
    assert body["price_usd"] == record["price_usd"]
    assert not any(quote["used"] for quote in body["quotes"])
    assert {quote["freshness"] for quote in body["quotes"]} == {"stale"}


def test_the_spread_of_a_day_is_the_widest_of_each_five_minute_slot(running: Running, worker: Worker) -> None:
    for _ in range(25):  # every 15 s: more than one slot
        worker.tick(seconds=15)
    running.poll_changes()
    body = running.json("/prices/bitcoin/quotes")
    slots = [point["opened_at"] for point in body["spread_24h"]]
    assert slots == sorted(set(slots))
    assert len(slots) == 2
    assert all(slot.endswith((":00:00Z", ":05:00Z", ":10:00Z")) for slot in slots)
    assert Decimal(body["spread_24h"][-1]["spread_pct"]) >= Decimal(body["spread_pct"]) > 0
