"""Calls to the endpoints of jobs: what is sent, what is read, and what is said when there is no answer."""

import json
from collections.abc import Callable
from decimal import Decimal

import httpx
import pytest

from dashboard.client import api, research
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
    """Answers with what it is given, and gives the requests that came."""

    def answering(answer: Answer) -> list[httpx.Request]:
        seen: list[httpx.Request] = []

        def handle(request: httpx.Request) -> httpx.Response:
            seen.append(request)
            return answer(request)

        client = ApiClient("http://service.test", lambda: "key", transport=httpx.MockTransport(handle))
        monkeypatch.setattr(api, "client", lambda: client)
        return seen

    return answering


@pytest.mark.parametrize(("kind", "path"), [("sources", "/sources"), ("extraction", "/entities/extractions")])
def test_a_submission_carries_its_key_so_that_it_can_be_sent_again(
    service: Service, kind: research.JobKind, path: str
) -> None:
    seen = service(lambda _: httpx.Response(202, json={"data": {"job_id": ID}}))
    assert research.submit(kind, {"statement": "か゚\r\n𠮷"}, key="once").data == ID
    (request,) = seen
    assert (request.method, request.url.path) == ("POST", path)
    assert request.headers["Idempotency-Key"] == "once"
    assert request.headers["CP-X-API-KEY"] == "key"
    assert json.loads(request.content) == {"statement": "か゚\r\n𠮷"}


def test_cancelling_deletes_the_job_of_its_kind(service: Service) -> None:
    seen = service(lambda _: httpx.Response(200, json={"data": {**JOB, "status": "failed"}}))
    answer = research.cancel("extraction", ID)
    assert answer.data is not None
    assert answer.data["status"] == "failed"
    assert (seen[0].method, seen[0].url.path) == ("DELETE", f"/entities/extractions/{ID}")
    assert seen[0].headers["CP-X-API-KEY"] == "key"


@pytest.mark.parametrize("status", [400, 403, 409, 413, 500])
def test_what_is_refused_comes_with_the_services_own_words(service: Service, status: int) -> None:
    service(lambda _: httpx.Response(status, json={"title": "No", "detail": "Not this."}))
    for answer in (research.submit("sources", {}, key="k"), research.cancel("sources", ID)):
        assert answer.data is None
        assert answer.error is not None
        assert (answer.error.status, answer.error.detail) == (status, "Not this.")
        assert answer.error.request_id


@pytest.mark.parametrize("body", [b"no json", b"[]", b'{"data": {}}', b'{"data": null}'])
def test_an_answer_of_another_shape_is_a_problem_and_no_exception(service: Service, body: bytes) -> None:
    service(lambda _: httpx.Response(202, content=body))
    answer = research.submit("sources", {}, key="k")
    assert answer.error is not None
    assert answer.error.title == "malformed"


def test_no_answer_is_a_problem_without_a_status(service: Service) -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    service(refuse)
    answer = research.submit("sources", {}, key="k")
    assert answer.error is not None
    assert answer.error.unreachable


def test_a_job_without_a_result_has_none_and_figures_keep_their_digits(service: Service) -> None:
    service(lambda _: httpx.Response(200, json={"data": JOB}))
    pending = research.job("sources", ID).data
    assert pending is not None
    assert "result" not in pending
    body = json.dumps({"data": {**JOB, "status": "completed", "result": {"p": 0}}}).replace(
        '"p": 0', '"p": 0.890600'
    )
    service(lambda _: httpx.Response(200, content=body))
    done = research.job("sources", ID).data
    assert done is not None
    assert done["result"]["p"] == Decimal("0.890600")


def test_lists_ask_for_as_many_as_are_wanted_and_for_the_window(service: Service) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/entities":
            return httpx.Response(200, json={"data": {"entities": [{"name": "x"}]}})
        if request.url.path.endswith("/steps"):
            return httpx.Response(200, json={"data": {"status": "running", "steps": []}})
        return httpx.Response(200, json={"data": [{**JOB, "title": "t"}], "next_cursor": None})

    seen = service(answer)
    jobs = research.history("sources", limit=7).data
    assert jobs is not None
    assert jobs[0]["title"] == "t"
    seen_lately, progress = research.entities_seen("7d").data, research.progress("sources", ID).data
    assert seen_lately is not None
    assert [one["name"] for one in seen_lately] == ["x"]
    assert progress is not None
    assert (progress["status"], progress["steps"]) == ("running", [])
    assert [str(request.url.query, "ascii") for request in seen] == ["limit=7", "window=7d", ""]
