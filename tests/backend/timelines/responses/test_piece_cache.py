"""The cache of the newest runs: contents, size and lifetime."""

import gzip
from pathlib import Path
from threading import Event

import pytest

from backend.timelines.responses.piece_cache import IDLE_SECONDS, CacheKey, JoinedEntries, PieceCache
from tests.support.timelines import build_run_json, run_timelines_app


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
    joined = JoinedEntries.of([b"{1}", b"{22}", b"{333}"])
    assert joined.body == b"{1},{22},{333}"
    assert [joined.newest(limit) for limit in (1, 2, 3, 9)] == [
        b"{333}",
        b"{22},{333}",
        joined.body,
        joined.body,
    ]
    assert JoinedEntries.of([]).newest(5) == b""


def test_only_the_requested_version_is_found(watch: Watch) -> None:
    piece_cache = PieceCache(10_000, watch)
    piece_cache.put(key("a"), 2, b"two")
    assert piece_cache.find(key("a"), 2) == b"two"
    assert (
        piece_cache.find(key("a"), 1)
        is piece_cache.find(key("a"), 3)
        is piece_cache.find(key("b"), 2)
        is None
    )
    piece_cache.put(key("a"), 1, b"one")  # by a reader who began before the change
    assert piece_cache.find(key("a"), 2) == b"two"
    size = piece_cache.size
    piece_cache.put(key("a"), 3, b"333")
    assert (piece_cache.find(key("a"), 3), piece_cache.size) == (b"333", size)


def test_recently_requested_entries_stay_and_others_are_evicted(watch: Watch) -> None:
    piece_cache = PieceCache(3_500, watch)
    for name in ("a", "b", "c", "d"):
        piece_cache.put(key(name), 1, bytes(600))
    assert piece_cache.size <= 3_500
    assert piece_cache.find(key("d"), 1) is None  # no room, and nobody is idle
    watch.at = IDLE_SECONDS - 1
    assert piece_cache.find(key("a"), 1) is not None
    watch.at = IDLE_SECONDS + 1
    piece_cache.put(key("d"), 1, bytes(600))
    assert [name for name in "abcd" if piece_cache.find(key(name), 1) is not None] == ["a", "c", "d"]


def test_an_entry_larger_than_the_budget_is_not_cached(watch: Watch) -> None:
    piece_cache = PieceCache(100, watch)
    piece_cache.put(key("a"), 1, b"x")
    assert (piece_cache.find(key("a"), 1), piece_cache.size) == (None, 0)


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
        assert 0 < service.timelines.piece_cache.size <= 1024**2
        zipped = service.get("/v1/timelines", accept_encoding="gzip")
        assert gzip.decompress(zipped.body) == answers[0].body
        assert service.get("/v1/timelines?limit=1").json()["profiles"]["two"]["entries"]


def test_the_newest_runs_are_cached_before_any_request(tmp_path: Path) -> None:
    with run_timelines_app(tmp_path) as service:
        service.add("one", build_run_json("a"))
        service.add("two", build_run_json("b"))
        assert service.timelines.piece_cache.size == 0
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
        assert service.timelines.piece_cache.size == 0
        service.timelines.preload(Event())
        cached = [
            name
            for name, timeline in service.timelines.states.read().timelines.items()
            if service.timelines.piece_cache.find(CacheKey("json", "own", name), timeline.version)
        ]
        assert cached == ["two"]  # from the end
