"""Tests the subscribers of event streams over a source that the test changes."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from typing import Any

import pytest

from backend.errors import Overloaded
from backend.http import access_log, event_streams
from backend.http.event_streams import EventStreams, Subscriber
from backend.http.events import HEARTBEAT, RETRY, Event, Resource
from backend.http.limits.load_shedding import LoadShedder
from backend.runtime.metrics import NO_ROUTE, SECONDS
from tests.support.waiting import LIMIT_SECONDS


class Letters:
    """A source of one letter for each key."""

    def __init__(self, **letters: str) -> None:
        self.letters = letters
        self.fails = False
        self.loads = 0

    def event(self, key: str = "x") -> Event:
        letter = self.letters[key]
        return Event(letter, letter.encode(), is_last=letter == "z")

    def load(self, known: Mapping[str, Event | None]) -> Mapping[str, Event]:
        self.loads += 1
        if self.fails:
            raise OSError
        return {key: self.event(key) for key in known if key in self.letters}


@pytest.fixture(autouse=True)
def _polls_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_streams, "POLL_SECONDS", 0.001)
    monkeypatch.setattr(event_streams, "CREDENTIAL_CHECK_SECONDS", 0.0)


def run(
    test: Callable[[EventStreams, Letters], Coroutine[Any, Any, None]], *, max_subscribers: int = 10
) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(LIMIT_SECONDS):
            await test(EventStreams(LoadShedder(4), max_subscribers=max_subscribers), Letters(x="a"))

    asyncio.run(bounded())


def subscribe(streams: EventStreams, letters: Letters, **more: Any) -> Any:
    return streams.subscribe(Resource(letters, "x"), current=letters.event(), **more)


async def next_id(events: AsyncIterator[Event | None]) -> str:
    event = await anext(events)
    assert event is not None
    return event.id


async def list_rest(subscriber: Subscriber) -> list[str | None]:
    return [None if event is None else event.id async for event in subscriber.events()]


async def wait_for_polls(letters: Letters, count: int = 3) -> None:
    target = letters.loads + count
    while letters.loads < target:
        await asyncio.sleep(0.001)


def test_subscribers_to_one_resource_get_its_states_from_one_load() -> None:
    async def test(streams: EventStreams, letters: Letters) -> None:
        with subscribe(streams, letters) as first, subscribe(streams, letters) as second:
            both = first.events(), second.events()
            assert [await next_id(events) for events in both] == ["a", "a"]
            letters.letters["x"] = "b"
            assert [await next_id(events) for events in both] == ["b", "b"]

    run(test)


def test_a_reader_that_has_the_current_state_gets_only_later_ones_and_the_last_ends_it() -> None:
    async def test(streams: EventStreams, letters: Letters) -> None:
        with subscribe(streams, letters, last_id="a") as subscriber:
            await wait_for_polls(letters)
            letters.letters["x"] = "z"
            assert await list_rest(subscriber) == ["z"]

    run(test)


def test_a_slow_reader_gets_the_newest_state_and_nothing_is_stored_up_for_it() -> None:
    async def test(streams: EventStreams, letters: Letters) -> None:
        with subscribe(streams, letters) as subscriber:
            events = subscriber.events()
            assert await next_id(events) == "a"
            for letter in "bcd":
                letters.letters["x"] = letter
                await wait_for_polls(letters)
            letters.letters["x"] = "z"
            await wait_for_polls(letters)
            assert [event.id async for event in events if event] == ["z"]

    run(test)


def test_a_quiet_stream_has_heartbeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_streams, "HEARTBEAT_SECONDS", 0.0)

    async def test(streams: EventStreams, letters: Letters) -> None:
        with subscribe(streams, letters) as subscriber:
            messages = subscriber.messages()
            received = [await anext(messages) for _ in range(4)]
        assert received == [RETRY, b"id: a\ndata: a\n\n", HEARTBEAT, HEARTBEAT]

    run(test)


def test_a_stream_ends_when_its_credential_does() -> None:
    allowed = [True]

    async def test(streams: EventStreams, letters: Letters) -> None:
        with subscribe(streams, letters, is_allowed=lambda: allowed[0]) as subscriber:
            assert await next_id(subscriber.events()) == "a"
            allowed[0] = False
            assert await list_rest(subscriber) == []

    run(test)


def test_a_stream_ends_when_its_resource_is_deleted() -> None:
    async def test(streams: EventStreams, letters: Letters) -> None:
        with subscribe(streams, letters) as subscriber:
            del letters.letters["x"]
            assert await list_rest(subscriber) in (["a"], [])

    run(test)


def test_a_failing_source_delays_its_subscribers_and_no_others() -> None:
    async def test(streams: EventStreams, letters: Letters) -> None:
        others = Letters(x="a")
        with subscribe(streams, letters) as subscriber, subscribe(streams, others) as other:
            events, other_events = subscriber.events(), other.events()
            assert [await next_id(events), await next_id(other_events)] == ["a", "a"]
            letters.fails = True
            others.letters["x"] = letters.letters["x"] = "b"
            assert await next_id(other_events) == "b"
            letters.fails = False
            assert await next_id(events) == "b"

    run(test)


def test_subscribers_are_limited_and_hold_no_place_among_the_requests() -> None:
    async def test(streams: EventStreams, letters: Letters) -> None:
        streams._load.requests = 2
        with subscribe(streams, letters), subscribe(streams, letters):
            assert streams._load.requests == 0
            with pytest.raises(Overloaded) as refused, subscribe(streams, letters):
                pass
            assert re.fullmatch("[123]", refused.value.headers["Retry-After"])
        assert streams._load.requests == 2
        with subscribe(streams, letters):
            pass

    run(test, max_subscribers=2)


def test_closing_ends_all_streams_and_refuses_new_ones() -> None:
    async def test(streams: EventStreams, letters: Letters) -> None:
        with subscribe(streams, letters) as subscriber:
            events = subscriber.events()
            assert await next_id(events) == "a"
            streams.close()
            assert [event async for event in events] == []
        with pytest.raises(Overloaded), subscribe(streams, letters):
            pass

    run(test)


def test_polling_stops_with_the_last_reader() -> None:
    async def test(streams: EventStreams, letters: Letters) -> None:
        with subscribe(streams, letters):
            await wait_for_polls(letters)
        assert streams._task is not None
        await streams._task
        loads = letters.loads
        await asyncio.sleep(0.01)
        assert letters.loads == loads

    run(test)


def test_line_breaks_of_a_body_stay_within_its_event() -> None:
    event = Event("1", b'{"a":\n1,\r\n"b": 2}')
    assert event.message == b'id: 1\ndata: {"a":\ndata: 1,\ndata: "b": 2}\n\n'


def test_the_time_that_a_request_only_waited_counts_as_no_response_time() -> None:
    state = {access_log.HELD_SECONDS_KEY: 1000.0}
    before = SECONDS.labels(NO_ROUTE)._sum.get()
    access_log.log_response({"method": "GET", "state": state}, 200, time.perf_counter() - 1000)
    assert SECONDS.labels(NO_ROUTE)._sum.get() - before < 500
