"""A visit to a dashboard with sign-in: deep link, read-only limits, restart, sign-out."""

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Browser, Page, expect

from backend.auth.oauth import accounts, apps
from backend.store.database import Database
from dashboard.i18n import t
from tests.support.dashboard.reader import CHECK, DESKTOP, IDLE, RULES
from tests.support.processes import running
from tests.support.waiting import LIMIT_MS, LIMIT_SECONDS

pytestmark = pytest.mark.browser
DEEP = "/rankings?coin=bitcoin"
PASSWORD = "correct horse battery"


@dataclass
class Dashboard:
    url: str
    environment: dict[str, str]
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "backend.cli", "dashboard"], env=self.environment, stdin=subprocess.DEVNULL
        )
        running.wait_for(
            lambda: running.is_answering(f"{self.url}/_stcore/health"), "A dashboard that answers"
        )

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait(LIMIT_SECONDS)


@pytest.fixture(scope="module")
def guarded_dashboard(running_service: running.Service) -> Iterator[Dashboard]:
    """Registered at the service, with the reader ``ben``, as by the command line."""
    port, now = running.free_port(), datetime.now(UTC)
    database = Database(f"sqlite:///{running_service.home / 'chainproof.db'}")
    uri = f"http://127.0.0.1:{port}/sign-in/callback"
    app = apps.create(database, name="Chainproof dashboard", redirect_uris=[uri], first_party=True, now=now)
    accounts.create(database, username="ben", password=PASSWORD, scopes=["read"], now=now)
    database.dispose()
    environment = running.environment(
        running_service.home,
        CHAINPROOF_BASE_URL=running_service.url,
        CHAINPROOF_DASHBOARD_PORT=str(port),
        CHAINPROOF_DASHBOARD_SIGN_IN="always",
        CHAINPROOF_DASHBOARD_CLIENT_ID=app.client_id,
    )
    dashboard = Dashboard(f"http://127.0.0.1:{port}", environment)
    dashboard.start()
    yield dashboard
    dashboard.kill()


def sign_in(page: Page) -> None:
    page.fill("[name=username]", "ben")
    page.fill("[name=password]", PASSWORD)
    page.click("[name=approve]")


def test_a_reader_signs_in_cannot_store_returns_after_a_restart_and_signs_out(
    browser: Browser, guarded_dashboard: Dashboard, running_service: running.Service, axe_source: str
) -> None:
    url = guarded_dashboard.url
    context = browser.new_context(locale="en-US", reduced_motion="reduce", **DESKTOP)
    context.set_default_timeout(LIMIT_MS)
    faults: list[str] = []
    context.on("weberror", lambda fault: faults.append(str(fault.error)))
    page = context.new_page()
    page.goto(url + DEEP)
    expect(page).to_have_url(re.compile(re.escape(running_service.url) + "/oauth/authorize"))
    sign_in(page)
    expect(page).to_have_url(url + DEEP)
    expect(page.locator(".st-key-rk_coin_head")).to_contain_text("Bitcoin")

    other_page = context.new_page()
    other_page.goto(f"{url}/corrections")
    expect(other_page.locator(".cp-may-not")).to_have_text(
        re.compile(re.escape(t("sign_in.needs_write_store")))
    )
    expect(other_page.get_by_role("switch")).to_be_disabled()
    other_page.wait_for_selector(IDLE)

    sent_requests: list[str] = []
    context.on(
        "request", lambda request: sent_requests.append(f"{request.method} {request.url.partition('?')[0]}")
    )
    for opened_page in (page, other_page):
        opened_page.evaluate("window.beforeRestart = true")
    guarded_dashboard.kill()
    guarded_dashboard.start()
    for opened_page, address in ((page, DEEP), (other_page, "/corrections")):
        # A function: a bare expression is evaluated anew at each frame, which the policy refuses.
        opened_page.wait_for_function("() => !window.beforeRestart")
        expect(opened_page).to_have_url(url + address)
        opened_page.wait_for_selector(IDLE)
    expect(page.locator(".st-key-rk_coin_head")).to_contain_text("Bitcoin")
    authorize = f"{running_service.url}/oauth/authorize"
    assert f"GET {authorize}" in sent_requests
    assert f"POST {authorize}" not in sent_requests, "nobody typed a password"

    page.get_by_role("button", name=t("frame.settings")).click()
    expect(page.locator(".cp-account")).to_contain_text(t("sign_in.signed_in_as", name="ben"))
    page.get_by_role("button", name=t("sign_in.sign_out")).click()
    expect(page.get_by_text(t("sign_in.why_signed_out"))).to_be_visible()
    page.evaluate(axe_source)
    assert page.evaluate(CHECK, RULES) == []

    expect(other_page).to_have_url(f"{url}/sign-in?why=ended&next=%2Fcorrections")
    other_page.get_by_role("link").click()
    expect(other_page).to_have_url(re.compile("/oauth/authorize"))
    for address in (DEEP, "/", "/corrections"):
        page.goto(url + address)
        expect(page.locator("[name=password]")).to_be_visible()
    assert not [cookie for cookie in context.cookies() if "session" in str(cookie.get("name"))]
    assert faults == []
    context.close()
