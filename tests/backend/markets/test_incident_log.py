"""Tests ``/markets/incidents``: of all assets and filtered, on SQLite and PostgreSQL."""

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from backend.markets import incident_log
from backend.markets.aggregation.incident_tracking import Action, IncidentEvent
from backend.markets.aggregation.state import IncidentKind
from backend.markets.reasons import build_reason
from backend.markets.tables import incidents
from tests.support.apps.market_app import CALM, Clock, Running, enable_only, run_app, settings_in

PATH = "/markets/incidents"
OFF_PEG = build_reason("off_peg", off_pct=Decimal("2.5"), limit_pct=Decimal(1))


@pytest.fixture
def running(tmp_path: Path, database_url: str) -> Iterator[Running]:
    enable_only(tmp_path, ("bitcoin", "ethereum", "usdc"))
    running = run_app(settings_in(tmp_path, database_url=database_url), Clock())
    yield running
    running.close()


def record_incident(
    running: Running,
    asset: str,
    kind: IncidentKind,
    *,
    days: float,
    action: Action = "open",
    size: str = "2.5",
) -> None:
    """An incident opens, grows or ends so many days before now, as a refresh would note it."""
    at = CALM - timedelta(days=days)
    detail = None if action == "close" else OFF_PEG
    event = IncidentEvent(action, kind, asset, at, Decimal(size), detail)
    with running.database.write() as connection:
        incident_log.record_incidents(connection, running.market.market.sources.realm, [event], at)


@pytest.fixture
def service(running: Running) -> Running:
    """Two that are open, one of them for long; two that are over; one that ended before the 30 days."""
    record_incident(running, "usdc", "depeg", days=80)
    record_incident(running, "bitcoin", "jump", days=60)
    record_incident(running, "bitcoin", "jump", days=31, action="close")
    record_incident(running, "bitcoin", "divergent", days=40)
    record_incident(running, "bitcoin", "divergent", days=29, action="close")
    record_incident(running, "ethereum", "conflict", days=3)
    record_incident(running, "ethereum", "conflict", days=2, action="close")
    record_incident(running, "bitcoin", "conflict", days=1)
    return running


def list_asset_kinds(rows: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(row["asset_id"], row["kind"]) for row in rows]


def test_at_first_there_are_no_incidents(running: Running) -> None:
    assert running.json(PATH) == []


def test_incidents_of_the_last_thirty_days_are_listed_newest_first(service: Running) -> None:
    assert list_asset_kinds(service.json(PATH)) == [
        ("bitcoin", "conflict"),
        ("ethereum", "conflict"),
        ("bitcoin", "divergent"),
        ("usdc", "depeg"),
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("asset=bitcoin", [("bitcoin", "conflict"), ("bitcoin", "divergent")]),
        ("kind=conflict", [("bitcoin", "conflict"), ("ethereum", "conflict")]),
        ("open=true", [("bitcoin", "conflict"), ("usdc", "depeg")]),
        ("open=false", [("ethereum", "conflict"), ("bitcoin", "divergent")]),
        ("open=false&asset=ethereum&kind=conflict", [("ethereum", "conflict")]),
        ("limit=1", [("bitcoin", "conflict")]),
        ("open=false&limit=1", [("ethereum", "conflict")]),
        ("asset=no-such-asset", []),
        ("asset=%00", []),
        ("asset=", []),
    ],
)
def test_filters_narrow_the_list(service: Running, query: str, expected: list[tuple[str, str]]) -> None:
    assert list_asset_kinds(service.json(f"{PATH}?{query}")) == expected


def test_an_incident_is_listed_with_its_asset_and_reason_code(service: Running) -> None:
    (ended,) = service.json(f"{PATH}?asset=ethereum")
    assert ended | {"id": 0} == {
        "id": 0,
        "asset_id": "ethereum",
        "symbol": "ETH",
        "name": "Ethereum",
        "kind": "conflict",
        "opened_at": "2026-11-15T10:07:42Z",
        "closed_at": "2026-11-16T10:07:42Z",
        "worst_pct": "2.5",
        "detail": "The price is 2.50% from one dollar (limit 1.00%).",
        "detail_code": "off_peg",
        "detail_values": {"off_pct": "2.50", "limit_pct": "1.00"},
    }
    quoted = service.json("/prices/ethereum/quotes")["incidents"]
    assert quoted == [{name: ended[name] for name in quoted[0]}]


def test_a_larger_size_updates_the_detail(service: Running) -> None:
    record_incident(service, "usdc", "depeg", days=0, action="update", size="1.5")
    (milder,) = service.json(f"{PATH}?asset=usdc")
    assert milder["worst_pct"] == "2.5"
    record_incident(service, "usdc", "depeg", days=0, action="update", size="12")
    (worse,) = service.json(f"{PATH}?asset=usdc")
    assert (worse["worst_pct"], worse["id"]) == ("12", milder["id"])


def test_disabled_assets_and_other_realms_are_omitted(service: Running) -> None:
    record_incident(service, "litecoin", "conflict", days=1)  # not enabled
    with service.database.write() as connection:
        connection.execute(sa.update(incidents).where(incidents.c.asset_id == "usdc").values(realm="another"))
    assert {asset for asset, _ in list_asset_kinds(service.json(PATH))} == {"bitcoin", "ethereum"}


def test_a_bare_message_of_an_earlier_version_is_listed_without_a_code(service: Running) -> None:
    with service.database.write() as connection:
        connection.execute(sa.update(incidents).values(detail="They differ."))
    row = service.json(f"{PATH}?limit=1")[0]
    assert (row["detail"], row["detail_code"], row["detail_values"]) == ("They differ.", None, {})


def test_an_unchanged_list_gives_304(service: Running) -> None:
    etag = service.get(PATH).headers["etag"]
    assert service.get(PATH, if_none_match=etag).status == 304
    record_incident(service, "ethereum", "jump", days=0)
    assert service.get(PATH, if_none_match=etag).status == 200
    assert service.get(PATH, accept_encoding="gzip").headers["content-encoding"] == "gzip"


@pytest.mark.parametrize("query", ["open=yes", "open=", "kind=crash", "limit=0", "limit=many"])
def test_an_invalid_filter_is_400_with_its_location(running: Running, query: str) -> None:
    answer = running.get(f"{PATH}?{query}")
    assert answer.status == 400
    assert answer.json()["errors"][0]["loc"] == ["query", query.partition("=")[0]]
