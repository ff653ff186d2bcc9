"""The Overview's panels as trees for :mod:`dashboard.components.live_view`."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from math import cos, pi, sin

import streamlit as st

from dashboard import formats
from dashboard.client.wire import MarketOverview, Total
from dashboard.components.live_view import Node, h
from dashboard.formats import ARROWS, UNKNOWN, decimal
from dashboard.i18n import language, t
from dashboard.palette import DARK_BACKGROUNDS, Scheme, mix, shades
from dashboard.services.overview import STEPS, Breadth, Coin, Span, trend_path
from dashboard.services.squarify import Rect, squarify
from dashboard.views.freshness import source_name

MAP_WIDTH, MAP_HEIGHT = 760.0, 304.0
"""The map's frame in pixels where it is narrowest; wider pages stretch it, phones list the tiles."""
MAP_SMALLEST = 25.0
"""Pixels: a tile with a shorter side could not be pressed, so it and those after it are left out."""
FULL_COLOUR: Mapping[Span, Decimal] = {"24h": Decimal(6), "7d": Decimal(15)}
"""The change, in percent, from which on a tile has its full colour."""
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
    value = decimal(total["value"]) if total else None
    return panel(
        key.replace("_", "-"),
        name,
        h(
            "p",
            h("span", formats.compact_usd(value, language()), title=_exact(value), class_="cp-figure"),
            change_node(decimal(total["change_24h"]) if total else None, t("overview.in_24h")),
            class_="cp-line",
        ),
        freshness_node(
            formats.instant(total["last_updated"]) if total else None, total and total["source"], now
        ),
        class_="cp-tile",
    )


def _btc_share(overview: MarketOverview | None, now: datetime) -> Node:
    share = decimal(overview["btc_market_cap_percentage"]) if overview else None
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
            formats.instant(total["last_updated"]) if total else None, total and total["source"], now
        ),
        class_="cp-tile",
    )


def _fear_greed(overview: MarketOverview | None, now: datetime) -> Node:
    mood = overview["fear_greed"] if overview else None
    value = decimal(mood["value"]) if mood else None
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
        freshness_node(formats.instant(mood["last_updated"]) if mood else None, mood and mood["source"], now),
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


def heat_map(coins: Sequence[Coin], span: Span, scheme: Scheme) -> Node:
    """The largest assets as tiles: area by market capitalisation, colour by change."""
    area = h("span", f"{t('overview.map_area')} · ", class_="cp-area")
    legend = h("p", area, t("overview.map_colour", span=t(f"overview.span_{span}")), class_="cp-panel-note")
    if not coins:
        return panel("map", t("overview.map"), note(t("overview.no_map")), note=legend)
    caps = [float(coin.market_cap or 0) for coin in coins]  # for areas on the screen only
    rects = _pressable(caps)
    tiles = [
        h(
            "li",
            h(
                "a",
                h("span", coin.symbol, class_="cp-symbol"),
                h("span", _arrowed(coin.change), class_="cp-map-change"),
                href=f"rankings?coin={coin.id}",
                data_open=coin.id,
                title=f"{coin.name} · {formats.compact_usd(coin.market_cap, language())}",
                aria_label=f"{coin.symbol} {_arrowed(coin.change)} – {coin.name}",
                style=_tint(coin.change, span, scheme),
            ),
            key=coin.id,
            style=(
                f"left:{rect.x / MAP_WIDTH:.4%};top:{rect.y / MAP_HEIGHT:.4%};"
                f"width:{rect.width / MAP_WIDTH:.4%};height:{rect.height / MAP_HEIGHT:.4%}"
            ),
        )
        for coin, rect in zip(coins, rects, strict=False)  # those that fit
    ]
    return panel("map", t("overview.map"), h("ul", *tiles, class_="cp-map-tiles"), note=legend)


def _pressable(caps: Sequence[float]) -> list[Rect]:
    for count in range(len(caps), 1, -1):
        rects = squarify(caps[:count], MAP_WIDTH, MAP_HEIGHT)
        if all(min(rect.width, rect.height) >= MAP_SMALLEST for rect in rects):
            return rects
    return squarify(caps[:1], MAP_WIDTH, MAP_HEIGHT)


