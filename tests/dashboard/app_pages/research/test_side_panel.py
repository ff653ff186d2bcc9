"""The side panel: job history and recently seen entities."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from backend.extraction.tables import entity_sightings
from backend.jobs import job_store
from dashboard.client import connection
from dashboard.i18n import t
from tests.support.apps.research_app import Research
from tests.support.dashboard.pages import html
from tests.support.dashboard.research_page import (
    ALTERED,
    TRUE,
    job_of,
    open_research,
    press_button,
    read_live_parts,
    submit_and_finish,
    submit_statement,
)

pytestmark = pytest.mark.usefixtures("service")


def test_the_history_lists_both_kinds_and_a_click_opens_a_job(service: Research) -> None:
    first = job_of(submit_statement())
    other_page = open_research()
    other_page.text_area(key="rs_text").set_value("Binance")
    press_button(other_page, "rs_submit_entities")
    service.work()
    live = read_live_parts(open_research())
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
    app = open_research()
    assert "job number 09" in read_live_parts(app)
    assert "job number 10" not in read_live_parts(app)
    press_button(app, "rs_history_more")
    assert "job number 13" in read_live_parts(app)


def test_recently_seen_entities_are_counted_within_the_period(service: Research) -> None:
    submit_and_finish(service, ALTERED)
    page = html(open_research())
    assert 'class="rs-table"' in page
    assert "Ethereum" in page
    with service.database.write() as database:
        old = datetime.now(UTC) - timedelta(days=3)
        database.execute(sa.update(entity_sightings).values(seen_at=old))
    connection.close_client()
    assert t("research.seen_empty") in html(open_research())
    assert 'class="rs-table"' in html(open_research(seen="7d"))
