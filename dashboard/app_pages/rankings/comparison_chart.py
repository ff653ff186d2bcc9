"""Assets rebased to 100 in one chart, their correlations, and the tables that say the same."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from html import escape
from typing import Any
from zoneinfo import ZoneInfo

from dashboard.app_pages.rankings.comparison import Comparison
from dashboard.app_pages.rankings.html_table import html_table
from dashboard.app_pages.rankings.rows import Row
from dashboard.charts import plotting
from dashboard.charts.plotly_chart import Figure
from dashboard.frame.palette import mix
from dashboard.i18n import t

HEIGHT = 400
MARGIN = {"l": 44, "r": 68, "t": 34, "b": 38}
LABEL_GAP = 15.0
"""Pixels between the middles of two names at the lines' ends."""
LIGHT_LINES = ("#0b57d0", "#b24700", "#00695c", "#8e24aa", "#5f6b7a", "#9a1750")
DARK_LINES = ("#7aa7ff", "#ffa657", "#4fd1a5", "#d7a6ff", "#b7c2d3", "#ff8fb8")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
"""Lines differ by stroke as well as by colour."""


def figure(
    comparison: Comparison,
    rows: Mapping[str, Row],
    zone: ZoneInfo,
    *,
    dark: bool,
    ink: str,
    background: str,
    sample: bool,
) -> Figure:
    """One line an asset, named at its end as well as in the legend; times in ``zone``."""
    local = [time.astimezone(zone).replace(tzinfo=None) for time in comparison.times]
    colours = DARK_LINES if dark else LIGHT_LINES
    reach = _reach(comparison)
    at = local[-1] if local else None
    layout = {
        "margin": MARGIN,
        "font": {"color": ink, "size": 12},
        "hovermode": "x unified",
        "hoverlabel": plotting.build_hover_label(ink, background),
        "showlegend": True,
        "legend": {"orientation": "h", "y": 1.1, "x": 0, "font": {"color": ink}},
        "uirevision": ",".join(comparison.index),
        **_axes(local, reach, mix(ink, background, 0.14)),
        "shapes": [_line_at_start(mix(ink, background, 0.5))],
        "annotations": _end_names(comparison, rows, colours, at, reach)
        + ([plotting.build_watermark(ink, 64)] if sample else []),
    }
    return plotting.build_figure(_lines(comparison, rows, local, colours), layout)


def _lines(
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


def _reach(comparison: Comparison) -> tuple[float, float]:
    """The lowest and highest value on the axis, with a margin."""
    known = [value for values in comparison.index.values() for value in values if value is not None]
    low, high = min([*known, 100.0]), max([*known, 100.0])
    room = max(high - low, 0.01) * 0.05
    return (low - room, high + room)


def _axes(local: Sequence[datetime], reach: tuple[float, float], grid: str) -> dict[str, Any]:
    is_day = not local or local[-1] - local[0] < timedelta(days=2)
    return {
        "xaxis": {
            "showgrid": False,
            "tickcolor": grid,
            "tickformat": "%H:%M\n%m-%d" if is_day else "%m-%d",
            "hoverformat": "%m-%d %H:%M",
            "tickangle": 0,
            "ticklabeloverflow": "allow",
            "range": [local[0], local[-1]] if local else None,
        },
        "yaxis": {
            "gridcolor": grid,
            "tickformat": ".4~g",
            "ticklabeloverflow": "allow",
            "range": reach,
            "zeroline": False,
        },
    }


def _line_at_start(colour: str) -> dict[str, Any]:
    """The level of 100, at which every line starts."""
    return {
        "type": "line",
        "xref": "x domain",
        "x0": 0,
        "x1": 1,
        "y0": 100,
        "y1": 100,
        "line": {"color": colour, "width": 1, "dash": "dot"},
    }


def _end_names(
    comparison: Comparison,
    rows: Mapping[str, Row],
    colours: Sequence[str],
    at: datetime | None,
    reach: tuple[float, float],
) -> list[dict[str, Any]]:
    """Each line's name beside its last point, moved as little as the names need to stand clear."""
    ends = {
        asset: next((value for value in reversed(values) if value is not None), None)
        for asset, values in comparison.index.items()
    }
    pixels = (HEIGHT - MARGIN["t"] - MARGIN["b"]) / (reach[1] - reach[0])
    heights = [(end - reach[0]) * pixels for end in ends.values() if end is not None]
    places = iter(zip(apart(heights, LABEL_GAP), heights, strict=True))
    names = []
    for n, (asset, end) in enumerate(ends.items()):
        if end is None:
            continue
        place, height = next(places)
        names.append(
            {
                "x": at,
                "y": end,
                "text": f"<b>{escape(rows[asset].symbol)}</b>",
                "xanchor": "left",
                "xshift": 6,
                "yshift": place - height,
                "showarrow": False,
                "font": {"color": colours[n], "size": 12},
            }
        )
    return names


def apart(places: Sequence[float], gap: float) -> list[float]:
    """``places`` in the same order, at least ``gap`` apart, with the least squares of movement.

    Isotonic regression by pooling adjacent violators, on the places less the gaps below them.
    """
    order = sorted(range(len(places)), key=lambda n: places[n])
    pools: list[tuple[float, int]] = []  # mean and number of those that move together
    for rank, n in enumerate(order):
        mean, count = places[n] - rank * gap, 1
        while pools and pools[-1][0] > mean:
            before, number = pools.pop()
            mean, count = (before * number + mean * count) / (number + count), number + count
        pools.append((mean, count))
    levels = [mean for mean, count in pools for _ in range(count)]
    moved = [0.0] * len(places)
    for rank, (n, level) in enumerate(zip(order, levels, strict=True)):
        moved[n] = level + rank * gap
    return moved


def end_table(comparison: Comparison, rows: Mapping[str, Row]) -> str:
    """Where each line stands now, with its lowest and highest point."""
    head = [t("rankings.col_name"), t("rankings.end_value"), t("rankings.lowest"), t("rankings.highest")]
    body = []
    for asset, values in comparison.index.items():
        known = [value for value in values if value is not None]
        figures = [f"{value:.2f}" for value in (known[-1], min(known), max(known))] if known else ["–"] * 3
        body.append([f"{rows[asset].name} ({rows[asset].symbol})", *figures])
    return html_table(t("rankings.compare_lines"), head, body)


def correlation_table(
    comparison: Comparison, rows: Mapping[str, Row], *, ink: str, background: str, tone: str
) -> str:
    """The matrix; each cell's number is also its tint, and null is a dash."""
    names = [escape(rows[asset].symbol) for asset in comparison.correlation]
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    body = "".join(
        f'<tr><th scope="row">{name}</th>{_cells(row.values(), background, tone)}</tr>'
        for name, row in zip(names, comparison.correlation.values(), strict=True)
    )
    return (
        f'<table class="cp-table rk-matrix" style="color:{ink}">'
        f"<caption>{escape(t('rankings.correlation'))}</caption>"
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _cells(values: Iterable[float | None], background: str, tone: str) -> str:
    cells = []
    for value in values:
        if value is None:
            cells.append("<td>–</td>")
        else:
            cells.append(
                f'<td style="background:{mix(tone, background, 0.36 * abs(value))}">{value:+.2f}</td>'
            )
    return "".join(cells).replace("+1.00", "1.00").replace(">-", ">−")
