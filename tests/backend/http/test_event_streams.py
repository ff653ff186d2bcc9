"""Tests the readers of event streams over a source that the test changes."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from typing import Any

import pytest

from backend.errors import Overloaded
from backend.http import access_log, event_streams
from backend.http.event_streams import EventStreams, Reader
from backend.http.events import HEARTBEAT, RETRY, Event, Followed
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
        return Event(letter, letter.encode(), last=letter == "z")

    def load(self, known: Mapping[str, Event | None]) -> Mapping[str, Event]:
        self.loads += 1
        if self.fails:
            raise OSError
        return {key: self.event(key) for key in known if key in self.letters}


@pytest.fixture(autouse=True)
def _polls_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_streams, "POLL_SECONDS", 0.001)
    monkeypatch.setattr(event_streams, "CREDENTIAL_CHECK_SECONDS", 0.0)


def run(test: Callable[[EventStreams, Letters], Coroutine[Any, Any, None]], *, max_readers: int = 10) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(LIMIT_SECONDS):
            await test(EventStreams(LoadShedder(4), max_readers=max_readers), Letters(x="a"))

    asyncio.run(bounded())


def follow(streams: EventStreams, letters: Letters, **more: Any) -> Any:
    return streams.follow(Followed(letters, "x"), current=letters.event(), **more)


async def next_id(events: AsyncIterator[Event | None]) -> str:
    event = await anext(events)
    assert event is not None
    return event.id


async def list_rest(reader: Reader) -> list[str | None]:
    return [None if event is None else event.id async for event in reader.events()]


async def wait_for_polls(letters: Letters, count: int = 3) -> None:
    target = letters.loads + count
    while letters.loads < target:
        await asyncio.sleep(0.001)


def test_readers_of_one_resource_get_its_states_from_one_load() -> None:
    async def test(streams: EventStreams, letters: Letters) -> None:
        with follow(streams, letters) as first, follow(streams, letters) as second:
            both = first.events(), second.events()
            assert [await next_id(events) for events in both] == ["a", "a"]
            letters.letters["x"] = "b"
            assert [await next_id(events) for events in both] == ["b", "b"]

    run(test)


def test_a_reader_that_has_the_current_state_gets_only_later_ones_and_the_last_ends_it() -> None:
    async def test(streams: EventStreams, letters: Letters) -> None:
        with follow(streams, letters, last_id="a") as reader:
            await wait_for_polls(letters)
            letters.letters["x"] = "z"
            assert await list_rest(reader) == ["z"]

    run(test)


def test_a_slow_reader_gets_the_newest_state_and_nothing_is_stored_up_for_it() -> None:
    async def test(streams: EventStreams, letters: Letters) -> None:
        with follow(streams, letters) as reader:
            events = reader.events()
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
        with follow(streams, letters) as reader:
            messages = reader.messages()
            received = [await anext(messages) for _ in range(4)]
        assert received == [RETRY, b"id: a\ndata: a\n\n", HEARTBEAT, HEARTBEAT]

    run(test)


def test_a_stream_ends_when_its_credential_does() -> None:
    allowed = [True]

    async def test(streams: EventStreams, letters: Letters) -> None:
        with follow(streams, letters, is_allowed=lambda: allowed[0]) as reader:
            assert await next_id(reader.events()) == "a"
            allowed[0] = False
            assert await list_rest(reader) == []

    run(test)


def test_a_stream_ends_when_its_resource_is_deleted() -> None:
    async def test(streams: EventStreams, letters: Letters) -> None:
        with follow(streams, letters) as reader:
            del letters.letters["x"]
            assert await list_rest(reader) in (["a"], [])

    run(test)


def test_a_failing_source_delays_its_readers_and_no_others() -> None:
    async def test(streams: EventStreams, letters: Letters) -> None:
        others = Letters(x="a")
        with follow(streams, letters) as reader, follow(streams, others) as other:
            events, other_events = reader.events(), other.events()
            assert [await next_id(events), await next_id(other_events)] == ["a", "a"]
            letters.fails = True
            others.letters["x"] = letters.letters["x"] = "b"
            assert await next_id(other_events) == "b"
            letters.fails = False
            assert await next_id(events) == "b"

    run(test)


def test_readers_are_bounded_and_hold_no_place_among_the_requests() -> None:
    async def test(streams: EventStreams, letters: Letters) -> None:
        streams._load.requests = 2
        with follow(streams, letters), follow(streams, letters):
            assert streams._load.requests == 0
            with pytest.raises(Overloaded) as refused, follow(streams, letters):
                pass
            assert re.fullmatch("[123]", refused.value.headers["Retry-After"])
        assert streams._load.requests == 2
        with follow(streams, letters):
            pass

    run(test, max_readers=2)


def test_closing_ends_all_streams_and_refuses_new_ones() -> None:
    async def test(streams: EventStreams, letters: Letters) -> None:
        with follow(streams, letters) as reader:
            events = reader.events()
            assert await next_id(events) == "a"
            streams.close()
            assert [event async for event in events] == []
        with pytest.raises(Overloaded), follow(streams, letters):
            pass

    run(test)


def test_polling_stops_with_the_last_reader() -> None:
    async def test(streams: EventStreams, letters: Letters) -> None:
        with follow(streams, letters):
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
    state = {access_log.HELD_SECONDS: 1000.0}
    before = SECONDS.labels(NO_ROUTE)._sum.get()
    access_log.log_response({"method": "GET", "state": state}, 200, time.perf_counter() - 1000)
    assert SECONDS.labels(NO_ROUTE)._sum.get() - before < 500