def _arrowed(change: Decimal | None) -> str:
    way = formats.direction(change)
    return UNKNOWN if way is None else f"{ARROWS[way]} {formats.percent(change)}"


def tile_colours(change: Decimal | None, span: Span, scheme: Scheme) -> tuple[str, str]:
    """Background in light and in dark mode: the stronger the change, the more of its colour."""
    way = formats.direction(change) or "flat"
    strength = 0.0 if change is None else min(1.0, float(abs(change) / FULL_COLOUR[span]))
    light = mix(getattr(shades(scheme, dark=False), way), "#ffffff", 0.06 + 0.46 * strength)
    dark = mix(getattr(shades(scheme, dark=True), way), DARK_BACKGROUNDS[1], 0.06 + 0.42 * strength)
    return light, dark


TILE_INK = ("#131a26", "#f2f5fa")
"""Text on the tiles, light and dark mode: at least 4.5:1 on every colour of :func:`tile_colours`."""


def _tint(change: Decimal | None, span: Span, scheme: Scheme) -> str:
    light, dark = tile_colours(change, span, scheme)
    return f"background:light-dark({light},{dark});color:light-dark({TILE_INK[0]},{TILE_INK[1]})"


def breadth_panel(counted: Breadth, total: int, span: Span) -> Node:
    """How many rise and how many fall, as a bar and in numbers."""
    parts = (("up", counted.up), ("flat", counted.flat), ("down", counted.down))
    bar = h(
        "div",
        *(
            h("span", class_=f"cp-part cp-part-{way}", style=f"flex-grow:{count}")
            for way, count in parts
            if count
        ),
        class_="cp-breadth-bar",
        aria_hidden="true",
    )
    rows = [
        ("up", t("overview.advancing"), counted.up),
        ("down", t("overview.declining"), counted.down),
        ("flat", t("overview.unchanged"), counted.flat),
        ("none", t("overview.unknown"), counted.unknown),
    ]
    marks: dict[str, str] = {"none": UNKNOWN, **dict(ARROWS.items())}
    figures = [
        h(
            "div",
            h("dt", h("span", marks[way], aria_hidden="true", class_=f"cp-arrow cp-{way}"), f" {name}"),
            h("dd", formats.integer(count)),
            key=way,
        )
        for way, name, count in rows
    ]
    middle = h(
        "div",
        h("dt", t("overview.median")),
        h("dd", change_node(counted.median)),
        key="median",
        class_="cp-rule",
    )
    legend = note(t("overview.breadth_note", n=formats.integer(total), span=t(f"overview.span_{span}")))
    chart = histogram(counted, span)
    return panel(
        "breadth",
        t("overview.breadth"),
        bar,
        h("dl", *figures, middle, class_="cp-pairs"),
        chart,
        note=legend,
    )


def histogram(counted: Breadth, span: Span) -> Node:
    """How the changes are spread, falls left and rises right, with the count over each bar."""
    steps = STEPS[span]
    most = max(*counted.classes, 1)
    bars: list[Node] = []
    for position, count in enumerate(counted.classes):
        low = steps[position - 1] if position else None
        high = steps[position] if position < len(steps) else None
        way = "down" if position < len(counted.classes) // 2 else "up"
        label = _class_name(low, high)
        column = h("span", class_=f"cp-part-{way}", style=f"height:{count / most:.1%}")
        bars.append(
            h(
                "li",
                h("span", formats.integer(count), class_="cp-count"),
                column,
                title=label,
                aria_label=f"{label}: {count}",
            )
        )
    ends = [h("span", _class_name(None, steps[0])), h("span", "0%"), h("span", _class_name(steps[-1], None))]
    return h(
        "div",
        h("ul", *bars, class_="cp-bars"),
        h("p", *ends, class_="cp-ends", aria_hidden="true"),
        class_="cp-histogram",
    )


def _class_name(low: int | None, high: int | None) -> str:
    if low is None:
        return f"< {formats.percent(high, places=0)}"
    if high is None:
        return f"> {formats.percent(low, places=0)}"
    return f"{formats.percent(low, places=0)} … {formats.percent(high, places=0)}"


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
