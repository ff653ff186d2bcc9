"""The Research page over the real service: languages, states, refusals, and a service that goes away."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import orjson
import pytest
import sqlalchemy as sa
import streamlit as st
from streamlit.testing.v1 import AppTest

from backend.extraction.tables import entity_sightings
from backend.jobs import ledger, transitions
from backend.jobs.model import CANCELLED, FAULT, overdue_sentence
from backend.jobs.tables import job_steps, jobs, submissions
from dashboard.client import api
from dashboard.client import research as research_client
from dashboard.client.http import ApiClient
from dashboard.i18n import LANGUAGES, t
from dashboard.services.research import Draft
from dashboard.views import research_bench
from tests.support import pages
from tests.support.line import Line
from tests.support.pages import html
from tests.support.research_app import Research, research_app

TRUE = "The SEC approved spot bitcoin exchange-traded products on 10 January 2024."
ALTERED = "Ethereum moved to proof of stake on 15 September 2021."
NOBODY = "11111111-1111-4111-8111-111111111111"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Research]:
    with research_app(tmp_path_factory.mktemp("home")) as research:
        yield research


@pytest.fixture(autouse=True)
def service(served: Research, monkeypatch: pytest.MonkeyPatch) -> Research:
    """With no jobs in it, and asked anew each time."""
    monkeypatch.setattr(research_client, "FRESH_SECONDS", 0.0)
    monkeypatch.setenv("CHAINPROOF_BASE_URL", served.url)
    monkeypatch.setenv("CHAINPROOF_API_KEY", served.key)
    with served.database.write() as connection:
        for table in (job_steps, submissions, entity_sightings, jobs):
            connection.execute(sa.delete(table))
    return served


@pytest.fixture
def way(service: Research, monkeypatch: pytest.MonkeyPatch) -> Line:
    """The way to the service, which the test may cut; nothing that came over it is kept."""
    line = Line()
    client = ApiClient(service.url, lambda: service.key, transport=line, lifetime=0)
    monkeypatch.setattr(api, "client", lambda: client)
    return line


def opened(**query: str) -> AppTest:
    return pages.opened("research", **query)


def submitted(statement: str = TRUE, **query: str) -> AppTest:
    app = opened(**query)
    app.text_area(key="rs_statement").set_value(statement)
    return pressed(app, "rs_submit_statement")


def pressed(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run()
    assert not app.exception
    return app


def again(app: AppTest) -> AppTest:
    """As the page asks by itself."""
    app.run()
    assert not app.exception
    return app


def drawn(app: AppTest) -> str:
    """What the page's live parts hold, as JSON text."""
    parts = [part.proto for part in app.get("bidi_component")]
    return "\n".join(
        json.dumps(json.loads(part.json), ensure_ascii=False)
        for part in parts
        if part.component_name == "chainproof.live_view"
    )


def sent(app: AppTest, name: str) -> Any:
    """What the page sent to a component; null when it is not there."""
    found = [
        part.proto for part in app.get("bidi_component") if part.proto.component_name == f"chainproof.{name}"
    ]
    if not found:
        return None
    return orjson.loads(found[0].bytes or found[0].json)


def job_of(app: AppTest) -> str:
    found = app.query_params["job"]
    return found if isinstance(found, str) else str(found[0])


# --- the boxes


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_opens_in_every_language_with_examples_to_try(lang: Any) -> None:
    app = opened(lang=lang)
    assert html(app).count("<h1") == 1
    assert t("research.title", lang=lang) in html(app)
    assert t("research.history_empty", lang=lang) in html(app)
    assert t("research.seen_empty", lang=lang) in html(app)
    labels = [button.label for button in app.button]
    assert [t(f"research.example_{name}", lang=lang) for name in ("first", "second", "third")] == [
        label for label in labels if label.endswith((".", "。"))
    ]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("example", "word"), [("first", "supported"), ("second", "contradicted"), ("third", "unverified")]
)
def test_each_example_comes_to_its_verdict_in_the_readers_language(
    service: Research, lang: Any, example: str, word: str
) -> None:
    app = pressed(opened(lang=lang), f"rs_example_{example}")
    assert app.text_area(key="rs_statement").value == t(f"research.example_{example}", lang=lang)
    assert t("research.said_waiting", lang=lang) in drawn(app)
    service.work()
    page = html(again(app))
    assert t(f"research.verdict_{word}", lang=lang) in page
    assert t(f"research.word_{word}", lang=lang) in page
    assert f'class="rs-verdict rs-{word}"' in page
    assert 'role="meter"' in page


def test_nothing_to_look_up_says_so_and_submits_nothing(service: Research) -> None:
    app = submitted(" \n ")
    assert t("research.nothing") in html(app)
    assert service.count() == 0
    assert "job" not in app.query_params


