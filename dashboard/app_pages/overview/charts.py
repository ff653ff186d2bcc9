"""Builds the Overview's charts: the map of the largest assets and the market breadth."""

from collections.abc import Sequence
from decimal import Decimal

from dashboard.app_pages.overview.market_figures import CLASS_BOUNDS, Breadth, Coin
from dashboard.app_pages.overview.panels import change_node, note, panel
from dashboard.app_pages.overview.squarify import Rect, squarify
from dashboard.charts import colour_scale
from dashboard.client.market_schemas import Span
from dashboard.components.live_view import Node, h
from dashboard.frame import formats
from dashboard.frame.formats import ARROWS, UNKNOWN
from dashboard.frame.palette import DARK_BACKGROUNDS, Scheme, mix, shades
from dashboard.frame.session_currency import get_display_currency
from dashboard.i18n import language, t
from dashboard.i18n.punctuation import add_label

MAP_WIDTH, MAP_HEIGHT = 760.0, 304.0
"""The map's smallest size in pixels; wider pages stretch it, phones list the tiles."""
MIN_TILE_SIDE_PIXELS = 25.0
"""The first tile with a shorter side, too small to press, and all later tiles are left out."""

LONG_CHANGE_CHARS = 7
"""A change with more characters than −12.34% needs a wider tile."""


def build_heat_map(coins: Sequence[Coin], span: Span, scheme: Scheme) -> Node:
    """Builds tiles of the largest assets: area by market capitalisation, colour by change."""
    area = h("span", f"{t('overview.map_area')} · ", class_="cp-area")
    limit = colour_scale.compute_full_colour_change((coin.change for coin in coins), span)
    full_colour = colour_scale.format_scale_value(limit, limit).removeprefix("+")
    words = t("overview.map_colour", span=t(f"overview.span_{span}"), limit=full_colour)
    legend = h("p", area, words, class_="cp-panel-note")
    if not coins:
        return panel("map", t("overview.map"), note(t("overview.no_map")), note=legend)
    caps = [float(coin.market_cap or 0) for coin in coins]  # for areas on the screen only
    rects, currency = _fit_tiles(caps), get_display_currency()
    tiles = [
        h(
            "li",
            h(
                "a",
                h("span", coin.symbol, class_="cp-symbol"),
                _build_tile_change(coin.change),
                href=f"rankings?coin={coin.id}",
                data_open=coin.id,
                title=f"{coin.name} · {currency.format_compact(coin.market_cap, language())}",
                aria_label=f"{coin.symbol} {formats.percent_with_arrow(coin.change)} – {coin.name}",
                style=_build_tile_style(coin.change, limit, scheme),
            ),
            key=coin.id,
            style=(
                f"left:{rect.x / MAP_WIDTH:.4%};top:{rect.y / MAP_HEIGHT:.4%};"
                f"width:{rect.width / MAP_WIDTH:.4%};height:{rect.height / MAP_HEIGHT:.4%}"
            ),
        )
        for coin, rect in zip(coins, rects, strict=False)  # assets without a tile are left out
    ]
    return panel("map", t("overview.map"), h("ul", *tiles, class_="cp-map-tiles"), note=legend)


def _build_tile_change(change: Decimal | None) -> Node:
    """Builds a tile's change. The style sheet hides the arrow, then the change, where a tile has no room."""
    arrow, _, figure = formats.percent_with_arrow(change).rpartition(" ")
    is_long = len(figure) > LONG_CHANGE_CHARS
    return h(
        "span",
        h("span", f"{arrow} ", class_="cp-map-arrow") if arrow else None,
        figure,
        class_="cp-map-change cp-map-long" if is_long else "cp-map-change",
    )


def _fit_tiles(caps: Sequence[float]) -> list[Rect]:
    """Lays out as many tiles as fit without one that is too small; at least one."""
    for count in range(len(caps), 1, -1):
        rects = squarify(caps[:count], MAP_WIDTH, MAP_HEIGHT)
        if all(min(rect.width, rect.height) >= MIN_TILE_SIDE_PIXELS for rect in rects):
            return rects
    return squarify(caps[:1], MAP_WIDTH, MAP_HEIGHT)


