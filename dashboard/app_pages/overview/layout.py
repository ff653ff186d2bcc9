"""The Overview: its controls, and its panels in reading order."""

from datetime import UTC, datetime
from decimal import Decimal

import streamlit as st

from dashboard.app_pages.overview import charts, data_health, market_figures, panels
from dashboard.app_pages.overview.data import Gathered, gather
from dashboard.app_pages.overview.market_figures import MIN_CAPS, Coin
from dashboard.client import connection
from dashboard.client.market_schemas import Span
from dashboard.components.live_view import Node, live_view
from dashboard.frame import freshness, preferences, refresh, states, url_state
from dashboard.frame.formats import compact_usd, parse_instant
from dashboard.frame.markup import tag
from dashboard.i18n import language, t

SPANS: tuple[Span, ...] = ("24h", "7d")
INCIDENTS = ("few", "all")
SEEN = "overview_seen"
LARGEST, MOVERS = 16, 6
VIEW_HEIGHT = 1150


def controls() -> tuple[Span, str]:
    """The period of all changes, and the size from which on an asset may lead."""
    span, on_span = url_state.sync("span", SPANS, "24h")
    st.segmented_control(
        t("overview.span"),
        SPANS,
        key="span",
        required=True,
        on_change=on_span,
        label_visibility="collapsed",
        format_func=lambda code: t(f"overview.span_{code}"),
    )
    codes = tuple(MIN_CAPS)
    size, on_size = url_state.sync("mincap", codes, "10m")
    st.selectbox(
        t("overview.min_cap"),
        codes,
        key="mincap",
        on_change=on_size,
        label_visibility="collapsed",
        format_func=size_name,
        width=190,
    )
    return span, size


def size_name(code: str) -> str:
    least = MIN_CAPS[code]
    return (
        t("overview.min_cap_from", amount=compact_usd(least, language(), trim=True))
        if least
        else t("overview.min_cap_any")
    )


def body() -> None:
    bar = st.container(key="overview-controls", horizontal=True, vertical_alignment="center", gap="small")
    with bar:
        span, size = controls()
    data = gathered(span)
    bar.html(as_of(data))
    refresh.record_results(*data.answers)
    if data.rankings.data is None and data.rankings.error is not None:
        states.error(data.rankings.error, key="overview", live=True)
        return
    states.stale_banner(*data.answers, key="overview")
    worker_told = states.worker_banner(data.status.data)
    states.provider_banner(data.status.data)
    has_prices = any(coin.price is not None for coin in data.coins)
    if data.coins and refresh.update_awaiting(has_prices) and not worker_told:
        states.awaiting()
    if not data.coins:
        reason, action = t("overview.no_assets"), t("overview.no_assets_action")
        states.empty(reason, action=action, on_click=connection.retry_failed, key="overview")
        return
    incidents, _ = url_state.sync("incidents", INCIDENTS, INCIDENTS[0])
    opened = live_view(build_panels(data, span, size, whole=incidents == "all"), key="overview-view")
    if opened in (data_health.ALL_EVENTS, data_health.FEWER_EVENTS):
        url_state.write("incidents", opened.partition("=")[2], INCIDENTS[0])
        st.rerun()
    if opened is not None:
        st.switch_page("app_pages/rankings/page.py", query_params={"coin": opened})


def gathered(span: Span) -> Gathered:
    """The data; the first time in a session with a skeleton in their place."""
    if st.session_state.get(SEEN):
        return gather(span)
    st.session_state[SEEN] = True
    with states.loading(VIEW_HEIGHT):
        return gather(span)


def as_of(data: Gathered) -> str:
    """When the service last refreshed its figures, from whom, and how often this page asks."""
    status = data.status.data
    refreshed = parse_instant(status["refreshed_at"]) if status else None
    line = freshness.freshness_html(refreshed, market_figures.sources(data.prices.data or {}))
    return tag("div", line, freshness.interval_html(), class_="cp-as-of")


def build_panels(data: Gathered, span: Span, size: str, *, whole: bool) -> list[Node | None]:
    """The page's panels in reading order; ``whole`` shows all incidents."""
    now = datetime.now(UTC)
    coins, names = data.coins, {coin.id: coin.name for coin in data.coins}
    gainers, losers = market_figures.movers(coins, MIN_CAPS[size], MOVERS)
    active = market_figures.most_active(coins, MOVERS)
    worries = market_figures.worries(data.prices.data or {}, data.figures.data or {}, names)
    legend = t("overview.movers_note", span=t(f"overview.span_{span}"), size=size_name(size))
    scheme = preferences.current().scheme
    known = any(coin.change is not None for coin in coins)
    none_rose, none_fell = (
        (t("overview.none_rose"), t("overview.none_fell")) if known else (t("overview.no_changes"),) * 2
    )
    active_legend = t("overview.active_note", span=t(f"overview.span_{span}"))
    return [
        panels.tiles(data.overview.data, now),
        charts.heat_map(market_figures.largest(coins, LARGEST), span, scheme),
        charts.breadth_panel(market_figures.breadth(coins, span), len(coins), span),
        panels.coin_list("gainers", t("overview.gainers"), priced(gainers), legend, none_rose),
        panels.coin_list("losers", t("overview.losers"), priced(losers), legend, none_fell),
        panels.coin_list("active", t("overview.active"), active, active_legend, t("overview.no_volumes")),
        data_health.worries_panel(worries, len(coins), now, known=data.figures.data is not None),
        data_health.providers_panel(data.status.data, now),
        data_health.incidents_panel(data.events, now, whole=whole),
    ]


def priced(rows: list[Coin]) -> list[tuple[Coin, Decimal | None]]:
    return [(row, None) for row in rows]
