"""While a response is overdue, calls return the last data and how long the service has not answered."""

import threading
from collections.abc import Iterator

import httpx
import pytest

from dashboard.client import http
from dashboard.client.http import ApiClient
from tests.dashboard.client.service_double import BODY, Clock, Server, read
from tests.support.waiting import LIMIT_SECONDS, wait_for


@pytest.fixture
def answer_now(server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Lets the service answer; until then it leaves every request after the first one open."""
    event = threading.Event()
    answers = iter([True])

    def answer(_: httpx.Request) -> httpx.Response:
        if not next(answers, False):
            event.wait(LIMIT_SECONDS)
        return httpx.Response(200, content=BODY)

    server.answer = answer
    monkeypatch.setattr(http, "PATIENCE_SECONDS", 0)
    monkeypatch.setattr(http, "SHORT_PATIENCE_SECONDS", 0)
    yield event
    event.set()


def test_the_last_data_are_returned_with_the_time_without_an_answer(
    client: ApiClient, server: Server, clock: Clock, answer_now: threading.Event
) -> None:
    good = read(client)
    clock.now = 5
    read(client)
    clock.now = 17
    late = read(client)
    assert (late.data, late.at, late.stale) == (good.data, good.at, True)
    assert late.error is not None
    assert (late.error.waiting_seconds, late.error.is_temporary, late.error.is_unreachable) == (
        12,
        True,
        False,
    )
    wait_for(lambda: len(server.requests) == 2, "The request that both calls share")


def test_the_answer_that_comes_at_last_is_returned(
    client: ApiClient, clock: Clock, answer_now: threading.Event
) -> None:
    read(client)
    clock.now = 5
    assert read(client).stale
    answer_now.set()
    wait_for(lambda: not read(client).stale, "The answer")
    assert read(client).error is None


def test_a_request_that_times_out_leaves_the_time_without_an_answer_running(
    client: ApiClient, server: Server, clock: Clock
) -> None:
    read(client)

    def never(_: httpx.Request) -> httpx.Response:
        clock.now += 30
        raise httpx.ReadTimeout("no answer")

    server.answer = never
    clock.now = 5
    assert getattr(read(client).error, "waiting_seconds", None) == 30
    clock.now += 10
    assert getattr(read(client).error, "waiting_seconds", None) == 70
    server.answer = lambda _: httpx.Response(200, content=BODY)
    clock.now += 10
    assert read(client).error is None


def test_a_service_that_refuses_connections_is_not_slow(
    client: ApiClient, server: Server, clock: Clock
) -> None:
    def refuse(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("connection refused")

    server.answer = refuse
    error = read(client).error
    assert error is not None
    assert not error.is_slow
