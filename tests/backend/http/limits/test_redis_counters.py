"""Tests counting in Redis: exact over all processes, and requests work without it."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager

import pytest
import redis

from backend.http.limits import redis_counters
from backend.http.limits.rate_limiter import RateLimiter
from backend.http.limits.redis_counters import SharedCounts
from tests.support.processes.redis_server import RedisServer, run_redis
from tests.support.test_session.thread_isolation import capture_logs_of_this_thread
from tests.support.waiting import LIMIT_SECONDS

AMOUNT, SECONDS = 20, 86_400
numbers = itertools.count()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with run_redis(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_counters, "PROBE_INTERVAL_SECONDS", 0.01)
    monkeypatch.setattr(
        redis_counters, "REDIS_TIMEOUT_SECONDS", LIMIT_SECONDS
    )  # tests wait for what happens, however slowly


@pytest.fixture
def caller() -> str:
    return f"caller {next(numbers)}"


@asynccontextmanager
async def limiters(url: str, count: int, *, amount: int = AMOUNT) -> AsyncIterator[list[RateLimiter]]:
    """As many as processes would have, each with counts and connections of its own."""
    created_limiters = [RateLimiter(amount, SECONDS, shared=SharedCounts(url)) for _ in range(count)]
    for limiter in created_limiters:
        await limiter.start()
    try:
        yield created_limiters
    finally:
        for limiter in created_limiters:
            await limiter.stop()


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def run_with_timeout() -> None:
        async with asyncio.timeout(LIMIT_SECONDS):
            await test()

    asyncio.run(run_with_timeout())


async def wait_until(holds: Callable[[], bool]) -> None:
    while not holds():
        await asyncio.sleep(0.01)


def test_concurrent_processes_share_exactly_one_rate_limit(server: RedisServer, caller: str) -> None:
    async def test() -> None:
        async with limiters(server.url, 3) as process_limiters:
            together = await asyncio.gather(*(process_limiters[n % 3].count(caller) for n in range(60)))
            assert sum(counted.allowed for counted in together) == AMOUNT
            assert [(await limiter.count(caller)).allowed for limiter in process_limiters] == [False] * 3

    run(test)


def test_remaining_quota_is_shared_between_processes(server: RedisServer, caller: str) -> None:
    async def test() -> None:
        async with limiters(server.url, 2) as (first, second):
            assert (await first.count(caller)).status.remaining == 19
            counted = await second.count(caller)
            assert counted.status.remaining == 18
            assert (await counted.charge(401)).status.remaining == 18  # a guess costs one here

    run(test)


def test_a_refused_credential_costs_more_in_all_processes(server: RedisServer, caller: str) -> None:
    async def test() -> None:
        async with limiters(server.url, 2, amount=600) as (one, other):
            refused = await (await one.count(caller)).charge(401)
            assert refused.status.remaining == 590
            assert (await other.count(caller)).status.remaining == 589

    run(test)


def test_redis_counters_expire_with_their_window(server: RedisServer, caller: str) -> None:
    async def test() -> None:
        async with limiters(server.url, 1) as (limiter,):
            await limiter.count(caller)

    run(test)
    with redis.Redis.from_url(server.url) as client:
        (key,) = client.keys(f"{redis_counters.KEY_PREFIX}*{caller}*")
        assert 0 < client.ttl(key) <= 2 * SECONDS


def test_processes_count_locally_and_log_once_until_redis_recovers(server: RedisServer, caller: str) -> None:
    async def test() -> None:
        async with limiters(server.url, 2) as process_limiters:
            for _ in range(5):
                await process_limiters[0].count(caller)
            server.stop()
            with capture_logs_of_this_thread() as logs:
                result = [await process_limiters[0].count(caller) for _ in range(20)]
                assert [counted.allowed for counted in result] == [True] * 15 + [False] * 5
                assert "does not answer" in process_limiters[0].describe_storage()
                assert (await process_limiters[1].count(caller)).allowed
            assert [log_entry["event"] for log_entry in logs] == ["redis_connection_lost"] * 2
            server.start()
            await wait_until(lambda: "in Redis" in process_limiters[0].describe_storage())
            assert (await process_limiters[0].count(f"caller {next(numbers)}")).status.remaining == 19

    run(test)


def test_lost_redis_scripts_are_loaded_again(server: RedisServer, caller: str) -> None:
    async def test() -> None:
        async with limiters(server.url, 1) as (limiter,):
            assert (await limiter.count(caller)).status.remaining == 19
            with redis.Redis.from_url(server.url) as client:
                client.script_flush()
            assert (await limiter.count(caller)).status.remaining == 18
            assert "in Redis" in limiter.describe_storage()

    run(test)


def test_local_counters_are_used_when_redis_is_unavailable_at_startup(caller: str) -> None:
    async def test() -> None:
        async with limiters("redis://127.0.0.1:1/0", 1) as (limiter,):
            assert "does not answer" in limiter.describe_storage()
            assert (await limiter.count(caller)).status.remaining == 19

    run(test)


def test_unresponsive_redis_is_called_once_and_delays_no_other_request(
    caller: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    received: list[bytes] = []

    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(4096):
            received.append(piece)
            if b"probe" in piece:  # all that it says is that it is there
                writer.write(b":1\r\n")
            elif b"EVALSHA" not in piece:
                writer.write(b"+OK\r\n" * piece.count(b"CLIENT"))
        writer.close()

    async def test() -> None:
        monkeypatch.setattr(redis_counters, "REDIS_TIMEOUT_SECONDS", 1.0)
        silent = await asyncio.start_server(hang, "127.0.0.1", 0)
        port = silent.sockets[0].getsockname()[1]
        async with limiters(f"redis://127.0.0.1:{port}/0?protocol=2", 1) as (limiter,):
            assert "in Redis" in limiter.describe_storage()
            monkeypatch.setattr(redis_counters, "PROBE_INTERVAL_SECONDS", 60.0)
            result = await asyncio.gather(*(limiter.count(caller) for _ in range(10)))
            assert all(counted.allowed for counted in result)
            assert "does not answer" in limiter.describe_storage()
            messages = len(received)
            assert (await limiter.count(caller)).status.remaining == 9
            assert len(received) == messages
        silent.close()

    run(test)
