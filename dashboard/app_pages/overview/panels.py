"""The Overview's panels as trees for :mod:`dashboard.components.live_view`."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from math import cos, pi, sin

import streamlit as st

from dashboard.app_pages.overview.market_figures import Coin, trend_path
from dashboard.client.market_schemas import MarketOverview, Total
from dashboard.components.live_view import Node, h
from dashboard.frame import formats
from dashboard.frame.formats import ARROWS, UNKNOWN, parse_decimal
from dashboard.frame.freshness import source_name
from dashboard.i18n import language, t

TREND_WIDTH, TREND_HEIGHT = 72, 24


def freshness_node(instant: datetime | None, source: str | None, now: datetime) -> Node:
    """``12 s ago · CoinGecko``, the exact times in a title."""
    if instant is None:
        return h("p", t("frame.time_unknown"), class_="cp-fresh")
    local = formats.local_time(instant, st.context.timezone, now)
    age = formats.age((now - instant).total_seconds(), language())
    when = h(
        "time", age, datetime=instant.isoformat(), title=f"{t('frame.as_of')} {local.text} · {local.utc}"
    )
    return h("p", when, f" · {source_name(source)}", class_="cp-fresh")


def change_node(change: Decimal | int | None, after: str = "") -> Node:
    """``▲ +1.23%`` in the colour of its way; unknown says so."""
    way = formats.direction(change)
    if way is None:
        return h("span", UNKNOWN, class_="cp-change", title=t("overview.unknown"))
    arrow = h("span", ARROWS[way], aria_hidden="true", class_="cp-arrow")
    words = h("span", f" {after}", class_="cp-after") if after else None
    return h("span", arrow, formats.percent(change), words, class_=f"cp-change cp-{way}")


def panel(key: str, title: str, *content: Node | None, note: Node | None = None, class_: str = "") -> Node:
    """A titled part of the page; its heading names it for screen readers."""
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


def tiles(overview: MarketOverview | None, now: datetime) -> Node:
    """The market in four figures."""
    totals = ((key, overview[key] if overview else None) for key in ("market_cap", "volume_24h"))
    names = {"market_cap": "overview.market_cap", "volume_24h": "overview.volume"}
    return h(
        "div",
        *(_total(key, t(names[key]), total, now) for key, total in totals),
        _btc_share(overview, now),
        _fear_greed(overview, now),
        class_="cp-tiles",
        key="tiles",
    )


def _total(key: str, name: str, total: Total | None, now: datetime) -> Node:
    value = parse_decimal(total["value"]) if total else None
    return panel(
        key.replace("_", "-"),
        name,
        h(
            "p",
            h("span", formats.compact_usd(value, language()), title=_exact(value), class_="cp-figure"),
            change_node(parse_decimal(total["change_24h"]) if total else None, t("overview.in_24h")),
            class_="cp-line",
        ),
        freshness_node(
            formats.parse_instant(total["last_updated"]) if total else None, total and total["source"], now
        ),
        class_="cp-tile",
    )


def _btc_share(overview: MarketOverview | None, now: datetime) -> Node:
    share = parse_decimal(overview["btc_market_cap_percentage"]) if overview else None
    total = overview["market_cap"] if overview else None
    bar = None
    if share is not None:
        part = h("span", class_="cp-share", style=f"width:{min(max(share, Decimal(0)), Decimal(100)):f}%")
        bar = h("div", part, class_="cp-bar", title=t("overview.btc_share_note"), aria_hidden="true")
    return panel(
        "btc-share",
        t("overview.btc_share"),
        h("p", h("span", formats.percent(share, signed=False), class_="cp-figure"), class_="cp-line"),
        bar,
        freshness_node(
            formats.parse_instant(total["last_updated"]) if total else None, total and total["source"], now
        ),
        class_="cp-tile",
    )


def _fear_greed(overview: MarketOverview | None, now: datetime) -> Node:
    mood = overview["fear_greed"] if overview else None
    value = parse_decimal(mood["value"]) if mood else None
    label = (mood["label"] if mood else None) or UNKNOWN
    shown = UNKNOWN if value is None else f"{value.normalize():f}"
    gloss = _gloss(label)
    words = h(
        "span", h("span", label, lang="en"), gloss and h("span", gloss, class_="cp-gloss"), class_="cp-mood"
    )
    return panel(
        "fear-greed",
        t("overview.fear_greed"),
        h(
            "div",
            h("p", h("span", shown, class_="cp-figure"), words, class_="cp-line"),
            gauge(value, shown, label),
            class_="cp-mood-row",
        ),
        freshness_node(
            formats.parse_instant(mood["last_updated"]) if mood else None, mood and mood["source"], now
        ),
        class_="cp-tile",
    )


def _gloss(label: str) -> str | None:
    """The usual word for a known label in the reader's language; the provider's own word stays."""
    moods = {
        "Extreme Fear": "overview.mood_extreme_fear",
        "Fear": "overview.mood_fear",
        "Neutral": "overview.mood_neutral",
        "Greed": "overview.mood_greed",
        "Extreme Greed": "overview.mood_extreme_greed",
    }
    return t(moods[label]) if label in moods and language() != "en" else None


def gauge(value: Decimal | None, shown: str, label: str) -> Node:
    """A half circle from fear (left) to greed (right) with a pointer at ``value`` of 100."""
    radius, across, base = 34, 40, 40

    def at(share: float) -> str:
        return f"{across - radius * cos(pi * share):.2f} {base - radius * sin(pi * share):.2f}"

    arcs: list[Node] = [
        h(
            "path",
            d=f"M{at(n / 5 + 0.012)}A{radius} {radius} 0 0 1 {at((n + 1) / 5 - 0.012)}",
            class_=f"cp-arc cp-arc-{n}",
        )
        for n in range(5)
    ]
    if value is not None:
        x, y = at(float(min(max(value, Decimal(0)), Decimal(100))) / 100).split()
        arcs.append(h("circle", cx=x, cy=y, r="5.5", class_="cp-pointer"))
    words = t("overview.fear_greed_value", value=shown)
    return h("svg", *arcs, viewBox="0 0 80 46", role="img", aria_label=f"{words}, {label}", class_="cp-gauge")


def _exact(value: Decimal | None) -> str:
    return t("overview.unknown") if value is None else f"${value:,f}"


def coin_list(
    key: str, title: str, rows: Sequence[tuple[Coin, Decimal | None]], legend: str, nothing: str
) -> Node:
    """Assets in order, each a link to its row in the rankings, with its price or with its volume."""
    if not rows:
        return panel(key, title, h("p", nothing, class_="cp-nothing"), note=note(legend), class_="cp-list")
    drawn = [_coin_row(coin, volume) for coin, volume in rows]
    return panel(key, title, h("ol", *drawn, class_="cp-coins"), note=note(legend), class_="cp-list")


def _coin_row(coin: Coin, volume: Decimal | None) -> Node:
    path = trend_path(coin.closes, TREND_WIDTH, TREND_HEIGHT)
    way = formats.direction(coin.change) or "flat"
    trend = h(
        "svg",
        h("path", d=path, class_=f"cp-trend-{way}") if path else None,
        viewBox=f"0 0 {TREND_WIDTH} {TREND_HEIGHT}",
        preserveAspectRatio="none",
        aria_hidden="true",
        class_="cp-trend",
    )
    if volume is not None:
        shown, exact, watched = formats.compact_usd(volume, language()), _exact(volume), volume
    else:
        shown, exact = formats.price(coin.price), formats.price_label(coin.price, language())
        watched = coin.price or Decimal(0)
    figure = h("span", shown, title=exact, class_="cp-price", data_n=f"{watched:f}")
    named = h("span", h("strong", coin.symbol), h("span", coin.name, class_="cp-name"), class_="cp-coin")
    link = h(
        "a",
        h("img", src=coin.icon, alt="", width="24", height="24", loading="lazy"),
        named,
        trend,
        h("span", figure, change_node(coin.change), class_="cp-numbers"),
        href=f"rankings?coin={coin.id}",
        data_open=coin.id,
    )
    return h("li", link, key=coin.id)


def ago(instant: datetime, now: datetime | None = None) -> str:
    return formats.age(((now or datetime.now(UTC)) - instant).total_seconds(), language())
