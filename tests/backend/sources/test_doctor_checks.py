"""Tests the doctor's checks of jobs, documents and search providers."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from backend.documents.model import Document
from backend.documents.store import DocumentStore
from backend.settings import Settings
from backend.sources.doctor_checks import check_documents, check_jobs, check_search_providers
from backend.store.database import Database
from tests.support.jobs.submitted_jobs import NOW, submit
from tests.support.providers.provider_server import ProviderServer, says


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer() as running:
        yield running


def run_checks(
    database: Database, later: timedelta = timedelta(0), **settings: Any
) -> dict[str, tuple[str, str]]:
    results = [check_jobs(database, NOW + later), check_documents(database)]
    results += check_search_providers(Settings(**settings))
    return {result.subject: (result.state, result.sentence) for result in results}


def test_an_empty_store_has_no_jobs_and_no_documents(sqlite_database: Database) -> None:
    assert run_checks(sqlite_database) == {
        "Jobs": ("ok", "no pending jobs."),
        "Documents": ("note", "None yet; the first start of a worker imports the archive."),
        "Search engines": (
            "ok",
            "no provider is asked in sample mode; source finding searches only the store.",
        ),
    }


def test_long_pending_jobs_give_advice_to_start_a_worker(database: Database) -> None:
    submit(database)
    assert run_checks(database)["Jobs"] == ("ok", "1 pending job.")
    state, sentence = run_checks(database, timedelta(minutes=5))["Jobs"]
    assert (state, "chainproof worker" in sentence) == ("note", True)


def test_documents_are_counted_by_kind(sqlite_database: Database) -> None:
    DocumentStore(sqlite_database).store([Document("user", "a", "https://a.example/", "t", "x")], now=NOW)
    assert run_checks(sqlite_database)["Documents"] == ("ok", "1 document of your own.")


def test_the_doctor_calls_a_search_provider_in_live_mode(
    sqlite_database: Database, server: ProviderServer
) -> None:
    server.always("/search", says(200, {"results": [{"url": "https://a.example/"}]}))
    live = {"mode": "live", "search_searxng_url": server.url}
    assert run_checks(sqlite_database, **live)["SearXNG"] == ("ok", "answers.")
    server.always("/search", says(403, {}))
    assert run_checks(sqlite_database, **live)["SearXNG"][0] == "fault"
