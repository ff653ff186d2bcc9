"""Research jobs as they are read: their state from outside, their steps, and what is submitted."""

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
    """So many seconds ago, as the wire has it."""
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


def test_a_job_that_nobody_takes_up_is_told_from_one_that_has_just_come() -> None:
    assert jobs.state_of(job(created=1), [], NOW) == "waiting"
    assert jobs.state_of(job(created=jobs.UNATTENDED_SECONDS), [], NOW) == "unattended"
    assert jobs.state_of(job(created=-5), [], NOW) == "waiting"


def test_a_running_job_is_quiet_once_no_step_has_been_heard_of_for_long() -> None:
    running = job("running", created=100, started=90)
    assert jobs.state_of(running, [], NOW) == "quiet"
    assert jobs.state_of(running, [step("claims", 89, 3)], NOW) == "running"
    assert jobs.state_of(running, [step("claims", 89, 60), step("weigh 1", 59)], NOW) == "quiet"


@pytest.mark.parametrize("status", ["completed", "failed"])
def test_what_has_ended_is_never_waited_for(status: str) -> None:
    assert jobs.state_of(job(status, created=10_000), [], NOW) == status


def test_a_job_lasts_until_its_end_and_never_less_than_nothing() -> None:
    assert jobs.lasted({**job(created=10), "completed_at": at(4)}, NOW) == 6
    assert jobs.lasted(job(created=10), NOW) == 10
    assert jobs.lasted(job(created=-10), NOW) == 0


def test_steps_are_named_by_what_they_do_and_their_round() -> None:
    lines = jobs.step_lines([step("claims", 3, 2, claims=1), step("weigh 12", 1)], NOW)
    assert [(line.code, line.turn, line.done) for line in lines] == [
        ("claims", 0, True),
        ("weigh", 12, False),
    ]
    assert lines[0].seconds == pytest.approx(1)
    assert lines[1].seconds == pytest.approx(1)
    assert lines[0].detail == {"claims": 1}


@pytest.mark.parametrize("name", ["dance", "weigh about", "weigh x1", "claims 1 2"])
def test_a_step_of_another_version_keeps_its_name(name: str) -> None:
    (line,) = jobs.step_lines([step(name, 1)], NOW)
    assert (line.code, line.turn) == (name, 0)


@pytest.mark.parametrize(
    ("said", "word", "values"),
    [
        ("The job was cancelled.", "cancelled", {}),
        ("The job did not end within 120 seconds and was stopped.", "overdue", {"n": "120"}),
        ("Something went wrong on our side while the job ran. Please submit it again.", "fault", {}),
        ("The disk is full.", "other", {}),
        (None, "other", {}),
    ],
)
def test_the_services_sentences_are_known_again(said: str | None, word: str, values: dict[str, str]) -> None:
    assert jobs.failure(said) == (word, values)


def test_the_services_sentences_are_those_that_it_says() -> None:
    from backend.jobs import model

    assert jobs.failure(model.CANCELLED)[0] == "cancelled"
    assert jobs.failure(model.INTERNAL_ERROR)[0] == "fault"
    assert jobs.failure(model.timeout_message(2.5)) == ("overdue", {"n": "2.5"})


def test_each_mode_submits_what_its_boxes_hold_and_nothing_else() -> None:
    draft = Draft("statement", "s", "t", "c", "e", " https://a.example \nhttps://b.example", 5)
    urls = ["https://a.example", "https://b.example"]
    assert jobs.body_of(draft) == {"statement": "s", "source_urls": urls, "max_results": 5}
    text = Draft("text", "s", "", "c", "e")
    assert jobs.body_of(text) == {"content": "c", "source_urls": [], "max_results": 10}
    assert jobs.body_of(Draft("entities", text="e\r\n")) == {"text": "e\r\n"}
    assert [jobs.kind_of(Draft(mode)) for mode in ("statement", "text", "entities")] == [
        "sources",
        "sources",
        "extraction",
    ]


def test_blank_is_what_says_nothing_in_its_own_mode() -> None:
    assert Draft("statement", " \n", "title").is_blank
    assert not Draft("text", "", "title").is_blank
    assert Draft("entities", "statement").is_blank


def test_jobs_of_both_kinds_are_listed_newest_first_on_one_line() -> None:
    def entry(name: str, ago: float) -> dict[str, Any]:
        return {"id": name, "status": "pending", "title": f" {name}\n x ", "created_at": at(ago)}

    listed = jobs.entries([entry("a", 3), entry("b", 1)], [entry("c", 2)])
    assert [(one.id, one.kind, one.title) for one in listed] == [
        ("b", "sources", "b x"),
        ("c", "extraction", "c x"),
        ("a", "sources", "a x"),
    ]


@given(st.floats(0, 1) | st.decimals(0, 1, places=4))
def test_the_meter_reaches_from_one_half_to_the_probability(probability: float | Decimal) -> None:
    begin, length = jobs.verdict_span(probability)
    percent = float(probability) * 100
    assert 0 <= begin <= 50
    assert begin + length == pytest.approx(max(percent, 50))
    assert min(percent, 50) == pytest.approx(begin)


def test_sites_and_accounts_are_those_that_are_ones() -> None:
    assert jobs.site(['"><script>', "sec.gov"]) == "https://sec.gov"
    assert jobs.site(["localhost"]) is None
    assert jobs.x_account(["not an account!", "@SECGov"]) == "SECGov"
    assert jobs.x_account([]) is None


def test_a_links_id_is_a_uuid_in_any_case() -> None:
    assert jobs.is_job_id("0B1D4C3E-8f5a-4d7e-8f9a-0b1c4f7c2a9e")
    assert not jobs.is_job_id("0b1d4c3e-8f5a-4d7e-8f9a-0b1c4f7c2a9e\n")
    assert not jobs.is_job_id("../prices")
