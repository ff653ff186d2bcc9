"""The Timelines page in a browser with the sample runs: alerts, comparison, a run, accessibility."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from dashboard.i18n import t
from tests.support.reader import IDLE, Reader, find_accessibility_violations, is_steady, measure_overflow
from tests.support.running import Service, wait_for

pytestmark = pytest.mark.browser

ALERTS = ".tl-alert"
CHART = ".st-key-tl_scores_chart .tl-lines-drawn"
FALLS, STEADY = "sample Harbor Small", "sample Harbor Large"


@pytest.fixture(scope="module", autouse=True)
def _sample(running_service: Service) -> None:
    """Waits until the worker has created the sample runs."""

    def has_runs() -> bool:
        listed = running_service.get("/v1/timelines", limit="1").json()["profiles"]
        return all(each["entries"] for each in listed.values())

    wait_for(has_runs, "The sample's runs")


@pytest.fixture
def page(warm_reader: Reader) -> Iterator[Page]:
    page = warm_reader.open("/timelines", CHART)
    yield page
    page.close()


def test_an_alert_appears_for_a_fall_and_none_for_an_unchanged_profile(page: Page) -> None:
    expect(page.locator(ALERTS, has_text=f"{FALLS} fell").first).to_be_visible()
    expect(page.locator(ALERTS, has_text=STEADY)).to_have_count(0)
    fell = page.locator(ALERTS, has_text=f"{FALLS} fell").first
    row = page.locator("[class*=st-key-tl_warning_]").filter(has=fell)
    row.get_by_role("button", name=t("timelines.cases_show")).last.click()
    expect(page.locator(".tl-cases tbody tr").first).to_contain_text("▼")
    expect(page).to_have_url(re.compile("alert="))


def test_the_keyboard_hides_a_line_and_the_url_keeps_it(page: Page) -> None:
    pill = page.locator(".st-key-tl_legend button", has_text=STEADY).first
    pill.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**hidden=*")
    page.reload()
    page.locator(CHART).first.wait_for()
    expect(pill).to_have_attribute("aria-pressed", "false")
    table = page.locator(".st-key-tl_scores_chart details")
    table.locator("summary").click()
    expect(table.locator("tbody th", has_text=FALLS).first).to_be_visible()
    expect(table.locator("tbody th", has_text=STEADY)).to_have_count(0)


def test_a_link_compares_two_profiles_and_opens_a_run(warm_reader: Reader, running_service: Service) -> None:
    runs = running_service.get(f"/v1/timelines/{FALLS}", limit="1").json()["entries"]
    run = runs[0]["run_id"]
    page = warm_reader.open(f"/timelines?a={FALLS}&b={STEADY}&run={run}", CHART)
    expect(page.locator(".tlp-verdict")).to_contain_text(f"{STEADY} is ahead by")
    expect(page.locator(".st-key-tlp_run")).to_contain_text(runs[0]["case_id"])
    page.close()


@pytest.mark.parametrize(("device", "lang"), [("desktop", "ja"), ("phone", "en")])
def test_the_page_is_accessible_without_overflow_or_layout_shift(
    browser: Browser, running_dashboard: str, axe_source: str, device: str, lang: str
) -> None:
    reader = Reader(browser, running_dashboard, device)
    page = reader.open(f"/timelines?lang={lang}", CHART)
    assert is_steady(page, CHART)
    page.locator(".st-key-tl_cases_of_0 button").first.click()
    page.locator(".tl-cases").first.wait_for()
    page.wait_for_selector(IDLE)
    assert find_accessibility_violations(page, axe_source) == []
    assert measure_overflow(page) <= 0
    reader.open(f"/timelines?lang={lang}&since=2099-01-01", ".st-key-empty-tl_none", page)
    assert measure_overflow(page) <= 0
    reader.close()
