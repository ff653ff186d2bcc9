"""Runs as Arrow columns: kept while nothing changed, and refused in another shape."""

from collections.abc import Callable

import httpx
import pyarrow as pa
import pytest

from backend.timelines.columns.arrow_schema import SCHEMA
from dashboard.client import api, timelines
from dashboard.client.http import ARROW, ApiClient
from tests.support.scored_runs import run, table

TYPE = {"Content-Type": ARROW}


def stream(found: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, found.schema) as writer:
        writer.write_table(found)
    return bytes(sink.getvalue())


BODY = stream(table([run("p", "c", 0.5)]))


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[httpx.Request]]:
    """Has the service answer so; gives what it was asked."""

    def give(answer: Callable[[httpx.Request], httpx.Response]) -> list[httpx.Request]:
        asked: list[httpx.Request] = []

        def handle(request: httpx.Request) -> httpx.Response:
            asked.append(request)
            return answer(request)

        made = ApiClient(
            "http://service.test", lambda: None, transport=httpx.MockTransport(handle), lifetime=0
        )
        monkeypatch.setattr(api, "client", lambda: made)
        return asked

    return give


def revalidated(request: httpx.Request) -> httpx.Response:
    known = request.headers.get("if-none-match") == '"a"'
    return (
        httpx.Response(304) if known else httpx.Response(200, content=BODY, headers={**TYPE, "ETag": '"a"'})
    )


def test_columns_are_asked_for_and_keep_their_identity_while_nothing_changes(
    answers: Callable[..., list[httpx.Request]],
) -> None:
    asked = answers(revalidated)
    first, again = timelines.table(), timelines.table()
    assert first.data is not None
    assert first.data.schema == SCHEMA
    assert first.data is again.data
    assert [request.headers["accept"] for request in asked] == [ARROW, ARROW]


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"{}", {"Content-Type": "application/json"}),
        (b"no stream", TYPE),
        (stream(pa.table({"a": [1]})), TYPE),
    ],
)
def test_another_shape_is_a_fault_and_no_crash(
    answers: Callable[..., list[httpx.Request]], body: bytes, headers: dict[str, str]
) -> None:
    answers(lambda _: httpx.Response(200, content=body, headers=headers))
    found = timelines.table()
    assert found.data is None
    assert found.error is not None
    assert found.error.title == "malformed"


def test_the_name_of_a_run_is_one_part_of_the_path(answers: Callable[..., list[httpx.Request]]) -> None:
    asked = answers(lambda _: httpx.Response(200, json={"run_id": "a/b c", "total_score": 1.5}))
    found = timelines.run("a/b c").data
    assert found == {"run_id": "a/b c", "total_score": 1.5}
    assert isinstance(found["total_score"], float)
    assert asked[0].url.raw_path == b"/v1/runs/a%2Fb%20c"


def test_profiles_are_told_without_their_runs(answers: Callable[..., list[httpx.Request]]) -> None:
    made = {"provider": "p", "model": "m", "model_vendor": None, "inference_provider": None}
    answers(lambda _: httpx.Response(200, json={"profiles": {"one": {**made, "entries": []}}}))
    assert timelines.profiles().data == {"one": made}
