"""Reading of research jobs: states, steps, failures, request bodies and history."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.app_pages.research import jobs
from dashboard.app_pages.research.jobs import Draft

NOW = datetime(2026, 5, 18, 12, tzinfo=UTC)


def at(seconds: float) -> str:
    """Formats the time ``seconds`` ago as on the wire."""
    return (NOW - timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")


def job(status: str = "pending", created: float = 0, started: float | None = None) -> dict[str, Any]:
    return {
        "status": status,
        "created_at": at(created),
        "started_at": None if started is None else at(started),
        "completed_at": None,
    }


def step(name: str, started: float, finished: float | None = None, **detail: Any) -> dict[str, Any]:
    end = None if finished is None else at(finished)
    return {"name": name, "started_at": at(started), "finished_at": end, "detail": detail}


def test_a_job_without_a_worker_differs_from_a_new_one() -> None:
    assert jobs.find_state(job(created=1), [], NOW) == "waiting"
    assert jobs.find_state(job(created=jobs.UNATTENDED_SECONDS), [], NOW) == "unattended"
    assert jobs.find_state(job(created=-5), [], NOW) == "waiting"


def test_a_running_job_is_quiet_after_a_long_time_without_a_step() -> None:
    running = job("running", created=100, started=90)
    assert jobs.find_state(running, [], NOW) == "quiet"
    assert jobs.find_state(running, [step("claims", 89, 3)], NOW) == "running"
    assert jobs.find_state(running, [step("claims", 89, 60), step("weigh 1", 59)], NOW) == "quiet"


@pytest.mark.parametrize("status", ["completed", "failed"])
def test_an_ended_job_keeps_its_status_as_state(status: str) -> None:
    assert jobs.find_state(job(status, created=10_000), [], NOW) == status


def test_the_duration_of_a_job_ends_with_it_and_is_never_negative() -> None:
    assert jobs.compute_duration_seconds({**job(created=10), "completed_at": at(4)}, NOW) == 6
    assert jobs.compute_duration_seconds(job(created=10), NOW) == 10
    assert jobs.compute_duration_seconds(job(created=-10), NOW) == 0


def test_a_step_has_a_code_and_a_round() -> None:
    lines = jobs.build_step_lines([step("claims", 3, 2, claims=1), step("weigh 12", 1)], NOW)
    assert [(line.code, line.round, line.done) for line in lines] == [
        ("claims", 0, True),
        ("weigh", 12, False),
    ]
    assert lines[0].seconds == pytest.approx(1)
    assert lines[1].seconds == pytest.approx(1)
    assert lines[0].detail == {"claims": 1}


@pytest.mark.parametrize("name", ["dance", "weigh about", "weigh x1", "claims 1 2"])
def test_an_unknown_step_keeps_its_name(name: str) -> None:
    (line,) = jobs.build_step_lines([step(name, 1)], NOW)
    assert (line.code, line.round) == (name, 0)


@pytest.mark.parametrize(
    ("message", "word", "values"),
    [
        ("The job was cancelled.", "cancelled", {}),
        ("The job did not end within 120 seconds and was stopped.", "overdue", {"n": "120"}),
        ("Something went wrong on our side while the job ran. Please submit it again.", "fault", {}),
        ("The disk is full.", "other", {}),
        (None, "other", {}),
    ],
)
def test_failure_messages_are_parsed(message: str | None, word: str, values: dict[str, str]) -> None:
    assert jobs.parse_failure(message) == (word, values)


def test_failure_messages_match_those_of_the_service() -> None:
    from backend.jobs import model

    assert jobs.parse_failure(model.CANCELLED)[0] == "cancelled"
    assert jobs.parse_failure(model.INTERNAL_ERROR)[0] == "fault"
    assert jobs.parse_failure(model.timeout_message(2.5)) == ("overdue", {"n": "2.5"})


def test_each_mode_submits_only_its_own_fields() -> None:
    draft = Draft("statement", "s", "t", "c", "e", " https://a.example \nhttps://b.example", 5)
    urls = ["https://a.example", "https://b.example"]
    assert jobs.build_request_body(draft) == {"statement": "s", "source_urls": urls, "max_results": 5}
    text = Draft("text", "s", "", "c", "e")
    assert jobs.build_request_body(text) == {"content": "c", "source_urls": [], "max_results": 10}
    assert jobs.build_request_body(Draft("entities", text="e\r\n")) == {"text": "e\r\n"}
    assert [jobs.find_job_kind(Draft(mode)) for mode in ("statement", "text", "entities")] == [
        "sources",
        "sources",
        "extraction",
    ]


def test_a_draft_is_blank_if_the_fields_of_its_mode_are() -> None:
    assert Draft("statement", " \n", "title").is_blank
    assert not Draft("text", "", "title").is_blank
    assert Draft("entities", "statement").is_blank


def test_jobs_of_both_kinds_are_listed_newest_first_with_titles_on_one_line() -> None:
    def entry(name: str, ago: float) -> dict[str, Any]:
        return {"id": name, "status": "pending", "title": f" {name}\n x ", "created_at": at(ago)}

    listed = jobs.merge_history([entry("a", 3), entry("b", 1)], [entry("c", 2)])
    assert [(entry_line.id, entry_line.kind, entry_line.title) for entry_line in listed] == [
        ("b", "sources", "b x"),
        ("c", "extraction", "c x"),
        ("a", "sources", "a x"),
    ]


@given(st.floats(0, 1) | st.decimals(0, 1, places=4))
def test_the_meter_bar_spans_from_one_half_to_the_probability(probability: float | Decimal) -> None:
    begin, length = jobs.compute_meter_bar(probability)
    percent = float(probability) * 100
    assert 0 <= begin <= 50
    assert begin + length == pytest.approx(max(percent, 50))
    assert min(percent, 50) == pytest.approx(begin)


def test_only_valid_domains_and_accounts_are_used() -> None:
    assert jobs.find_site_url(['"><script>', "sec.gov"]) == "https://sec.gov"
    assert jobs.find_site_url(["localhost"]) is None
    assert jobs.find_x_account(["not an account!", "@SECGov"]) == "SECGov"
    assert jobs.find_x_account([]) is None


def test_a_job_id_is_a_uuid_in_any_case() -> None:
    assert jobs.is_job_id("0B1D4C3E-8f5a-4d7e-8f9a-0b1c4f7c2a9e")
    assert not jobs.is_job_id("0b1d4c3e-8f5a-4d7e-8f9a-0b1c4f7c2a9e\n")
    assert not jobs.is_job_id("../prices")
