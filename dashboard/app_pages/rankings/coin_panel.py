"""The panel beside the table: one coin with its candles, quotes and the reasons for its price."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime

import streamlit as st

from dashboard.app_pages.rankings import coin_panel_sections, coin_panel_topics
from dashboard.app_pages.rankings.columns import SLOTS, SPANS
from dashboard.app_pages.rankings.rows import Row
from dashboard.charts import candles
from dashboard.charts.plotly_chart import render_chart
from dashboard.client import Fetched, connection, markets
from dashboard.client.base_url import get_base_url
from dashboard.client.market_schemas import Asset, AssetQuotes, CandleSeries, Span
from dashboard.client.topics import TopicPage
from dashboard.frame import states
from dashboard.frame.freshness import source_name
from dashboard.frame.markup import note
from dashboard.frame.theme import Theme
from dashboard.frame.url_state import sync
from dashboard.i18n import language, t


@dataclass(frozen=True, slots=True)
class Asked:
    """The panel's calls, begun side by side."""

    span: Span
    on_span: Callable[[], None]
    candles: Future[Fetched[CandleSeries]]
    quotes: Future[Fetched[AssetQuotes]]
    asset: Future[Fetched[Asset]]
    topics: Future[Fetched[TopicPage]]


def ask(asset_id: str) -> Asked:
    span, on_span = sync("chart", SPANS, "24h")
    lang = language()
    return Asked(
        span,
        on_span,
        connection.start_call(lambda: markets.fetch_candles(asset_id, span)),
        connection.start_call(lambda: markets.fetch_quotes(asset_id)),
        connection.start_call(lambda: markets.fetch_asset(asset_id)),
        connection.start_call(lambda: coin_panel_topics.ask(asset_id, lang)),
    )


def head(
    row: Row, icon: str, *, compared: bool, on_close: Callable[[], None], on_compare: Callable[[], None]
) -> None:
    """What is known from the table already: nothing is waited for."""
    with st.container(key="rk_panel_bar", horizontal=True, vertical_alignment="center"):
        label = t("rankings.drop_compare") if compared else t("rankings.add_compare")
        st.button(label, key="rk_compare", on_click=on_compare)
        st.button(t("rankings.close"), key="rk_close", on_click=on_close, type="tertiary")
    with st.container(key="rk_coin_head"):
        st.html(coin_panel_sections.head(row, icon, language(), datetime.now(UTC)))


def body(row: Row, look: Theme, asked: Asked) -> None:
    """Candles, quotes and facts; each part has its own error, so that one failure hides nothing else."""
    lang = language()
    st.segmented_control(
        t("chart.candles"),
        SPANS,
        format_func=lambda code: t(f"chart.span_{code}"),
        key="chart",
        required=True,
        label_visibility="collapsed",
        on_change=asked.on_span,
    )
    notes = _candles(row, asked.span, look, asked.candles.result())
    quotes, asset = asked.quotes.result(), asked.asset.result()
    if quotes.data is not None:
        told = coin_panel_sections.quotes(
            quotes.data, lang, datetime.now(UTC)
        ) + coin_panel_sections.incidents(quotes.data["incidents"])
    else:
        told = ""
        if quotes.error is not None:
            states.error(quotes.error, key="quotes", live=True)
    links = "" if asset.data is None else coin_panel_sections.links(asset.data)
    # In one piece: each piece by itself costs the browser more than what it holds.
    st.html(notes + told + coin_panel_sections.figures(row, asset.data, lang) + links)
    topics = st.container(key="rk_topics")
    with st.expander(t("rankings.curl"), key="rk_curl", on_change="rerun") as calls:
        if calls.open:  # the code's colours cost more than all the rest of the panel
            st.caption(t("rankings.curl_why"))
            st.code(
                coin_panel_sections.curl(get_base_url(), row.id, asked.span), language="bash", wrap_lines=True
            )
    with topics:
        coin_panel_topics.show(row.id, asked.topics.result())


def _candles(row: Row, span: Span, look: Theme, answer: Fetched[CandleSeries]) -> str:
    """The chart; returns what is to be said below it (markup)."""
    series = answer.data
    if series is None:
        if answer.error is not None:
            states.error(answer.error, key="candles", live=True)
        return ""
    shown = series["candles"]
    if not shown:
        return note(t("rankings.candles_none"))
    figure = candles.build_figure(
        shown,
        look.shades,
        look.zone,
        ink=look.ink,
        background=look.background,
        sample=bool(series["source"] and series["source"].startswith("sample")),
        span=span,
        identity=f"{row.id} {span}",
        lang=language(),
    )
    words = candles.build_summary(shown, row.name, t(f"chart.span_{span}"))
    table = candles.build_table(shown, row.name, language())
    render_chart(figure, key="rk_candles", height=candles.HEIGHT_PIXELS, alt=words, table=table)
    notes = [t(f"chart.basis_{series['basis']}", source=source_name(series["source"]))]
    if len(shown) < SLOTS[span]:
        notes.append(t("rankings.candles_short", n=len(shown), full=SLOTS[span]))
    return note(" · ".join(notes))


def missing(coin: str, on_close: Callable[[], None]) -> None:
    """A link names an asset that is not here."""
    states.empty(
        t("rankings.coin_missing", id=coin), action=t("rankings.close"), on_click=on_close, key="coin"
    )
