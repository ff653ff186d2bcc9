"""The side panel: job history and recently seen entities."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from backend.extraction.tables import entity_sightings
from backend.jobs import job_store
from dashboard.client import connection
from dashboard.i18n import t
from tests.support.pages import html
from tests.support.research_app import Research
from tests.support.research_page import ALTERED, TRUE, drawn, finished, job_of, opened, pressed, submitted

pytestmark = pytest.mark.usefixtures("service")


def test_the_history_lists_both_kinds_and_a_click_opens_a_job(service: Research) -> None:
    first = job_of(submitted())
    other = opened()
    other.text_area(key="rs_text").set_value("Binance")
    pressed(other, "rs_submit_entities")
    service.work()
    live = drawn(opened())
    assert live.index("Binance") < live.index(TRUE[:20])
    assert f"/research?job={first}" in live
    assert t("research.kind_extraction") in live
    assert t("research.state_completed") in live


def test_a_button_shows_older_jobs(service: Research) -> None:
    now = datetime.now(UTC)
    for n in range(14):
        job_store.submit(
            service.database,
            "sources",
            {"statement": "x"},
            title=f"job number {n:02}",
            submitted_by="k",
            idempotency_key=None,
            now=now - timedelta(minutes=n),
        )
    app = opened()
    assert "job number 09" in drawn(app)
    assert "job number 10" not in drawn(app)
    pressed(app, "rs_history_more")
    assert "job number 13" in drawn(app)


def test_recently_seen_entities_are_counted_within_the_period(service: Research) -> None:
    finished(service, ALTERED)
    page = html(opened())
    assert 'class="rs-table"' in page
    assert "Ethereum" in page
    with service.database.write() as database:
        old = datetime.now(UTC) - timedelta(days=3)
        database.execute(sa.update(entity_sightings).values(seen_at=old))
    connection.close_client()
    assert t("research.seen_empty") in html(opened())
    assert 'class="rs-table"' in html(opened(seen="7d"))
