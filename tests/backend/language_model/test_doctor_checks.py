"""Tests the doctor's check of the language model, which reads only the store."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from prometheus_client import REGISTRY

from backend.language_model import circuit_breaker, metrics, spending_limits
from backend.language_model.doctor_checks import check_language_model
from backend.language_model.errors import DailyLimitReached
from backend.language_model.spending_limits import Prices
from backend.settings import Settings
from backend.store.database import Database

NOW = datetime(2026, 5, 18, 9, 30, tzinfo=UTC)
NAMED = {"model_base_url": "http://127.0.0.1:9/v1", "model_name": "small-1"}
PRICED = {"model_price_input": "1", "model_price_output": "4", "model_daily_ceiling": "2.50"}


def check(database: Database, later: timedelta = timedelta(0), **settings: Any) -> tuple[str, str]:
    result = check_language_model(Settings(**settings), database, now=NOW + later)
    assert result.subject == "Language model"
    return result.state, result.sentence


def test_the_check_reports_when_no_model_is_used(sqlite_database: Database) -> None:
    assert check(sqlite_database) == ("ok", "none is configured; rules and templates alone are used.")
    assert "not asked in sample mode" in check(sqlite_database, **NAMED)[1]


def test_the_check_reports_todays_cost_and_the_limit(sqlite_database: Database) -> None:
    reserved = spending_limits.reserve(
        sqlite_database, Prices(Decimal(1), Decimal(4), None), Decimal(1), now=NOW
    )
    spending_limits.record_cost(sqlite_database, reserved, tokens=1200, cost=Decimal("0.0031"))
    state, sentence = check(sqlite_database, mode="live", **NAMED, **PRICED)
    assert (state, sentence) == (
        "ok",
        "small-1: 1 call and 1,200 tokens today, 0.0031 US dollars of at most 2.50.",
    )


def test_the_check_reports_a_reached_limit_until_midnight(sqlite_database: Database) -> None:
    prices = Prices(Decimal(1), Decimal(4), Decimal("2.50"))
    with pytest.raises(DailyLimitReached):
        spending_limits.reserve(sqlite_database, prices, Decimal(3), now=NOW)
    live = {"mode": "live", **NAMED, **PRICED}
    state, sentence = check(sqlite_database, **live)
    assert state == "note"
    assert "limit of 2.50 US dollars was reached at 09:30 UTC" in sentence
    assert "daily limit of" not in check(sqlite_database, timedelta(days=1), **live)[1]


def test_the_check_reports_a_limit_without_prices_as_ineffective(sqlite_database: Database) -> None:
    state, sentence = check(sqlite_database, mode="live", model_daily_ceiling="1", **NAMED)
    assert (state, "CHAINPROOF_MODEL_PRICE_INPUT" in sentence) == ("note", True)


def test_the_check_reports_since_when_a_model_fails_and_when_it_is_retried(
    sqlite_database: Database,
) -> None:
    endpoint = circuit_breaker.endpoint_id(NAMED["model_base_url"], NAMED["model_name"])
    circuit_breaker.record_failure(
        sqlite_database, endpoint, "refuses the key (status 401)", retry_after=None, now=NOW
    )
    state, sentence = check(sqlite_database, mode="live", **NAMED)
    assert state == "fault"
    assert "refuses the key (status 401) (since 2026-05-18 09:30 UTC, 1 in a row)" in sentence
    assert "after 09:31 UTC" in sentence
    circuit_breaker.record_success(sqlite_database, endpoint, "small-1", now=NOW)
    assert check(sqlite_database, mode="live", **NAMED)[0] == "ok"


def test_the_gauges_cover_all_processes(sqlite_database: Database) -> None:
    settings = Settings(mode="live", **NAMED, **PRICED)
    prices = Prices(Decimal(1), Decimal(4), Decimal("2.50"))
    reserved = spending_limits.reserve(sqlite_database, prices, Decimal(1), now=NOW)
    spending_limits.record_cost(sqlite_database, reserved, tokens=1200, cost=Decimal("0.25"))
    metrics.refresh_gauges(settings, sqlite_database, now=NOW)
    assert scraped("day_cost_dollars", "day_tokens", "ceiling_reached") == [0.25, 1200, 0]
    with pytest.raises(DailyLimitReached):
        spending_limits.reserve(sqlite_database, prices, Decimal(3), now=NOW)
    endpoint = circuit_breaker.endpoint_id(NAMED["model_base_url"], NAMED["model_name"])
    circuit_breaker.record_failure(sqlite_database, endpoint, "is down", retry_after=None, now=NOW)
    metrics.refresh_gauges(settings, sqlite_database, now=NOW)
    assert scraped("ceiling_reached", "failures") == [1, 1]
    metrics.refresh_gauges(settings, sqlite_database, now=NOW + timedelta(days=1))
    assert scraped("day_cost_dollars", "ceiling_reached") == [0, 0]


def scraped(*names: str) -> list[float | None]:
    return [REGISTRY.get_sample_value(f"chainproof_model_{name}") for name in names]
