"""Tests the doctor's check of the market data providers."""

from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from backend.markets.doctor_checks import _run_check, check_providers
from backend.markets.model import ErrorKind, ProviderError
from backend.runtime.check_result import CheckResult
from backend.settings import Settings
from backend.store.database import Database
from tests.support.apps.market_app import FailingSource, Worker, build_sample_market, make_sources_failable

FailableWorker = tuple[Worker, dict[str, FailingSource]]


@pytest.fixture
def failable_worker(sqlite_database: Database) -> Iterator[FailableWorker]:
    market, sources = make_sources_failable(build_sample_market())
    with structlog.testing.capture_logs():
        yield Worker(sqlite_database, market), sources


def check(worker: Worker, name: str = "sample-b") -> CheckResult:
    results = check_providers(worker.market, worker.database, worker.clock(), Settings(mode="live"))
    return next(result for result in results if result.subject == name)


def test_a_provider_that_answers_the_worker_and_the_check_is_ok(failable_worker: FailableWorker) -> None:
    worker, _ = failable_worker
    worker.tick()
    assert check(worker).state == "ok"
    assert check(worker).sentence.startswith("answers. Cadence:")


def test_a_provider_that_answers_only_the_check_gets_a_note_with_both_results(
    failable_worker: FailableWorker,
) -> None:
    worker, sources = failable_worker
    sources["sample-b"].fail(ErrorKind.REFUSED)
    worker.tick()
    sources["sample-b"].recover()
    state, sentence = check(worker)[1:]
    assert state == "note"
    assert sentence.startswith("answers. Cadence:")
    assert "The worker has had no good answer since 2026-11-18T10:07:42Z: It refused access;" in sentence


def test_a_provider_that_answers_neither_is_a_fault_with_its_next_attempt(
    failable_worker: FailableWorker,
) -> None:
    worker, sources = failable_worker
    sources["sample-b"].fail(ErrorKind.UNAUTHORISED)
    worker.tick()
    state, sentence = check(worker)[1:]
    assert state == "fault"
    assert sentence.startswith("does not answer: as the test has it. Correct CHAINPROOF_")
    assert "The worker has had no good answer since" in sentence
    assert "The key was refused; asked again at 2026-11-18T10:08:1" in sentence


def test_a_provider_that_told_us_to_wait_gets_no_request(failable_worker: FailableWorker) -> None:
    worker, sources = failable_worker
    sources["sample-b"].fail(ErrorKind.THROTTLED, retry_after=100)
    worker.tick()
    request_count = len(sources["sample-b"].asked)
    state, sentence = check(worker)[1:]
    assert (state, len(sources["sample-b"].asked)) == ("note", request_count)
    assert "asked us to wait; asked again at 2026-11-18T10:09:22Z" in sentence


@pytest.mark.parametrize(
    ("provider", "kind", "settings", "advice"),
    [
        ("coingecko", ErrorKind.UNAUTHORISED, {}, "COINGECKO_API_KEY and CHAINPROOF_COINGECKO_PLAN."),
        ("coinmarketcap", ErrorKind.UNAUTHORISED, {}, "Correct CHAINPROOF_COINMARKETCAP_API_KEY."),
        ("coingecko", ErrorKind.REFUSED, {}, "Set CHAINPROOF_COINGECKO_API_KEY, or ask"),
        ("coingecko", ErrorKind.REFUSED, {"coingecko_api_key": "k"}, "its firewall and, if set, CHAINPROOF_"),
        ("coinmarketcap", ErrorKind.QUOTA_SPENT, {}, "A larger plan allows more requests."),
        (
            "coinmarketcap",
            ErrorKind.NOT_FOUND,
            {},
            "CHAINPROOF_COINMARKETCAP_BASE_URL, if set, and any proxy",
        ),
        ("alternative.me", ErrorKind.UNAVAILABLE, {}, "if set, CHAINPROOF_ALTERNATIVE_ME_BASE_URL."),
    ],
)
def test_a_fault_of_a_provider_says_what_to_do(
    provider: str, kind: ErrorKind, settings: dict[str, Any], advice: str
) -> None:
    def fail() -> CheckResult:
        raise ProviderError(provider, kind, "no answer")

    result = _run_check(provider, fail, Settings(mode="live", **settings))
    assert result.sentence.startswith("does not answer: no answer. ")
    assert advice in result.sentence
