"""Tests what refreshes record: incidents with their times, and one price point for each poll."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from backend.markets.tables import incidents, price_points
from backend.store.database import Database
from tests.support.apps.market_app import Clock, Worker, build_sample_market


def log_of(database: Database, asset_id: str) -> list[Any]:
    with database.read() as connection:
        query = sa.select(incidents).where(incidents.c.asset_id == asset_id).order_by(incidents.c.id)
        return list(connection.execute(query).all())


def test_a_divergence_opens_one_incident_and_closes_it_after_the_quiet_period(
    worker: Worker,
) -> None:
    worker.tick()
    for _ in range(3):
        worker.tick(seconds=15)
    (opened,) = log_of(worker.database, "litecoin")
    assert opened.kind == "divergent"
    assert opened.closed_at is None
    assert opened.opened_at == worker.clock() - timedelta(seconds=45)
    assert Decimal(2) < opened.worst_pct < Decimal(4)
    assert worker.view().snapshot.published_prices["litecoin"].flags == ("divergent",)

    worker.tick(days=10)  # another asset's turn
    assert log_of(worker.database, "litecoin")[0].closed_at is None
    worker.tick(minutes=14)
    assert log_of(worker.database, "litecoin")[0].closed_at is None
    worker.tick(minutes=2)
    (closed,) = log_of(worker.database, "litecoin")
    assert closed.closed_at == worker.clock()
    assert worker.view().snapshot.published_prices["litecoin"].rule == "mean"


def test_in_a_conflict_the_last_good_figure_is_held_and_then_the_primary_is_shown(worker: Worker) -> None:
    worker.clock.at = worker.clock().replace(hour=11, minute=59, second=0)
    worker.tick()
    price_before = worker.price("neo")
    worker.tick(minutes=2)
    held_figure = worker.view().snapshot.published_prices["neo"]
    assert (held_figure.rule, held_figure.stale, held_figure.flags) == ("held", True, ("conflict",))
    assert worker.price("neo")["price_usd"] == price_before["price_usd"]
    assert worker.price("neo")["last_updated"] == price_before["last_updated"]
    worker.tick(minutes=16)
    primary = worker.view().snapshot.published_prices["neo"]
    assert (primary.rule, primary.providers, primary.flags) == ("primary", ("sample-a",), ("conflict",))
    (incident,) = log_of(worker.database, "neo")
    assert (incident.kind, incident.closed_at) == ("conflict", None)


# -- points ------------------------------------------------------------------------------------------


def test_each_poll_stores_one_point_per_published_price(worker: Worker) -> None:
    worker.tick()
    worker.tick()  # nobody is due: no second point
    worker.tick(seconds=15)
    with worker.database.read() as connection:
        query = (
            sa.select(price_points).where(price_points.c.asset_id == "bitcoin").order_by(price_points.c.at)
        )
        points = connection.execute(query).all()
    assert [point.at for point in points] == [worker.clock() - timedelta(seconds=15), worker.clock()]
    assert Decimal(worker.price("bitcoin")["price_usd"]) == points[-1].price
    assert {point.source for point in points} == {"sample"}


def test_two_seeds_in_one_store_are_independent(sqlite_database: Database) -> None:
    market = build_sample_market()
    other_market = replace(market, sources=replace(market.sources, realm="sample-7", history=None))
    first, second = Worker(sqlite_database, market), Worker(sqlite_database, other_market, Clock())
    first.tick()
    assert second.price("bitcoin")["price_usd"] is None
    assert second.status()["refreshed_at"] is None
    second.tick(minutes=30)
    assert first.price("bitcoin")["last_updated"] < second.price("bitcoin")["last_updated"]
    assert len(log_of(sqlite_database, "litecoin")) == 2
