"""The Topics page in a browser with the real service, its archive and market reports."""

import csv
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from dashboard.i18n import LANGUAGES, t
from tests.support.dashboard.reader import (
    IDLE,
    Reader,
    find_accessibility_violations,
    is_steady,
    measure_overflow,
)
from tests.support.processes.running import Service, loopback, wait_for

pytestmark = pytest.mark.browser

ROWS = ".tp-list a"
TITLE = "#tp-title"
READING_WIDTH_PX = 760
MERGE = "The Merge moves Ethereum to proof of stake"


@pytest.fixture(scope="module")
def ids(running_service: Service) -> dict[str, str]:
    """Ids of these tests' topics, by external id; the service also has the worker's topics."""
    wait_for(lambda: running_service.get("/topics").json()["total"] > 200, "The archive as topics")
    now = datetime.now(UTC)
    topics: list[dict[str, Any]] = [
        {
            "external_id": "e2e:fund",
            "category": 0,
            "published_at": f"{now - timedelta(hours=2):%Y-%m-%dT%H:%M:%SZ}",
            "url": "https://www.sec.gov/newsroom/fund",
            "cover_img": "https://evil.example/pixel.png",
            "total_tweet_score": 1000,
            "texts": {
                "en": {
                    "title": "SEC approves a spot Solana fund <img src=x onerror=window.hit=1>",
                    "summary_bullets": [["The order approves a spot ETF."]],
                    "terms_concepts": [{"term": "spot ETF", "definition": "A fund that holds the asset."}],
                },
                "ja": {"title": "SEC、現物ソラナファンドを承認", "summary": "待望の決定。"},
            },
        }
    ]
    answer = loopback.post(
        f"{running_service.url}/topics", json=topics, headers={"CP-X-API-KEY": running_service.key}
    )
    assert answer.status_code == 201, answer.text
    return {topic["external_id"]: str(topic["id"]) for topic in answer.json()["data"]}


@pytest.fixture
def page(warm_reader: Reader, ids: dict[str, str]) -> Iterator[Page]:
    page = warm_reader.open("/topics", ROWS)
    yield page
    warm_reader.context.clear_cookies()
    page.close()


def find_focused_id(page: Page) -> str:
    """The id of the element that has the focus."""
    found: str = page.evaluate("document.activeElement.id")
    return found


def test_an_analyst_opens_the_top_story_and_copies_its_link(
    warm_reader: Reader, page: Page, ids: dict[str, str]
) -> None:
    first = page.locator(".tp-top a").first
    expect(first).to_contain_text("SEC approves a spot Solana fund <img src=x")
    expect(first).to_contain_text("Breaking")
    first.click()
    expect(page.locator(TITLE)).to_contain_text("SEC approves")
    wait_for(lambda: find_focused_id(page) == "tp-title", "The focus on the title")
    expect(page.locator(".tp-primary")).to_be_visible()
    expect(page.locator(".tp-insight")).to_contain_text("Insight")
    expect(page.locator(".tp-terms")).to_contain_text("A fund that holds the asset.")
    expect(page.locator(".tp-entities").get_by_role("link", name="Solana", exact=True)).to_be_visible()
    expect(page.locator(".st-key-tp_candles .annotation", has_text="Event")).to_be_visible()
    page.get_by_role("button", name="Copy link").click()
    link = page.evaluate("navigator.clipboard.readText()")
    other_page = warm_reader.open(link.removeprefix(warm_reader.base), TITLE)
    expect(other_page.locator(TITLE)).to_contain_text("SEC approves")
    expect(other_page.locator(f"#tp-item-{ids['e2e:fund']}")).to_have_attribute("aria-current", "true")
    assert page.evaluate("window.hit") is None
    other_page.close()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_language_has_market_reports_in_a_strip_of_their_own(
    warm_reader: Reader, ids: dict[str, str], lang: Any
) -> None:
    page = warm_reader.open(f"/topics?lang={lang}", ".tp-reports a")
    expect(page.locator(".tp-top h2")).to_have_text(t("topics.top", lang=lang))
    report = page.locator(".tp-reports a", has_text="%").first
    title = report.locator(".tp-report-title").inner_text()
    expect(page.locator(".tp-top a", has_text=title)).to_have_count(0)
    expect(page.locator(ROWS, has_text=title)).to_have_count(0)
    report.click()
    expect(page.locator(TITLE)).to_have_text(title)
    expect(page.locator(".tp-primary a").first).to_be_visible()
    expect(page.locator(".tp-insight h3")).to_have_text(t("topics.insight", lang=lang))
    page.close()


