"""Tests what ``/markets/status`` reports about each provider."""

from datetime import timedelta

import pytest
import structlog

from backend.markets.model import ErrorKind
from backend.markets.provider_state import ProviderState, update_state
from backend.store.database import Database
from tests.support.apps.market_app import (
    CALM,
    FailingSource,
    Worker,
    build_sample_market,
    make_sources_failable,
)


@pytest.fixture
def failable_worker(sqlite_database: Database) -> tuple[Worker, dict[str, FailingSource]]:
    market, sources = make_sources_failable(build_sample_market())
    return Worker(sqlite_database, market), sources


def test_before_the_first_refresh_every_provider_is_listed_without_values(
    failable_worker: tuple[Worker, dict[str, FailingSource]],
) -> None:
    result = failable_worker[0].status()
    assert result["refreshed_at"] is None
    assert result["stale"] == result["assets"] == len(build_sample_market().registry.enabled)
    assert [provider["provider"] for provider in result["providers"]] == ["sample-a", "sample-b"]
    assert {provider["state"] for provider in result["providers"]} == {"ok"}
    assert {provider["last_success_at"] for provider in result["providers"]} == {None}


def test_ids_unknown_to_a_provider_are_listed(
    failable_worker: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, _ = failable_worker
    worker.tick()
    result = worker.status()["by_name"]
    assert result["sample-a"]["missing_ids"] == []
    assert result["sample-b"]["missing_ids"] == ["unus-sed-leo"]
    assert result["sample-a"]["poll_interval_seconds"] == 15
    assert result["sample-a"]["credits_quota"] is result["sample-a"]["credits_used"] is None


def test_only_polls_of_quotes_count_as_a_refresh(
    failable_worker: tuple[Worker, dict[str, FailingSource]],
) -> None:
    worker, _ = failable_worker
    worker.tick()
    later = worker.clock.move(minutes=5)
    update_state(
        worker.database, worker.market, "sample-a", lambda state: state.record_success(None, 0, later)
    )
    result = worker.status()
    assert result["refreshed_at"] == "2026-11-18T10:07:42Z"
    assert result["by_name"]["sample-a"]["last_success_at"] == "2026-11-18T10:12:42Z"


def test_a_success_in_another_role_does_not_hide_failing_quotes(
    failable_worker: tuple[Worker, dict[str, FailingSource]], monkeypatch: pytest.MonkeyPatch
) -> None:
    worker, sources = failable_worker
    first = sources["sample-a"]
    call = first._call

    def failing(method: str, *question: object) -> object:
        first.fault = None
        if method == "quotes":
            first.fail()
        return call(method, *question)

    monkeypatch.setattr(first, "_call", failing)
    with structlog.testing.capture_logs():
        report = worker.tick()
    assert "sample-a overview" in report.answered
    assert "as the test has it" in worker.status()["by_name"]["sample-a"]["message"]


@pytest.mark.parametrize("fault", list(ErrorKind))
def test_every_error_kind_gives_a_state_that_can_be_stored_and_shown(
    failable_worker: tuple[Worker, dict[str, FailingSource]], fault: ErrorKind
) -> None:
    worker, sources = failable_worker
    sources["sample-b"].fail(fault)
    with structlog.testing.capture_logs():
        worker.tick()
    result = worker.status()["by_name"]["sample-b"]
    assert "as the test has it" in result["message"]
    counted = (ErrorKind.NOT_FOUND, ErrorKind.UNAVAILABLE, ErrorKind.MALFORMED)
    assert (result["retry_at"] is None) is (fault in counted)
    assert result["failing_since"] is not None


def test_a_provider_state_survives_storage() -> None:
    state = (
        ProviderState()
        .record_poll("quotes", CALM)
        .record_success(None, 3, CALM)
        .record_unsupported_role("overview", CALM + timedelta(seconds=1))
    )
    assert state.unsupported_roles == ("overview",)
    assert ProviderState.from_json(state.to_json()) == state
    assert state.record_poll("overview", CALM).unsupported_roles == ()
    assert ProviderState.from_json({}) == ProviderState()
