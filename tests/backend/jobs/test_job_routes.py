"""Tests the job endpoints over HTTP with a test router."""

import gzip
import uuid
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, NotRequired

import orjson
import pytest
from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

from backend.auth.gate import gated_router, needs
from backend.auth.service import create_key
from backend.formats.timestamps import utc_now
from backend.jobs import job_store, transitions
from backend.jobs.job_routes import Caller, IdempotencyKey, add_job_routes, document_submission, submit_job
from backend.jobs.model import MAX_WAIT, NEVER_STARTED
from backend.jobs.schemas import AcceptedAnswer, JobState
from tests.support.apps.market_app import Clock, Running, enable_only, run_app, settings_in
from tests.support.http.asgi import Answer, send
from tests.support.jobs.submitted_jobs import NOW
from tests.support.openapi.document import inline_components

router = gated_router(scope="read", tags=["toys"])


class Toy(BaseModel):
    n: int


class Doubled(BaseModel):
    twice: int


class ToyJob(JobState):
    result: NotRequired[Doubled]


class ToyJobAnswer(BaseModel):
    data: ToyJob


@router.post(
    "/toys",
    status_code=202,
    response_model=AcceptedAnswer,
    responses=document_submission("toy", ToyJobAnswer),
)
@needs("write")
def submit_toy(request: Request, body: Toy, who: Caller, key: IdempotencyKey) -> Response:
    return submit_job(request, "sources", body.model_dump(), title=f"toy {body.n}", who=who, key=key)


add_job_routes(router, "sources", "/toys", ToyJobAnswer, job_name="toy", noun="toy")


class ToyClient:
    """Calls the service with a key that sees everyone's jobs."""

    def __init__(self, running: Running) -> None:
        self.running = running
        self.key = self.new_key("write", "read", "admin")

    def new_key(self, *scopes: Any) -> str:
        created = create_key(self.running.database, name=" ".join(scopes), scopes=scopes, now=NOW)
        self.running.inner.state.credentials.reload()
        return created.key

    def call(
        self, method: str, path: str, body: Any = None, *, key: str | None = None, headers: Any = ()
    ) -> Answer:
        request_headers = [("CP-X-API-KEY", key or self.key), *headers]
        if body is None:
            return send(self.running.app, path, method=method, headers=request_headers)
        raw = orjson.dumps(body)
        request_headers += [("Content-Type", "application/json"), ("Content-Length", str(len(raw)))]
        return send(self.running.app, path, method=method, headers=request_headers, body=[raw])

    def submit(self, n: int = 1, **more: Any) -> str:
        answer = self.call("POST", "/toys", {"n": n}, **more)
        assert answer.status == 202, answer.body
        job_id: str = answer.json()["data"]["job_id"]
        return job_id


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToyClient]:
    home: Path = tmp_path_factory.mktemp("home")
    enable_only(home, ("bitcoin",))
    running = run_app(settings_in(home, scan_processes=0), Clock())
    running.inner.include_router(router)
    yield ToyClient(running)
    running.inner.state.articles.close()
    running.close()


def key_line(value: str) -> list[tuple[str, str]]:
    return [("Idempotency-Key", value)]


def test_a_submission_is_accepted_with_an_id_and_where_to_watch_it(caller: ToyClient) -> None:
    answer = caller.call("POST", "/toys", {"n": 21})

    job_id = answer.json()["data"]["job_id"]
    assert answer.status == 202
    assert answer.json() == {"data": {"job_id": job_id}}
    assert answer.headers["location"] == f"/toys/{job_id}"
    assert str(uuid.UUID(job_id)) == job_id
    assert caller.call("GET", answer.headers["location"]).status == 200


def test_pending_job_has_no_result(caller: ToyClient) -> None:
    job_id = caller.submit()

    data = caller.call("GET", f"/toys/{job_id}").json()["data"]

    assert data.pop("created_at").endswith("Z")
    assert data == {
        "id": job_id,
        "status": "pending",
        "started_at": None,
        "completed_at": None,
        "error": None,
    }