def test_a_statement_that_is_too_long_is_told_with_its_length_and_stays(service: Research) -> None:
    app = submitted("x" * 10_001)
    assert t("research.too_long", n="10,001", most="10,000") in html(app)
    assert len(app.text_area(key="rs_statement").value or "") == 10_001
    assert service.count() == 0


def test_an_address_that_is_none_is_told_with_its_place() -> None:
    app = opened()
    app.text_area(key="rs_statement").set_value(TRUE)
    app.text_area(key="rs_urls_statement").set_value("https://sec.gov\nnonsense")
    page = html(pressed(app, "rs_submit_statement"))
    assert t("research.error_refused") in page
    assert "source_urls" in page


def test_what_is_typed_never_stands_in_the_address() -> None:
    app = submitted("Secret words of mine.")
    assert "ecret" not in str(app.query_params)


def test_a_key_that_may_only_read_is_told_why_nothing_was_submitted(
    service: Research, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINPROOF_API_KEY", service.read_key)
    app = submitted()
    assert t("research.error_key") in html(app)
    assert t("research.not_submitted") in html(app)
    assert app.text_area(key="rs_statement").value == TRUE
    assert service.count() == 0


def test_when_the_service_is_away_the_text_stays_and_is_submitted_once_later(
    service: Research, way: Line
) -> None:
    app = opened()
    way.cut = True
    app.text_area(key="rs_statement").set_value(TRUE)
    pressed(app, "rs_submit_statement")
    assert t("frame.error_unreachable") in html(app)
    assert app.text_area(key="rs_statement").value == TRUE
    way.cut = False
    pressed(app, "rs_submit_statement")
    assert service.count() == 1
    assert t("research.said_waiting") in drawn(app)


def test_a_submission_whose_answer_was_lost_is_the_same_job_when_sent_again(
    service: Research, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st, "query_params", {})
    draft = Draft("statement", TRUE)
    with pytest.MonkeyPatch.context() as patch:

        def lost(*arguments: Any, **more: Any) -> Any:
            real(*arguments, **more)
            raise httpx.ReadTimeout("late")

        real = api.client().post
        patch.setattr(api.client(), "post", lost)
        research_bench.submit(draft)
    assert research_bench.bench().problem is not None
    research_bench.submit(draft)
    assert research_bench.bench().problem is None
    assert service.count() == 1
    research_bench.submit(draft)
    assert service.count() == 2


# --- a job on its way


def test_steps_are_shown_as_they_come(service: Research) -> None:
    app = submitted()
    assert service.count() == 1
    (job_id,) = service.take_up()
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
    service.age(seconds=90)
    assert "chainproof worker" in drawn(again(app))
    service.work()
    assert t("research.verdict_supported") in html(again(app))


def test_a_running_job_of_which_nothing_is_heard_says_so(service: Research) -> None:
    app = submitted()
    service.take_up()
    service.age(minutes=3)
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
    app = opened(job=job_id)
    pressed(app, "rs_cancel")
    assert t("research.error_key") in html(app)
    job = ledger.read(service.database, "sources", job_id)
    assert job is not None
    assert job.status == "pending"


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("said", "word", "values"),
    [
        (CANCELLED, "cancelled", {}),
        (overdue_sentence(120), "overdue", {"n": "120"}),
        (FAULT, "fault", {}),
        ("The archive is out of reach.", "other", {}),
    ],
)
def test_a_failed_job_says_why_in_the_readers_language(
    service: Research, lang: Any, said: str, word: str, values: dict[str, str]
) -> None:
    job_id = job_of(submitted())
    service.take_up()
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
    for _ in range(research_bench.GIVE_UP_AFTER + 1):
        app.run()
    assert t("research.watch_stopped") in html(app)
    way.cut = False
    service.work()
    pressed(app, "rs_watch_again")
    assert t("research.verdict_supported") in html(app.run())


# --- the result


def finished(service: Research, statement: str = TRUE, **query: str) -> AppTest:
    app = submitted(statement, **query)
    service.work()
    return again(app)


def test_the_result_tells_verdict_reason_and_official_source_first(service: Research) -> None:
    page = html(finished(service))
    assert page.index("rs-verdict-said") < page.index("rs-source-head")
    assert 'aria-valuenow="89"' in page
    assert "agrees with U.S. Securities and Exchange Commission" in page
    first = page[page.index('class="rs-source"') :]
    assert t("research.source_regulator") in first[: first.index("blockquote")]
    assert 'href="https://www.sec.gov/' in first
    assert t("research.valid_unknown") in first


def test_links_open_in_another_tab_that_knows_nothing_of_this_one(service: Research) -> None:
    page = html(finished(service))
    links = [part.split(">")[0] for part in page.split("<a ")[1:]]
    assert links
    assert all('target="_blank"' in link and "noopener" in link for link in links)


