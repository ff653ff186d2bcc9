"""The treemap: area by capitalisation or volume, colour by change, with its table."""

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Literal

from dashboard.app_pages.rankings.rows import Row
from dashboard.charts import plotting
from dashboard.charts.plotly_chart import Figure, Table
from dashboard.client.market_schemas import Span
from dashboard.frame.formats import ARROWS, compact_usd, direction, percent, price
from dashboard.frame.palette import Shades, mix
from dashboard.i18n import Language, t

Size = Literal["cap", "volume"]
MOST = 120
"""Tiles drawn; smaller ones could not be read or pressed. The table has them all."""
LIMIT: dict[Span, int] = {"24h": 6, "7d": 15}
"""Percent of change at which the colour is full."""
HEIGHT = 640
SMALLEST_NAMED = 0.0015
"""Share of the whole from which on a tile carries its name; below that only the pointer tells."""


def measure(row: Row, size: Size) -> Decimal | None:
    value = row.market_cap if size == "cap" else row.volume
    return value if value is not None and value > 0 else None


def drawn(rows: Sequence[Row], size: Size) -> list[Row]:
    """The rows that have the figure, largest first."""
    known = [(value, row) for row in rows if (value := measure(row, size)) is not None]
    return [row for _, row in sorted(known, key=lambda pair: (-pair[0], pair[1].id))]


def figure(
    rows: Sequence[Row], size: Size, span: Span, shades: Shades, *, ink: str, background: str, lang: Language
) -> Figure:
    """``rows`` as :func:`drawn` gives them. Areas and shades are drawing figures, in floats."""
    rows = rows[:MOST]
    changes = [row.change(span) for row in rows]
    areas = [float(measure(row, size) or 0) for row in rows]
    total = sum(areas)
    is_named = [area / total >= SMALLEST_NAMED for area in areas]
    fills = [tile_colour(change, span, shades, background) for change in changes]
    words = [change_words(change) for change in changes]
    trace = {
        "type": "treemap",
        "ids": [row.id for row in rows],
        "labels": [row.symbol for row in rows],
        "parents": [""] * len(rows),
        "values": areas,
        "marker": {
            "colors": fills,
            "line": {"width": 2, "color": background},
            "cornerradius": 4,
            "pad": {"t": 2, "l": 2, "r": 2, "b": 2},
        },
        "text": words,
        "customdata": [
            [row.name, price(row.price), compact_usd(measure(row, size), lang), row.source or "", row.symbol]
            for row in rows
        ],
        "texttemplate": ["<b>%{label}</b><br>%{text}" if named else " " for named in is_named],
        "hovertemplate": (
            "<b>%{customdata[0]}</b> %{customdata[4]}<br>%{customdata[1]}  %{text}"
            "<br>%{customdata[2]}<br>%{customdata[3]}<extra></extra>"
        ),
        "textfont": {"color": ink, "size": [_letters(area / total) for area in areas]},
        "textposition": "middle center",
        "tiling": {"packing": "squarify", "pad": 1},
        "pathbar": {"visible": False},
        "sort": True,
    }
    layout = {
        "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
        "hoverlabel": plotting.build_hover_label(ink, background),
        "uirevision": "treemap",
        "annotations": [plotting.build_watermark(ink, 72)] if any(row.sample for row in rows) else [],
    }
    return plotting.build_figure([trace], layout)


def _letters(share: float) -> int:
    """Size of a tile's text in pixels; Plotly shrinks what still does not fit."""
    return round(min(34.0, 9 + 70 * math.sqrt(share)))


def tile_colour(change: Decimal | None, span: Span, shades: Shades, background: str) -> str:
    """From a tint near nothing to at most three fifths of the full shade, so that text stays readable."""
    if change is None:
        return mix(shades.flat, background, 0.12)
    strength = min(Decimal(1), abs(change) / LIMIT[span])
    tone = shades.up if change > 0 else shades.down if change < 0 else shades.flat
    return mix(tone, background, 0.10 + 0.32 * float(strength))


def change_words(change: Decimal | None) -> str:
    way = direction(change)
    arrow = f"{ARROWS[way]} " if way in ("up", "down") else ""
    return arrow + percent(change)


def legend(span: Span, shades: Shades, background: str) -> str:
    """Seven steps with their percentages, as HTML; the words carry it without the colours."""
    limit = LIMIT[span]
    steps = [Decimal(limit * k) / 3 for k in range(-3, 4)]
    boxes = "".join(
        f'<li style="background:{tile_colour(step, span, shades, background)}">{_step(step, limit)}</li>'
        for step in steps
    )
    title = t("rankings.treemap_legend", span=t(f"chart.span_{span}"))
    scale = f'<ol aria-labelledby="rk-legend">{boxes}</ol>'
    return f'<div class="rk-legend"><span id="rk-legend">{title}</span>{scale}</div>'


def _step(step: Decimal, limit: int) -> str:
    sign = "≤ " if step == -limit else "≥ " if step == limit else ""
    return sign + percent(step, places=0)


def table(rows: Sequence[Row], size: Size, span: Span, lang: Language) -> Table:
    head = [
        t("rankings.col_name"),
        t(f"rankings.size_{size}"),
        t("rankings.col_price"),
        t(f"rankings.col_{span}"),
        t("rankings.col_source"),
    ]
    body = [
        [
            f"{row.name} ({row.symbol})",
            compact_usd(measure(row, size), lang),
            price(row.price),
            change_words(row.change(span)),
            row.source or "–",
        ]
        for row in rows
    ]
    return Table(t("rankings.view_treemap"), head, body)