def compute_tile_colours(change: Decimal | None, limit: Decimal, scheme: Scheme) -> tuple[str, str]:
    """Computes a tile's background in light and dark mode; a larger change has more colour."""
    direction = formats.direction(change) or "flat"
    strength = 0.0 if change is None else min(1.0, float(abs(change) / limit))
    light = mix(getattr(shades(scheme, dark=False), direction), "#ffffff", 0.06 + 0.46 * strength)
    dark = mix(getattr(shades(scheme, dark=True), direction), DARK_BACKGROUNDS[1], 0.06 + 0.42 * strength)
    return light, dark


TILE_INK = ("#131a26", "#f2f5fa")
"""Text colour of tiles in light and dark mode: at least 4.5:1 on :func:`compute_tile_colours`."""


def _build_tile_style(change: Decimal | None, limit: Decimal, scheme: Scheme) -> str:
    light, dark = compute_tile_colours(change, limit, scheme)
    return f"background:light-dark({light},{dark});color:light-dark({TILE_INK[0]},{TILE_INK[1]})"


def build_breadth_panel(breadth: Breadth, total: int, span: Span) -> Node:
    """Builds a bar and counts of rising, falling and unchanged assets, the median and a histogram."""
    parts = (("up", breadth.up), ("flat", breadth.flat), ("down", breadth.down))
    bar = h(
        "div",
        *(
            h("span", class_=f"cp-part cp-part-{direction}", style=f"flex-grow:{count}")
            for direction, count in parts
            if count
        ),
        class_="cp-breadth-bar",
        aria_hidden="true",
    )
    rows = [
        ("up", t("overview.advancing"), breadth.up),
        ("down", t("overview.declining"), breadth.down),
        ("flat", t("overview.unchanged"), breadth.flat),
        ("none", t("overview.unknown"), breadth.unknown),
    ]
    marks: dict[str, str] = {"none": UNKNOWN, **dict(ARROWS.items())}
    count_items = [
        h(
            "div",
            h(
                "dt",
                h("span", marks[direction], aria_hidden="true", class_=f"cp-arrow cp-{direction}"),
                f" {name}",
            ),
            h("dd", formats.integer(count)),
            key=direction,
        )
        for direction, name, count in rows
    ]
    median = h(
        "div",
        h("dt", t("overview.median")),
        h("dd", change_node(breadth.median)),
        key="median",
        class_="cp-rule",
    )
    legend = note(t("overview.breadth_note", n=formats.integer(total), span=t(f"overview.span_{span}")))
    histogram = build_histogram(breadth, span)
    return panel(
        "breadth",
        t("overview.breadth"),
        bar,
        h("dl", *count_items, median, class_="cp-pairs"),
        histogram,
        note=legend,
    )


def build_histogram(breadth: Breadth, span: Span) -> Node:
    """Builds the distribution of changes: falls left, rises right, and the count above each bar."""
    bounds = CLASS_BOUNDS[span]
    highest = max(*breadth.classes, 1)
    bars: list[Node] = []
    for position, count in enumerate(breadth.classes):
        low = bounds[position - 1] if position else None
        high = bounds[position] if position < len(bounds) else None
        direction = "down" if position < len(breadth.classes) // 2 else "up"
        label = _format_range(low, high)
        column = h("span", class_=f"cp-part-{direction}", style=f"height:{count / highest:.1%}")
        bars.append(
            h(
                "li",
                h("span", formats.integer(count), class_="cp-count"),
                column,
                title=label,
                aria_label=add_label(label, count),
            )
        )
    ends = [
        h("span", _format_range(None, bounds[0])),
        h("span", "0%"),
        h("span", _format_range(bounds[-1], None)),
    ]
    return h(
        "div",
        h("ul", *bars, class_="cp-bars"),
        h("p", *ends, class_="cp-ends", aria_hidden="true"),
        class_="cp-histogram",
    )


def _format_range(low: int | None, high: int | None) -> str:
    if low is None:
        return f"< {formats.percent(high, places=0)}"
    if high is None:
        return f"> {formats.percent(low, places=0)}"
    return f"{formats.percent(low, places=0)} … {formats.percent(high, places=0)}"
