"""The search palette: its index from the real service, and what it offers on a page."""

import json
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from starlette.applications import Starlette
from streamlit.util import calc_hash

from dashboard.app_pages.timelines.selection import split_names
from dashboard.client.market_schemas import LocalizedNames
from dashboard.frame.search_palette import index
from dashboard.i18n import LANGUAGES
from tests.dashboard.asgi_client import AsgiClient
from tests.support.dashboard import pages
from tests.support.dashboard.transport import CuttableTransport

NAMES: dict[str, LocalizedNames] = {
    "bitcoin": {"en": "Bitcoin", "ja": "ビットコイン", "zh": "比特币", "aliases": ["大饼", "BTC"]},
    "sec": {
        "en": "U.S. Securities and Exchange Commission",
        "ja": "米証券取引委員会",
        "zh": "美国证券交易委员会",
        "aliases": ["SEC", "美国证监会"],
    },
}


def test_an_entity_has_its_name_in_the_readers_language_and_is_found_by_all_others() -> None:
    ((label, note, link, others),) = index.build_entities({"sec": NAMES["sec"]}, "zh")
    assert (label, note) == ("美国证券交易委员会", "U.S. Securities and Exchange Commission")
    assert link == "/topics?entity=sec"
    assert others.split("\n") == ["米証券取引委員会", "SEC", "美国证监会"]


def test_the_link_of_a_profile_survives_commas_and_backslashes_in_its_name() -> None:
    names = ["b, large", "a\\b"]
    links = [item[2] for item in index.build_profiles(names)]
    read = [split_names(dict(parse_qsl(urlsplit(link).query))["profiles"]) for link in links]
    assert read == [("a\\b",), ("b, large",)]


@pytest.mark.usefixtures("dashboard_backend")
@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_index_has_every_coin_with_its_names_and_the_largest_first(lang: Any) -> None:
    answer = AsgiClient(Starlette(routes=list(index.ROUTES))).get(f"{index.PATH}?lang={lang}")
    assert answer.headers["cache-control"] == "no-store"
    content = answer.json()
    assert content["is_complete"]
    bitcoin = content["coins"][0]
    assert bitcoin[:3] == [NAMES["bitcoin"][lang], "BTC", "/rankings?coin=bitcoin"]
    assert {name for code in LANGUAGES if (name := NAMES["bitcoin"][code]) != bitcoin[0]} <= set(
        bitcoin[3].split("\n")
    )
    assert len(content["coins"]) == 250
    links = [item[2] for item in content["entities"]]
    assert "/topics?entity=sec" in links
    assert "/topics?entity=bitcoin" not in links
    assert [item[2].split("=")[0] for item in content["profiles"]] == ["/timelines?profiles"] * len(
        content["profiles"]
    )


def test_an_index_without_the_service_is_empty_and_says_that_it_is_incomplete(
    transport: CuttableTransport,
) -> None:
    transport.is_cut = True
    found = index.load_index("en")
    assert found == {"is_complete": False, "coins": [], "topics": [], "entities": [], "profiles": []}


@pytest.mark.usefixtures("dashboard_backend")
def test_pages_and_actions_are_found_in_every_language() -> None:
    app = pages.open_page("research", lang="ja")
    data = json.loads(pages.component(app, "search_palette").json)
    titles = {item[0]: item for item in data["pages"]}
    assert list(titles) == [
        "市場概況",
        "ランキング",
        "トピック",
        "タイムライン",
        "記事の校正",
        "出典調査",
    ]
    assert titles["ランキング"][2:] == ["/rankings?lang=ja", "Rankings\nランキング\n排行榜"]
    actions = {item[2]: item for item in data["actions"]}
    assert actions["theme:dark"][0] == "テーマ：ダーク"
    assert "Theme: Dark" in actions["theme:dark"][3]
    assert data["index"] == "/search-index?lang=ja"


@pytest.mark.usefixtures("dashboard_backend")
def test_a_page_is_linked_in_the_view_in_which_it_was_left() -> None:
    app = pages.open_page("rankings", span="7d")
    app._page_hash = calc_hash("research")
    app.query_params.clear()
    app.run()
    data = json.loads(pages.component(app, "search_palette").json)
    assert "/rankings?span=7d" in [item[2] for item in data["pages"]]
