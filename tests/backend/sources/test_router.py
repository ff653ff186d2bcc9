"""Source finding over HTTP: accepted, worked, polled, and what its answers promise."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from backend.formats.timestamps import utc_now
from backend.jobs import job_store
from backend.jobs.runner import JobType, Runner
from backend.sources.tasks import build_source_jobs
from tests.support.apps.article_app import Articles, article_app

STATEMENT = "Bitcoin's fourth halving came at block 840,000 in April 2024."


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Articles]:
    with article_app(tmp_path_factory.mktemp("sources")) as running:
        yield running


@pytest.fixture(scope="module")
def job_type(service: Articles) -> JobType:
    settings = service.running.inner.state.settings
    made = build_source_jobs(settings, service.running.database, service.service.rules)
    return replace(made, batch=2)  # steps of such jobs need no job engine


def submitted(service: Articles, body: Any, **headers: str) -> str:
    answer = service.post("/sources", body, **headers)
    assert answer.status == 202, answer.body
    job_id = str(answer.json()["data"]["job_id"])
    assert answer.headers["location"] == f"/sources/{job_id}"
    return job_id


def worked(service: Articles, job_type: JobType, job_id: str) -> Any:
    runner = Runner(service.running.database, [job_type], timeout=timedelta(minutes=2), clock=utc_now)
    runner.run("sources", [job_id])
    return service.json(f"/sources/{job_id}")["data"]


def test_a_submitted_statement_becomes_a_completed_job_with_a_result(
    service: Articles, job_type: JobType
) -> None:
    job_id = submitted(service, {"statement": STATEMENT})
    waiting = service.json(f"/sources/{job_id}")["data"]
    assert (waiting["status"], "result" in waiting) == ("pending", False)
    done = worked(service, job_type, job_id)
    assert (done["status"], done["error"]) == ("completed", None)
    assert set(done["result"]) == {
        "statement",
        "refined_query",
        "primary_sources",
        "search_results_count",
        "processing_time_ms",
        "truth_assessment",
        "search_metrics",
        "original_urls",
    }
    assert set(done["result"]["primary_sources"][0]) == {
        "url",
        "title",
        "authority_score",
        "relevance_score",
        "source_type",
        "summary",
        "content",
        "published_at",
        "validated",
        "is_news_like",
    }
    assert done["result"]["search_metrics"]["search_rounds"] == 1


def test_the_steps_of_a_job_can_be_read(service: Articles, job_type: JobType) -> None:
    job_id = submitted(service, {"statement": STATEMENT})
    pending = service.json(f"/sources/{job_id}/steps")["data"]
    assert (pending["status"], pending["steps"]) == ("pending", [])
    assert pending["waiting"]["jobs_running"] == 0
    worked(service, job_type, job_id)
    job = service.json(f"/sources/{job_id}/steps")["data"]
    assert job["status"] == "completed"
    assert [step["name"] for step in job["steps"]] == ["claims", "queries", "weigh 1", "assess"]
    assert job["steps"][0]["detail"] == {"claims": 1}
    assert all(step["finished_at"] for step in job["steps"])


def test_entities_of_statement_and_sources_are_counted_once_per_job(
    service: Articles, job_type: JobType
) -> None:
    job_id = submitted(service, {"statement": "Zorbcoin was listed on 5 May 2031 by Zorb Token holders."})
    worked(service, job_type, job_id)
    entities = service.json("/entities?window=1h")["data"]["entities"]
    assert [e["count"] for e in entities if e["canonical_name"] == "Zorbcoin"] == [1]


def test_the_legacy_request_body_is_accepted_with_a_bearer_key(service: Articles) -> None:
    body = {
        "title": STATEMENT,
        "content": "Miners earn less.",
        "source_urls": ["https://example.com/a"],
        "engines": ["google", "x"],
        "max_results": 5,
        "model": "gpt-x",
    }
    bearer = f"Bearer {service.keys['read write']}"
    answer = service.post("/sources", body, scopes=None, Authorization=bearer)
    assert answer.status == 202


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"statement": ""},
        {"statement": " ", "title": "\n", "content": ""},
        {"statement": 3},
        {"statement": "x" * 10_001},
        {"title": "x" * 10_001},
        {"content": "x" * 200_001},
        {"statement": "x", "max_results": 0},
        {"statement": "x", "max_results": 51},
        {"statement": "x", "max_results": "5"},
        {"statement": "x", "max_results": 1.5},
        {"statement": "x", "source_urls": ["not an address"]},
        {"statement": "x", "source_urls": ["ftp://a.example/"]},
        {"statement": "x", "source_urls": ["https://"]},
        {"statement": "x", "source_urls": ["https://a.example/a b"]},
        {"statement": "x", "source_urls": "https://a.example/"},
        {"statement": "x", "source_urls": ["https://a.example/"] * 21},
        {"statement": "x", "source_urls": ["https://a.example/" + "x" * 2_000]},
        {"statement": "x", "original_urls": [3]},
        {"statement": "x", "source_urls": [], "original_urls": 3},
        {"statement": "x", "source_urls": 3, "original_urls": []},
        {"statement": "x", "source_urls": ["https://a.example/"], "original_urls": ["no address"]},
        {
            "statement": "x",
            "source_urls": ["https://a.example/"],
            "original_urls": [f"https://a.example/{n}" for n in range(20)],
        },
        [],
        "x",
        b"{",
        b'{"statement": "\\udc00"}',
    ],
)
def test_an_invalid_body_is_rejected_with_a_readable_message_and_no_job(service: Articles, body: Any) -> None:
    before = len(job_store.list_recent(service.running.database, "sources", owner=None, limit=100).jobs)
    answer = service.post("/sources", body)
    assert answer.status == 400, answer.body
    assert answer.json()["detail"].endswith(".")
    assert (
        len(job_store.list_recent(service.running.database, "sources", owner=None, limit=100).jobs) == before
    )


def test_urls_from_both_parameter_names_are_merged_without_duplicates(
    service: Articles, job_type: JobType
) -> None:
    first, second, third = (f"https://a.example/{n}" for n in range(3))
    body = {"statement": "x", "source_urls": [first, second], "original_urls": [third, first]}
    done = worked(service, job_type, submitted(service, body))
    assert done["result"]["original_urls"] == [first, second, third]


def test_submitting_needs_the_scope_write(service: Articles) -> None:
    assert service.post("/sources", {"statement": "x"}, scopes="read").status == 403
    assert service.post("/sources", b"{", scopes="read").status == 403
    assert service.post("/sources", {"statement": "x"}, scopes=None).status == 401


def test_a_repeated_submission_returns_the_first_job(service: Articles) -> None:
    first = submitted(service, {"statement": "once"}, Idempotency_Key="k-1")
    assert submitted(service, {"statement": "once"}, Idempotency_Key="k-1") == first
    assert service.post("/sources", {"statement": "other"}, Idempotency_Key="k-1").status == 409
    assert service.post("/entities/extractions", {"text": "once"}, Idempotency_Key="k-1").status == 409


def test_an_extraction_job_is_not_found_under_sources(service: Articles) -> None:
    answer = service.post("/entities/extractions", {"text": "x"})
    other = answer.json()["data"]["job_id"]
    for path in (f"/sources/{other}", f"/sources/{other}/steps"):
        assert service.get(path).status == 404
    assert service.get("/sources/4f7c2a9e-0b1d-4c3e-8f5a-6d7e8f9a0b1c").status == 404
    assert service.get("/sources/nonsense").status == 400
