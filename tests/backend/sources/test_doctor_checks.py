"""What ``chainproof doctor`` says of jobs, documents and search engines."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from backend.documents.model import Document
from backend.documents.store import DocumentStore
from backend.settings import Settings
from backend.sources.doctor_checks import checkup
from backend.store.database import Database
from tests.support.provider_server import ProviderServer, says
from tests.support.submitted_jobs import NOW, submit


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer() as running:
        yield running


def told(database: Database, later: timedelta = timedelta(0), **settings: Any) -> dict[str, tuple[str, str]]:
    noted = checkup(Settings(**settings), database, now=NOW + later)
    return {one.subject: (one.state, one.sentence) for one in noted}


def test_an_empty_store_is_told_as_it_is(sqlite_database: Database) -> None:
    assert told(sqlite_database) == {
        "Jobs": ("ok", "no job waits."),
        "Documents": ("note", "None yet; the first start of a worker brings the archive in."),
        "Search engines": ("ok", "sample mode asks none; source finding uses what the store holds."),
    }


def test_jobs_that_wait_long_make_one_ask_for_a_worker(database: Database) -> None:
    submit(database)
    assert told(database)["Jobs"] == ("ok", "1 job waits.")
    state, sentence = told(database, timedelta(minutes=5))["Jobs"]
    assert (state, "chainproof worker" in sentence) == ("note", True)


def test_documents_are_counted_by_kind(sqlite_database: Database) -> None:
    DocumentStore(sqlite_database).store([Document("user", "a", "https://a.example/", "t", "x")], now=NOW)
    assert told(sqlite_database)["Documents"] == ("ok", "1 document of your own.")


def test_a_search_engine_is_asked_in_live_mode(sqlite_database: Database, server: ProviderServer) -> None:
    server.always("/search", says(200, {"results": [{"url": "https://a.example/"}]}))
    live = {"mode": "live", "search_searxng_url": server.url}
    assert told(sqlite_database, **live)["SearXNG"] == ("ok", "answers.")
    server.always("/search", says(403, {}))
    assert told(sqlite_database, **live)["SearXNG"][0] == "fault"
