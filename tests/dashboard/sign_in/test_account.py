"""Pages show who is signed in, and disable what the account may not do, with the reason."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.client import connection
from dashboard.client.http import ApiClient
from dashboard.i18n import LANGUAGES, t
from dashboard.sign_in import service as service_module
from dashboard.sign_in.service import SignInService
from dashboard.sign_in.session import Session
from tests.support.dashboard.pages import html, open_page
from tests.support.dashboard.sign_in import Browser

Admit = Callable[[str], Session]
SUBMITS = ("rs_submit_statement", "rs_submit_text", "rs_submit_entities", "rs_example_first")


@pytest.fixture
def admit(
    browser: Browser, sign_in_service: SignInService, client: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> Admit:
    """Open pages as a signed-in person."""

    def as_person(username: str) -> Session:
        browser.sign_in(username=username)
        session = browser.session(sign_in_service)
        monkeypatch.setattr(service_module, "find_session", lambda: None if session.ended else session)
        monkeypatch.setattr(connection, "get_client", lambda: client)
        return session

    return as_person


def disabled(app: AppTest, *keys: str) -> list[bool]:
    return [bool(app.button(key=key).disabled) for key in keys]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_reader_cannot_submit_and_sees_the_reason(admit: Admit, lang: Any) -> None:
    admit("ben")
    app = open_page("research", lang=lang)
    assert disabled(app, *SUBMITS) == [True] * len(SUBMITS)
    assert html(app).count(t("sign_in.needs_write_submit", lang=lang)) == 3, "once in each form"
    assert t("sign_in.may_read", lang=lang) in html(app)
    assert t("research.submit_hint", lang=lang) not in html(app)


@pytest.mark.parametrize(("mode", "key"), [("article", "cr_store"), ("batch", "cr_batch_store")])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_reader_cannot_store_and_sees_the_reason(admit: Admit, mode: str, key: str, lang: Any) -> None:
    admit("ben")
    app = open_page("corrections", mode=mode, lang=lang)
    switch = app.toggle(key=key)
    assert (switch.disabled, switch.value) == (True, False)
    assert t("sign_in.needs_write_store", lang=lang) in html(app)


def test_a_reader_can_check_an_article(admit: Admit) -> None:
    admit("ben")
    app = open_page("corrections")
    app.text_area(key="cr_content").set_value("Etherium rises.")
    app.button(key="cr_check").click().run()
    assert t("corrections.not_stored_key") not in html(app)
    assert 'class="cp-error-title"' not in html(app)


def test_an_account_with_write_scope_can_store_and_submit(admit: Admit) -> None:
    admit("ada")
    app = open_page("research")
    assert disabled(app, *SUBMITS) == [False] * len(SUBMITS)
    assert t("sign_in.needs_write_submit") not in html(app)
    app = open_page("corrections")
    assert not app.toggle(key="cr_store").disabled
    assert t("sign_in.may_write") in html(app)


def test_the_settings_show_the_account_and_the_sign_out(admit: Admit) -> None:
    session = admit("ada")
    page = html(open_page("research"))
    assert t("sign_in.signed_in_as", name="ada") in page
    assert '<form method="post" action="/sign-out" target="_self">' in page
    assert f'value="{session.csrf}"' in page
    token = session.credential()["Authorization"].removeprefix("Bearer ")
    assert token not in page


def test_the_session_state_contains_no_token(admit: Admit) -> None:
    session = admit("ada")
    app = open_page("research")
    state_text = repr(app.session_state)
    assert session.credential()["Authorization"].removeprefix("Bearer ") not in state_text
    assert session.csrf not in state_text


def test_a_page_of_an_ended_session_shows_only_the_sign_in(admit: Admit) -> None:
    session = admit("ada")
    app = open_page("research")
    session.end()
    app.run()
    assert not app.exception
    assert t("sign_in.why_ended") in html(app)
    assert 'href="/sign-in?next=%2F&amp;why=ended"' in html(app)
    assert "<h1" not in html(app)
    assert len(app.button) == 0


def test_without_sign_in_no_account_is_shown(client: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "get_service", lambda: None)
    monkeypatch.setattr(connection, "get_client", lambda: client)
    app = open_page("research")
    assert t("sign_in.sign_out") not in html(app)
    assert disabled(app, *SUBMITS) == [False] * len(SUBMITS)
