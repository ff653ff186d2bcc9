"""Runs that programs send: added, known already, or refused together."""

from typing import Any

import pytest

from backend.timelines.model import Profile
from tests.support.http.asgi import send
from tests.support.http.problems import assert_problem
from tests.support.runs.timeline_app import TimelinesApp, build_run_json


def test_one_run_and_an_array_are_added_and_seen_at_once(service: TimelinesApp) -> None:
    answer = service.post("one", build_run_json("a"))
    assert (answer.status, answer.json()) == (201, {"added": 1, "known": 0})
    answer = service.post("one", [build_run_json("b", 1), build_run_json("c", 2)])
    assert (answer.status, answer.json()) == (201, {"added": 2, "known": 0})
    assert service.ids("/v1/timelines/one") == ["a", "b", "c"]
    assert service.post("one", []).json() == {"added": 0, "known": 0}


def test_a_known_run_keeps_its_first_content(service: TimelinesApp) -> None:
    service.add("one", build_run_json("a"))
    tag = service.get("/v1/timelines").headers["etag"]
    repeated = [build_run_json("a", 7, case_id="other"), build_run_json("b", 1), build_run_json("b", 2)]
    assert service.post("one", repeated).json() == {"added": 1, "known": 2}
    assert service.post("two", repeated).json() == {"added": 0, "known": 3}
    entries = service.json("/v1/timelines/one")["entries"]
    assert [(entry["run_id"], entry["case_id"]) for entry in entries] == [("a", "a case"), ("b", "a case")]
    assert entries[1]["timestamp"] == "2026-03-01T10:01:00Z"
    assert service.ids("/v1/timelines/two") == []
    changed = service.get("/v1/timelines").headers["etag"]
    assert changed != tag
    service.post("one", repeated)
    assert service.get("/v1/timelines").headers["etag"] == changed


WRONG: list[tuple[str, Any]] = [
    ("total_score", 1),
    ("total_score", None),
    ("total_score", "8.5"),
    ("total_score", True),
    ("normalized_score", 85),
    ("max_score", 0),
    ("run_id", ""),
    ("run_id", "x" * 501),
    ("run_id", 7),
    ("case_id", "a\0"),
    ("profile", "two"),
    ("success", "yes"),
    ("timestamp", "today"),
    ("timestamp", 1_772_000_000),
    ("finished_at", "2026-01-01T00:00:00Z"),
    ("metrics", {"read_file_calls": 1.5}),
    ("metrics", {"calls": 1}),
    ("deductions", [{"name": "a", "points": -1}]),
    ("bonuses", {"name": "a", "points": 1}),
    ("model_name", "a"),
]


@pytest.mark.parametrize(("field", "value"), WRONG)
def test_a_wrong_run_refuses_its_array_by_index_and_field(
    refusing: TimelinesApp, field: str, value: Any
) -> None:
    body = [build_run_json("a"), {**build_run_json("b"), field: value}, build_run_json("c")]
    problem = assert_problem(refusing.post("one", body), 400, "invalid_request")
    assert problem["errors"][0]["loc"][:3] == ["body", 1, field]
    assert "Nothing was added" in problem["detail"]
    assert refusing.ids("/v1/timelines/one") == []
    problem = assert_problem(refusing.post("one", body[1]), 400, "invalid_request")
    assert problem["errors"][0]["loc"][:2] == ["body", field]


def test_shape_and_content_errors_are_reported_together(refusing: TimelinesApp) -> None:
    body = [build_run_json(total_score=0), build_run_json(success=1), 7, {}]
    problem = assert_problem(refusing.post("one", body), 400, "invalid_request")
    assert [fault["loc"] for fault in problem["errors"]] == [
        ["body", 0, "total_score"],
        ["body", 0, "normalized_score"],
        ["body", 1, "success"],
        ["body", 2],
        ["body", 3, "run_id"],
    ]
    many = refusing.post("one", [7] * 300).json()
    assert len(many["errors"]) == 100
    assert "99 more in errors, which are not all." in many["detail"]


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (b"", "missing"),
        (b" ", "missing"),
        (b"{", "json_invalid"),
        (b"7", "type"),
        (b"null", "type"),
        (b'[{"run_id": "\\ud800"}]', "json_invalid"),
        (b'[{"run_id": "\xff"}]', "json_encoding"),
        (b"\xef\xbb\xbf[]", "json_invalid"),
        (b'[{"total_score": 12345678901234567890123}]', "int_too_large"),
        (b'[{"total_score": NaN}]', "json_invalid"),
        (b"[" * 5000, "json_invalid"),
    ],
)
def test_a_body_that_is_no_json_of_runs_is_refused(refusing: TimelinesApp, raw: bytes, kind: str) -> None:
    problem = assert_problem(refusing.post("one", None, raw=raw), 400, "invalid_request")
    assert [fault["type"] for fault in problem["errors"]] == [kind]


def test_json_numbers_are_accepted_in_every_notation(sqlite_service: TimelinesApp) -> None:
    digits = "0.12345678901234567890123"
    run = build_run_json(
        total_score=1, raw_score=1, max_score=1, normalized_score=1, deductions=[], bonuses=[]
    )
    run["metrics"] = {"read_write_ratio": 0, "pre_write_read_coverage": 1}
    sqlite_service.add("one", run)
    raw = b'{"run_id":"b","timestamp":"2026-03-01T11:00:00Z","case_id":"c","success":true,"total_score":%s,'
    raw += b'"raw_score":%s,"max_score":1e0,"normalized_score":0.12}'
    assert sqlite_service.post("one", None, raw=raw % (digits.encode(), digits.encode())).status == 201
    first, second = sqlite_service.json("/v1/timelines/one")["entries"]
    assert (first["total_score"], second["total_score"]) == (1, float(digits))


def test_checks_run_in_the_order_credential_scope_type_profile(
    refusing: TimelinesApp,
) -> None:
    assert_problem(refusing.post("one", [], key="read"), 403, "insufficient_scope")
    assert_problem(refusing.post("nobody", [build_run_json()]), 404, "not_found")
    headers = {"CP-X-API-KEY": refusing.keys["ingest"], "Content-Type": "text/plain", "Content-Length": "2"}
    path = "/v1/timelines/nobody/entries"
    answer = send(refusing.running.app, path, method="POST", headers=headers, body=[b"[]"])
    assert (answer.status, answer.reads) == (415, 0)
    long = b"[" + b" " * 9 * 1024 * 1024 + b"]"
    assert_problem(refusing.post("one", None, raw=long), 413, "payload_too_large")


def test_a_profile_with_any_name_accepts_runs(service: TimelinesApp) -> None:
    names = {"a/b/entries": "a%2Fb%2Fentries", "50%": "50%25", "漢 字?#": "%E6%BC%A2%20%E5%AD%97%3F%23"}
    service.configure(**dict.fromkeys(names, Profile()))
    for number, (name, path) in enumerate(names.items()):
        service.add(path, build_run_json(f"run {number}"))
        found = service.json(f"/v1/timelines/{path}")
        assert (found["profile"], found["entries"][0]["run_id"]) == (name, f"run {number}")
        assert found["entries"][0]["profile"] == name
    assert set(service.json("/v1/timelines")["profiles"]) == {"one", "two", *names}
