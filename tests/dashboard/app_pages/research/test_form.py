"""The forms of the Research page: languages, rejections, and an unreachable service."""

from typing import Any

import httpx
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dashboard.app_pages.research import session_state
from dashboard.app_pages.research.jobs import Draft
from dashboard.client import connection
from dashboard.i18n import LANGUAGES, t
from tests.support.apps.research_app import Research
from tests.support.dashboard.pages import html
from tests.support.dashboard.research_page import (
    TRUE,
    open_research,
    press_button,
    read_live_parts,
    rerun_page,
    submit_statement,
)
from tests.support.dashboard.transport import CuttableTransport

pytestmark = pytest.mark.usefixtures("service")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_offers_examples_in_every_language(lang: Any) -> None:
    app = open_research(lang=lang)
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
def test_each_example_gets_its_verdict_in_the_readers_language(
    service: Research, lang: Any, example: str, word: str
) -> None:
    app = press_button(open_research(lang=lang), f"rs_example_{example}")
    assert app.text_area(key="rs_statement").value == t(f"research.example_{example}", lang=lang)
    assert t("research.said_waiting", lang=lang) in read_live_parts(app)
    service.work()
    page = html(rerun_page(app))
    assert t(f"research.verdict_{word}", lang=lang) in page
    assert f'class="rs-verdict rs-{word}"' in page
    # Where nothing is known, a bar would look like a finding.
    is_known = word != "unverified"
    assert ('role="meter"' in page) == is_known
    assert (t(f"research.word_{word}", lang=lang) in page) == is_known


class QueryParams(dict[str, str]):
    """The part of ``st.query_params`` that pages use."""

    def to_dict(self) -> dict[str, str]:
        return dict(self)

    def from_dict(self, params: dict[str, str]) -> None:
        self.clear()
        self.update(params)


def test_a_shown_job_folds_the_form_and_the_reader_can_open_it_again() -> None:
    app = open_research()
    assert is_form_open(app)
    app.text_area(key="rs_statement").set_value(TRUE)
    press_button(app, "rs_submit_statement")
    assert not is_form_open(app)
    app.session_state[find_expander_key(app)] = True  # the reader opens it
    assert is_form_open(rerun_page(app)), "until another job is shown"
    press_button(app, "rs_submit_statement")
    assert not is_form_open(app)


def test_a_rejected_draft_opens_the_form_which_says_why() -> None:
    app = submit_statement()
    assert not is_form_open(app)
    app.text_area(key="rs_statement").set_value(" ")
    press_button(app, "rs_submit_statement")
    assert is_form_open(app)
    assert t("research.nothing") in html(app)


def find_expander_key(app: AppTest) -> str:
    return session_state.get_form_expander_key("".join(app.query_params.get("job", [])))


def is_form_open(app: AppTest) -> bool:
    is_open: bool = app.session_state[find_expander_key(app)]
    panel = next(part for part in app.expander if part.label == t("research.new_search"))
    assert panel.proto.expanded == is_open
    return is_open


def test_a_blank_statement_is_rejected_without_a_submission(service: Research) -> None:
    app = submit_statement(" \n ")
    assert t("research.nothing") in html(app)
    assert service.count() == 0
    assert "job" not in app.query_params


def test_a_statement_that_is_too_long_is_rejected_with_its_length_and_kept(service: Research) -> None:
    app = submit_statement("x" * 10_001)
    assert t("research.too_long", n="10,001", most="10,000") in html(app)
    assert len(app.text_area(key="rs_statement").value or "") == 10_001
    assert service.count() == 0


def test_an_invalid_url_is_reported_with_its_field() -> None:
    app = open_research()
    app.text_area(key="rs_statement").set_value(TRUE)
    app.text_area(key="rs_urls_statement").set_value("https://sec.gov\nnonsense")
    page = html(press_button(app, "rs_submit_statement"))
    assert t("research.error_refused") in page
    assert "source_urls" in page


def test_typed_text_never_appears_in_the_url() -> None:
    app = submit_statement("Secret words of mine.")
    assert "ecret" not in str(app.query_params)


def test_a_link_fills_in_a_statement_without_submitting_it(service: Research) -> None:
    app = open_research(statement=f" {TRUE} ")
    assert app.text_area(key="rs_statement").value == TRUE
    assert "statement" not in app.query_params
    assert service.count() == 0


def test_a_read_only_key_gets_a_reason_for_the_rejection(
    service: Research, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINPROOF_API_KEY", service.read_key)
    app = submit_statement()
    assert t("research.error_key") in html(app)
    assert t("research.not_submitted") in html(app)
    assert app.text_area(key="rs_statement").value == TRUE
    assert service.count() == 0


def test_when_the_service_is_unreachable_the_text_is_kept_and_submitted_once_later(
    service: Research, transport: CuttableTransport
) -> None:
    app = open_research()
    transport.is_cut = True
    app.text_area(key="rs_statement").set_value(TRUE)
    press_button(app, "rs_submit_statement")
    assert t("frame.error_unreachable") in html(app)
    assert app.text_area(key="rs_statement").value == TRUE
    transport.is_cut = False
    press_button(app, "rs_submit_statement")
    assert service.count() == 1
    assert t("research.said_waiting") in read_live_parts(app)


def test_a_submission_repeated_after_a_lost_response_is_the_same_job(
    service: Research, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st, "query_params", QueryParams())
    draft = Draft("statement", TRUE)
    with pytest.MonkeyPatch.context() as patch:

        def send_and_time_out(*arguments: Any, **more: Any) -> Any:
            real(*arguments, **more)
            raise httpx.ReadTimeout("late")

        real = connection.get_client().post
        patch.setattr(connection.get_client(), "post", send_and_time_out)
        session_state.submit(draft)
    assert session_state.page_state().response_problem is not None
    session_state.submit(draft)
    assert session_state.page_state().response_problem is None
    assert service.count() == 1
    session_state.submit(draft)
    assert service.count() == 2
