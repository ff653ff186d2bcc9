"""Tests how the coin panel describes an open incident whose cause has gone."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from backend.markets.aggregation.policy import AggregationPolicy
from dashboard.app_pages.rankings import cleared_incidents, coin_panel_sections

NOW = datetime(2026, 11, 26, 12, 0, tzinfo=UTC)


def build_incident(kind: str, closed_at: str | None = None) -> Any:
    return {
        "kind": kind,
        "opened_at": "2026-11-26T11:50:00Z",
        "closed_at": closed_at,
        "detail": "A and B differ by 2.3%.",
        "detail_code": None,
        "detail_values": {"limit_pct": "1"},
    }


def build_quotes(
    rule: str, price: str = "1.002", *, flags: tuple[str, ...] = (), incident: Any = None
) -> Any:
    incidents = [] if incident is None else [incident]
    return {"rule": rule, "flags": list(flags), "price_usd": price, "incidents": incidents}


@pytest.mark.parametrize("kind", ["divergent", "conflict"])
@pytest.mark.parametrize("rule", ["mean", "median"])
def test_an_open_dispute_is_cleared_while_the_quotes_agree(kind: str, rule: str) -> None:
    assert cleared_incidents.find_cleared_cause(build_incident(kind), build_quotes(rule)) == "quotes"


@pytest.mark.parametrize(
    ("rule", "flags"), [("nearest", ("divergent",)), ("median", ("divergent",)), ("held", ()), ("single", ())]
)
def test_a_dispute_stays_open_unless_the_quotes_agree(rule: str, flags: tuple[str, ...]) -> None:
    quotes = build_quotes(rule, flags=flags)
    assert cleared_incidents.find_cleared_cause(build_incident("divergent"), quotes) is None


@pytest.mark.parametrize(("price", "cause"), [("0.995", "peg"), ("1.01", "peg"), ("0.98", None)])
def test_a_lost_peg_is_cleared_while_the_price_is_within_its_limit(price: str, cause: str | None) -> None:
    quotes = build_quotes("mean", price, flags=("depeg",))
    assert cleared_incidents.find_cleared_cause(build_incident("depeg"), quotes) == cause


def test_a_stale_price_does_not_clear_a_lost_peg() -> None:
    assert cleared_incidents.find_cleared_cause(build_incident("depeg"), build_quotes("stale")) is None


def test_a_closed_incident_has_only_its_period() -> None:
    incident = build_incident("divergent", "2026-11-26T11:55:00Z")
    page = coin_panel_sections.build_incidents(build_quotes("mean", incident=incident), NOW)
    assert "11-26 11:50 to 11-26 11:55 UTC<br>At its worst: A and B differ by 2.3%." in page


def test_the_panel_says_when_a_cleared_incident_closes() -> None:
    incident = build_incident("divergent")
    page = coin_panel_sections.build_incidents(build_quotes("mean", incident=incident), NOW)
    assert "The quotes agree again; the incident closes after 15 minutes of agreement." in page
    assert "At its worst: A and B differ by 2.3%." in page
    assert "open since" not in page


def test_an_incident_that_lasts_tells_its_cause_as_of_now() -> None:
    incident = build_incident("divergent")
    page = coin_panel_sections.build_incidents(build_quotes("nearest", incident=incident), NOW)
    assert "open since 11-26 11:50 UTC<br>A and B differ by 2.3%." in page


def test_the_quiet_period_is_that_of_the_service() -> None:
    assert timedelta(minutes=cleared_incidents.QUIET_MINUTES) == AggregationPolicy().quiet_period
