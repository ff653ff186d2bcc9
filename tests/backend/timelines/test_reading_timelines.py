"""Timelines as they are answered."""

import gzip
from typing import Any

import orjson
import pyarrow as pa
import pytest

from backend.timelines.columns.arrow_schema import SCHEMA
from backend.timelines.model import Profile
from backend.timelines.selection import Selection
from backend.timelines.service import Representation, TimelineService
from tests.support.http.asgi import send
from tests.support.http.problems import assert_problem
from tests.support.runs.timeline_app import TimelinesApp, build_run_json

ARROW = "application/vnd.apache.arrow.stream"


def test_every_profile_is_listed_with_its_configuration(service: TimelinesApp) -> None:
    service.add("two", build_run_json())
    profiles = service.json("/v1/timelines")["profiles"]
    assert list(profiles) == ["one", "two"]
    assert profiles["one"] == {
        "provider": "an agent",
        "model": "m-1",
        "model_vendor": "a vendor",
        "inference_provider": "a cloud",
        "entries": [],
    }
    assert [entry["run_id"] for entry in profiles["two"]["entries"]] == ["a"]
    assert service.json("/v1/timelines/two") == {"profile": "two", **profiles["two"]}


def test_entries_are_ordered_by_time_and_then_by_id(service: TimelinesApp) -> None:
    half = build_run_json("half", timestamp="2026-03-01T10:00:00.5Z")
    other_zone = build_run_json("zone", timestamp="2026-03-01T09:30:00-01:00")
    ties = [build_run_json(run_id, 0) for run_id in ("b", "B", "é", "a")]
    service.add("one", half, other_zone, *ties)
    assert service.ids("/v1/timelines/one") == ["B", "a", "b", "é", "half", "zone"]
    assert service.ids("/v1/timelines/one?limit=2") == ["half", "zone"]
    assert service.ids("/v1/timelines/one?limit=3&case_id=a%20case") == ["é", "half", "zone"]


def test_runs_of_several_models_form_one_timeline(service: TimelinesApp) -> None:
    service.add(
        "one",
        build_run_json("b", 1),
        build_run_json("a", 2, model="new"),
        build_run_json("c", 0, model="new"),
    )
    assert service.ids("/v1/timelines/one") == ["c", "b", "a"]
    assert service.ids("/v1/timelines/one?limit=2") == ["b", "a"]


def test_filters_compare_with_the_models_of_each_run(service: TimelinesApp) -> None:
    service.add(
        "one",
        build_run_json("plain", 0),
        build_run_json("model", 1, model="own"),
        build_run_json("vendor", 2, model_vendor="own"),
        build_run_json("cloud", 3, inference_provider="own", case_id="other"),
    )
    expected = {
        "model=m-1": ["plain", "vendor", "cloud"],
        "model=own": ["model"],
        "model=OWN": [],
        "model=own%20": [],
        "model_vendor=own": ["vendor"],
        "inference_provider=own": ["cloud"],
        "inference_provider=a%20cloud&model=m-1": ["plain", "vendor"],
        "case_id=other": ["cloud"],
        "case_id=other&model=own": [],
        "model=": ["plain", "model", "vendor", "cloud"],
        "case_id=&nonsense=1": ["plain", "model", "vendor", "cloud"],
        "case_id=%00": [],
        "model=%00": [],
    }
    for query, ids in expected.items():
        assert service.ids(f"/v1/timelines/one?{query}") == ids, query
        listed = service.json(f"/v1/timelines?{query}")["profiles"]
        assert [entry["run_id"] for entry in listed["one"]["entries"]] == ids, query
        assert listed["two"]["entries"] == []


def test_runs_keep_the_model_that_their_profile_had(service: TimelinesApp) -> None:
    service.configure(bare=Profile())
    service.add("bare", build_run_json("unknown", 0))
    service.add("one", build_run_json("before", 0))
    service.configure(one=Profile(model="m-9"), bare=Profile(model="m-9"))
    service.add("one", build_run_json("after", 1))
    assert service.json("/v1/timelines/one")["model"] == "m-9"
    assert service.ids("/v1/timelines/one?model=m-1") == ["before"]
    assert service.ids("/v1/timelines/one?model=m-9") == ["after"]
    assert service.ids("/v1/timelines/bare?model=m-9") == ["unknown"]


