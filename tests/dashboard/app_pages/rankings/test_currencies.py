"""The Rankings page in the currency that the reader chose, with the real service."""

import math
from decimal import Decimal

import pytest

from dashboard.app_pages.rankings import layout
from dashboard.client import markets
from dashboard.client.market_schemas import CURRENCIES, Currency
from dashboard.frame.display_currency import DisplayCurrency
from dashboard.frame.formats import UNKNOWN
from dashboard.frame.session_currency import build_display_currency
from dashboard.i18n import t
from tests.support.dashboard.charts import parse_charts
from tests.support.dashboard.pages import change_answer, html
from tests.support.dashboard.rankings_page import (
    list_payloads,
    open_rankings,
    parse_table_payloads,
)
from tests.support.dashboard.transport import CuttableTransport

pytestmark = pytest.mark.usefixtures("dashboard_backend")


def find_rate(code: Currency) -> DisplayCurrency:
    return build_display_currency(code, markets.fetch_rates(), "en")


def test_amounts_are_in_the_chosen_currency_in_the_same_order_with_the_rate_below() -> None:
    app = open_rankings(coin="bitcoin", cols="rank,name,price,cap,volume")
    dollars = parse_table_payloads(app).table["columns"]
    app.segmented_control(key="pref_currency").set_value("JPY").run()
    assert not app.exception
    yen, currency = parse_table_payloads(app).table["columns"], find_rate("JPY")
    prices = [None if price is None else currency.format_price(Decimal(price)) for price in dollars["price"]]
    assert yen["priceText"] == prices
    assert [yen[name] for name in ("id", "price", "order", "24h")] == [
        dollars[name] for name in ("id", "price", "order", "24h")
    ]
    assert all(text is None or text.startswith("¥") for text in (*yen["capText"], *yen["volumeText"]))
    page = html(app)
    assert (
        f'class="rk-price" title="{currency.format_full_price(Decimal(dollars["price"][0]), "en")}"' in page
    )
    rate = f"1 USD = 142.9 JPY, {t('frame.source_sample')}, "
    assert page.count(rate) == 2, "below the table and in the panel"
    (chart,) = parse_charts(app)
    assert chart.figure["layout"]["yaxis"]["tickprefix"] == "¥"


def test_the_treemap_names_amounts_in_the_chosen_currency() -> None:
    app = open_rankings(view="treemap")
    app.segmented_control(key="pref_currency").set_value("EUR").run()
    (chart,) = parse_charts(app)
    _, price, cap, _, _ = chart.figure["data"][0]["customdata"][0]
    assert (price[0], cap[0]) == ("€", "€")
    assert {row[3][0] for row in chart.options["table"]["rows"] if row[3] != UNKNOWN} == {"€"}


def test_without_a_rate_amounts_are_in_us_dollars_until_one_arrives(
    transport: CuttableTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    unknown = {"rate": None, "source": None, "last_updated": None}
    with monkeypatch.context() as outage:
        change_answer(
            outage, "/markets/rates", lambda body: {**body, "rates": dict.fromkeys(CURRENCIES, unknown)}
        )
        app = open_rankings()
        app.segmented_control(key="pref_currency").set_value("KRW").run()
        assert t("frame.rate_missing", code="KRW") in html(app)
        assert parse_table_payloads(app).table["columns"]["priceText"][0].startswith("$")
    app.run()
    assert t("frame.rate_missing", code="KRW") not in html(app)
    assert parse_table_payloads(app).table["columns"]["priceText"][0].startswith("₩")


def test_a_click_keeps_the_browsers_rows_although_the_rate_has_changed(
    transport: CuttableTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "ROW_HOLD_SECONDS", math.inf)
    app = open_rankings()
    app.segmented_control(key="pref_currency").set_value("JPY").run()
    app.run()
    before = list_payloads(app, "rank_table")
    newer = {"rate": "200", "source": "sample", "last_updated": "2026-11-18T10:08:00Z"}
    change_answer(monkeypatch, "/markets/rates", lambda body: {**body, "rates": {"JPY": newer}})
    app.query_params["coin"] = "ethereum"
    app.run()
    assert list_payloads(app, "rank_table") == before
    app.run()
    assert list_payloads(app, "rank_table") != before


def test_a_new_reader_accepts_the_currency_of_the_language() -> None:
    app = open_rankings(lang="zh")
    app.button(key="currency_offer_CNY").click().run()
    assert parse_table_payloads(app).table["columns"]["priceText"][0].startswith("¥")
    assert "currency_offer_CNY" not in [button.key for button in app.button]
