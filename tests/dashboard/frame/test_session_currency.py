"""The reader's currency: rate, source and age, US dollars without a rate, and the offer to a new reader."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.client import Fetched
from dashboard.client.market_schemas import Currency, DisplayRate, DisplayRates
from dashboard.frame.display_currency import US_DOLLARS
from dashboard.frame.session_currency import build_display_currency, build_rate_note
from dashboard.i18n import t

NOON = datetime(2026, 5, 18, 12, 0, 5, tzinfo=UTC)
NO_RATES: Fetched[DisplayRates] = Fetched(None)


def page() -> None:
    import streamlit as st

    from dashboard.frame import preferences, session_currency

    preferences.load()
    session_currency.render_currency_offer()
    st.text(preferences.build_cookie_value() or "none")


def fetch_rates(
    code: Currency, rate: str | None, source: str = "coingecko", *, stale: bool = False
) -> Fetched[DisplayRates]:
    entry: DisplayRate = {"rate": rate, "source": source, "last_updated": "2026-05-18T12:00:05Z"}
    return Fetched({"base": "USD", "rates": {code: entry}}, NOON, stale)


def test_the_currency_has_the_services_rate_with_all_digits() -> None:
    shown = build_display_currency("BTC", fetch_rates("BTC", "0.0000149253731343284"), "en")
    assert (shown.code, shown.rate) == ("BTC", Decimal("0.0000149253731343284"))
    assert (shown.source, shown.as_of) == ("coingecko", NOON)


@pytest.mark.parametrize(
    "rates",
    [
        fetch_rates("JPY", None),
        fetch_rates("JPY", "0"),
        fetch_rates("EUR", "0.9"),
        NO_RATES,
    ],
    ids=["unknown", "zero", "not listed", "no response"],
)
def test_without_a_rate_amounts_are_in_us_dollars(rates: Fetched[DisplayRates]) -> None:
    assert build_display_currency("JPY", rates, "en") == US_DOLLARS


def test_the_note_has_the_rate_its_source_and_its_age() -> None:
    note = build_rate_note(
        build_display_currency("JPY", fetch_rates("JPY", "157.2"), "en"), NOON + timedelta(minutes=2)
    )
    assert "1 USD = 157.2 JPY, CoinGecko, 2 min ago. Changes are measured in US dollars." in note
    assert "cp-warn-text" not in note


def test_the_note_of_a_long_rate_is_short_and_its_title_is_exact() -> None:
    note = build_rate_note(
        build_display_currency("BTC", fetch_rates("BTC", "0.0000149253731343284"), "en"), NOON
    )
    assert "1 USD = 0.0000149254 BTC," in note
    assert 'title="1 USD = 0.0000149253731343284 BTC"' in note


@pytest.mark.parametrize(
    "rates",
    [fetch_rates("JPY", "157.2", "coingecko:stale"), fetch_rates("JPY", "157.2", stale=True)],
    ids=["the service has no newer rate", "the service does not respond"],
)
def test_a_stale_rate_is_marked_as_the_last_known_one(rates: Fetched[DisplayRates]) -> None:
    note = build_rate_note(build_display_currency("JPY", rates, "en"), NOON)
    assert "CoinGecko (last known)" in note
    assert "cp-warn-text" in note


def test_us_dollars_need_no_note() -> None:
    assert build_rate_note(US_DOLLARS, NOON) == ""


@pytest.mark.parametrize(
    ("locale", "code", "label"), [("ja-JP", "JPY", "円で表示"), ("zh-CN", "CNY", "以人民币显示")]
)
def test_a_first_visit_offers_the_currency_of_the_language_and_remembers_the_answer(
    app: AppTest, locale: str, code: str, label: str
) -> None:
    app.context["locale"] = locale
    accept, decline = app.run().button
    assert accept.label == label
    assert app.text[0].value == "none"
    accept.click().run()
    assert not app.button
    assert app.text[0].value.endswith(f"&currency={code}")
    assert decline.label == t("frame.currency_decline", lang="ja" if code == "JPY" else "zh")


def test_a_reader_who_keeps_us_dollars_is_not_asked_again(app: AppTest) -> None:
    app.context["locale"] = "ja-JP"
    app.run().button[1].click().run()
    assert not app.button
    assert app.text[0].value.endswith("&currency=USD")


def test_a_reader_of_english_is_not_asked(app: AppTest) -> None:
    app.context["locale"] = "en-GB"
    assert not app.run().button
