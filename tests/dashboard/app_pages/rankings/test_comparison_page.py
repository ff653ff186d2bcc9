"""The comparison on the Rankings page, and the tray that leads to it, with the real service."""

import re
from decimal import Decimal
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.client import markets
from dashboard.frame.formats import percent
from dashboard.i18n import LANGUAGES, t
from tests.support.dashboard import pages
from tests.support.dashboard.pages import html

pytestmark = pytest.mark.usefixtures("dashboard_backend")


def open_rankings(**query: str) -> AppTest:
    return pages.open_page("rankings", **query)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_link_reopens_a_comparison(lang: Any) -> None:
    page = html(open_rankings(view="compare", compare="bitcoin,ethereum,gone", lang=lang))
    assert "rk-matrix" in page
    assert page.count("1.00") >= 2
    assert t("rankings.correlation", lang=lang) in page


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_chosen_coin_has_a_tray_that_leads_to_the_comparison(lang: Any) -> None:
    app = open_rankings(compare="dogecoin,gone", sort="-7d", lang=lang)
    tray, names = pages.read_live_views(app), markets.fetch_names().data
    assert names is not None
    assert (
        t("rankings.tray_compare_with", lang=lang, symbol="BTC", span=t("chart.span_7d", lang=lang)) in tray
    )
    assert "view=compare&compare=dogecoin%2Cbitcoin&span=7d" in tray
    assert t("rankings.tray_add", lang=lang, symbol="ETH", name=names["ethereum"][lang]) in tray


def test_the_tray_is_gone_without_a_chosen_coin_and_in_the_comparison() -> None:
    assert pages.read_live_views(open_rankings()) == ""
    assert pages.read_live_views(open_rankings(compare="bitcoin", view="compare")) == ""


def test_the_comparison_has_the_figures_of_its_span() -> None:
    page = html(open_rankings(view="compare", compare="bitcoin,dogecoin", span="7d"))
    assert t("rankings.compare_figures", span="7d") in page
    for name in ("volatility", "drawdown", "col_7d"):
        assert t(f"rankings.{name}") in page
    tokens = {token["id"]: token for token in markets.fetch_rankings("7d").data or []}
    assert percent(Decimal(tokens["dogecoin"]["pct_change_7d"] or "0")) in page


@pytest.mark.parametrize("span", ["24h", "30d"])
def test_the_comparison_tells_the_source_and_the_age_of_its_prices(span: str) -> None:
    page = html(open_rankings(view="compare", compare="bitcoin,dogecoin", span=span))
    assert re.search(r"Source: sample market · (just now|\d+ \w+ ago)\. ", page)


def test_a_comparison_over_a_year_has_the_history_of_each_coin_and_keeps_its_span_in_the_link() -> None:
    app = open_rankings(view="compare", compare="bitcoin,dogecoin", span="1y")
    page = html(app)
    assert t("rankings.compare_figures", span="1y") in page
    assert t("rankings.col_1y") in page
    assert app.query_params["span"] == "1y"
    histories = [markets.fetch_candles(asset, "1y").data for asset in ("bitcoin", "dogecoin")]
    for history in histories:
        assert history is not None
        first, last = history["candles"][0][4], history["candles"][-1][4]
        assert percent(Decimal(f"{100 * last / first - 100:.4f}")) in page


def test_the_picker_offers_every_asset_and_has_the_links_choice() -> None:
    app = open_rankings(view="compare", compare="ethereum,gone")
    picker = app.multiselect(key="compare_pick")
    ranked = markets.fetch_rankings("24h").data or []
    assert picker.options == [f"{token['name']} ({token['symbol']})" for token in ranked]
    assert picker.value == ["ethereum"]
    assert picker.proto.max_selections == 6
    picker.select("bitcoin").run()
    assert app.query_params["compare"] == "ethereum,bitcoin"


def test_an_empty_comparison_offers_the_top_assets() -> None:
    app = open_rankings(view="compare")
    app.button(key="empty-compare-action").click().run()
    assert "rk-matrix" in html(app)
