"""The Overview's pictures: the map of the largest assets, and the breadth of the market."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from dashboard.app_pages.overview.market_figures import STEPS, Breadth, Coin
from dashboard.app_pages.overview.panels import change_node, note, panel
from dashboard.app_pages.overview.squarify import Rect, squarify
from dashboard.client.market_schemas import Span
from dashboard.components.live_view import Node, h
from dashboard.frame import formats
from dashboard.frame.formats import ARROWS, UNKNOWN
from dashboard.frame.palette import DARK_BACKGROUNDS, Scheme, mix, shades
from dashboard.i18n import language, t

MAP_WIDTH, MAP_HEIGHT = 760.0, 304.0
"""The map's frame in pixels where it is narrowest; wider pages stretch it, phones list the tiles."""
MAP_SMALLEST = 25.0
"""Pixels: a tile with a shorter side could not be pressed, so it and those after it are left out."""
FULL_COLOUR: Mapping[Span, Decimal] = {"24h": Decimal(6), "7d": Decimal(15)}
"""The change, in percent, from which on a tile has its full colour."""


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
