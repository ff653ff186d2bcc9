"""Job endpoints: the requests that are sent, the decoded data, and the problems without a response."""

import json
from collections.abc import Callable
from decimal import Decimal

import httpx
import pytest

from dashboard.client import connection, research
from dashboard.client.http import ApiClient

ID = "0b1d4c3e-8f5a-4d7e-8f9a-0b1c4f7c2a9e"
JOB = {
    "id": ID,
    "status": "pending",
    "created_at": "2026-05-18T12:00:00Z",
    "started_at": None,
    "completed_at": None,
    "error": None,
}
Answer = Callable[[httpx.Request], httpx.Response]
Service = Callable[[Answer], list[httpx.Request]]


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Service:
    """Sets the response of the service and returns the list of its requests."""

    def set_answer(answer: Answer) -> list[httpx.Request]:
        requests: list[httpx.Request] = []

        def handle(request: httpx.Request) -> httpx.Response:
            requests.append(request)
            return answer(request)

        client = ApiClient("http://service.test", lambda: "key", transport=httpx.MockTransport(handle))
        monkeypatch.setattr(connection, "get_client", lambda: client)
        return requests

    return set_answer


@pytest.mark.parametrize(("kind", "path"), [("sources", "/sources"), ("extraction", "/entities/extractions")])
def test_a_submission_has_an_idempotency_key(service: Service, kind: research.JobKind, path: str) -> None:
    requests = service(lambda _: httpx.Response(202, json={"data": {"job_id": ID}}))
    assert research.submit_job(kind, {"statement": "か゚\r\n𠮷"}, key="once").data == ID
    (request,) = requests
    assert (request.method, request.url.path) == ("POST", path)
    assert request.headers["Idempotency-Key"] == "once"
    assert request.headers["CP-X-API-KEY"] == "key"
    assert json.loads(request.content) == {"statement": "か゚\r\n𠮷"}


def test_cancelling_sends_delete_to_the_job_of_its_kind(service: Service) -> None:
    requests = service(lambda _: httpx.Response(200, json={"data": {**JOB, "status": "failed"}}))
    answer = research.cancel_job("extraction", ID)
    assert answer.data is not None
    assert answer.data["status"] == "failed"
    assert (requests[0].method, requests[0].url.path) == ("DELETE", f"/entities/extractions/{ID}")
    assert requests[0].headers["CP-X-API-KEY"] == "key"


@pytest.mark.parametrize("status", [400, 403, 409, 413, 500])
def test_an_error_response_becomes_a_problem_in_the_words_of_the_service(
    service: Service, status: int
) -> None:
    service(lambda _: httpx.Response(status, json={"title": "No", "detail": "Not this."}))
    for answer in (research.submit_job("sources", {}, key="k"), research.cancel_job("sources", ID)):
        assert answer.data is None
        assert answer.error is not None
        assert (answer.error.status, answer.error.detail) == (status, "Not this.")
        assert answer.error.request_id


@pytest.mark.parametrize("body", [b"no json", b"[]", b'{"data": {}}', b'{"data": null}'])
def test_a_body_of_another_shape_becomes_a_problem_instead_of_an_exception(
    service: Service, body: bytes
) -> None:
    service(lambda _: httpx.Response(202, content=body))
    answer = research.submit_job("sources", {}, key="k")
    assert answer.error is not None
    assert answer.error.title == "malformed"


def test_a_missing_response_becomes_a_problem_without_a_status(service: Service) -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    service(refuse)
    answer = research.submit_job("sources", {}, key="k")
    assert answer.error is not None
    assert answer.error.is_unreachable


def test_a_pending_job_has_no_result_key_and_results_keep_exact_decimals(service: Service) -> None:
    service(lambda _: httpx.Response(200, json={"data": JOB}))
    pending = research.fetch_job("sources", ID).data
    assert pending is not None
    assert "result" not in pending
    body = json.dumps({"data": {**JOB, "status": "completed", "result": {"p": 0}}}).replace(
        '"p": 0', '"p": 0.890600'
    )
    service(lambda _: httpx.Response(200, content=body))
    job = research.fetch_job("sources", ID).data
    assert job is not None
    assert job["result"]["p"] == Decimal("0.890600")


def test_limit_and_window_are_sent_as_query(service: Service) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/entities":
            return httpx.Response(200, json={"data": {"entities": [{"name": "x"}]}})
        if request.url.path.endswith("/steps"):
            return httpx.Response(200, json={"data": {"status": "running", "steps": []}})
        return httpx.Response(200, json={"data": [{**JOB, "title": "t"}], "next_cursor": None})

    requests = service(answer)
    jobs = research.fetch_history("sources", limit=7).data
    assert jobs is not None
    assert jobs[0]["title"] == "t"
    recent, progress = (
        research.fetch_seen_entities("7d").data,
        research.fetch_progress("sources", ID).data,
    )
    assert recent is not None
    assert [entity["name"] for entity in recent] == ["x"]
    assert progress is not None
    assert (progress["status"], progress["steps"]) == ("running", [])
    assert [str(request.url.query, "ascii") for request in requests] == ["limit=7", "window=7d", ""]
