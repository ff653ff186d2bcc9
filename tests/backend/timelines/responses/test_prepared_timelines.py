"""Whole small responses: they are sent without the application, and are right after any change."""

import gzip
from pathlib import Path

import orjson
import pytest

from backend.settings import Settings
from backend.timelines.model import Profile
from backend.timelines.service import TimelineService
from tests.support.runs.timeline_app import TimelinesApp, build_run_json, run_timelines_app

ARROW = "application/vnd.apache.arrow.stream"
PATHS = ("/v1/timelines", "/v1/timelines?limit=1", "/v1/timelines/one", "/v1/timelines?case_id=none")


def is_held(service: TimelinesApp, path: str) -> bool:
    plain, _, query = path.partition("?")
    return service.timelines.prepared.find(plain, query.encode()) is not None


@pytest.mark.parametrize("path", PATHS)
def test_a_small_response_is_held_and_sent_unchanged(sqlite_service: TimelinesApp, path: str) -> None:
    sqlite_service.add("one", *(build_run_json(f"{n}", n) for n in range(5)))
    first = sqlite_service.get(path)
    assert is_held(sqlite_service, path)
    again = sqlite_service.get(path)
    assert again.body == first.body
    assert [pair for pair in again.raw_headers if pair[0] != b"x-request-id"] == [
        pair for pair in first.raw_headers if pair[0] != b"x-request-id"
    ]
    assert sqlite_service.get(path, if_none_match=first.headers["etag"]).status == 304


def test_a_change_of_another_process_is_visible_at_once(sqlite_service: TimelinesApp) -> None:
    settings: Settings = sqlite_service.running.inner.state.settings
    other_service = TimelineService(settings, sqlite_service.database)
    assert sqlite_service.ids("/v1/timelines/one") == []
    other_service.add("one", orjson.dumps(build_run_json()))
    assert sqlite_service.ids("/v1/timelines/one") == ["a"]
    sqlite_service.configure(three=Profile())
    assert list(sqlite_service.json("/v1/timelines")["profiles"]) == ["one", "three", "two"]


def test_columns_are_sent_to_clients_that_prefer_them(sqlite_service: TimelinesApp) -> None:
    sqlite_service.add("one", build_run_json())
    for _ in range(2):
        assert sqlite_service.get("/v1/timelines").headers["content-type"] == "application/json"
        for accept in (ARROW, f"{ARROW}, */*"):
            assert sqlite_service.get("/v1/timelines", accept=accept).headers["content-type"] == ARROW


def test_a_held_response_needs_a_key_that_may_read(sqlite_service: TimelinesApp) -> None:
    sqlite_service.get("/v1/timelines")
    assert is_held(sqlite_service, "/v1/timelines")
    assert sqlite_service.get("/v1/timelines", key="ingest").status == 403


@pytest.mark.parametrize("runs", [0, 1, 2, 30])
@pytest.mark.parametrize("profiles", [0, 40])
def test_no_compressed_response_is_larger_than_the_plain_one(
    sqlite_service: TimelinesApp, runs: int, profiles: int
) -> None:
    sqlite_service.configure(**{f"p{n}": Profile() for n in range(profiles)})
    if runs:
        sqlite_service.add("one", *(build_run_json(f"{n}", n) for n in range(runs)))
    for path in PATHS:
        plain, packed = (sqlite_service.get(path, accept_encoding=name) for name in ("identity", "gzip"))
        assert len(packed.body) <= len(plain.body)
        if packed.headers.get("content-encoding") == "gzip":
            assert gzip.decompress(packed.body) == plain.body


def test_long_runs_are_streamed_and_the_memory_is_bounded(tmp_path: Path) -> None:
    with run_timelines_app(tmp_path, timelines_memory_mib=1) as service:
        long = {"name": "why", "points": 1, "description": "x" * 19_000}
        service.add("one", *(build_run_json(f"{n}", n, deductions=[long]) for n in range(12)))
        assert len(service.get("/v1/timelines").body) > 200_000
        assert not is_held(service, "/v1/timelines")
        for limit in range(1, 7):
            service.get(f"/v1/timelines?limit={limit}")
        held = [limit for limit in range(1, 7) if is_held(service, f"/v1/timelines?limit={limit}")]
        assert held == [6]
