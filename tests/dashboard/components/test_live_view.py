"""The live view's script in a browser: it changes elements in place and parses no markup."""

import ast
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from playwright.sync_api import Page, expect

from dashboard.components import live_view
from dashboard.components.live_view import h
from tests.support.dashboard.browsers import open_chromium

SCRIPT = Path(__file__).parents[3] / "dashboard" / "components" / "live_view" / "live_view.js"


def test_an_element_is_a_list_of_tag_attributes_and_children() -> None:
    built = h("a", "Text", None, h("span", class_="x"), href="rankings?coin=a", aria_label="A", key=None)
    expected = ["a", {"href": "rankings?coin=a", "aria-label": "A"}, ["Text", ["span", {"class": "x"}, []]]]
    assert built == expected


def test_the_script_draws_every_tag_that_a_page_builds() -> None:
    dashboard = SCRIPT.parents[2]
    script = SCRIPT.read_text(encoding="utf-8")
    drawn = set(re.findall(r"\w+", re.findall(r'\("([\w ]+)"\)\.split', script)[0]))
    drawn |= set(re.findall(r"\w+", re.findall(r"SVG_TAGS = new Set\(\[(.*?)\]", script)[0]))
    built = {
        call.args[0].value
        for path in dashboard.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "h"
        if call.args and isinstance(call.args[0], ast.Constant)
    }
    assert "h4" in built
    assert built <= drawn


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with open_chromium() as browser:
        opened = browser.new_page()
        opened.set_content("<main></main>")
        module = json.dumps(SCRIPT.read_text(encoding="utf-8"))
        opened.evaluate(
            f"""async () => {{
              const address = URL.createObjectURL(new Blob([{module}], {{ type: "text/javascript" }}));
              const view = (await import(address)).default;
              window.events = [];
              window.draw = (tree) => view({{
                data: {{ tree }},
                parentElement: document.querySelector("main"),
                setTriggerValue: (name, value) => events.push([name, value]),
              }});
            }}"""
        )
        yield opened


def draw(page: Page, *tree: Any) -> None:
    page.evaluate("(tree) => draw(tree)", list(tree))


def row(key: str, words: str, **more: str) -> Any:
    return h("li", h("a", words, href=f"rankings?coin={key}", data_open=key), key=key, **more)


@pytest.mark.browser
def test_moved_rows_keep_their_element_and_the_focus(page: Page) -> None:
    draw(page, h("ul", row("a", "A"), row("b", "B"), row("c", "C")))
    page.evaluate("document.querySelector('[data-open=b]').focus(); window.kept = document.activeElement")
    draw(page, h("ul", row("c", "C"), row("d", "D"), row("b", "B2"), row("a", "A")))
    assert page.locator("a").all_inner_texts() == ["C", "D", "B2", "A"]
    assert page.evaluate("document.activeElement === kept && kept.isConnected")


@pytest.mark.browser
def test_the_focus_of_a_link_that_is_gone_goes_to_the_link_in_its_place(page: Page) -> None:
    draw(page, h("ul", row("a", "A"), row("b", "B"), row("c", "C")))
    page.locator("[data-open=b]").focus()
    draw(page, h("ul", row("a", "A"), row("c", "C")))
    expect(page.locator("[data-open=c]")).to_be_focused()
    draw(page, h("ul", row("a", "A")))
    expect(page.locator("[data-open=a]")).to_be_focused()
    draw(page)
    assert page.evaluate("document.activeElement === document.body")


@pytest.mark.browser
def test_missing_elements_and_attributes_are_removed(page: Page) -> None:
    draw(page, h("p", "one", title="t", class_="x"), h("p", "two"))
    draw(page, h("p", "one!", class_="y"))
    assert page.evaluate("document.querySelector('.cp-live').innerHTML") == '<p class="y">one!</p>'


@pytest.mark.browser
def test_the_same_tree_changes_nothing(page: Page) -> None:
    tree = h("ul", row("a", "A"), h("li", h("svg", h("path", d="M0 0L1 1"), viewBox="0 0 2 2"), key="s"))
    draw(page, tree)
    page.evaluate(
        """const all = { subtree: true, childList: true, attributes: true, characterData: true };
        window.seen = 0;
        const count = (found) => { seen += found.length };
        new MutationObserver(count).observe(document.querySelector("main"), all)"""
    )
    draw(page, tree)
    assert page.evaluate("new Promise((done) => setTimeout(() => done(seen)))") == 0
    assert page.evaluate("document.querySelector('path').namespaceURI") == "http://www.w3.org/2000/svg"


@pytest.mark.browser
def test_text_is_never_interpreted_as_markup(page: Page) -> None:
    draw(page, h("p", "<img src=x onerror=alert(1)>"))
    assert page.locator("img").count() == 0
    assert page.locator("main p").inner_text() == "<img src=x onerror=alert(1)>"


@pytest.mark.browser
def test_scripts_are_rejected_in_tags_attributes_and_urls(page: Page) -> None:
    with pytest.raises(Exception, match="not drawn here"):
        draw(page, h("script", "events.push('bad')"))
    page.evaluate("document.querySelector('main').replaceChildren()")
    draw(page, h("a", "x", href="javascript:alert(1)", onclick="alert(1)"), h("a", "y", href="//other.test/"))
    assert page.evaluate("document.querySelector('.cp-live').innerHTML") == "<a>x</a><a>y</a>"


@pytest.mark.browser
def test_a_plain_click_stays_in_the_session_and_a_modified_one_follows_the_link(page: Page) -> None:
    page.evaluate("events.length = 0; addEventListener('click', (event) => event.preventDefault())")
    draw(page, h("ul", row("a", "A"), row("b", "B")))
    page.locator("[data-open=b]").click()
    page.locator("[data-open=a]").click(modifiers=["Control"])
    assert page.evaluate("events") == [["open", "b"]]


@pytest.mark.browser
def test_a_changed_figure_is_marked_with_its_direction(page: Page) -> None:
    draw(page, h("p", h("span", "$1", data_n="1", key="p")))
    assert page.locator("[data-moved]").count() == 0
    draw(page, h("p", h("span", "$2", data_n="2", key="p")))
    assert page.locator("span").get_attribute("data-moved") == "up"
    draw(page, h("p", h("span", "$1.5", data_n="1.5", key="p")))
    assert page.locator("span").get_attribute("data-moved") == "down"


@pytest.mark.browser
def test_tables_have_headers_scopes_and_links(page: Page) -> None:
    head = h("thead", h("tr", h("th", "B", scope="col")))
    body = h("tbody", h("tr", h("th", "A", scope="row"), h("td", row("x", "▲ 4"))))
    draw(page, h("table", h("caption", "Pairs"), head, body))
    assert page.get_by_role("table", name="Pairs").get_by_role("columnheader").all_inner_texts() == ["B"]
    assert page.get_by_role("rowheader").inner_text() == "A"
    assert page.locator("td a[data-open=x]").inner_text() == "▲ 4"


def test_a_click_whose_run_begins_anew_is_returned_by_the_next_call(monkeypatch: pytest.MonkeyPatch) -> None:
    on_open: list[Callable[[], None]] = []
    session: dict[str, Any] = {"view": SimpleNamespace(open="bitcoin")}
    monkeypatch.setattr(st, "session_state", session)
    monkeypatch.setattr(
        live_view, "_component", lambda: lambda *, on_open_change, **_: on_open.append(on_open_change)
    )
    assert live_view.live_view([], key="view") is None
    on_open[0]()
    session["view"].open = None  # the run of the click ended before the call
    assert live_view.live_view([], key="view") == "bitcoin"
    assert live_view.live_view([], key="view") is None