def test_an_entity_beside_the_text_leads_to_its_topics(page: Page) -> None:
    page.locator(".tp-top a").first.click()
    page.locator(".tp-entities").get_by_role("link", name="Solana", exact=True).click()
    expect(page).to_have_url(re.compile(r"entity=solana"))
    expect(page.locator(TITLE)).to_have_count(0)
    expect(page.locator(ROWS).first).to_contain_text("Solana")


def test_the_reading_column_is_at_most_760_pixels_and_beside_it_stand_the_entities(page: Page) -> None:
    def measure(selector: str) -> dict[str, float]:
        box = page.locator(selector).first.bounding_box()
        assert box is not None
        return {**box, "right": box["x"] + box["width"]}

    page.set_viewport_size({"width": 1920, "height": 1000})
    assert measure(".tp-list")["width"] <= READING_WIDTH_PX
    page.locator(".tp-top a").first.click()
    text, entities = measure(".tp-told"), measure(".tp-entities")
    assert text["width"] <= READING_WIDTH_PX
    assert entities["x"] >= text["right"]
    page.set_viewport_size({"width": 390, "height": 844})
    assert measure(".tp-entities")["y"] > measure(".tp-told")["y"] + measure(".tp-told")["height"]


def test_the_keyboard_alone_moves_opens_and_closes(page: Page) -> None:
    cards = page.locator(".tp-top a").count()
    for _ in range(cards + 2):
        page.keyboard.press("j")
    page.keyboard.press("k")
    first_row = page.locator(ROWS).first.get_attribute("id")
    assert find_focused_id(page) == first_row
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert find_focused_id(page) == first_row
    page.keyboard.press("Enter")
    expect(page.locator(TITLE)).to_be_visible()
    wait_for(lambda: find_focused_id(page) == "tp-title", "The focus on the title")
    page.keyboard.press("Escape")
    expect(page.locator(TITLE)).to_have_count(0)
    wait_for(lambda: find_focused_id(page) == first_row, "The focus back on the topic in the list")
    expect(page).not_to_have_url(re.compile("topic="))


def test_typing_into_the_search_does_not_move_the_focus(page: Page) -> None:
    box = page.locator(".st-key-tp_find input")
    box.click()
    page.keyboard.type("jkj")
    assert page.evaluate("document.activeElement.tagName") == "INPUT"
    expect(box).to_have_value("jkj")


def test_an_opened_topic_loses_its_unread_mark_in_this_browser(page: Page) -> None:
    row = page.locator(f"{ROWS}:has(.tp-new:visible)").first  # tests before this one opened some
    number = row.get_attribute("data-open")
    row = page.locator(f"{ROWS}[data-open='{number}']")
    mark = page.locator(f"{ROWS}[data-open='{number}'] .tp-new")
    expect(mark).to_be_visible()
    row.click()
    expect(page.locator(TITLE)).to_be_visible()
    expect(mark).to_have_count(1)  # the list at its former width is gone
    expect(mark).to_be_hidden()
    page.reload()
    expect(mark).to_have_count(1)
    expect(mark).to_be_hidden()


def test_a_search_finds_a_topic_and_shows_its_languages_side_by_side(page: Page) -> None:
    page.locator(".st-key-tp_find input").fill("the merge proof of stake")
    page.keyboard.press("Enter")
    row = page.locator(ROWS, has_text=MERGE).first
    row.click()
    expect(page.locator(TITLE)).to_contain_text(MERGE)
    expect(page.locator(".tp-primary a").first).to_have_attribute("target", "_blank")
    page.locator(".st-key-tp_beside label").first.click()
    expect(page.locator(".tp-language")).to_have_count(3)
    expect(page).to_have_url(re.compile(r"find=the\+merge"))
    page.go_back()
    page.go_back()
    expect(page.locator(TITLE)).to_have_count(0)


def test_an_insight_links_to_earlier_topics(page: Page) -> None:
    page.locator(".st-key-tp_find input").fill("Treasury lifts sanctions Tornado Cash")
    page.keyboard.press("Enter")
    page.locator(ROWS, has_text="lifts its sanctions on Tornado Cash").first.click()
    link = page.locator(".tp-insight a").first
    title = link.inner_text()
    link.click()
    expect(page.locator(TITLE)).to_have_text(title)
    page.go_back()
    expect(page.locator(TITLE)).to_contain_text("lifts its sanctions on Tornado Cash")


