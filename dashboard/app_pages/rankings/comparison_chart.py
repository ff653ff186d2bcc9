"""Builds the comparison chart of assets rebased to 100, its table, and the correlation table."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from html import escape
from typing import Any
from zoneinfo import ZoneInfo

from dashboard.app_pages.rankings.comparison import Comparison
from dashboard.app_pages.rankings.html_table import build_html_table
from dashboard.app_pages.rankings.rows import Row
from dashboard.charts import plotting
from dashboard.charts.plotly_chart import Figure
from dashboard.client.market_schemas import CHANGE_SPANS, ChartSpan
from dashboard.frame.formats import UNKNOWN, percent
from dashboard.frame.palette import mix
from dashboard.i18n import t
from dashboard.i18n.punctuation import add_note

HEIGHT_PIXELS = 400
MARGIN = {"l": 44, "r": 68, "t": 34, "b": 38}
LABEL_GAP_PIXELS = 15.0
"""Minimum distance between the centres of two labels at the ends of lines."""
LIGHT_LINES = ("#0b57d0", "#b24700", "#00695c", "#8e24aa", "#5f6b7a", "#9a1750")
DARK_LINES = ("#7aa7ff", "#ffa657", "#4fd1a5", "#d7a6ff", "#b7c2d3", "#ff8fb8")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
"""Strokes of the lines, which do not differ by colour alone."""


def build_figure(
    comparison: Comparison,
    rows: Mapping[str, Row],
    zone: ZoneInfo,
    *,
    dark: bool,
    ink: str,
    background: str,
    sample: bool,
) -> Figure:
    """Builds one line per asset, with its name at the end and in the legend; times are in ``zone``."""
    local = [time.astimezone(zone).replace(tzinfo=None) for time in comparison.times]
    colours = DARK_LINES if dark else LIGHT_LINES
    value_range = _find_value_range(comparison)
    end_time = local[-1] if local else None
    layout = {
        "margin": MARGIN,
        "font": {"color": ink, "size": 12},
        "hovermode": "x unified",
        "hoverlabel": plotting.build_hover_label(ink, background),
        "showlegend": True,
        "legend": {"orientation": "h", "y": 1.1, "x": 0, "font": {"color": ink}},
        "uirevision": ",".join(comparison.index),
        **_build_axes(local, value_range, mix(ink, background, 0.14)),
        "shapes": [_build_baseline(mix(ink, background, 0.5))],
        "annotations": _build_end_labels(comparison, rows, colours, end_time, value_range)
        + ([plotting.build_watermark(ink, 64)] if sample else []),
    }
    return plotting.build_figure(_build_lines(comparison, rows, local, colours), layout)


def _build_lines(
    comparison: Comparison, rows: Mapping[str, Row], local: Sequence[datetime], colours: Sequence[str]
) -> list[dict[str, Any]]:
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "x": local,
            "y": values,
            "name": escape(rows[asset].symbol),
            "line": {"color": colours[n], "width": 2, "dash": DASHES[n]},
            "hovertemplate": "%{y:.2f}",
        }
        for n, (asset, values) in enumerate(comparison.index.items())
    ]


def _find_value_range(comparison: Comparison) -> tuple[float, float]:
    """Finds the lowest and highest value of the axis, with a margin."""
    known_values = [value for values in comparison.index.values() for value in values if value is not None]
    low, high = min([*known_values, 100.0]), max([*known_values, 100.0])
    room = max(high - low, 0.01) * 0.05
    return (low - room, high + room)


def _build_axes(local: Sequence[datetime], value_range: tuple[float, float], grid: str) -> dict[str, Any]:
    length = local[-1] - local[0] if local else timedelta(0)
    tick_format = "%H:%M\n%m-%d" if length < timedelta(days=2) else "%m-%d"
    if length > timedelta(days=180):
        tick_format = "%Y-%m"
    return {
        "xaxis": {
            "showgrid": False,
            "tickcolor": grid,
            "tickformat": tick_format,
            "hoverformat": "%Y-%m-%d" if length > timedelta(days=60) else "%m-%d %H:%M",
            "tickangle": 0,
            "ticklabeloverflow": "allow",
            "range": [local[0], local[-1]] if local else None,
        },
        "yaxis": {
            "gridcolor": grid,
            "tickformat": ".4~g",
            "ticklabeloverflow": "allow",
            "range": value_range,
            "zeroline": False,
        },
    }


def _build_baseline(colour: str) -> dict[str, Any]:
    """Builds the line at 100, where every asset starts."""
    return {
        "type": "line",
        "xref": "x domain",
        "x0": 0,
        "x1": 1,
        "y0": 100,
        "y1": 100,
        "line": {"color": colour, "width": 1, "dash": "dot"},
    }


def _build_end_labels(
    comparison: Comparison,
    rows: Mapping[str, Row],
    colours: Sequence[str],
    end_time: datetime | None,
    value_range: tuple[float, float],
) -> list[dict[str, Any]]:
    """Builds labels beside the last points of lines, moved as little as possible to avoid overlap."""
    ends = {
        asset: next((value for value in reversed(values) if value is not None), None)
        for asset, values in comparison.index.items()
    }
    pixels = (HEIGHT_PIXELS - MARGIN["t"] - MARGIN["b"]) / (value_range[1] - value_range[0])
    heights = [(end - value_range[0]) * pixels for end in ends.values() if end is not None]
    shifted_heights = iter(zip(separate_labels(heights, LABEL_GAP_PIXELS), heights, strict=True))
    labels = []
    for n, (asset, end) in enumerate(ends.items()):
        if end is None:
            continue
        shifted_height, height = next(shifted_heights)
        labels.append(
            {
                "x": end_time,
                "y": end,
                "text": f"<b>{escape(rows[asset].symbol)}</b>",
                "xanchor": "left",
                "xshift": 6,
                "yshift": shifted_height - height,
                "showarrow": False,
                "font": {"color": colours[n], "size": 12},
            }
        )
    return labels


def separate_labels(positions: Sequence[float], gap: float) -> list[float]:
    """Moves ``positions`` at least ``gap`` apart in the same order, with the least squared movement.

    This is isotonic regression by pooling adjacent violators, on the places minus the gaps below them.
    """
    order = sorted(range(len(positions)), key=lambda n: positions[n])
    pools: list[tuple[float, int]] = []  # mean and count of places that move together
    for rank, n in enumerate(order):
        mean, count = positions[n] - rank * gap, 1
        while pools and pools[-1][0] > mean:
            before, number = pools.pop()
            mean, count = (before * number + mean * count) / (number + count), number + count
        pools.append((mean, count))
    levels = [mean for mean, count in pools for _ in range(count)]
    separated = [0.0] * len(positions)
    for rank, (n, level) in enumerate(zip(order, levels, strict=True)):
        separated[n] = level + rank * gap
    return separated


def build_figure_table(comparison: Comparison, rows: Mapping[str, Row], span: ChartSpan) -> str:
    """Builds the table of each asset's change, volatility, drawdown, and lowest, highest and last value.

    A change that the ranking does not have is that of the line.
    """
    change_span = next((known for known in CHANGE_SPANS if known == span), None)
    names = ("col_name", f"col_{span}", "volatility", "drawdown", "lowest", "highest", "end_value")
    body = []
    for asset, values in comparison.index.items():
        known_values = [value for value in values if value is not None]
        levels = (min(known_values), max(known_values), known_values[-1]) if known_values else ()
        figures = (comparison.volatility[asset], comparison.drawdown[asset])
        row = rows[asset]
        end = Decimal(f"{known_values[-1] - 100:.4f}") if known_values else None
        body.append(
            [
                add_note(row.name, row.symbol),
                percent(end if change_span is None else row.change(change_span)),
                *(percent(None if part is None else Decimal(str(part)), signed=False) for part in figures),
                *([f"{level:.2f}" for level in levels] or [UNKNOWN] * 3),
            ]
        )
    return build_html_table(
        t("rankings.compare_figures", span=t(f"chart.span_{span}")),
        [t(f"rankings.{name}") for name in names],
        body,
    )


def build_correlation_table(
    comparison: Comparison, rows: Mapping[str, Row], *, ink: str, background: str, tone: str
) -> str:
    """Builds the correlation matrix with tinted cells; an unknown value is a dash."""
    names = [escape(rows[asset].symbol) for asset in comparison.correlation]
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    body = "".join(
        f'<tr><th scope="row">{name}</th>{_build_cells(row.values(), background, tone)}</tr>'
        for name, row in zip(names, comparison.correlation.values(), strict=True)
    )
    return (
        f'<table class="cp-table rk-matrix" style="color:{ink}">'
        f"<caption>{escape(t('rankings.correlation'))}</caption>"
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _build_cells(values: Iterable[float | None], background: str, tone: str) -> str:
    cells = []
    for value in values:
        if value is None:
            cells.append("<td>–</td>")
        else:
            cells.append(
                f'<td style="background:{mix(tone, background, 0.36 * abs(value))}">{value:+.2f}</td>'
            )
    return "".join(cells).replace("+1.00", "1.00").replace(">-", ">−")
