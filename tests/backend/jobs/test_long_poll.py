"""Tests waiting for jobs and streaming their steps over HTTP."""

import asyncio
from contextlib import AbstractAsyncContextManager
from typing import Any

import orjson
import pytest

from backend.http import event_streams
from backend.jobs import long_poll, transitions
from tests.backend.jobs.test_job_routes import ToyClient, caller
from tests.support.http.event_stream import OpenStream, open_request, open_stream, run_bounded
from tests.support.jobs.submitted_jobs import NOW

__all__ = ["caller"]


@pytest.fixture(autouse=True)
def _polls_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_streams, "POLL_SECONDS", 0.001)


def open_read(caller: ToyClient, path: str, **headers: str) -> AbstractAsyncContextManager[OpenStream]:
    return open_request(caller.running.app, path, {"cp-x-api-key": caller.key, **headers})


async def wait_for_subscribers(caller: ToyClient, count: int) -> None:
    while len(caller.running.inner.state.streams._subscribers) != count:
        await asyncio.sleep(0.001)


async def finish(caller: ToyClient, job_id: str) -> None:
    def complete() -> None:
        job = transitions.start(caller.running.database, job_id, now=NOW)
        assert job is not None
        transitions.complete(caller.running.database, job, {"twice": 42}, None, now=NOW)

    await asyncio.to_thread(complete)


def test_a_read_that_prefers_to_wait_answers_when_the_job_has_ended(caller: ToyClient) -> None:
    job_id = caller.submit()

    async def test() -> None:
        async with open_read(caller, f"/toys/{job_id}", prefer="wait=30") as response:
            await wait_for_subscribers(caller, 1)
            assert not response.has_begun.is_set()
            assert caller.running.inner.state.streams._load.requests == 0
            await finish(caller, job_id)
            assert (await response.read_json())["data"]["result"] == {"twice": 42}
            assert response.headers["preference-applied"] == "wait=30"

    run_bounded(test())


def test_a_wait_is_capped_and_then_answered_with_the_present_state(
    caller: ToyClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_poll, "MAX_WAIT_SECONDS", 0.01)
    job_id = caller.submit()

    async def test() -> None:
        async with open_read(caller, f"/toys/{job_id}", prefer="respond-async, wait=600") as response:
            assert (await response.read_json())["data"]["status"] == "pending"
            assert response.headers["preference-applied"] == "wait=0.01"

    run_bounded(test())


def test_a_wait_without_room_is_answered_at_once_and_one_ends_with_its_client(caller: ToyClient) -> None:
    job_id, streams = caller.submit(), caller.running.inner.state.streams

    async def test() -> None:
        async with open_read(caller, f"/toys/{job_id}", prefer="wait=30"):
            await wait_for_subscribers(caller, 1)
            streams._max_subscribers = 1
            async with open_read(caller, f"/toys/{job_id}", prefer="wait=30") as second:
                assert (await second.read_json())["data"]["status"] == "pending"
                assert "preference-applied" not in second.headers
            streams._max_subscribers = 500
        await wait_for_subscribers(caller, 0)

    run_bounded(test())


def test_a_missing_job_is_not_waited_for(caller: ToyClient) -> None:
    path = "/toys/4f7c2a9e-0b1d-4c3e-8f5a-6d7e8f9a0b1c"
    assert caller.call("GET", path, headers=[("Prefer", "wait=30")]).status == 404


def submit_and_wait(caller: ToyClient, key: str) -> AbstractAsyncContextManager[OpenStream]:
    body = orjson.dumps({"n": 21})
    headers = {
        "cp-x-api-key": key,
        "prefer": "wait=30",
        "content-type": "application/json",
        "content-length": str(len(body)),
    }
    return open_request(caller.running.app, "/toys", headers, method="POST", body=body)


def test_a_submission_that_waits_returns_the_ended_job_to_those_who_may_read(caller: ToyClient) -> None:
    def newest_id() -> str:
        listed: list[dict[str, Any]] = caller.call("GET", "/toys?limit=1").json()["data"]
        return str(listed[0]["id"])

    async def test() -> None:
        async with submit_and_wait(caller, caller.key) as response:
            await wait_for_subscribers(caller, 1)
            job_id = await asyncio.to_thread(newest_id)
            await finish(caller, job_id)
            assert (await response.read_json())["data"]["result"] == {"twice": 42}
            assert (response.status, response.headers["location"]) == (200, f"/toys/{job_id}")
        async with submit_and_wait(caller, caller.new_key("write")) as response:
            assert list((await response.read_json())["data"]) == ["job_id"]
            assert response.status == 202

    run_bounded(test())


def test_steps_are_streamed_until_the_job_has_ended(caller: ToyClient) -> None:
    job_id, database = caller.submit(), caller.running.database
    transitions.start(database, job_id, now=NOW)
    path, key = f"/toys/{job_id}/steps", {"cp-x-api-key": caller.key}
    events: list[Any] = []

    async def test() -> None:
        async with open_stream(caller.running.app, path, key) as stream:
            events.append(await stream.next_event())
            await asyncio.to_thread(transitions.fail, database, job_id, "No luck.", now=NOW)
            events.append(await stream.next_event())
            events.append(await stream.next_event())

    run_bounded(test())
    assert [event and orjson.loads(event["data"])["data"]["status"] for event in events] == [
        "running",
        "failed",
        None,
    ]
    last_id = events[1]["id"]
    assert caller.call("GET", path).headers["etag"] == f'"{last_id}"'
    again = caller.call("GET", path, headers=[("Accept", "text/event-stream"), ("Last-Event-ID", last_id)])
    assert (again.status, again.body) == (204, b"")
