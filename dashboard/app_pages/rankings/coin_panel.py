"""Renders the panel of one coin beside the table: candles, price change, topics, quotes and figures."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime

import streamlit as st

from dashboard.app_pages.rankings import (
    coin_panel_candle_notes,
    coin_panel_price_change,
    coin_panel_sections,
    coin_panel_topics,
)
from dashboard.app_pages.rankings.columns import MAX_COMPARED_ASSETS
from dashboard.app_pages.rankings.rows import Row
from dashboard.charts import candles
from dashboard.charts.plotly_chart import render_chart
from dashboard.client import Fetched, connection, markets
from dashboard.client.base_url import get_base_url
from dashboard.client.market_schemas import (
    CHANGE_SPANS,
    CHART_SPANS,
    Asset,
    AssetQuotes,
    CandleSeries,
    ChartSpan,
    MarketStatus,
)
from dashboard.client.topics import TopicPage
from dashboard.frame import formats, states
from dashboard.frame.markup import note
from dashboard.frame.session_currency import build_rate_note, get_display_currency
from dashboard.frame.theme import Theme
from dashboard.frame.url_state import Binding, bind_choice
from dashboard.i18n import language, t


@dataclass(frozen=True, slots=True)
class PanelCalls:
    """The concurrent calls of the panel, and its span."""

    span: Binding[ChartSpan]
    candles: Future[Fetched[CandleSeries]]
    week: Future[Fetched[CandleSeries]]
    """The candles of the span ``7d``, whose volumes tell a usual day."""
    quotes: Future[Fetched[AssetQuotes]]
    asset: Future[Fetched[Asset]]
    topics: Future[Fetched[TopicPage]]


def start_calls(asset_id: str) -> PanelCalls:
    span = bind_choice("chart", CHART_SPANS, "24h")
    lang = language()
    shown_candles = connection.start_call(lambda: markets.fetch_candles(asset_id, span.value))
    return PanelCalls(
        span,
        shown_candles,
        shown_candles
        if span.value == "7d"
        else connection.start_call(lambda: markets.fetch_candles(asset_id, "7d")),
        connection.start_call(lambda: markets.fetch_quotes(asset_id)),
        connection.start_call(lambda: markets.fetch_asset(asset_id)),
        connection.start_call(lambda: coin_panel_topics.fetch_topics(asset_id, lang)),
    )


def render_head(
    row: Row,
    icon: str,
    *,
    comparison: str,
    compared: bool,
    is_full: bool,
    on_open_comparison: Callable[[], None],
    on_close: Callable[[], None],
    on_compare: Callable[[], None],
) -> None:
    """Renders the figures that the table already has, without waiting for a call.

    ``comparison`` labels the button that opens the comparison; empty if there is no other asset. ``is_full``:
    the comparison has no place for this asset.
    """
    with st.container(key="rk_panel_bar", horizontal=True, vertical_alignment="center"):
        label = t("rankings.drop_compare") if compared else t("rankings.add_compare")
        label = t("rankings.compare_full", n=MAX_COMPARED_ASSETS) if is_full else label
        if comparison:
            st.button(comparison, key="rk_open_comparison", on_click=on_open_comparison)
        st.button(label, key="rk_compare", on_click=on_compare, type="tertiary", disabled=is_full)
        st.button(t("rankings.close"), key="rk_close", on_click=on_close, type="tertiary")
    with st.container(key="rk_coin_head"):
        st.html(coin_panel_sections.build_head(row, icon, language(), datetime.now(UTC)))


def build_title(row: Row) -> str:
    """Builds the title of the browser's tab: name, price and 24-hour change, as far as they are current."""
    change = row.change("24h")
    parts = [row.name, get_display_currency().format_price(row.price) if row.price is not None else ""]
    return " ".join(filter(None, [*parts, formats.percent(change, places=1) if change is not None else ""]))


def render_body(
    row: Row, rows: Sequence[Row], status: MarketStatus | None, theme: Theme, calls: PanelCalls
) -> None:
    """Renders the parts of the panel. Each part shows its own error and hides no other."""
    lang, now = language(), datetime.now(UTC)
    st.segmented_control(
        t("chart.candles"),
        CHART_SPANS,
        format_func=lambda code: t(f"chart.span_{code}"),
        default=calls.span.value,
        **calls.span.widget,
        required=True,
        label_visibility="collapsed",
    )
    notes = _render_candles(row, calls.span.value, theme, calls.candles.result())
    quotes, asset = calls.quotes.result(), calls.asset.result()
    price_change = coin_panel_price_change.build_price_change(
        row,
        rows,
        calls.week.result().data,
        quotes.data,
        status["providers"] if status is not None else None,
        next((span for span in CHANGE_SPANS if span == calls.span.value), "30d"),
        lang,
        now,
    )
    st.html(notes + build_rate_note(get_display_currency(), now) + price_change)
    topics = st.container(key="rk_topics")
    if quotes.data is not None:
        quotes_html = coin_panel_sections.build_quotes(
            quotes.data, lang, now
        ) + coin_panel_sections.build_incidents(quotes.data, now)
    else:
        quotes_html = ""
        if quotes.error is not None:
            states.render_error(quotes.error, key="quotes", live=True)
    links = "" if asset.data is None else coin_panel_sections.build_links(asset.data)
    # One element: separate elements cost the browser more than their content.
    st.html(quotes_html + coin_panel_sections.build_figures(row, asset.data, lang) + links)
    with st.expander(t("rankings.curl"), key="rk_curl", on_change="rerun") as expander:
        if expander.open:  # highlighting the code costs more than the rest of the panel
            st.caption(t("rankings.curl_why"))
            st.code(
                coin_panel_sections.build_curl_commands(get_base_url(), row.id, calls.span.value),
                language="bash",
                wrap_lines=True,
            )
    with topics:
        coin_panel_topics.render_topics(row.id, calls.span.value, calls.topics.result())


def _render_candles(row: Row, span: ChartSpan, theme: Theme, result: Fetched[CandleSeries]) -> str:
    """Renders the chart and returns the markup of the notes below it."""
    series = result.data
    if series is None:
        if result.error is not None:
            states.render_error(result.error, key="candles", live=True)
        return ""
    rows = series["candles"]
    if not rows:
        is_far = span in coin_panel_candle_notes.LONG_SPANS
        return note(t("rankings.candles_none_far" if is_far else "rankings.candles_none"))
    currency = get_display_currency()
    figure = candles.build_figure(
        rows,
        theme.shades,
        theme.zone,
        ink=theme.ink,
        background=theme.background,
        sample=bool(series["source"] and series["source"].startswith("sample")),
        span=span,
        identity=f"{row.id} {span} {currency.code}",
        lang=language(),
        currency=currency,
    )
    alt = candles.build_summary(rows, row.name, t(f"chart.span_{span}"), currency)
    table = candles.build_table(rows, row.name, language(), currency, span=span)
    render_chart(figure, key="rk_candles", height=candles.HEIGHT_PIXELS, alt=alt, table=table)
    return note(" · ".join(coin_panel_candle_notes.build_notes(series, datetime.now(UTC), language())))


def render_missing(coin: str, on_close: Callable[[], None]) -> None:
    """Renders that the asset of the link does not exist."""
    states.render_empty(
        t("rankings.coin_missing", id=coin), action=t("rankings.close"), on_click=on_close, key="coin"
    )