def test_what_differs_is_marked_in_the_statement_and_at_the_source(service: Research) -> None:
    page = html(finished(service, ALTERED))
    assert page.count('class="rs-differs"') >= 2
    assert f'title="{t("research.sign_differs")}"' in page
    assert f'title="{t("research.sign_differs_here")}"' in page
    assert "15,537,393" in page


def test_entities_are_linked_to_their_own_sites_with_their_type(service: Research) -> None:
    page = html(finished(service, ALTERED))
    assert 'href="https://ethereum.org"' in page
    assert "Ethereum · Asset · ethereum.org" in page


def test_texts_of_sources_and_of_the_reader_are_never_markup(service: Research) -> None:
    evil = '<img src="https://evil.example/x.png"><script>alert(1)</script> Ethereum 2022.'
    page = html(finished(service, evil))
    assert "&lt;script&gt;" in page
    assert "<script>" not in page
    assert "<img" not in page


def test_a_link_reopens_the_job_in_any_state_for_whoever_has_it(service: Research) -> None:
    job_id = job_of(submitted())
    assert t("research.said_waiting") in drawn(opened(job=job_id))
    service.work()
    page = opened(job=job_id.upper())
    assert t("research.verdict_supported") in html(page)
    assert sent(page, "focus")["turn"] == 0


def test_the_focus_goes_to_a_result_that_was_awaited_and_once(service: Research) -> None:
    app = submitted()
    assert sent(app, "focus")["turn"] == 0
    service.work()
    assert sent(again(app), "focus") == {"id": "rs-verdict", "turn": 1}
    assert sent(again(app), "focus")["turn"] == 1


@pytest.mark.parametrize("link", [NOBODY, "nonsense", "../prices"])
def test_a_link_to_no_job_says_so_in_a_sentence(link: str) -> None:
    app = opened(job=link)
    assert t("research.job_unknown") in html(app)
    pressed(app, "empty-rs_job-action")
    assert "job" not in app.query_params


def test_the_whole_text_is_marked_where_this_session_sent_it(service: Research) -> None:
    app = opened()
    app.text_input(key="rs_title").set_value("The SEC sued Coinbase in June 2023")
    app.text_area(key="rs_content").set_value("Brian Armstrong said 比特币 ＆ イーサリアム fell.")
    pressed(app, "rs_submit_text")
    service.work()
    page = html(again(app))
    assert 'class="rs-text"' in page
    for name in ("Brian Armstrong · Person", "Bitcoin · Asset", "Ethereum · Asset", "Coinbase · Exchange"):
        assert name in page
    assert 'class="rs-text"' not in html(opened(job=job_of(app)))


def test_entities_of_a_text_are_a_table_and_marks(service: Research) -> None:
    app = opened()
    app.text_area(key="rs_text").set_value("BTC rose, says ビットコイン; the SEC and Binance disagree.")
    pressed(app, "rs_submit_entities")
    service.work()
    page = html(again(app))
    assert t("research.entities_found", n=3) in page
    assert page.count("Bitcoin · Asset") == 2
    assert 'href="https://x.com/' in page
    reopened = html(opened(job=job_of(app)))
    assert t("research.entities_text_gone") in reopened
    assert "Binance" in reopened


def test_a_text_without_entities_says_so(service: Research) -> None:
    app = opened()
    app.text_area(key="rs_text").set_value("Nothing of note.")
    pressed(app, "rs_submit_entities")
    service.work()
    assert t("research.entities_none") in html(again(app))


def test_what_is_copied_is_the_verdict_and_the_job_as_it_came(service: Research) -> None:
    app = finished(service)
    bar = sent(app, "copy_bar")
    link, markdown, as_json = (text for _, text in bar["entries"])
    assert link is None
    assert markdown.startswith(f"# {TRUE}")
    assert t("research.verdict_supported") in markdown
    stored = ledger.read(service.database, "sources", job_of(app))
    assert stored is not None
    assert json.loads(as_json)["result"] == stored.result


# --- beside it


def test_the_history_holds_both_kinds_and_a_click_opens_one(service: Research) -> None:
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


def test_older_jobs_are_shown_when_they_are_asked_for(service: Research) -> None:
    now = datetime.now(UTC)
    for n in range(14):
        ledger.submit(
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


def test_entities_seen_lately_are_counted_within_the_period(service: Research) -> None:
    finished(service, ALTERED)
    page = html(opened())
    assert 'class="rs-table"' in page
    assert "Ethereum" in page
    with service.database.write() as connection:
        old = datetime.now(UTC) - timedelta(days=3)
        connection.execute(sa.update(entity_sightings).values(seen_at=old))
    api.forget()
    assert t("research.seen_empty") in html(opened())
    assert 'class="rs-table"' in html(opened(seen="7d"))
