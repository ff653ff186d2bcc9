"""A running job: steps, inactivity, cancellation, failure, and an unreachable service."""

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from backend.jobs import job_store, transitions
from backend.jobs.model import CANCELLED, INTERNAL_ERROR, timeout_message
from dashboard.app_pages.research import session_state
from dashboard.client import connection
from dashboard.i18n import LANGUAGES, t
from tests.support.apps.research_app import Research
from tests.support.dashboard.pages import change_answer, html
from tests.support.dashboard.research_page import (
    job_of,
    open_research,
    press_button,
    read_live_parts,
    rerun_page,
    submit_statement,
)
from tests.support.dashboard.transport import CuttableTransport

pytestmark = pytest.mark.usefixtures("service")


def test_steps_are_shown_as_they_start_and_finish(service: Research) -> None:
    app = submit_statement()
    assert service.count() == 1
    (job_id,) = service.start_all()
    now = datetime.now(UTC)
    transitions.begin_step(service.database, job_id, 0, "claims", now=now)
    transitions.finish_step(service.database, job_id, 0, {"claims": 2}, now=now)
    transitions.begin_step(service.database, job_id, 1, "search 1", now=now)
    live = read_live_parts(rerun_page(app))
    assert t("research.said_running") in live
    assert t("research.step_claims") in live
    assert t("research.detail_claims", n="2") in live
    assert t("research.step_round", step=t("research.step_search"), n=1) in live
    assert t("research.step_at_work") in live
    service.finish(job_id)
    assert t("research.verdict_supported") in html(rerun_page(app))


def test_a_job_without_a_worker_is_reported(service: Research) -> None:
    app = submit_statement()
    service.move_back(seconds=90)
    assert "chainproof worker" in read_live_parts(rerun_page(app))
    service.work()
    assert t("research.verdict_supported") in html(rerun_page(app))


@pytest.mark.usefixtures("service")
def test_a_missing_worker_is_reported_before_a_submission(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worker = {"state": "missing", "seen_at": None, "restarts": 0}
    change_answer(monkeypatch, "/markets/status", lambda status: {**status, "worker": worker})
    assert t("frame.worker_missing") in html(open_research())


def test_a_running_job_without_recent_steps_is_reported(service: Research) -> None:
    app = submit_statement()
    service.start_all()
    service.move_back(minutes=3)
    assert t("research.said_quiet") in read_live_parts(rerun_page(app))
    assert t("research.elapsed", span="3 min") in read_live_parts(app)


def test_a_cancelled_job_says_so_and_can_be_submitted_again(service: Research) -> None:
    app = submit_statement()
    first = job_of(app)
    press_button(app, "rs_cancel")
    assert t("research.failed_cancelled") in html(rerun_page(app))
    press_button(app, "rs_again")
    assert job_of(app) != first
    assert service.count() == 2


def test_cancelling_with_a_read_only_key_shows_the_reason(
    service: Research, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = job_of(submit_statement())
    monkeypatch.setenv("CHAINPROOF_API_KEY", service.read_key)
    connection.close_client()  # the next one is made with this key
    app = open_research(job=job_id)
    press_button(app, "rs_cancel")
    assert t("research.error_key") in html(app)
    job = job_store.read(service.database, "sources", job_id, owner=None)
    assert job is not None
    assert job.status == "pending"


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("message", "word", "values"),
    [
        (CANCELLED, "cancelled", {}),
        (timeout_message(120), "overdue", {"n": "120"}),
        (INTERNAL_ERROR, "fault", {}),
        ("The archive is out of reach.", "other", {}),
    ],
)
def test_a_failed_job_shows_the_reason_in_the_readers_language(
    service: Research, lang: Any, message: str, word: str, values: dict[str, str]
) -> None:
    job_id = job_of(submit_statement())
    service.start_all()
    assert transitions.fail(service.database, job_id, message, now=datetime.now(UTC))
    page = html(open_research(job=job_id, lang=lang))
    assert t(f"research.failed_{word}", lang=lang, **values) in page
    assert (message in page) == (word in ("fault", "other") or lang == "en")


def test_when_the_service_becomes_unreachable_the_known_progress_stays(
    service: Research, transport: CuttableTransport
) -> None:
    app = submit_statement()
    transport.is_cut = True
    app.run()
    assert not app.exception
    assert t("frame.error_unreachable") in html(app)
    assert t("research.state_pending") in read_live_parts(app)
    transport.is_cut = False
    service.work()
    app.run()
    assert t("research.verdict_supported") in html(app)


def test_the_page_stops_polling_an_unreachable_service_until_a_retry(
    service: Research, transport: CuttableTransport
) -> None:
    app = submit_statement()
    transport.is_cut = True
    for _ in range(session_state.MAX_FAILURES + 1):
        app.run()
    assert t("research.watch_stopped") in html(app)
    transport.is_cut = False
    service.work()
    press_button(app, "rs_watch_again")
    assert t("research.verdict_supported") in html(app.run())


def test_the_page_keeps_polling_a_busy_service(service: Research, transport: CuttableTransport) -> None:
    app = submit_statement()
    transport.response = httpx.Response(429, json={"detail": "Later."}, headers={"Retry-After": "0"})
    for _ in range(session_state.MAX_FAILURES + 1):
        app.run()
    assert t("frame.error_limited") in html(app)
    assert t("research.watch_stopped") not in html(app)
    transport.response = None
    service.work()
    assert t("research.verdict_supported") in html(app.run())
