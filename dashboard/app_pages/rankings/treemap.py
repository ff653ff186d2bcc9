"""Builds the treemap (area by capitalisation or volume, colour by change), its legend and its table.

Tiles are grouped by the first category of each asset; a click on a group shows it alone.
"""

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Literal

from dashboard.app_pages.rankings.category_names import translate_category
from dashboard.app_pages.rankings.rows import Row
from dashboard.charts import colour_scale, plotting
from dashboard.charts.plotly_chart import Figure, Table
from dashboard.client.market_schemas import Span
from dashboard.frame.formats import direction, percent_with_arrow
from dashboard.frame.palette import Shades, mix
from dashboard.frame.session_currency import get_display_currency
from dashboard.i18n import Language, t
from dashboard.i18n.punctuation import add_note

Size = Literal["cap", "volume"]
MAX_TILES = 120
"""Smaller tiles could not be read or pressed. The table lists all assets."""
HEIGHT_PIXELS = 640
MAX_NAMED_TILES = 60
"""Tiles of a group that have a name. Plotly shrinks it to fit, and a click on the group enlarges it. Smaller
tiles only have a hover label."""
GROUP_HEAD_PIXELS = 22


def get_size(row: Row, size: Size) -> Decimal | None:
    value = row.market_cap if size == "cap" else row.volume
    return value if value is not None and value > 0 else None


def find_sized_rows(rows: Sequence[Row], size: Size) -> list[Row]:
    """Finds the rows with a known size, largest first."""
    sized_rows = [(value, row) for row in rows if (value := get_size(row, size)) is not None]
    return [row for _, row in sorted(sized_rows, key=lambda pair: (-pair[0], pair[1].id))]


def get_group(row: Row) -> str:
    """Returns the first category of an asset; empty without one."""
    return row.categories[0] if row.categories else ""


def _name_group(group: str, lang: Language) -> str:
    return translate_category(group, lang) if group else t("rankings.no_category", lang=lang)


def build_figure(
    rows: Sequence[Row],
    size: Size,
    span: Span,
    shades: Shades,
    *,
    ink: str,
    background: str,
    lang: Language,
    grouped: bool = True,
) -> Figure:
    """Builds the treemap of ``rows`` from :func:`find_sized_rows`. Areas are floats, for drawing only.

    The tiles come first, then the groups, whose areas are those of their tiles.
    """
    rows, currency = rows[:MAX_TILES], get_display_currency()
    limit = _compute_full_colour_change(rows, span)
    areas = [float(get_size(row, size) or 0) for row in rows]
    total = sum(areas)
    groups = list(dict.fromkeys(map(get_group, rows))) if grouped else []
    group_count, group_fill = len(groups), mix(shades.flat, background, 0.08)
    trace = {
        "type": "treemap",
        "ids": [row.id for row in rows] + [f"group:{group}" for group in groups],
        "labels": [row.symbol for row in rows] + [_name_group(group, lang) for group in groups],
        "parents": [f"group:{get_group(row)}" if grouped else "" for row in rows] + [""] * group_count,
        "values": areas + [0.0] * group_count,
        "marker": {
            "colors": [compute_tile_colour(row.change(span), limit, shades, background) for row in rows]
            + [group_fill] * group_count,
            "line": {"width": 2, "color": background},
            "cornerradius": 4,
            "pad": {"t": GROUP_HEAD_PIXELS if grouped else 2, "l": 2, "r": 2, "b": 2},
        },
        "text": [percent_with_arrow(row.change(span), mark_flat=False) for row in rows] + [""] * group_count,
        "customdata": [
            [
                row.name,
                currency.format_price(row.price),
                currency.format_compact(get_size(row, size), lang),
                row.source or "",
                row.symbol,
            ]
            for row in rows
        ]
        + [[""] * 5] * group_count,
        "texttemplate": _build_text_templates(rows) + ["<b>%{label}</b>"] * group_count,
        "hovertemplate": [
            "<b>%{customdata[0]}</b> %{customdata[4]}<br>%{customdata[1]}  %{text}"
            "<br>%{customdata[2]}<br>%{customdata[3]}<extra></extra>"
        ]
        * len(rows)
        + ["<b>%{label}</b><extra></extra>"] * group_count,
        "textfont": {
            "color": ink,
            "size": [_compute_font_size(area / total) for area in areas] + [12] * group_count,
        },
        "textposition": "middle center",
        "tiling": {"packing": "squarify", "pad": 1},
        "pathbar": {"visible": False},
        "sort": True,
    }
    layout: dict[str, Any] = {
        "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
        "hoverlabel": plotting.build_hover_label(ink, background),
        "uirevision": "treemap",
        "annotations": [plotting.build_watermark(ink, 72)] if any(row.sample for row in rows) else [],
    }
    return plotting.build_figure([trace], layout)


