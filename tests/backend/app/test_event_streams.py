"""Tests the event streams of prices and topics over the whole application."""

import asyncio
from datetime import UTC, datetime

import orjson
import pytest

from backend.auth.service import create_key, revoke_key
from backend.http import event_streams
from tests.support.apps.market_app import Running, build_worker
from tests.support.http.asgi import Answer, send
from tests.support.http.event_stream import open_stream, run_bounded

EVENTS = {"accept": "text/event-stream"}
MEDIA_TYPE = "text/event-stream; charset=utf-8"


@pytest.fixture(autouse=True)
def _polls_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_streams, "POLL_SECONDS", 0.001)
    monkeypatch.setattr(event_streams, "CREDENTIAL_CHECK_SECONDS", 0.0)


def key_of(running: Running) -> dict[str, str]:
    return {"CP-X-API-KEY": running.key}


def read_json(running: Running, path: str) -> Answer:
    return send(running.app, path, headers=key_of(running))


def test_prices_are_sent_again_after_a_refresh_and_resume_after_the_last_event(running: Running) -> None:
    async def test() -> None:
        async with open_stream(running.app, "/prices", key_of(running)) as stream:
            assert (stream.status, stream.headers["content-type"]) == (200, MEDIA_TYPE)
            first = await stream.next_event()
            await asyncio.to_thread(build_worker(running).tick, minutes=2)
            await asyncio.to_thread(running.poll_changes)
            second = await stream.next_event()
        assert first is not None
        assert second is not None
        assert first["data"] != second["data"]
        resumed = {**key_of(running), "Last-Event-ID": first["id"]}
        async with open_stream(running.app, "/prices", resumed) as stream:
            assert await stream.next_event() == second

    run_bounded(test())
    assert orjson.loads(read_json(running, "/prices").body)


def test_the_event_of_a_list_is_its_json_document(running: Running) -> None:
    async def test(path: str, document: Answer) -> None:
        async with open_stream(running.app, path, key_of(running)) as stream:
            event = await stream.next_event()
        assert event is not None
        assert event["data"].encode() == document.body
        assert document.headers["etag"] == f'"{event["id"]}"'

    for path in ("/prices", "/topics?lang=ja&page_size=5"):
        run_bounded(test(path, read_json(running, path)))


@pytest.mark.parametrize(
    "accept",
    ["application/json", "*/*", "text/event-stream;q=0", "application/json, text/event-stream;q=0.5"],
)
@pytest.mark.parametrize("path", ["/prices", "/topics"])
def test_clients_that_do_not_prefer_events_get_the_same_document(
    running: Running, path: str, accept: str
) -> None:
    plain, other = read_json(running, path), running.get(path, accept=accept)
    assert (other.status, other.body, other.headers["etag"]) == (200, plain.body, plain.headers["etag"])
    assert other.headers["vary"].split(", ")[0] == "Accept"


def test_head_gets_the_headers_of_a_stream_and_no_events(running: Running) -> None:
    answer = send(running.app, "/prices", method="HEAD", headers={**key_of(running), **EVENTS})
    assert (answer.status, answer.headers["content-type"], answer.body) == (200, MEDIA_TYPE, b"")
    assert answer.headers["cache-control"] == "no-store"


def test_a_stream_needs_the_credential_of_the_document_and_ends_with_it(running: Running) -> None:
    now = datetime.now(UTC)
    created = create_key(running.database, name="reader", scopes=("read",), now=now)
    writer = create_key(running.database, name="writer", scopes=("write",), now=now)
    running.inner.state.credentials.reload()
    assert send(running.app, "/prices", headers=EVENTS).status == 401
    assert send(running.app, "/prices", headers={**EVENTS, "CP-X-API-KEY": writer.key}).status == 403

    async def test() -> None:
        async with open_stream(running.app, "/topics", {"Authorization": f"Bearer {created.key}"}) as stream:
            assert await stream.next_event() is not None
            await asyncio.to_thread(revoke_key, running.database, created.info.id, now)
            await asyncio.to_thread(running.poll_changes)
            assert await stream.next_event() is None

    run_bounded(test())


def test_a_stream_beyond_the_limit_is_refused_with_a_time_to_retry(running: Running) -> None:
    streams = running.inner.state.streams

    async def test() -> None:
        async with open_stream(running.app, "/prices", key_of(running)) as stream:
            assert await stream.next_event() is not None
            streams._max_subscribers = 1
            async with open_stream(running.app, "/prices", key_of(running)) as refused:
                assert (refused.status, "retry-after" in refused.headers) == (503, True)
            streams._max_subscribers = 500

    run_bounded(test())