def test_no_limit_and_one_beyond_the_maximum_mean_the_maximum(sqlite_service: TimelinesApp) -> None:
    service = sqlite_service
    service.add(
        "one", *(build_run_json(f"{n:04}", timestamp=f"2026-03-01T10:00:00.{n:06}Z") for n in range(1030))
    )
    newest = [f"{n:04}" for n in range(6, 1030)]
    large = (2**63 - 1, 2**63, 10**30, "9" * 5_000)
    for query in ("", "?limit=0", "?limit=1024", "?limit=1025", "?limit=-0", *(f"?limit={n}" for n in large)):
        assert service.ids(f"/v1/timelines/one{query}") == newest, query
    assert service.ids("/v1/timelines/one?limit=3") == newest[-3:]
    assert service.ids(f"/v1/timelines/one?limit={'7':0>40}") == newest[-7:]
    assert service.ids("/v1/timelines/one?case_id=a%20case") == newest


@pytest.mark.parametrize("limit", ["-1", "1.5", "1.0", "ten", "", "%205", "1_000", "1e3", "９", f"-{2**63}"])
@pytest.mark.parametrize("path", ["/v1/timelines", "/v1/timelines/one"])
def test_a_limit_that_is_negative_or_no_whole_number_is_refused(
    refusing: TimelinesApp, path: str, limit: str
) -> None:
    encoded_limit = "%EF%BC%99" if limit == "９" else limit
    problem = assert_problem(refusing.get(f"{path}?limit={encoded_limit}"), 400, "invalid_request")
    assert [fault["loc"] for fault in problem["errors"]] == [["query", "limit"]]


def test_unknown_profiles_are_404_and_a_key_is_required(refusing: TimelinesApp) -> None:
    for path in ("/v1/timelines/nobody", "/v1/timelines/", "/v1/timelines/one/entries", "/v1/runs/a"):
        assert_problem(refusing.get(path), 404, "not_found")
        assert_problem(send(refusing.running.app, path), 401, "unauthorized")
    wrong = send(refusing.running.app, "/v1/timelines/one", method="DELETE")
    assert (wrong.status, wrong.headers["allow"]) == (405, "GET, HEAD")


def bodies(service: TimelinesApp, path: str, **headers: str) -> list[Any]:
    """Read from the store, and then as it stands ready, where the length is declared."""
    answers = [service.get(path, **headers) for _ in range(2)]
    length = answers[1].headers.get("content-length")
    assert length is None or int(length) == len(answers[1].body)
    assert answers[0].headers["etag"] == answers[1].headers["etag"]
    return [answer.body for answer in answers]


def test_the_compressed_response_is_one_gzip_member_with_the_same_bytes(service: TimelinesApp) -> None:
    service.add("one", *(build_run_json(f"{n}", n) for n in range(30)))
    service.add("two", build_run_json("last"))
    for path in ("/v1/timelines", "/v1/timelines?limit=2", "/v1/timelines/one", "/v1/timelines?model=none"):
        plain, plain_again = bodies(service, path)
        assert plain == plain_again
        answer = service.get(path, accept_encoding="gzip")
        zipped = answer.headers.get("content-encoding") == "gzip"
        assert (gzip.decompress(answer.body) if zipped else answer.body) == plain, path
    length = service.get("/v1/timelines", accept_encoding="gzip").headers["content-length"]
    assert int(length) < len(service.get("/v1/timelines").body) / 3
    refused = service.get("/v1/timelines", accept_encoding="gzip;q=0")
    assert "content-encoding" not in refused.headers


def test_each_representation_has_its_own_etag_until_a_change(service: TimelinesApp) -> None:
    for profile in ("one", "two"):
        service.add(profile, *(build_run_json(f"{profile} {n}", n) for n in range(4)))
    forms: list[dict[str, str]] = [{}, {"accept_encoding": "gzip"}, {"accept": ARROW}]
    paths = ("/v1/timelines", "/v1/timelines?limit=3", "/v1/timelines/one", "/v1/timelines/two")
    tags = {(path, str(form)): service.get(path, **form).headers["etag"] for path in paths for form in forms}
    assert len(set(tags.values())) == len(tags)
    for (path, form), tag in tags.items():
        headers = next(accept_headers for accept_headers in forms if str(accept_headers) == form)
        answer = service.get(path, if_none_match=tag, **headers)
        assert (answer.status, answer.body, answer.headers["etag"]) == (304, b"", tag)
        assert "Accept" in answer.headers["vary"]
    service.add("one", build_run_json("b", 9))
    for path in ("/v1/timelines", "/v1/timelines/one"):
        assert service.get(path, if_none_match=tags[path, "{}"]).status == 200
    assert service.get("/v1/timelines/two", if_none_match=tags["/v1/timelines/two", "{}"]).status == 304


