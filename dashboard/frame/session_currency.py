"""Loads the reader's currency and its rate, shows the rate below figures, and offers a local currency."""

from collections.abc import Mapping
from datetime import UTC, datetime

import streamlit as st

from dashboard.client import Fetched, markets
from dashboard.client.market_schemas import Currency, DisplayRates
from dashboard.frame import formats, preferences
from dashboard.frame.display_currency import US_DOLLARS, DisplayCurrency, build_currency_style
from dashboard.frame.freshness import source_name
from dashboard.frame.markup import tag, text
from dashboard.frame.preferences import CURRENCY_KEY, DEFAULT_CURRENCY
from dashboard.i18n import Language, language, t
from dashboard.i18n.punctuation import end_sentence, join_items, join_sentences

LOCAL_CURRENCIES: Mapping[Language, Currency] = {"ja": "JPY", "zh": "CNY"}
"""Offered to readers of the language until they have chosen a currency."""
RATE_SIGNIFICANT_DIGITS = 6
_DISPLAY_CURRENCY_KEY = "_display_currency"


def build_display_currency(code: Currency, rates: Fetched[DisplayRates], lang: Language) -> DisplayCurrency:
    """Builds the currency ``code`` with its rate; US dollars while the rate is unknown."""
    entry = rates.data["rates"].get(code) if rates.data is not None else None
    rate = formats.parse_decimal(entry["rate"]) if entry is not None else None
    if code == US_DOLLARS.code or entry is None or rate is None or rate <= 0:
        return US_DOLLARS
    source = entry["source"]
    if rates.stale and not (source or "").endswith(":stale"):  # the service has not confirmed it since
        source = f"{source or ''}:stale"
    as_of = formats.parse_instant(entry["last_updated"])
    return DisplayCurrency(code, rate, build_currency_style(code, lang), source, as_of)


def load_display_currency() -> DisplayCurrency:
    """Loads the reader's currency; US dollars while its rate is unknown. US dollars need no request."""
    code = preferences.current().currency
    if code == US_DOLLARS.code:
        return US_DOLLARS
    return build_display_currency(code, markets.fetch_rates(), language())


def set_display_currency(currency: DisplayCurrency) -> None:
    """Sets the currency of all figures that this run renders, so that they share one rate."""
    st.session_state[_DISPLAY_CURRENCY_KEY] = currency


def get_display_currency() -> DisplayCurrency:
    """Returns the currency of this run; US dollars outside of a session."""
    currency: DisplayCurrency = st.session_state.get(_DISPLAY_CURRENCY_KEY, US_DOLLARS)
    return currency


def render_missing_rate() -> None:
    """Renders a notice if figures are in US dollars because the chosen currency has no rate."""
    chosen = preferences.current().currency
    if get_display_currency().code == chosen:
        return
    content = tag("strong", text(t("frame.rate_missing", code=chosen))) + " "
    content += tag("span", text(t("frame.rate_missing_why", code=chosen)))
    st.html(tag("div", content, class_="cp-stale", role="status"))


def build_rate_note(currency: DisplayCurrency, now: datetime) -> str:
    """Builds ``1 USD = 157.2 JPY, CoinGecko, 2 min ago`` and what is in US dollars; empty for US dollars."""
    if not currency.is_converted:
        return ""
    rate = f"1 USD = {formats.significant(currency.rate, RATE_SIGNIFICANT_DIGITS)} {currency.code}"
    facts = [rate, source_name(currency.source)]
    if currency.as_of is not None:
        facts.append(formats.age((now - currency.as_of).total_seconds(), language()))
    content = join_sentences(end_sentence(join_items(facts)), t("frame.rate_note"))
    title = f"1 USD = {currency.rate:f} {currency.code}"
    tone = " cp-warn-text" if currency.is_stale else ""
    return tag("p", text(content), class_=f"cp-small-note cp-rate{tone}", title=title)


def render_rate_note() -> None:
    """Renders the rate of the figures above; nothing for US dollars."""
    if content := build_rate_note(get_display_currency(), datetime.now(UTC)):
        st.html(content)


def render_currency_offer() -> None:
    """Offers the currency of the reader's language, until the reader chooses a currency.

    Keeping US dollars is a choice too, so the offer does not return.
    """
    code = LOCAL_CURRENCIES.get(language())
    if code is None or preferences.has_chosen_currency():
        return
    with st.container(key="currency_offer", horizontal=True, vertical_alignment="center", gap="small"):
        for choice, label in (
            (code, t("frame.currency_offer")),
            (DEFAULT_CURRENCY, t("frame.currency_decline")),
        ):
            st.button(
                label,
                key=f"currency_offer_{choice}",
                type="tertiary",
                on_click=preferences.choose,
                args=(CURRENCY_KEY, choice),
            )
