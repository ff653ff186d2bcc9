"""What all pages share in a browser: their theme, their state after a load, and the keyboard."""

from collections.abc import Mapping
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.corrections.page import FAULTY, MARK, submit_article
from tests.support.dashboard.reader import DEVICES, Reader, measure_overflow

pytestmark = pytest.mark.browser


class Shown(NamedTuple):
    """What the controls and panels of a page show: pressed buttons, values of boxes by name, and texts."""

    pressed: tuple[str, ...] = ()
    values: Mapping[str, str] = {}
    texts: tuple[str, ...] = ()


CAP = "Minimum market cap for gainers and losers"
PAGES = {
    "/?span=7d&mincap=1b": Shown(("7d",), {CAP: "Cap ≥ $1B"}, ("250 assets, 7d", "7d · Cap ≥ $1B")),
    "/rankings?view=treemap&size=volume&span=7d": Shown(("Treemap", "24h volume", "7d")),
    "/topics?category=breaking": Shown(("▲ Breaking",)),
    "/timelines?tab=runs": Shown((), {"Case": "All cases"}),
    "/corrections?mode=history&period=7d": Shown(("History",), {"Period": "7 days"}),
    "/research?seen=30d": Shown(("30 days",)),
}


def test_pages_opened_at_once_show_in_controls_and_panels_what_their_urls_say(warm_reader: Reader) -> None:
    warm_reader.remember(lang="en")
    pages = {path: warm_reader.context.new_page() for path in PAGES}
    for path, page in pages.items():
        page.goto(warm_reader.base + path, wait_until="commit")
    for path, page in pages.items():
        for name in PAGES[path].pressed:
            expect(page.get_by_role("radio", name=name, exact=True)).to_be_checked()
        for name, value in PAGES[path].values.items():
            expect(page.get_by_role("combobox", name=name)).to_have_value(value)
        for shown in PAGES[path].texts:
            expect(page.get_by_text(shown, exact=True).first).to_be_visible()
        page.close()
    warm_reader.context.clear_cookies()


def test_a_page_opened_by_its_address_asks_for_nothing_that_fails(warm_reader: Reader) -> None:
    page = warm_reader.context.new_page()
    failed: list[str] = []
    errors: list[str] = []
    page.on("response", lambda answer: failed.append(answer.url) if answer.status >= 400 else None)
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto(f"{warm_reader.base}/research")
    expect(page.locator(".st-key-rs_statement textarea")).to_be_visible()
    assert (failed, errors) == ([], [])
    page.get_by_role("link", name="Rankings").first.click()
    expect(page).to_have_url(f"{warm_reader.base}/rankings")
    page.close()


