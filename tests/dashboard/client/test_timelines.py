"""Runs as Arrow columns: cached while unchanged, and rejected with another schema."""

from collections.abc import Callable

import httpx
import pyarrow as pa
import pytest

from backend.timelines.columns.arrow_schema import SCHEMA
from dashboard.client import connection, timelines
from dashboard.client.http import ARROW, ApiClient
from tests.support.runs.scored_runs import run, table

TYPE = {"Content-Type": ARROW}


def stream(found: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, found.schema) as writer:
        writer.write_table(found)
    return bytes(sink.getvalue())


BODY = stream(table([run("p", "c", 0.5)]))


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[httpx.Request]]:
    """Sets the response of the service and returns the list of its requests."""

    def set_answer(answer: Callable[[httpx.Request], httpx.Response]) -> list[httpx.Request]:
        requests: list[httpx.Request] = []

        def handle(request: httpx.Request) -> httpx.Response:
            requests.append(request)
            return answer(request)

        client = ApiClient(
            "http://service.test", lambda: None, transport=httpx.MockTransport(handle), lifetime=0
        )
        monkeypatch.setattr(connection, "get_client", lambda: client)
        return requests

    return set_answer


def revalidated(request: httpx.Request) -> httpx.Response:
    is_unchanged = request.headers.get("if-none-match") == '"a"'
    return (
        httpx.Response(304)
        if is_unchanged
        else httpx.Response(200, content=BODY, headers={**TYPE, "ETag": '"a"'})
    )


def test_runs_are_requested_as_arrow_and_keep_their_identity_while_unchanged(
    answers: Callable[..., list[httpx.Request]],
) -> None:
    requests = answers(revalidated)
    first, second = timelines.fetch_runs(), timelines.fetch_runs()
    assert first.data is not None
    assert first.data.schema == SCHEMA
    assert first.data is second.data
    assert [request.headers["accept"] for request in requests] == [ARROW, ARROW]


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"{}", {"Content-Type": "application/json"}),
        (b"no stream", TYPE),
        (stream(pa.table({"a": [1]})), TYPE),
    ],
)
def test_an_unexpected_body_becomes_a_problem(
    answers: Callable[..., list[httpx.Request]], body: bytes, headers: dict[str, str]
) -> None:
    answers(lambda _: httpx.Response(200, content=body, headers=headers))
    found = timelines.fetch_runs()
    assert found.data is None
    assert found.error is not None
    assert found.error.title == "malformed"


def test_a_run_id_is_escaped_in_the_path(answers: Callable[..., list[httpx.Request]]) -> None:
    requests = answers(lambda _: httpx.Response(200, json={"run_id": "a/b c", "total_score": 1.5}))
    found = timelines.fetch_run("a/b c").data
    assert found == {"run_id": "a/b c", "total_score": 1.5}
    assert isinstance(found["total_score"], float)
    assert requests[0].url.raw_path == b"/v1/runs/a%2Fb%20c"


def test_profiles_are_returned_without_their_runs(answers: Callable[..., list[httpx.Request]]) -> None:
    profile = {"provider": "p", "model": "m", "model_vendor": None, "inference_provider": None}
    answers(lambda _: httpx.Response(200, json={"profiles": {"one": {**profile, "entries": []}}}))
    assert timelines.fetch_profiles().data == {"one": profile}
