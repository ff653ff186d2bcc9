"""The ranking of the search palette in a browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from dashboard.frame.search_palette import index
from tests.support.dashboard.browsers import open_chromium

MATCHING = Path(index.__file__).with_name("matching.js")


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    """A page with ``search(groups, query)``, which returns the labels of the matches by group."""
    with open_chromium() as browser:
        opened = browser.new_page()
        opened.evaluate(
            """async (module) => {
              const { prepare, findMatches } = await import(
                URL.createObjectURL(new Blob([module], { type: "text/javascript" })));
              window.search = ([groups, query]) => findMatches(
                Object.entries(groups).map(([kind, items]) => ({ kind, items: prepare(items) })), query,
              ).map(({ kind, items }) => [kind, items.map((item) => item.label)]);
            }""",
            MATCHING.read_text(encoding="utf-8"),
        )
        yield opened


def search(page: Page, groups: dict[str, list[index.Item]], query: str) -> list[Any]:
    return list(page.evaluate("arguments => search(arguments)", [groups, query]))


COINS: list[index.Item] = [
    ("Ethereum", "ETH", "/rankings?coin=ethereum", "イーサリアム\n以太坊"),
    ("Tether", "USDT", "/rankings?coin=tether", "テザー"),
    ("Lido Staked Ether", "STETH", "/rankings?coin=steth", ""),
    ("Ethena", "ENA", "/rankings?coin=ethena", ""),
    ("Bitcoin", "BTC", "/rankings?coin=bitcoin", "ビットコイン\n比特币"),
]


def test_an_exact_symbol_comes_before_a_prefix_and_a_prefix_before_a_substring(page: Page) -> None:
    assert search(page, {"coins": COINS}, "eth") == [
        ["coins", ["Ethereum", "Ethena", "Lido Staked Ether", "Tether"]]
    ]
    assert search(page, {"coins": [*COINS, ("Ether Fork", "ETHER", "/", "")]}, "ether") == [
        ["coins", ["Ether Fork", "Ethereum", "Lido Staked Ether", "Tether"]]
    ]


@pytest.mark.parametrize("query", ["ｂｔｃ", " BTC ", "bitCOIN", "ﾋﾞｯﾄｺｲﾝ", "比特币", "ｂｉｔｃｏｉｎ"])
def test_letter_case_width_and_language_do_not_matter(page: Page, query: str) -> None:
    assert search(page, {"coins": COINS}, query) == [["coins", ["Bitcoin"]]]


def test_the_group_with_the_best_match_comes_first_and_each_group_is_short(page: Page) -> None:
    groups = {
        "coins": [(f"Sector {n}", f"S{n}", "/", "") for n in range(20)],
        "entities": [("U.S. SEC", "SEC", "/", "")],
    }
    found = search(page, groups, "sec")
    assert [kind for kind, _ in found] == ["entities", "coins"]
    assert found[1][1] == [f"Sector {n}" for n in range(8)]
    assert search(page, groups, "no such name") == []
