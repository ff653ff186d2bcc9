"""A job on its way: steps, silence, cancelling, failing, and a service that goes away."""

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from backend.jobs import job_store, transitions
from backend.jobs.model import CANCELLED, INTERNAL_ERROR, timeout_message
from dashboard.app_pages.research import session_state
from dashboard.client import connection
from dashboard.i18n import LANGUAGES, t
from tests.support.line import Line
from tests.support.pages import change_answer, html
from tests.support.research_app import Research
from tests.support.research_page import again, drawn, job_of, opened, pressed, submitted

pytestmark = pytest.mark.usefixtures("service")


def test_steps_are_shown_as_they_come(service: Research) -> None:
    app = submitted()
    assert service.count() == 1
    (job_id,) = service.start_all()
    now = datetime.now(UTC)
    transitions.begin_step(service.database, job_id, 0, "claims", now=now)
    transitions.finish_step(service.database, job_id, 0, {"claims": 2}, now=now)
    transitions.begin_step(service.database, job_id, 1, "search 1", now=now)
    live = drawn(again(app))
    assert t("research.said_running") in live
    assert t("research.step_claims") in live
    assert t("research.detail_claims", n="2") in live
    assert t("research.step_round", step=t("research.step_search"), n=1) in live
    assert t("research.step_at_work") in live
    service.finish(job_id)
    assert t("research.verdict_supported") in html(again(app))


def test_a_job_that_no_worker_takes_up_says_that_nothing_works_on_it(service: Research) -> None:
    app = submitted()
    service.move_back(seconds=90)
    assert "chainproof worker" in drawn(again(app))
    service.work()
    assert t("research.verdict_supported") in html(again(app))


@pytest.mark.usefixtures("service")
def test_a_worker_that_does_not_run_is_told_of_before_a_job_is_submitted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worker = {"state": "missing", "seen_at": None, "restarts": 0}
    change_answer(monkeypatch, "/markets/status", lambda status: {**status, "worker": worker})
    assert t("frame.worker_missing") in html(opened())


def test_a_running_job_of_which_nothing_is_heard_says_so(service: Research) -> None:
    app = submitted()
    service.start_all()
    service.move_back(minutes=3)
    assert t("research.said_quiet") in drawn(again(app))
    assert t("research.elapsed", span="3 min") in drawn(app)


def test_cancelling_ends_the_job_in_words_and_it_can_be_submitted_again(service: Research) -> None:
    app = submitted()
    first = job_of(app)
    pressed(app, "rs_cancel")
    assert t("research.failed_cancelled") in html(again(app))
    pressed(app, "rs_again")
    assert job_of(app) != first
    assert service.count() == 2


def test_cancelling_with_a_key_that_may_only_read_says_why(
    service: Research, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = job_of(submitted())
    monkeypatch.setenv("CHAINPROOF_API_KEY", service.read_key)
    connection.close_client()  # the next one is made with this key
    app = opened(job=job_id)
    pressed(app, "rs_cancel")
    assert t("research.error_key") in html(app)
    job = job_store.read(service.database, "sources", job_id)
    assert job is not None
    assert job.status == "pending"


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("said", "word", "values"),
    [
        (CANCELLED, "cancelled", {}),
        (timeout_message(120), "overdue", {"n": "120"}),
        (INTERNAL_ERROR, "fault", {}),
        ("The archive is out of reach.", "other", {}),
    ],
)
def test_a_failed_job_says_why_in_the_readers_language(
    service: Research, lang: Any, said: str, word: str, values: dict[str, str]
) -> None:
    job_id = job_of(submitted())
    service.start_all()
    assert transitions.fail(service.database, job_id, said, now=datetime.now(UTC))
    page = html(opened(job=job_id, lang=lang))
    assert t(f"research.failed_{word}", lang=lang, **values) in page
    assert (said in page) == (word in ("fault", "other") or lang == "en")


def test_a_service_that_goes_away_while_a_job_is_watched_keeps_what_is_known(
    service: Research, way: Line
) -> None:
    app = submitted()
    way.cut = True
    app.run()
    assert not app.exception
    assert t("frame.error_unreachable") in html(app)
    assert t("research.state_pending") in drawn(app)
    way.cut = False
    service.work()
    app.run()
    assert t("research.verdict_supported") in html(app)


def test_the_page_stops_asking_a_service_that_stays_away_until_it_is_told_to(
    service: Research, way: Line
) -> None:
    app = submitted()
    way.cut = True
    for _ in range(session_state.GIVE_UP_AFTER + 1):
        app.run()
    assert t("research.watch_stopped") in html(app)
    way.cut = False
    service.work()
    pressed(app, "rs_watch_again")
    assert t("research.verdict_supported") in html(app.run())


def test_a_job_is_asked_after_for_as_long_as_the_service_asks_for_pauses(
    service: Research, way: Line
) -> None:
    app = submitted()
    way.instead = httpx.Response(429, json={"detail": "Later."}, headers={"Retry-After": "0"})
    for _ in range(session_state.GIVE_UP_AFTER + 1):
        app.run()
    assert t("frame.error_limited") in html(app)
    assert t("research.watch_stopped") not in html(app)
    way.instead = None
    service.work()
    assert t("research.verdict_supported") in html(app.run())
