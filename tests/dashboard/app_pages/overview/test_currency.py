"""The Overview in the currency that the reader chose, with the real service."""

import pytest

from dashboard.client import markets
from dashboard.frame.formats import parse_decimal
from dashboard.frame.session_currency import build_display_currency
from dashboard.i18n import t
from tests.support.dashboard.overview_page import find_panel, links, text
from tests.support.dashboard.pages import change_answer, html, open_page
from tests.support.dashboard.transport import CuttableTransport

pytestmark = pytest.mark.usefixtures("dashboard_backend")


def test_totals_and_prices_are_in_the_chosen_currency_with_the_rate_below() -> None:
    app = open_page()
    before = {name: text(find_panel(app, name)) for name in ("breadth", "gainers")}
    leading = links(find_panel(app, "gainers"))
    app.segmented_control(key="pref_currency").set_value("JPY").run()
    assert not app.exception
    market, currency = (
        markets.fetch_overview().data,
        build_display_currency("JPY", markets.fetch_rates(), "en"),
    )
    assert market is not None
    for name, total in (("market-cap", market["market_cap"]), ("volume-24h", market["volume_24h"])):
        assert currency.format_compact(parse_decimal(total["value"]), "en") in text(find_panel(app, name))
    price = (markets.fetch_prices().data or {})[leading[0]]["price_usd"]
    assert currency.format_price(parse_decimal(price)) in text(find_panel(app, "gainers"))
    assert links(find_panel(app, "gainers")) == leading
    assert text(find_panel(app, "breadth")) == before["breadth"]
    assert "$" not in text(find_panel(app, "active"))
    assert f"1 USD = 142.9 JPY, {t('frame.source_sample')}, " in html(app)
    assert t("frame.rate_note") in html(app)


def test_a_missing_rate_is_said_on_the_overview(
    transport: CuttableTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_answer(monkeypatch, "/markets/rates", lambda _: None)
    app = open_page()
    app.segmented_control(key="pref_currency").set_value("GBP").run()
    assert t("frame.rate_missing", code="GBP") in html(app)
    assert "$" in text(find_panel(app, "market-cap"))
