"""The Timelines page in a browser with the sample runs: alerts, tabs, a run, accessibility."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from dashboard.app_pages.timelines.selection import TABS
from dashboard.i18n import t
from tests.support.dashboard.reader import (
    IDLE,
    Reader,
    find_accessibility_violations,
    is_steady,
    measure_overflow,
)
from tests.support.processes.running import Service, wait_for

pytestmark = pytest.mark.browser

ALERTS = ".tl-alert"
CHART = ".st-key-tl_scores_chart .tl-lines-drawn"
VERDICT = ".tl-verdict"
PANELS = {"compare": ".tlp-dots", "cases": ".st-key-tlp_cases", "runs": ".st-key-tlp_run"}
FALLS, STEADY = "sample Harbor Small", "sample Harbor Large"


@pytest.fixture(scope="module", autouse=True)
def _sample(running_service: Service) -> None:
    """Waits until the worker has created the sample runs."""

    def has_runs() -> bool:
        listed = running_service.get("/v1/timelines", limit="1").json()["profiles"]
        return all(profile["entries"] for profile in listed.values())

    wait_for(has_runs, "The sample's runs")


@pytest.fixture
def page(warm_reader: Reader) -> Iterator[Page]:
    page = warm_reader.open("/timelines", CHART)
    yield page
    page.close()


def test_an_alert_appears_for_a_fall_and_shows_its_cases(page: Page) -> None:
    expect(page.locator(ALERTS, has_text=f"{FALLS} fell").first).to_be_visible()
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
    page = warm_reader.open(f"/timelines?a={FALLS}&b={STEADY}&run={run}", ".st-key-tlp_run")
    expect(page.locator(VERDICT)).to_contain_text(f"{STEADY} is ahead by")
    expect(page.locator(".st-key-tlp_run")).to_contain_text(runs[0]["case_id"])
    page.close()


def test_the_keyboard_changes_tabs_and_the_url_keeps_the_tab(page: Page) -> None:
    page.get_by_role("tab", name=t("timelines.tab_trend")).focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**tab=compare*")
    expect(page.locator(".tlp-dots")).to_be_visible()
    expect(page.locator(CHART)).to_have_count(0)
    page.reload()
    expect(page.locator(".tlp-dots")).to_be_visible()
    page.locator(".tlp-dots a").first.click()
    page.wait_for_url("**tab=runs*")
    expect(page.get_by_role("tab", name=t("timelines.tab_runs"))).to_have_attribute("aria-selected", "true")


def test_bar_and_tabs_stay_in_view_and_the_verdict_starts_there(page: Page) -> None:
    expect(page.locator(VERDICT)).to_be_in_viewport()
    page.locator(".st-key-tl_scores_chart").scroll_into_view_if_needed()
    page.mouse.move(700, 600)
    page.mouse.wheel(0, 2_000)
    expect(page.locator(VERDICT)).not_to_be_in_viewport()
    expect(page.locator(".st-key-tl_filters")).to_be_in_viewport()
    expect(page.get_by_role("tab", name=t("timelines.tab_runs"))).to_be_in_viewport()


@pytest.mark.parametrize("device", ["desktop", "phone"])
@pytest.mark.parametrize("tab", TABS[1:])
def test_each_tab_is_accessible_without_overflow(
    browser: Browser, running_dashboard: str, axe_source: str, device: str, tab: str
) -> None:
    reader = Reader(browser, running_dashboard, device)
    page = reader.open(f"/timelines?lang=zh&tab={tab}", PANELS[tab])
    expect(page.locator(VERDICT)).to_be_in_viewport()
    assert find_accessibility_violations(page, axe_source) == []
    assert measure_overflow(page) <= 0
    page.locator(".st-key-tl_filters button").first.click()
    page.locator(".st-key-tl_machinery").wait_for()
    assert find_accessibility_violations(page, axe_source) == []
    reader.close()


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
