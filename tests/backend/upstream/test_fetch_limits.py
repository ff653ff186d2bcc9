"""Tests the limits of guarded fetches: size, time, encoding and concurrent requests."""

import threading
import time

import pytest

from backend.upstream import FailureKind, UpstreamFailure, ssrf_guard
from backend.upstream.deadline import Deadline
from tests.backend.upstream.conftest import fetch
from tests.support.processes.running import free_port
from tests.support.providers.provider_pages import png
from tests.support.providers.provider_server import Behaviour, ProviderServer
from tests.support.waiting import LIMIT_SECONDS


def test_a_body_over_the_limit_is_stopped(server: ProviderServer) -> None:
    for announce in (True, False):
        server.once("/x", Behaviour(body=bytes(30_000), content_type="image/png", announce=announce))
        with pytest.raises(UpstreamFailure) as caught:
            fetch(server, "/x", max_bytes=20_000)
        assert caught.value.kind is FailureKind.TOO_LARGE


@pytest.mark.parametrize("coding", ["gzip", "br", "deflate", "zstd", "identity, gzip"])
def test_an_encoding_that_was_not_requested_is_refused(server: ProviderServer, coding: str) -> None:
    server.once("/x", Behaviour(body=b"abc", content_type="image/png", headers={"Content-Encoding": coding}))
    with pytest.raises(UpstreamFailure) as caught:
        fetch(server, "/x")
    assert caught.value.kind is FailureKind.PROTOCOL
    assert server.requests[0].headers["accept-encoding"] == "identity"


def test_a_slow_body_ends_at_the_deadline(server: ProviderServer) -> None:
    server.once("/x", Behaviour(body=bytes(100), content_type="image/png", pause=0.02))
    with pytest.raises(UpstreamFailure) as caught:
        fetch(server, "/x", deadline_seconds=0.2)
    assert caught.value.kind is FailureKind.TIMEOUT


def test_the_deadline_covers_all_redirects(server: ProviderServer) -> None:
    ticks = iter(range(10_000))
    server.always("/a", Behaviour(302, b"", headers={"Location": "/a"}))
    with pytest.raises(UpstreamFailure) as caught:
        fetch(server, "/a", redirects=1000, deadline_seconds=100.0, clock=lambda: float(next(ticks)))
    assert caught.value.kind is FailureKind.TIMEOUT
    assert len(server.requests) < 100


def test_proxies_in_the_environment_are_not_used(
    server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    assert fetch(server).body == png()


def test_concurrent_requests_to_a_host_are_limited() -> None:
    slots = ssrf_guard.HostSlots(2)
    soon = Deadline(0.05, time.monotonic)
    with slots.acquire("a.test", soon), slots.acquire("a.test", soon):
        with slots.acquire("b.test", soon):
            pass
        with pytest.raises(TimeoutError), slots.acquire("a.test", soon):
            pass
    with slots.acquire("a.test", Deadline(LIMIT_SECONDS, time.monotonic)):
        pass


def test_a_fetch_waits_for_a_slot_of_the_host(
    server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    slots = ssrf_guard.HostSlots(1)
    monkeypatch.setattr(ssrf_guard, "_slots", slots)
    with slots.acquire("127.0.0.1", Deadline(LIMIT_SECONDS, time.monotonic)):
        with pytest.raises(UpstreamFailure):
            fetch(server, deadline_seconds=0.05)
        waiting = threading.Thread(target=fetch, args=(server,))
        waiting.start()
        assert server.requests == []
    waiting.join(LIMIT_SECONDS)
    assert len(server.requests) == 1