def test_days_and_category_from_the_url_filter_the_list(warm_reader: Reader, ids: dict[str, str]) -> None:
    page = warm_reader.open("/topics?from=2022-09-01&to=2022-09-30&category=normal", ROWS)
    expect(page.locator(ROWS, has_text=MERGE)).to_have_count(1)
    for badge in page.locator(f"{ROWS} .cp-badge").all_inner_texts():
        assert "Normal" in badge
    page.locator(".st-key-tp_days button").click()
    page.get_by_role("button", name="Any day").last.click()
    expect(page.locator(ROWS)).to_have_count(25)
    expect(page).not_to_have_url(re.compile("from="))
    page.close()


def test_the_list_is_downloaded_with_its_sources(page: Page) -> None:
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as CSV").click()
    rows = list(csv.DictReader(Path(download.value.path()).read_text("utf-8-sig").splitlines()))
    assert len(rows) == page.locator(f"{ROWS}, .tp-reports a").count()
    assert all(row["source"] and row["as_of"].endswith("Z") for row in rows)
    assert rows[0]["link"].startswith(page.url.partition("/topics")[0])


SIDE_BY_SIDE = {"&topic={fund}&topic_lang=en&beside=1": ".tp-language"}
STATES = {
    "desktop": SIDE_BY_SIDE,
    "phone": {
        "&topic={fund}&topic_lang=en": ".tp-insight",
        **SIDE_BY_SIDE,
        "&topic={fund}&topic_lang=zh": ".tp-lacks",
        "&topic=99999999": ".st-key-empty-tp_topic",
        "&find=nosuchwords": ".st-key-empty-tp_list",
    },
}


@pytest.mark.parametrize(("device", "lang"), [("desktop", "ja"), ("phone", "en")])
def test_the_page_is_accessible_without_overflow_or_layout_shift(
    browser: Browser, running_dashboard: str, ids: dict[str, str], axe_source: str, device: str, lang: str
) -> None:
    """Each device is tested in one language: English has the longest words, and the phone the least space."""
    reader = Reader(browser, running_dashboard, device)
    fund = ids["e2e:fund"]
    page = reader.open(f"/topics?lang={lang}", ROWS)
    assert is_steady(page, ROWS)
    assert find_accessibility_violations(page, axe_source) == []
    assert measure_overflow(page) <= 0
    if device == "phone":
        page.locator(".st-key-tp_days button").first.click()
        page.locator(".st-key-tp_since input").wait_for()
        page.wait_for_selector(IDLE)
        assert find_accessibility_violations(page, axe_source) == []
    reader.open(f"/topics?lang={lang}&topic={fund}", TITLE, page)
    assert is_steady(page, TITLE)
    for query, content in STATES[device].items():
        reader.open(f"/topics?lang={lang}{query.format(fund=fund)}", content, page)
        assert find_accessibility_violations(page, axe_source) == [], query
        assert measure_overflow(page) <= 0, query
    reader.close()


def test_a_phone_switches_the_language_of_an_opened_topic_in_place(
    browser: Browser, running_dashboard: str, ids: dict[str, str]
) -> None:
    reader = Reader(browser, running_dashboard, "phone")
    page = reader.open(f"/topics?topic={ids['e2e:fund']}", TITLE)
    languages = page.get_by_role("radiogroup", name="Language of the topics")
    languages.get_by_role("radio", name="日本語").click()
    expect(page.locator(TITLE)).to_have_text("SEC、現物ソラナファンドを承認")
    expect(page.get_by_role("button", name="Back to the list")).to_be_visible()  # only the topic's language
    expect(page.locator(".st-key-tp_find")).to_be_hidden()
    assert measure_overflow(page) <= 0
    languages.get_by_role("radio", name="English").click()
    expect(page.locator(TITLE)).to_contain_text("SEC approves")
    reader.close()


def test_on_a_phone_the_topic_replaces_the_list(
    browser: Browser, running_dashboard: str, ids: dict[str, str]
) -> None:
    reader = Reader(browser, running_dashboard, "phone")
    page = reader.open("/topics", ROWS)
    page.locator(ROWS).first.click()
    expect(page.locator(TITLE)).to_be_in_viewport()
    expect(page.locator(ROWS).first).to_be_hidden()
    page.get_by_role("button", name="Back to the list").click()
    expect(page.locator(ROWS).first).to_be_visible()
    reader.close()