def test_a_head_response_equals_get_without_a_body(sqlite_service: TimelinesApp) -> None:
    service = sqlite_service
    service.add("one", build_run_json())
    get_answer = [service.get("/v1/timelines") for _ in range(2)][1]
    key = {"CP-X-API-KEY": service.keys["read"]}
    head = send(service.running.app, "/v1/timelines", method="HEAD", headers=key)
    assert (head.status, head.body) == (200, b"")
    for name in ("etag", "content-length", "content-type", "vary", "cache-control"):
        assert head.headers[name] == get_answer.headers[name]


def test_the_arrow_columns_equal_the_entries(service: TimelinesApp) -> None:
    service.add(
        "one",
        build_run_json("a", 0, finished_at="2026-03-01T10:00:01.5Z", metrics={"read_file_calls": 3}),
        build_run_json(
            "b",
            1,
            model="own",
            cost_usd=0.25,
            machinery_failure=True,
            deductions=[],
            bonuses=[],
            raw_score=8.5,
        ),
    )
    service.add("two", build_run_json("c", 0, deductions=[{"name": "late", "points": 1}]))
    for body in bodies(service, "/v1/timelines", accept=ARROW):
        table = pa.ipc.open_stream(body).read_all()
        assert table.schema.equals(SCHEMA)
        rows = table.combine_chunks().to_pylist()
        assert [(row["profile"], row["run_id"], row["model"]) for row in rows] == [
            ("one", "a", "m-1"),
            ("one", "b", "own"),
            ("two", "c", "m-2"),
        ]
        assert rows[0]["finished_at"].isoformat() == "2026-03-01T10:00:01.500000+00:00"
        assert (rows[0]["read_file_calls"], rows[0]["write_file_calls"]) == (3, None)
        assert rows[0]["deductions"] == [{"name": "slow", "points": 1.0}]
        assert (rows[1]["deductions"], rows[1]["cost_usd"], rows[1]["machinery_failure"]) == ([], 0.25, True)
        assert (rows[2]["deductions"][0]["name"], rows[2]["inference_provider"]) == ("late", None)
    filtered = service.get("/v1/timelines/one?model=own&limit=1", accept=ARROW)
    assert pa.ipc.open_stream(filtered.body).read_all()["run_id"].to_pylist() == ["b"]
    for path in ("/v1/timelines?model=none", "/v1/timelines/one?case_id=none"):
        assert pa.ipc.open_stream(service.get(path, accept=ARROW).body).read_all().num_rows == 0


def test_a_run_has_the_fields_that_its_entry_lacks(service: TimelinesApp) -> None:
    service.add(
        "one", build_run_json("a/b c", cost_usd=0.5, agent="an agent", error="no", machinery_failure=False)
    )
    service.add("one", build_run_json("plain", 1, model="own"))
    (entry, _) = service.json("/v1/timelines/one")["entries"]
    assert service.json("/v1/runs/a%2Fb%20c") == {
        **entry,
        "provider": "an agent",
        "model": "m-1",
        "model_vendor": "a vendor",
        "inference_provider": "a cloud",
        "cost_usd": 0.5,
        "agent": "an agent",
        "error": "no",
        "machinery_failure": False,
        **dict.fromkeys(("evaluation_id", "suite", "revision", "config_digest")),
    }
    assert_problem(service.get("/v1/runs/a%00"), 404, "not_found")
    assert_problem(service.get("/v1/timelines/a%00"), 404, "not_found")
    plain = service.json("/v1/runs/plain")
    assert (plain["model"], plain["cost_usd"], plain["machinery_failure"]) == ("own", None, None)


def test_a_response_matches_its_etag_during_writes(service: TimelinesApp) -> None:
    service.add("one", build_run_json("a"))
    found = service.timelines.listing(Selection(), Representation("json", gzip=False))
    service.add("one", build_run_json("b", 1))
    body = found.body()
    assert body.chunks is None
    (chunk, _) = body.make(body.queries)
    assert b'"run_id":"a"' in chunk
    assert b'"run_id":"b"' not in chunk
    assert service.ids("/v1/timelines/one") == ["a", "b"]


def test_changes_of_another_process_are_visible_at_once(service: TimelinesApp) -> None:
    settings = service.running.inner.state.settings
    other_service = TimelineService(settings, service.database)
    assert list(other_service.states.read().timelines) == ["one", "two"]
    before = service.get("/v1/timelines/one")
    assert other_service.add("one", orjson.dumps(build_run_json())) == (1, 0)
    after = service.get("/v1/timelines/one", if_none_match=before.headers["etag"])
    assert [entry["run_id"] for entry in after.json()["entries"]] == ["a"]
    service.configure(three=Profile())
    assert list(other_service.states.read().timelines) == ["one", "three", "two"]
    both = [
        timeline_service.listing(Selection(), Representation("json", gzip=False)).tag
        for timeline_service in (other_service, service.timelines)
    ]
    assert both[0] == both[1]
