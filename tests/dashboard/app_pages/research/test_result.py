"""The result of a job: verdict, sources, marks, links and files."""

import json
import re
from typing import cast

import pytest

from backend.jobs import job_store
from dashboard.app_pages.research import sources
from dashboard.client.research import SourcesResult
from dashboard.i18n import t
from tests.support.apps.research_app import Research
from tests.support.dashboard.pages import html
from tests.support.dashboard.research_page import (
    ALTERED,
    NOBODY,
    TRUE,
    job_of,
    open_research,
    press_button,
    read_live_parts,
    read_message,
    rerun_page,
    submit_and_finish,
    submit_statement,
)

pytestmark = pytest.mark.usefixtures("service")


def test_the_result_shows_verdict_reason_and_official_source_first(service: Research) -> None:
    page = html(submit_and_finish(service))
    assert page.index("rs-verdict-title") < page.index("rs-source-head")
    assert re.search(r'aria-valuenow="[89]\d"', page)
    assert "Our record (sec.gov/" in page
    first = page[page.index('class="rs-source"') :]
    assert t("research.source_regulator") in first[: first.index("blockquote")]
    assert 'href="https://www.sec.gov/' in first
    assert t("research.valid_unknown") in first


def test_links_open_in_a_new_tab_without_access_to_this_one(service: Research) -> None:
    page = html(submit_and_finish(service))
    links = [link for part in page.split("<a ")[1:] if 'href="http' in (link := part.split(">")[0])]
    assert links
    assert all('target="_blank"' in link and "noopener" in link for link in links)


def test_differences_are_marked_in_the_statement_and_in_the_source(service: Research) -> None:
    page = html(submit_and_finish(service, ALTERED))
    assert page.count('class="rs-differs"') >= 2
    assert f'title="{t("research.sign_differs")}"' in page
    assert f'title="{t("research.sign_differs_here")}"' in page
    assert "15,537,393" in page


def test_entities_show_their_type_and_link_to_their_site(service: Research) -> None:
    page = html(submit_and_finish(service, ALTERED))
    assert 'href="https://ethereum.org"' in page
    assert "Ethereum · Asset · ethereum.org" in page


def test_texts_of_sources_and_of_the_reader_are_escaped(service: Research) -> None:
    evil = '<img src="https://evil.example/x.png"><script>alert(1)</script> Ethereum 2022.'
    page = html(submit_and_finish(service, evil))
    assert "&lt;script&gt;" in page
    assert "<script>" not in page
    assert "<img" not in page


def test_a_link_reopens_the_job_in_any_state(service: Research) -> None:
    job_id = job_of(submit_statement())
    assert t("research.said_waiting") in read_live_parts(open_research(job=job_id))
    service.work()
    page = open_research(job=job_id.upper())
    assert t("research.verdict_supported") in html(page)
    assert read_message(page, "focus")["turn"] == 0


def test_the_focus_moves_once_to_an_awaited_result(service: Research) -> None:
    app = submit_statement()
    assert read_message(app, "focus")["turn"] == 0
    service.work()
    assert read_message(rerun_page(app), "focus") == {"id": "rs-verdict", "turn": 1}
    assert read_message(rerun_page(app), "focus")["turn"] == 1


@pytest.mark.parametrize("link", [NOBODY, "nonsense", "../prices"])
def test_a_link_to_an_unknown_job_is_explained(link: str) -> None:
    app = open_research(job=link)
    assert t("research.job_unknown") in html(app)
    press_button(app, "empty-rs_job-action")
    assert "job" not in app.query_params


def test_the_whole_text_is_marked_if_this_session_submitted_it(service: Research) -> None:
    app = open_research()
    app.text_input(key="rs_title").set_value("The SEC sued Coinbase in June 2023")
    app.text_area(key="rs_content").set_value("Brian Armstrong said 比特币 ＆ イーサリアム fell.")
    press_button(app, "rs_submit_text")
    service.work()
    page = html(rerun_page(app))
    assert 'class="rs-text"' in page
    for name in ("Brian Armstrong · Person", "Bitcoin · Asset", "Ethereum · Asset", "Coinbase · Exchange"):
        assert name in page
    assert 'class="rs-text"' not in html(open_research(job=job_of(app)))


def test_entities_of_a_text_are_a_table_and_marks(service: Research) -> None:
    app = open_research()
    app.text_area(key="rs_text").set_value("BTC rose, says ビットコイン; the SEC and Binance disagree.")
    press_button(app, "rs_submit_entities")
    service.work()
    page = html(rerun_page(app))
    assert t("research.entities_found", n=3) in page
    assert page.count("Bitcoin · Asset") == 2
    assert 'href="https://x.com/' in page
    reopened = html(open_research(job=job_of(app)))
    assert t("research.entities_text_gone") in reopened
    assert "Binance" in reopened


def test_a_message_states_that_a_text_has_no_entities(service: Research) -> None:
    app = open_research()
    app.text_area(key="rs_text").set_value("Nothing of note.")
    press_button(app, "rs_submit_entities")
    service.work()
    assert t("research.entities_none") in html(rerun_page(app))


def test_the_copied_files_contain_the_verdict_and_the_job(service: Research) -> None:
    app = submit_and_finish(service)
    parts = [part.proto for part in app.get("bidi_component")]
    buttons = [part.json for part in parts if part.component_name == "chainproof.copy_button"]
    markdown, as_json = (json.loads(button)["text"] for button in buttons)
    assert markdown.startswith(f"# {TRUE}")
    assert t("research.verdict_supported") in markdown
    stored = job_store.read(service.database, "sources", job_of(app), owner=None)
    assert stored is not None
    assert json.loads(as_json)["result"] == stored.result


def test_addresses_with_one_passage_share_one_entry() -> None:
    first = {
        "url": "https://www.sec.gov/one",
        "title": "Approval",
        "summary": "The SEC approved it.",
        "content": "The SEC approved it.",
        "authority_score": 0.98,
        "relevance_score": 1.0,
        "source_type": "regulator",
        "published_at": "2024-01-10T00:00:00Z",
        "validated": None,
        "is_news_like": False,
    }
    result = {
        "statement": "The SEC approved it.",
        "primary_sources": [first, {**first, "url": "https://www.federalregister.gov/two"}],
        "truth_assessment": {"assessment": "supported", "reasoning": "", "truth_probability": 0.9},
    }
    page = sources.build_sources(cast(SourcesResult, result))
    assert page.count("<blockquote") == 1
    assert page.count('href="https://www.federalregister.gov/two"') == 1
    assert t("research.sources_also") in page