def read_background(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor"))


def test_a_theme_takes_effect_at_once_and_holds_for_every_page(warm_reader: Reader) -> None:
    page = warm_reader.open("/", ".cp-incidents")
    assert read_background(page) == "rgb(255, 255, 255)"
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("radio", name="Dark").click()
    expect(page.locator(".stApp")).to_have_css("background-color", "rgb(11, 18, 32)")
    page.wait_for_function("() => document.cookie.includes('theme=dark')")
    warm_reader.open("/research", ".st-key-rs_statement", page)
    assert read_background(page) == "rgb(11, 18, 32)"
    page.emulate_media(color_scheme="light")
    assert read_background(page) == "rgb(11, 18, 32)", "the reader's choice, not the system's"
    page.close()
    warm_reader.context.clear_cookies()


def test_a_currency_takes_effect_at_once_and_holds_for_every_page(warm_reader: Reader) -> None:
    page = warm_reader.open("/", ".cp-incidents")
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("radio", name="JPY").click()
    expect(page.locator(".cp-market-cap .cp-figure")).to_contain_text("¥")
    page.wait_for_function("() => document.cookie.includes('currency=JPY')")
    warm_reader.open("/rankings", ".rk tbody tr", page)
    expect(page.locator(".rk tbody .c-price").first).to_contain_text("¥")
    expect(page.locator(".cp-rate")).to_contain_text("1 USD = 142.9 JPY")
    page.close()
    warm_reader.context.clear_cookies()


def test_long_amounts_fit_on_a_phone(browser: Browser, running_dashboard: str) -> None:
    reader = Reader(browser, running_dashboard, "phone")
    reader.remember(lang="ja", currency="KRW")
    for path, amount in (
        ("/", ".cp-market-cap .cp-figure"),
        ("/rankings", ".rk tbody .c-price"),
        ("/rankings?coin=bitcoin", ".rk-price"),
    ):
        page = reader.open(path, amount)
        expect(page.locator(amount).first).to_contain_text("₩")
        assert measure_overflow(page) <= 0
    reader.close()


def test_a_typed_text_outlives_other_pages_and_a_reload_until_it_is_discarded(warm_reader: Reader) -> None:
    page = warm_reader.open("/research", ".st-key-rs_statement textarea")
    box = page.locator(".st-key-rs_statement textarea")
    box.fill("The SEC approved")
    page.get_by_role("link", name="Corrections").first.click()
    page.locator(".st-key-cr_content").wait_for()
    page.get_by_role("link", name="Research").first.click()
    expect(box).to_have_value("The SEC approved")
    page.reload()
    expect(box).to_have_value("The SEC approved")
    page.get_by_role("button", name="Discard").click()
    expect(box).to_have_value("")
    page.wait_for_function("() => sessionStorage.getItem('chainproof.draft.research') === null")
    page.keyboard.press("Tab")
    page.locator("body").press("?")
    expect(page.get_by_text("Submit the form from a text box")).to_be_visible()
    page.close()


CONTENT = {
    "/": ".cp-incidents",
    "/rankings": ".rk tbody tr",
    "/topics": ".stApp:has([data-variant=segmented_control]):has(.st-key-tp_entity) .st-key-tp_find input",
    "/timelines": ".st-key-tl_scores_chart .tl-lines-drawn",
    "/research": ".st-key-rs_statement textarea",
    "/corrections": ".st-key-cr_content textarea",
}
"""A late element of each page."""
FRAME_CONTROLS = (
    '[data-variant="segmented_control"]',
    '[data-testid="stPopoverButton"]',
    '[data-testid="stBaseButton-primary"]',
    '[data-testid="stBaseButton-secondary"]',
    '[data-testid="stBaseButton-primaryFormSubmit"]',
    '[data-testid="stBaseButton-secondaryFormSubmit"]',
    '.stSelectbox [role="group"]',
    '[data-testid$="InputRootElement"]',
    ".cp-tools button",
)
"""Controls of Streamlit and of the frame."""
COMPONENT_CONTROLS = ("button", "summary", "select", ".find", "input:not([type=checkbox], .find input)")
"""Controls in the shadow roots of components. The search box has its border around an input without one."""
OTHER_SIZES = (
    ".chip, .chips button",  # chips
    ".link, .quiet",  # buttons that look like links
    ".icon, .star",  # icons
    "table *",  # cells
    "[role=tab]",  # tabs
    ".st-key-rs_examples button",  # statements to try, which wrap
)
"""What may have a height and a text size of its own."""
MEASURE_CONTROLS = """([frame, components, others]) => {
  const shown = (element) => element.checkVisibility({ visibilityProperty: true }) && element.offsetWidth > 1;
  const findRoots = (root) => [root, ...[...root.querySelectorAll('*')]
    .flatMap((element) => element.shadowRoot ? findRoots(element.shadowRoot) : [])];
  const findText = (control) => {
    const field = control.querySelector('input') ?? (control.matches('input, select') ? control : null);
    if (field) return field;
    const texts = document.createTreeWalker(control, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const parent = texts.currentNode.parentElement;
      const isIcon = parent.closest('kbd, svg, [data-testid=stIconMaterial]');
      if (texts.currentNode.data.trim() && !isIcon && shown(parent)) return parent;
    }
    return null;
  };
  const measure = (kind, control) => {
    const text = findText(control);
    const name = control.ariaLabel || text?.ariaLabel || text?.textContent.trim().slice(0, 30)
      || control.closest('[class*="st-key-"]')?.className.match(/st-key-\\S+/)[0];
    const height = Math.round(control.getBoundingClientRect().height * 2) / 2;
    return { kind, name, height, size: text && parseFloat(getComputedStyle(text).fontSize) };
  };
  const controls = findRoots(document).flatMap((root) => (root === document ? frame : components)
    .flatMap((kind) => [...root.querySelectorAll(kind)]
      .filter((control) => shown(control) && !control.matches(others))
      .map((control) => measure(kind, control))));
  const style = getComputedStyle(document.documentElement);
  const read = (variable) => parseFloat(style.getPropertyValue(variable));
  return { height: read('--control'), size: read('--control-text'), controls };
}"""
"""Heights are rounded to half a pixel. A control without a text, as one with an icon alone, has no size."""


@pytest.mark.parametrize("device", DEVICES)
def test_all_controls_of_a_device_have_one_height_and_one_text_size(
    browser: Browser, running_dashboard: str, device: str
) -> None:
    seen_kinds: set[str] = set()
    different: list[str] = []

    def measure(place: str) -> None:
        found = page.evaluate(MEASURE_CONTROLS, [FRAME_CONTROLS, COMPONENT_CONTROLS, ", ".join(OTHER_SIZES)])
        seen_kinds.update(control["kind"] for control in found["controls"])
        different.extend(
            f"{place} {control['kind']} {control['name']}: {control['height']} px, text {control['size']} px"
            for control in found["controls"]
            if control["height"] != found["height"] or control["size"] not in {found["size"], None}
        )

    reader = Reader(browser, running_dashboard, device)
    reader.remember(lang="en")
    page = reader.context.new_page()
    for path, content in CONTENT.items():
        reader.open(path, content, page)
        measure(path)
    submit_article(page, FAULTY)
    page.locator(MARK).first.wait_for()
    measure("The review")
    assert {'[data-variant="segmented_control"]', '.stSelectbox [role="group"]', "button"} <= seen_kinds
    assert not different, "\n".join(different)
    reader.close()
