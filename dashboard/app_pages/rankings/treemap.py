"""Builds the treemap (area by capitalisation or volume, colour by change), its legend and its table."""

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Literal

from dashboard.app_pages.rankings.rows import Row
from dashboard.charts import plotting
from dashboard.charts.plotly_chart import Figure, Table
from dashboard.client.market_schemas import Span
from dashboard.frame.formats import ARROWS, compact_usd, direction, percent, price
from dashboard.frame.palette import FULL_COLOUR_PERCENT, Shades, mix
from dashboard.i18n import Language, t

Size = Literal["cap", "volume"]
MAX_TILES = 120
"""Smaller tiles could not be read or pressed. The table lists all assets."""
HEIGHT_PIXELS = 640
MIN_NAMED_SHARE = 0.0015
"""Share of the whole area from which a tile shows its name; smaller tiles only have a hover label."""


def get_size(row: Row, size: Size) -> Decimal | None:
    value = row.market_cap if size == "cap" else row.volume
    return value if value is not None and value > 0 else None


def find_sized_rows(rows: Sequence[Row], size: Size) -> list[Row]:
    """Finds the rows with a known size, largest first."""
    sized_rows = [(value, row) for row in rows if (value := get_size(row, size)) is not None]
    return [row for _, row in sorted(sized_rows, key=lambda pair: (-pair[0], pair[1].id))]


def build_figure(
    rows: Sequence[Row], size: Size, span: Span, shades: Shades, *, ink: str, background: str, lang: Language
) -> Figure:
    """Builds the treemap of ``rows`` from :func:`find_sized_rows`. Areas are floats, for drawing only."""
    rows = rows[:MAX_TILES]
    changes = [row.change(span) for row in rows]
    areas = [float(get_size(row, size) or 0) for row in rows]
    total = sum(areas)
    is_named = [area / total >= MIN_NAMED_SHARE for area in areas]
    fills = [compute_tile_colour(change, span, shades, background) for change in changes]
    change_texts = [format_change(change) for change in changes]
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
        "text": change_texts,
        "customdata": [
            [row.name, price(row.price), compact_usd(get_size(row, size), lang), row.source or "", row.symbol]
            for row in rows
        ],
        "texttemplate": [
            "<b>%{label}</b><br>%{text}" if is_tile_named else " " for is_tile_named in is_named
        ],
        "hovertemplate": (
            "<b>%{customdata[0]}</b> %{customdata[4]}<br>%{customdata[1]}  %{text}"
            "<br>%{customdata[2]}<br>%{customdata[3]}<extra></extra>"
        ),
        "textfont": {"color": ink, "size": [_compute_font_size(area / total) for area in areas]},
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


def _compute_font_size(share: float) -> int:
    """Computes the text size in pixels; Plotly shrinks text that still does not fit."""
    return round(min(34.0, 9 + 70 * math.sqrt(share)))


def compute_tile_colour(change: Decimal | None, span: Span, shades: Shades, background: str) -> str:
    """Mixes a tile's colour: at most two fifths of the full shade, so that text stays readable."""
    if change is None:
        return mix(shades.flat, background, 0.12)
    strength = min(Decimal(1), abs(change) / FULL_COLOUR_PERCENT[span])
    tone = shades.up if change > 0 else shades.down if change < 0 else shades.flat
    return mix(tone, background, 0.10 + 0.32 * float(strength))


def format_change(change: Decimal | None) -> str:
    change_direction = direction(change)
    arrow = f"{ARROWS[change_direction]} " if change_direction in ("up", "down") else ""
    return arrow + percent(change)


def build_legend(span: Span, shades: Shades, background: str) -> str:
    """Builds the legend: seven colours with their percentages as text."""
    limit = FULL_COLOUR_PERCENT[span]
    steps = [Decimal(limit * k) / 3 for k in range(-3, 4)]
    colours = [compute_tile_colour(step, span, shades, background) for step in steps]
    boxes = "".join(
        f'<li style="background:{colour}">{_format_step(step, limit)}</li>'
        for step, colour in zip(steps, colours, strict=True)
    )
    title = t("rankings.treemap_legend", span=t(f"chart.span_{span}"))
    scale = f'<ol aria-labelledby="rk-legend">{boxes}</ol>'
    return f'<div class="rk-legend"><span id="rk-legend">{title}</span>{scale}</div>'


def _format_step(step: Decimal, limit: int) -> str:
    sign = "≤ " if step == -limit else "≥ " if step == limit else ""
    return sign + percent(step, places=0)


def build_table(rows: Sequence[Row], size: Size, span: Span, lang: Language) -> Table:
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
            compact_usd(get_size(row, size), lang),
            price(row.price),
            format_change(row.change(span)),
            row.source or "–",
        ]
        for row in rows
    ]
    return Table(t("rankings.view_treemap"), head, body)