def test_a_completed_job_has_its_result(caller: ToyClient) -> None:
    job_id, database = caller.submit(21), caller.running.database
    job = transitions.start(database, job_id, now=NOW)
    assert job is not None
    transitions.complete(database, job, {"twice": 42}, None, now=NOW)

    data = caller.call("GET", f"/toys/{job_id.upper()}").json()["data"]

    assert (data["status"], data["result"]) == ("completed", {"twice": 42})
    assert data["started_at"] == data["completed_at"] == "2026-05-18T12:00:00Z"


def test_a_running_job_shows_its_steps(caller: ToyClient) -> None:
    job_id, database = caller.submit(), caller.running.database
    transitions.start(database, job_id, now=NOW)
    transitions.begin_step(database, job_id, 0, "search", now=NOW)
    transitions.finish_step(database, job_id, 0, {"found": 3}, now=NOW)
    transitions.begin_step(database, job_id, 1, "read", now=NOW)

    at = "2026-05-18T12:00:00Z"
    assert caller.call("GET", f"/toys/{job_id}/steps").json() == {
        "data": {
            "status": "running",
            "waiting": None,
            "steps": [
                {"name": "search", "started_at": at, "finished_at": at, "detail": {"found": 3}},
                {"name": "read", "started_at": at, "finished_at": None, "detail": {}},
            ],
        }
    }


def test_repeated_submission_returns_the_first_job_and_a_different_body_conflicts(caller: ToyClient) -> None:
    first = caller.submit(1, headers=key_line("again"))

    assert caller.submit(1, headers=key_line("again")) == first
    assert caller.submit(1, headers=[*key_line("again"), *key_line("again")]) == first
    assert caller.submit(1, headers=key_line("again"), key=caller.new_key("write")) != first
    refused = caller.call("POST", "/toys", {"n": 2}, headers=key_line("again"))
    assert (refused.status, refused.json()["code"]) == (409, "conflict")


@pytest.mark.parametrize("value", ["x", "x" * 255, '"8e03978e-40d5-43e8-bc93-6894a57f9324"', "clÃ©"])
def test_idempotency_key_can_be_any_text_up_to_255_characters(caller: ToyClient, value: str) -> None:
    """The last one is, byte for byte, an accented word in UTF-8."""
    assert caller.submit(headers=key_line(value)) == caller.submit(headers=key_line(value))


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([""], "Must have 1 to 255 characters."),
        (["x" * 256], "Must have 1 to 255 characters."),
        (["a\tb"], "Must consist of printable characters."),
        (["a\x7f"], "Must consist of printable characters."),
        (["\xc2\x85"], "Must consist of printable characters."),
        (["cl\xe9"], "Must be UTF-8, best of ASCII characters alone."),
        (["\xff\xfe"], "Must be UTF-8, best of ASCII characters alone."),
        (["one", "two"], "The request carries several that differ. Send one."),
    ],
)
def test_invalid_idempotency_key_is_rejected(caller: ToyClient, lines: list[str], sentence: str) -> None:
    headers = [line for value in lines for line in key_line(value)]

    refused = caller.call("POST", "/toys", {"n": 1}, headers=headers)

    assert refused.status == 400
    assert refused.json()["detail"] == f"header.Idempotency-Key: {sentence}"
    assert refused.json()["errors"][0]["loc"] == ["header", "Idempotency-Key"]


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("path", ["/toys/{}", "/toys/{}/steps"])
def test_malformed_id_returns_400_and_unknown_id_404(caller: ToyClient, method: str, path: str) -> None:
    if method == "DELETE" and path.endswith("steps"):
        return
    malformed = ["1", "x" * 36, uuid.uuid4().hex, f"{{{uuid.uuid4()}}}", "%00", "４f7c2a9e-0b1d-4c3e-8f5a"]

    assert [caller.call(method, path.format(bad)).status for bad in malformed] == [400] * len(malformed)
    assert "must be a job id" in caller.call(method, path.format("1")).json()["detail"]
    unknown = caller.call(method, path.format(uuid.uuid4()))
    assert (unknown.status, unknown.json()["code"]) == (404, "not_found")


def test_job_ids_of_another_kind_return_not_found(caller: ToyClient) -> None:
    other_job = job_store.submit(
        caller.running.database, "extraction", {}, submitted_by="x", idempotency_key=None, now=NOW
    )

    for method, path in (("GET", ""), ("GET", "/steps"), ("DELETE", "")):
        assert caller.call(method, f"/toys/{other_job.id}{path}").status == 404
    listed = caller.call("GET", "/toys?limit=100").json()["data"]
    assert other_job.id not in {job["id"] for job in listed}


