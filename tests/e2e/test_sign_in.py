"""A person's visit to a dashboard at which people sign in: in by a deep link, a reader's limits, and out."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Browser, Page, expect

from backend.auth.oauth import accounts, apps
from backend.db import Database
from dashboard.i18n import t
from tests.support import running
from tests.support.reader import CHECK, DESKTOP, IDLE, RULES
from tests.support.waiting import LIMIT_MS

pytestmark = pytest.mark.browser
DEEP = "/rankings?coin=bitcoin"
PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def guarded_dashboard(running_service: running.Service) -> Iterator[str]:
    """Registered and with the reader ``ben``, as the command line would do it."""
    port, now = running.free_port(), datetime.now(UTC)
    database = Database(f"sqlite:///{running_service.home / 'chainproof.db'}")
    uri = f"http://127.0.0.1:{port}/sign-in/callback"
    app = apps.create(database, name="Chainproof dashboard", redirect_uris=[uri], now=now)
    accounts.create(database, username="ben", password=PASSWORD, scopes=["read"], now=now)
    database.dispose()
    settings = {
        "CHAINPROOF_DASHBOARD_SIGN_IN": "always",
        "CHAINPROOF_DASHBOARD_CLIENT_ID": app.client_id,
    }
    with running.dashboard(running_service, port=port, **settings) as url:
        yield url


def sign_in(page: Page) -> None:
    page.fill("[name=username]", "ben")
    page.fill("[name=password]", PASSWORD)
    page.click("[name=approve]")


def test_a_reader_signs_in_by_a_deep_link_cannot_store_and_sees_nothing_after_signing_out(
    browser: Browser, guarded_dashboard: str, running_service: running.Service, axe_source: str
) -> None:
    context = browser.new_context(locale="en-US", reduced_motion="reduce", **DESKTOP)
    context.set_default_timeout(LIMIT_MS)
    faults: list[str] = []
    context.on("weberror", lambda fault: faults.append(str(fault.error)))
    page = context.new_page()
    page.goto(guarded_dashboard + DEEP)
    expect(page).to_have_url(re.compile(re.escape(running_service.url) + "/oauth/authorize"))
    sign_in(page)
    expect(page).to_have_url(guarded_dashboard + DEEP)
    expect(page.locator(".st-key-rk_coin_head")).to_contain_text("Bitcoin")

    other = context.new_page()
    other.goto(f"{guarded_dashboard}/corrections")
    expect(other.locator(".cp-may-not")).to_have_text(re.compile(re.escape(t("sign_in.needs_write_store"))))
    expect(other.get_by_role("switch")).to_be_disabled()
    other.wait_for_selector(IDLE)

    page.get_by_role("button", name=t("frame.settings")).click()
    expect(page.locator(".cp-account")).to_contain_text(t("sign_in.signed_in_as", name="ben"))
    page.get_by_role("button", name=t("sign_in.sign_out")).click()
    expect(page.get_by_text(t("sign_in.why_signed_out"))).to_be_visible()
    page.evaluate(axe_source)
    assert page.evaluate(CHECK, RULES) == []

    expect(other).to_have_url(f"{guarded_dashboard}/sign-in?why=ended&next=%2Fcorrections")
    other.get_by_role("link").click()
    expect(other).to_have_url(re.compile("/oauth/authorize"))
    for address in (DEEP, "/", "/corrections"):
        page.goto(guarded_dashboard + address)
        expect(page.locator("[name=password]")).to_be_visible()
    assert not [cookie for cookie in context.cookies() if "session" in str(cookie.get("name"))]
    assert faults == []
    context.close()
