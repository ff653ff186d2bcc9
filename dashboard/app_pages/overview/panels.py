"""Builds the Overview's tiles and asset lists as trees for :mod:`dashboard.components.live_view`."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from math import cos, pi, sin
from typing import Literal

import streamlit as st

from dashboard.app_pages.overview.market_figures import Coin, build_trend_path
from dashboard.app_pages.overview.sparkline import Sparkline, build_sparkline
from dashboard.client.market_schemas import MarketOverview, Total, TotalsHistory
from dashboard.components.live_view import Node, h
from dashboard.frame import formats
from dashboard.frame.formats import ARROWS, UNKNOWN, parse_decimal
from dashboard.frame.freshness import source_name
from dashboard.frame.session_currency import get_display_currency
from dashboard.i18n import language, t
from dashboard.i18n.punctuation import join_items

TREND_WIDTH, TREND_HEIGHT = 72, 24


def freshness_node(instant: datetime | None, source: str | None, now: datetime) -> Node:
    """Builds ``12 s ago · CoinGecko``, with the exact times in a title."""
    if instant is None:
        return h("p", t("frame.time_unknown"), class_="cp-fresh")
    local = formats.local_time(instant, st.context.timezone, now)
    age = formats.age((now - instant).total_seconds(), language())
    when = h(
        "time", age, datetime=instant.isoformat(), title=f"{t('frame.as_of')} {local.text} · {local.utc}"
    )
    return h("p", when, f" · {source_name(source)}", class_="cp-fresh")


def change_node(change: Decimal | int | None, after: str = "") -> Node:
    """Builds ``▲ +1.23%`` in the colour of its direction, or a dash for an unknown change."""
    direction = formats.direction(change)
    if direction is None:
        return h("span", UNKNOWN, class_="cp-change", title=t("overview.unknown"))
    arrow = h("span", ARROWS[direction], aria_hidden="true", class_="cp-arrow")
    words = h("span", f" {after}", class_="cp-after") if after else None
    return h("span", arrow, formats.percent(change), words, class_=f"cp-change cp-{direction}")


def panel(key: str, title: str, *content: Node | None, note: Node | None = None, class_: str = "") -> Node:
    """Builds a titled panel; its heading is its accessible name."""
    head = h("header", h("h2", title, id=f"cp-{key}-title"), note, class_="cp-panel-head")
    return h(
        "section",
        head,
        *content,
        key=key,
        class_=f"cp-panel cp-{key} {class_}".strip(),
        aria_labelledby=f"cp-{key}-title",
    )


def note(words: str) -> Node:
    return h("p", words, class_="cp-panel-note")


def build_tiles(overview: MarketOverview | None, history: TotalsHistory | None, now: datetime) -> Node:
    """Builds four tiles: market cap, volume, share of Bitcoin, and fear and greed.

    The first three have a sparkline of the last seven days from ``history``.
    """
    names: Mapping[Literal["market_cap", "volume_24h"], str] = {
        "market_cap": t("overview.market_cap"),
        "volume_24h": t("overview.volume"),
    }
    return h(
        "div",
        *(
            _build_total_tile(
                key, name, overview[key] if overview else None, build_sparkline(key, name, history, now), now
            )
            for key, name in names.items()
        ),
        _build_btc_share_tile(overview, history, now),
        _build_fear_greed_tile(overview, now),
        class_="cp-tiles",
        key="tiles",
    )


def _build_total_tile(key: str, name: str, total: Total | None, sparkline: Sparkline, now: datetime) -> Node:
    value = parse_decimal(total["value"]) if total else None
    amount_text = get_display_currency().format_compact(value, language())
    figure = h("span", amount_text, title=_format_exact(value), class_="cp-figure")
    change = change_node(parse_decimal(total["change_24h"]) if total else None, t("overview.in_24h"))
    return panel(
        key.replace("_", "-"),
        name,
        h("div", h("p", figure, change, class_="cp-line"), sparkline.box, class_="cp-total-row"),
        sparkline.caption,
        freshness_node(
            formats.parse_instant(total["last_updated"]) if total else None, total and total["source"], now
        ),
        class_="cp-tile",
    )


def _build_btc_share_tile(
    overview: MarketOverview | None, history: TotalsHistory | None, now: datetime
) -> Node:
    share = parse_decimal(overview["btc_market_cap_percentage"]) if overview else None
    total = overview["market_cap"] if overview else None
    bar = None
    if share is not None:
        part = h("span", class_="cp-share", style=f"width:{min(max(share, Decimal(0)), Decimal(100)):f}%")
        bar = h("div", part, class_="cp-bar", title=t("overview.btc_share_note"), aria_hidden="true")
    name, figure = t("overview.btc_share"), formats.percent(share, signed=False)
    sparkline = build_sparkline("btc_market_cap_percentage", name, history, now)
    return panel(
        "btc-share",
        name,
        h(
            "div",
            h("p", h("span", figure, class_="cp-figure"), class_="cp-line"),
            sparkline.box,
            class_="cp-total-row",
        ),
        sparkline.caption,
        bar,
        freshness_node(
            formats.parse_instant(total["last_updated"]) if total else None, total and total["source"], now
        ),
        class_="cp-tile",
    )


def _build_fear_greed_tile(overview: MarketOverview | None, now: datetime) -> Node:
    index = overview["fear_greed"] if overview else None
    value = parse_decimal(index["value"]) if index else None
    label = (index["label"] if index else None) or UNKNOWN
    value_text = UNKNOWN if value is None else f"{value.normalize():f}"
    translation = _translate_mood(label)
    words = h(
        "span",
        h("span", translation, title=label) if translation else h("span", label, lang="en"),
        class_="cp-mood",
    )
    return panel(
        "fear-greed",
        t("overview.fear_greed"),
        h(
            "div",
            h("p", h("span", value_text, class_="cp-figure"), words, class_="cp-line"),
            build_gauge(value, value_text, label),
            class_="cp-mood-row",
        ),
        freshness_node(
            formats.parse_instant(index["last_updated"]) if index else None, index and index["source"], now
        ),
        class_="cp-tile",
    )


def _translate_mood(label: str) -> str | None:
    """Translates a known label; ``None`` for one that stays as the provider wrote it."""
    moods = {
        "Extreme Fear": "overview.mood_extreme_fear",
        "Fear": "overview.mood_fear",
        "Neutral": "overview.mood_neutral",
        "Greed": "overview.mood_greed",
        "Extreme Greed": "overview.mood_extreme_greed",
    }
    return t(moods[label]) if label in moods and language() != "en" else None


def build_gauge(value: Decimal | None, value_text: str, label: str) -> Node:
    """Builds a half circle from fear (left) to greed (right) with a pointer at ``value`` of 100."""
    radius, centre_x, centre_y = 34, 40, 40

    def point_at(share: float) -> str:
        return f"{centre_x - radius * cos(pi * share):.2f} {centre_y - radius * sin(pi * share):.2f}"

    arcs: list[Node] = [
        h(
            "path",
            d=f"M{point_at(n / 5 + 0.012)}A{radius} {radius} 0 0 1 {point_at((n + 1) / 5 - 0.012)}",
            class_=f"cp-arc cp-arc-{n}",
        )
        for n in range(5)
    ]
    if value is not None:
        x, y = point_at(float(min(max(value, Decimal(0)), Decimal(100))) / 100).split()
        arcs.append(h("circle", cx=x, cy=y, r="5.5", class_="cp-pointer"))
    words = t("overview.fear_greed_value", value=value_text)
    return h(
        "svg",
        *arcs,
        viewBox="0 0 80 46",
        role="img",
        aria_label=join_items((words, label)),
        class_="cp-gauge",
    )


def _format_exact(value: Decimal | None) -> str:
    return t("overview.unknown") if value is None else get_display_currency().format_exact_total(value)


def build_coin_list(
    key: str, title: str, rows: Sequence[tuple[Coin, Decimal | None]], legend: str, nothing: str
) -> Node:
    """Builds a list of assets with price or volume, each a link to its row in the rankings."""
    if not rows:
        return panel(key, title, h("p", nothing, class_="cp-nothing"), note=note(legend), class_="cp-list")
    items = [_build_coin_row(coin, volume) for coin, volume in rows]
    return panel(key, title, h("ol", *items, class_="cp-coins"), note=note(legend), class_="cp-list")


def _build_coin_row(coin: Coin, volume: Decimal | None) -> Node:
    path = build_trend_path(coin.closes, TREND_WIDTH, TREND_HEIGHT)
    direction = formats.direction(coin.change) or "flat"
    trend = h(
        "svg",
        h("path", d=path, class_=f"cp-trend-{direction}") if path else None,
        viewBox=f"0 0 {TREND_WIDTH} {TREND_HEIGHT}",
        preserveAspectRatio="none",
        aria_hidden="true",
        class_="cp-trend",
    )
    currency = get_display_currency()
    if volume is not None:
        amount, exact = volume, _format_exact(volume)
        amount_text = currency.format_compact(volume, language())
    else:
        amount, exact = coin.price or Decimal(0), currency.format_full_price(coin.price, language())
        amount_text = currency.format_price(coin.price)
    amount_span = h("span", amount_text, title=exact, class_="cp-price", data_n=f"{amount:f}")
    name = h("span", h("strong", coin.symbol), h("span", coin.name, class_="cp-name"), class_="cp-coin")
    link = h(
        "a",
        h("img", src=coin.icon, alt="", width="24", height="24", loading="lazy"),
        name,
        trend,
        h("span", amount_span, change_node(coin.change), class_="cp-numbers"),
        href=f"rankings?coin={coin.id}",
        data_open=coin.id,
    )
    return h("li", link, key=coin.id)


def format_age(instant: datetime, now: datetime | None = None) -> str:
    return formats.age(((now or datetime.now(UTC)) - instant).total_seconds(), language())
