"""Tests entity extraction over HTTP: submission, work and polling; and the entities that other jobs saw."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from backend.extraction import seen_entities
from backend.extraction.mentions import SeenName
from backend.extraction.tasks import extraction_jobs
from backend.formats.timestamps import utc_now, write_instant
from backend.jobs import job_store
from backend.jobs.runner import Runner
from tests.support.apps.article_app import Articles, article_app
from tests.support.http.asgi import send

TEXT = "Zorbkoin and ゾーブコイン rise; Bitcoin falls."


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Articles]:
    with article_app(tmp_path_factory.mktemp("extraction")) as running:
        yield running


def submit_extraction(service: Articles, body: Any, **headers: str) -> str:
    answer = service.post("/entities/extractions", body, **headers)
    assert answer.status == 202, answer.body
    job_id = str(answer.json()["data"]["job_id"])
    assert answer.headers["location"] == f"/entities/extractions/{job_id}"
    return job_id


def run_jobs(service: Articles, *ids: str) -> None:
    job_type = extraction_jobs(service.running.inner.state.settings, service.service.rules)
    Runner(service.running.database, [job_type], timeout=timedelta(minutes=2), clock=utc_now).run(
        "extraction", list(ids)
    )


def test_a_text_gives_each_entity_once_with_its_first_name(service: Articles) -> None:
    job_id = submit_extraction(service, {"text": TEXT, "ignored": True})
    waiting = service.json(f"/entities/extractions/{job_id}")["data"]
    assert (waiting["status"], "result" in waiting) == ("pending", False)
    run_jobs(service, job_id)
    finished_job = service.json(f"/entities/extractions/{job_id}")["data"]
    assert (finished_job["id"], finished_job["status"], finished_job["error"]) == (job_id, "completed", None)
    assert finished_job["created_at"] <= finished_job["started_at"] <= finished_job["completed_at"]
    assert [(e["name"], e["canonical_name"]) for e in finished_job["result"]["entities"]] == [
        ("Zorbkoin", "Zorbcoin"),
        ("Bitcoin", "Bitcoin"),
    ]


def test_a_text_without_an_entity_gives_none(service: Articles) -> None:
    job_id = submit_extraction(service, {"text": " "})
    run_jobs(service, job_id)
    assert service.json(f"/entities/extractions/{job_id}")["data"]["result"] == {"entities": []}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"text": ""},
        {"text": None},
        {"text": 3},
        {"text": "x" * 200_001},
        [],
        b"{",
        b'{"text": "\\ud800"}',
    ],
)
def test_an_invalid_text_is_refused_with_its_location(service: Articles, body: Any) -> None:
    answer = service.post("/entities/extractions", body)
    assert answer.status == 400
    assert answer.json()["detail"]


def test_a_text_of_maximum_length_is_accepted(service: Articles) -> None:
    submit_extraction(service, {"text": "🪙" * 200_000})


def test_submitting_requires_the_write_scope(service: Articles) -> None:
    assert service.post("/entities/extractions", {"text": "x"}, scopes="read").status == 403
    assert service.post("/entities/extractions", {"text": "x"}, scopes=None).status == 401


def test_a_job_of_source_finding_is_unknown_here(service: Articles) -> None:
    other_job = job_store.submit(
        service.running.database,
        "sources",
        {},
        submitted_by="k",
        idempotency_key=None,
        now=datetime.now(UTC),
    )
    assert service.get(f"/entities/extractions/{other_job.id}").status == 404
    assert service.get("/entities/extractions/not-a-uuid").status == 400


def test_a_repeated_submission_returns_the_first_job(service: Articles) -> None:
    first = submit_extraction(service, {"text": TEXT}, Idempotency_Key="once")
    assert submit_extraction(service, {"text": TEXT}, Idempotency_Key="once") == first
    assert service.post("/entities/extractions", {"text": "?"}, Idempotency_Key="once").status == 409


def test_jobs_are_listed_and_cancelled(service: Articles) -> None:
    job_id = submit_extraction(service, {"text": "to be cancelled"})
    listed = service.json("/entities/extractions?limit=1")
    assert [(job["id"], job["title"]) for job in listed["data"]] == [(job_id, "to be cancelled")]
    path, key = f"/entities/extractions/{job_id}", service.keys["read write"]
    answer = send(service.running.app, path, method="DELETE", headers={"CP-X-API-KEY": key})
    assert answer.json()["data"]["status"] == "failed"


def record_sightings(service: Articles, job_id: str, at: datetime, *seen: tuple[str, str]) -> None:
    with service.running.database.write() as connection:
        seen_entities.record_sightings(connection, job_id, [SeenName(*name) for name in seen], at=at)


def list_seen(service: Articles, query: str, *, scopes: str = "read admin") -> Any:
    return service.json(f"/entities?{query}", scopes=scopes)["data"]["entities"]


def test_seen_entities_are_counted_by_job_and_sorted_by_count_then_name(service: Articles) -> None:
    at = datetime(2020, 1, 1, 12, tzinfo=UTC)
    record_sightings(service, "a", at, ("bitcoin", "BTC"), ("ethereum", "Ethereum"), ("no-such-entity", "x"))
    record_sightings(service, "b", at, ("bitcoin", "Bitcoin"), ("zorbcoin", "Zorbcoin"))
    record_sightings(service, "c", at, ("bitcoin", "Bitcoin"))
    start, end = write_instant(at), write_instant(at + timedelta(seconds=1))
    payload = list_seen(service, f"from={start}&to={end}")
    assert [(e["name"], e["count"]) for e in payload] == [("Bitcoin", 3), ("Ethereum", 1), ("Zorbcoin", 1)]
    assert payload[2]["official_domains"] == ["zorbcoin.example"]
    assert list_seen(service, f"from={write_instant(at - timedelta(days=1))}&to={start}") == []


def test_recording_a_job_again_counts_it_once(service: Articles) -> None:
    at = datetime(2020, 2, 1, 12, tzinfo=UTC)
    for _ in range(2):
        record_sightings(service, "again", at, ("bitcoin", "Bitcoin"))
    payload = list_seen(service, f"from={write_instant(at)}&to={write_instant(at + timedelta(hours=1))}")
    assert payload[0]["count"] == 1


def test_the_jobs_of_other_callers_are_not_counted(service: Articles) -> None:
    at = datetime(2020, 3, 1, 12, tzinfo=UTC)
    for submitter, name in (("read write", "bitcoin"), ("write", "ethereum")):
        answer = service.post("/entities/extractions", {"text": "x"}, scopes=submitter)
        record_sightings(service, answer.json()["data"]["job_id"], at, (name, name))
    query = f"from={write_instant(at)}&to={write_instant(at + timedelta(hours=1))}"
    assert [e["name"] for e in list_seen(service, query, scopes="read write")] == ["bitcoin"]
    assert list_seen(service, query, scopes="read") == []
    assert [e["name"] for e in list_seen(service, query)] == ["bitcoin", "ethereum"]


@pytest.mark.parametrize(
    "query",
    [
        "window=x",
        "window=",
        "window=24",
        "from=yesterday",
        "to=2026-01-01",
        "from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z",
        "window=x&from=2026-01-01T00:00:00Z",
    ],
)
def test_an_invalid_window_is_refused(service: Articles, query: str) -> None:
    assert service.get(f"/entities?{query}").status == 400


def test_by_default_the_last_day_is_listed(service: Articles) -> None:
    now = datetime.now(UTC)
    record_sightings(service, "today", now, ("solana", "Solana"))
    record_sightings(service, "two-days-ago", now - timedelta(days=2), ("solana", "Solana"))
    for query in ("", "window=24h", "unknown=1"):
        payload = list_seen(service, query)
        assert [e["count"] for e in payload if e["canonical_name"] == "Solana"] == [1]


def test_the_documented_default_of_the_window_is_one_that_the_service_accepts(service: Articles) -> None:
    parameters = service.json("/openapi.json")["paths"]["/entities"]["get"]["parameters"]
    [default] = [each["schema"]["default"] for each in parameters if each["name"] == "window"]
    assert default == "24h"