def _build_text_templates(rows: Sequence[Row]) -> list[str]:
    """Builds the texts of the tiles: names for the largest of each group."""
    counts: dict[str, int] = {}
    templates = []
    for row in rows:
        counts[get_group(row)] = count = counts.get(get_group(row), 0) + 1
        templates.append("<b>%{label}</b><br>%{text}" if count <= MAX_NAMED_TILES else " ")
    return templates


def _compute_font_size(share: float) -> int:
    """Computes the text size in pixels; Plotly shrinks text that still does not fit."""
    return round(min(34.0, 9 + 70 * math.sqrt(share)))


def compute_tile_colour(change: Decimal | None, limit: Decimal, shades: Shades, background: str) -> str:
    """Mixes a tile's colour: at most two fifths of the full shade, so that text stays readable."""
    if change is None:
        return mix(shades.flat, background, 0.12)
    strength = min(Decimal(1), abs(change) / limit)
    tone = getattr(shades, direction(change) or "flat")
    return mix(tone, background, 0.10 + 0.32 * float(strength))


def _compute_full_colour_change(rows: Sequence[Row], span: Span) -> Decimal:
    """Computes the change from which the tiles of the first :data:`MAX_TILES` rows have their full colour."""
    return colour_scale.compute_full_colour_change((row.change(span) for row in rows[:MAX_TILES]), span)


def build_legend(rows: Sequence[Row], span: Span, shades: Shades, background: str) -> str:
    """Builds the legend of the drawn rows: seven colours with their percentages as text."""
    limit = _compute_full_colour_change(rows, span)
    steps = [limit * k / 3 for k in range(-3, 4)]
    colours = [compute_tile_colour(step, limit, shades, background) for step in steps]
    boxes = "".join(
        f'<li style="background:{colour}">{_format_step(step, limit)}</li>'
        for step, colour in zip(steps, colours, strict=True)
    )
    title = t("rankings.treemap_legend", span=t(f"chart.span_{span}"))
    scale = f'<ol aria-labelledby="rk-legend">{boxes}</ol>'
    return f'<div class="rk-legend"><span id="rk-legend">{title}</span>{scale}</div>'


def _format_step(step: Decimal, limit: Decimal) -> str:
    sign = "≤ " if step == -limit else "≥ " if step == limit else ""
    return sign + colour_scale.format_scale_value(step, limit)


def build_table(rows: Sequence[Row], size: Size, span: Span, lang: Language) -> Table:
    currency = get_display_currency()
    head = [
        t("rankings.col_name"),
        t("rankings.category"),
        t(f"rankings.size_{size}"),
        t("rankings.col_price"),
        t(f"rankings.col_{span}"),
        t("rankings.col_source"),
    ]
    body = [
        [
            add_note(row.name, row.symbol),
            _name_group(get_group(row), lang),
            currency.format_compact(get_size(row, size), lang),
            currency.format_price(row.price),
            percent_with_arrow(row.change(span), mark_flat=False),
            row.source or "–",
        ]
        for row in rows
    ]
    return Table(t("rankings.view_treemap"), head, body)
