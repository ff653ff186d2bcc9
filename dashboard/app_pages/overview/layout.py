"""Lays out the Overview: its controls and its panels in reading order."""

from datetime import UTC, datetime
from decimal import Decimal

import streamlit as st

from dashboard.app_pages.overview import charts, data_health, market_figures, panels
from dashboard.app_pages.overview.data import OverviewData, load_data
from dashboard.app_pages.overview.market_figures import MIN_CAPS, Coin
from dashboard.app_pages.overview.market_sentence import build_market_sentence
from dashboard.client import connection
from dashboard.client.market_schemas import SPANS, Span
from dashboard.components.live_view import Node, h, live_view
from dashboard.frame import freshness, preferences, refresh, session_currency, states, url_state
from dashboard.frame.formats import format_compact_amount, parse_instant
from dashboard.frame.markup import tag
from dashboard.i18n import language, t

INCIDENT_LIST_CHOICES = ("few", "all")
_LOADED_KEY = "overview_loaded"
"""Session key that is set after the first load."""
MAX_MAP_TILES, MAX_MOVERS = 16, 6
SKELETON_HEIGHT_PIXELS = 1150


def render_controls() -> tuple[Span, str]:
    """Renders two controls and returns their choices.

    They are the period of price changes, and the code of the minimum market capitalisation of gainers and
    losers.
    """
    span = url_state.bind_choice("span", SPANS, "24h")
    st.segmented_control(
        t("overview.span"),
        SPANS,
        default=span.value,
        **span.widget,
        required=True,
        label_visibility="collapsed",
        format_func=lambda code: t(f"overview.span_{code}"),
    )
    codes = tuple(MIN_CAPS)
    min_cap = url_state.bind_choice("mincap", codes, "10m")
    st.selectbox(
        t("overview.min_cap"),
        codes,
        index=codes.index(min_cap.value),
        **min_cap.widget,
        label_visibility="collapsed",
        format_func=format_min_cap,
        width=190,
    )
    return span.value, min_cap.value


def format_min_cap(code: str) -> str:
    min_cap = MIN_CAPS[code]
    return (
        t("overview.min_cap_from", amount=format_compact_amount(min_cap, language(), trim=True))
        if min_cap
        else t("overview.min_cap_any")
    )


def render_page() -> None:
    bar = st.container(key="overview-controls", horizontal=True, vertical_alignment="center", gap="small")
    with bar:
        span, min_cap_code = render_controls()
    data = load_with_skeleton(span)
    session_currency.set_display_currency(session_currency.load_display_currency())
    bar.html(freshness_html(data))
    refresh.record_results(*data.results)
    if data.rankings.data is None and data.rankings.error is not None:
        states.render_error(data.rankings.error, key="overview", live=True)
        return
    states.render_stale_banner(*data.results, key="overview", live=True)
    has_worker_banner = states.render_worker_banner(data.status.data)
    states.render_provider_banner(data.status.data)
    session_currency.render_missing_rate()
    has_prices = any(coin.price is not None for coin in data.coins)
    if data.coins and refresh.track_first_figures(has_prices) and not has_worker_banner:
        states.render_no_data_yet()
    if not data.coins:
        reason, action = t("overview.no_assets"), t("overview.no_assets_action")
        states.render_empty(reason, action=action, on_click=connection.retry_failed, key="overview")
        return
    incidents = url_state.read_choice("incidents", INCIDENT_LIST_CHOICES, INCIDENT_LIST_CHOICES[0])
    clicked = live_view(
        build_panels(data, span, min_cap_code, show_all=incidents == "all"), key="overview-view"
    )
    session_currency.render_rate_note()
    if clicked in (data_health.ALL_INCIDENTS_LINK, data_health.FEW_INCIDENTS_LINK):
        url_state.write_param("incidents", clicked.partition("=")[2], INCIDENT_LIST_CHOICES[0])
        st.rerun()
    if clicked is not None:
        # The table, the comparison and the chart of the coin open in the period of this page.
        chosen_span = {} if span == SPANS[0] else {"span": span, "chart": span}
        st.switch_page("app_pages/rankings/page.py", query_params={"coin": clicked, **chosen_span})


def load_with_skeleton(span: Span) -> OverviewData:
    """Loads the data; shows a skeleton meanwhile at the first load of a session."""
    if st.session_state.get(_LOADED_KEY):
        return load_data(span, language())
    st.session_state[_LOADED_KEY] = True
    with states.show_skeleton(SKELETON_HEIGHT_PIXELS):
        return load_data(span, language())


def freshness_html(data: OverviewData) -> str:
    """Builds the line with the service's last refresh, the sources and the page's refresh interval."""
    status = data.status.data
    refreshed = parse_instant(status["refreshed_at"]) if status else None
    line = freshness.freshness_html(refreshed, market_figures.join_sources(data.prices.data or {}))
    return tag("div", line, freshness.interval_html(), class_="cp-as-of")


def build_panels(data: OverviewData, span: Span, min_cap_code: str, *, show_all: bool) -> list[Node | None]:
    """Builds the panels in reading order; ``show_all`` lists all incidents."""
    now = datetime.now(UTC)
    coins, names = data.coins, {coin.id: coin.name for coin in data.coins}
    gainers, losers = market_figures.find_movers(coins, MIN_CAPS[min_cap_code], MAX_MOVERS)
    active = market_figures.find_most_active(coins, MAX_MOVERS)
    doubtful = market_figures.find_doubtful_figures(data.prices.data or {}, data.figures.data or {}, names)
    legend = t("overview.movers_note", span=t(f"overview.span_{span}"), size=format_min_cap(min_cap_code))
    scheme = preferences.current().rise_colours
    has_changes = any(coin.change is not None for coin in coins)
    no_gainers, no_losers = (
        (t("overview.none_rose"), t("overview.none_fell")) if has_changes else (t("overview.no_changes"),) * 2
    )
    active_legend = t("overview.active_note", span=t(f"overview.span_{span}"))
    breadth = market_figures.compute_breadth(coins, span)
    sentence = build_market_sentence(breadth, span, *(next(iter(rows), None) for rows in (gainers, losers)))
    return [
        h("p", sentence, class_="cp-sentence", key="sentence"),
        panels.build_tiles(data.overview.data, data.totals.data, now),
        charts.build_heat_map(market_figures.find_largest(coins, MAX_MAP_TILES), span, scheme),
        charts.build_breadth_panel(breadth, len(coins), span),
        panels.build_coin_list(
            "gainers", t("overview.gainers"), pair_with_empty_volume(gainers), legend, no_gainers
        ),
        panels.build_coin_list(
            "losers", t("overview.losers"), pair_with_empty_volume(losers), legend, no_losers
        ),
        panels.build_coin_list(
            "active", t("overview.active"), active, active_legend, t("overview.no_volumes")
        ),
        data_health.build_doubtful_figures_panel(
            doubtful, len(coins), now, has_data=data.figures.data is not None
        ),
        data_health.build_providers_panel(data.status.data, now),
        data_health.build_incidents_panel(data.incidents, now, show_all=show_all),
    ]


def pair_with_empty_volume(rows: list[Coin]) -> list[tuple[Coin, Decimal | None]]:
    """Pairs each coin with None in place of a volume, so that its row shows the price."""
    return [(row, None) for row in rows]