def test_cancelling_a_job_twice_is_idempotent(caller: ToyClient) -> None:
    job_id = caller.submit()

    first, second = (caller.call("DELETE", f"/toys/{job_id}") for _ in range(2))

    assert (first.status, second.status) == (200, 200)
    assert first.json() == second.json() == caller.call("GET", f"/toys/{job_id}").json()
    assert first.json()["data"]["status"] == "failed"
    assert first.json()["data"]["error"] == "The job was cancelled."


def test_ended_job_is_not_cancelled(caller: ToyClient) -> None:
    job_id, database = caller.submit(), caller.running.database
    transitions.start(database, job_id, now=NOW)
    transitions.fail(database, job_id, "No luck.", now=NOW)

    refused = caller.call("DELETE", f"/toys/{job_id}")

    assert refused.status == 409
    assert caller.call("GET", f"/toys/{job_id}").json()["data"]["error"] == "No luck."


def test_history_is_paginated_newest_first(caller: ToyClient) -> None:
    submitted_ids = [caller.submit(n) for n in range(5)]

    first = caller.call("GET", "/toys?limit=2").json()
    second = caller.call("GET", f"/toys?limit=2&cursor={first['next_cursor']}").json()

    listed = [*first["data"], *second["data"]]
    assert [job["id"] for job in listed] == submitted_ids[:0:-1]
    assert [job["title"] for job in listed] == ["toy 4", "toy 3", "toy 2", "toy 1"]
    assert all("result" not in job for job in listed)
    for bad in ("limit=0", "limit=-1", "limit=x", "limit=1.0", "cursor=x"):
        assert caller.call("GET", f"/toys?{bad}").status == 400
    for large in ("101", "9" * 20, "9" * 5000):
        assert caller.call("GET", f"/toys?limit={large}").status == 200


def test_reading_requires_one_scope_and_submitting_and_cancelling_another(caller: ToyClient) -> None:
    reads, writes = caller.new_key("read"), caller.new_key("write")
    job_id = caller.submit()

    assert caller.call("GET", f"/toys/{job_id}", key=writes).status == 403
    assert caller.call("POST", "/toys", {"n": 1}, key=reads).status == 403
    assert caller.call("DELETE", f"/toys/{job_id}", key=reads).status == 403
    assert caller.call("GET", f"/toys/{caller.submit(key=writes)}", key=reads).status == 404
    assert caller.call("GET", "/toys", key=reads).status == 200


def test_jobs_of_another_key_are_neither_listed_read_nor_cancelled(caller: ToyClient) -> None:
    mine, theirs = (caller.new_key("read", "write") for _ in range(2))
    job_id = caller.submit(key=mine, headers=key_line("a-key-of-mine"))
    own_id = caller.submit(key=theirs, headers=key_line("a-key-of-mine"))

    for method, path in (("GET", ""), ("GET", "/steps"), ("DELETE", "")):
        refused = caller.call(method, f"/toys/{job_id}{path}", key=theirs)
        assert (refused.status, refused.json()["code"]) == (404, "not_found")
        assert "belongs to someone else" in refused.json()["detail"]
    assert [job["id"] for job in caller.call("GET", "/toys", key=theirs).json()["data"]] == [own_id]
    assert caller.call("GET", f"/toys/{job_id}", key=mine).json()["data"]["status"] == "pending"
    listed = caller.call("GET", "/toys?limit=2").json()["data"]
    assert [job["id"] for job in listed] == [own_id, job_id], "The scope admin sees the jobs of all keys."
    assert caller.call("DELETE", f"/toys/{job_id}").status == 200


@pytest.fixture
def shared_jobs(caller: ToyClient) -> Iterator[None]:
    state = caller.running.inner.state
    before = state.settings
    state.settings = before.model_copy(update={"shared_jobs": True})
    yield
    state.settings = before


