"""The cache of the newest runs: contents, size and lifetime."""

import gzip
from pathlib import Path
from threading import Event

import pytest

from backend.timelines.responses.chunk_cache import (
    MIN_IDLE_SECONDS_FOR_EVICTION,
    CacheKey,
    ChunkCache,
    JoinedRuns,
)
from tests.support.runs.timeline_app import build_run_json, run_timelines_app


class Watch:
    """Seconds that a test moves on."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


def key(name: str) -> CacheKey:
    return CacheKey("arrow", "own", name)


@pytest.fixture
def watch() -> Watch:
    return Watch()


def test_the_newest_entries_start_at_an_entry_boundary() -> None:
    joined = JoinedRuns.of([b"{1}", b"{22}", b"{333}"])
    assert joined.body == b"{1},{22},{333}"
    assert [joined.newest(limit) for limit in (1, 2, 3, 9)] == [
        b"{333}",
        b"{22},{333}",
        joined.body,
        joined.body,
    ]
    assert JoinedRuns.of([]).newest(5) == b""


def test_only_the_requested_version_is_found(watch: Watch) -> None:
    chunk_cache = ChunkCache(10_000, watch)
    chunk_cache.put(key("a"), 2, b"two")
    assert chunk_cache.get(key("a"), 2) == b"two"
    assert (
        chunk_cache.get(key("a"), 1) is chunk_cache.get(key("a"), 3) is chunk_cache.get(key("b"), 2) is None
    )
    chunk_cache.put(key("a"), 1, b"one")  # by a reader who began before the change
    assert chunk_cache.get(key("a"), 2) == b"two"
    size = chunk_cache.size_bytes
    chunk_cache.put(key("a"), 3, b"333")
    assert (chunk_cache.get(key("a"), 3), chunk_cache.size_bytes) == (b"333", size)


def test_recently_requested_entries_stay_and_others_are_evicted(watch: Watch) -> None:
    chunk_cache = ChunkCache(3_500, watch)
    for name in ("a", "b", "c", "d"):
        chunk_cache.put(key(name), 1, bytes(600))
    assert chunk_cache.size_bytes <= 3_500
    assert chunk_cache.get(key("d"), 1) is None  # no room, and nobody is idle
    watch.at = MIN_IDLE_SECONDS_FOR_EVICTION - 1
    assert chunk_cache.get(key("a"), 1) is not None
    watch.at = MIN_IDLE_SECONDS_FOR_EVICTION + 1
    chunk_cache.put(key("d"), 1, bytes(600))
    assert [name for name in "abcd" if chunk_cache.get(key(name), 1) is not None] == ["a", "c", "d"]


def test_an_entry_larger_than_the_budget_is_not_cached(watch: Watch) -> None:
    chunk_cache = ChunkCache(100, watch)
    chunk_cache.put(key("a"), 1, b"x")
    assert (chunk_cache.get(key("a"), 1), chunk_cache.size_bytes) == (None, 0)


def test_a_listing_larger_than_the_budget_is_unchanged(tmp_path: Path) -> None:
    with run_timelines_app(tmp_path, timelines_memory_mib=1) as service:
        long = {"name": "why", "points": 1, "description": "x" * 19_000}
        runs = [build_run_json(f"{n}", n % 60, deductions=[long]) for n in range(40)]
        service.add("one", *runs)
        service.add("two", *({**run, "run_id": f"two {run['run_id']}"} for run in runs))
        answers = [service.get("/v1/timelines") for _ in range(3)]
        assert len({answer.body for answer in answers}) == len({answer.headers["etag"] for answer in answers})
        assert len(answers[0].body) > 1024**2
        assert all("content-length" not in answer.headers for answer in answers)
        assert 0 < service.timelines.chunk_cache.size_bytes <= 1024**2
        zipped = service.get("/v1/timelines", accept_encoding="gzip")
        assert gzip.decompress(zipped.body) == answers[0].body
        assert service.get("/v1/timelines?limit=1").json()["profiles"]["two"]["entries"]


def test_the_newest_runs_are_cached_before_any_request(tmp_path: Path) -> None:
    with run_timelines_app(tmp_path) as service:
        service.add("one", build_run_json("a"))
        service.add("two", build_run_json("b"))
        assert service.timelines.chunk_cache.size_bytes == 0
        service.timelines.preload(Event())
        listing = service.get("/v1/timelines")
        assert "content-length" in listing.headers  # which is known where nothing is read first
        assert [len(profile["entries"]) for profile in listing.json()["profiles"].values()] == [1, 1]


def test_prefetching_leaves_room_and_stops_on_request(tmp_path: Path) -> None:
    with run_timelines_app(tmp_path, timelines_memory_mib=1) as service:
        long = {"name": "why", "points": 1, "description": "x" * 19_000}
        runs = [build_run_json(f"{n}", n % 60, deductions=[long]) for n in range(42)]
        service.add("one", build_run_json("short"))
        service.add("two", *runs)
        ended = Event()
        ended.set()
        service.timelines.preload(ended)
        assert service.timelines.chunk_cache.size_bytes == 0
        service.timelines.preload(Event())
        cached = [
            name
            for name, timeline in service.timelines.states.read().timelines.items()
            if service.timelines.chunk_cache.get(CacheKey("json", "own", name), timeline.version)
        ]
        assert cached == ["two"]  # from the end