@pytest.mark.usefixtures("shared_jobs")
def test_shared_jobs_are_seen_and_cancelled_by_every_key(caller: ToyClient) -> None:
    mine, theirs = (caller.new_key("read", "write") for _ in range(2))
    job_id = caller.submit(key=mine, headers=key_line("each-its-own"))

    assert caller.submit(key=theirs, headers=key_line("each-its-own")) != job_id
    assert job_id in {job["id"] for job in caller.call("GET", "/toys", key=theirs).json()["data"]}
    assert caller.call("DELETE", f"/toys/{job_id}", key=theirs).json()["data"]["status"] == "failed"


def test_openapi_documents_ids_idempotency_keys_and_locations(caller: ToyClient) -> None:
    document = inline_components(caller.call("GET", "/openapi.json").json())

    submission, reading = document["paths"]["/toys"]["post"], document["paths"]["/toys/{id}"]["get"]
    assert "Location" in submission["responses"]["202"]["headers"]
    assert "409" in submission["responses"]
    [key] = [parameter for parameter in submission["parameters"] if parameter["in"] == "header"]
    assert key["name"] == "Idempotency-Key"
    [job_id] = [parameter for parameter in reading["parameters"] if parameter["in"] == "path"]
    assert job_id["schema"]["format"] == "uuid"
    schema = reading["responses"]["200"]["content"]["application/json"]["schema"]
    assert schema == {"$ref": "#/components/schemas/ToyJobAnswer"}
    assert submission["responses"]["202"]["links"]["get"]["operationId"] == reading["operationId"]


@pytest.mark.parametrize("path", ["/toys/{}", "/toys/{}/steps", "/toys?limit=100"])
def test_matching_etag_returns_not_modified(caller: ToyClient, path: str) -> None:
    job_id = caller.submit()
    path_of_job = path.format(job_id)
    answer = caller.call("GET", path_of_job)
    tag = answer.headers["etag"]
    assert answer.headers["cache-control"] == "private, no-cache"
    assert "Accept-Encoding" in answer.headers["vary"]

    not_modified = caller.call("GET", path_of_job, headers=[("If-None-Match", tag)])
    assert (not_modified.status, not_modified.body, not_modified.headers["etag"]) == (304, b"", tag)

    caller.call("DELETE", f"/toys/{job_id}")
    assert caller.call("GET", path_of_job, headers=[("If-None-Match", tag)]).status == 200


def test_long_response_is_compressed_if_the_client_accepts_it(caller: ToyClient) -> None:
    for n in range(10):
        caller.submit(n)
    plain = caller.call("GET", "/toys")
    zipped = caller.call("GET", "/toys", headers=[("Accept-Encoding", "gzip")])
    assert zipped.headers["content-encoding"] == "gzip"
    assert gzip.decompress(zipped.body) == plain.body
    assert zipped.headers["etag"] != plain.headers["etag"]
    assert (
        "content-encoding"
        not in caller.call("GET", "/toys", headers=[("Accept-Encoding", "gzip;q=0")]).headers
    )


def test_reading_a_job_that_waited_a_day_without_a_worker_marks_it_failed(caller: ToyClient) -> None:
    database = caller.running.database
    long_ago = utc_now() - MAX_WAIT - timedelta(minutes=1)
    job = job_store.submit(database, "sources", {}, submitted_by="x", idempotency_key=None, now=long_ago)

    data = caller.call("GET", f"/toys/{job.id}").json()["data"]

    assert (data["status"], data["error"], data["started_at"]) == ("failed", NEVER_STARTED, None)


def test_pending_job_reports_the_jobs_ahead_and_running(caller: ToyClient) -> None:
    database = caller.running.database
    before = caller.call("GET", f"/toys/{caller.submit()}/steps").json()["data"]["waiting"]
    transitions.start(database, caller.submit(), now=NOW)
    payload = caller.call("GET", f"/toys/{caller.submit()}/steps").json()["data"]
    assert (payload["status"], payload["steps"]) == ("pending", [])
    assert payload["waiting"] == {
        "jobs_ahead": before["jobs_ahead"] + 1,
        "jobs_running": before["jobs_running"] + 1,
    }


def test_key_created_by_another_process_is_accepted_immediately(caller: ToyClient) -> None:
    created = create_key(caller.running.database, name="elsewhere", scopes=["read"], now=NOW)
    assert caller.call("GET", "/toys", key=created.key).status == 200
