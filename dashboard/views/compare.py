"""Assets rebased to 100 in one chart, their correlations, and the tables that say the same."""

from collections.abc import Iterable, Mapping
from html import escape
from zoneinfo import ZoneInfo

from dashboard.i18n import t
from dashboard.palette import mix
from dashboard.services.compare import Comparison
from dashboard.services.rankings import Row
from dashboard.views.figure_table import html_table
from dashboard.views.plotting import Figure, go, watermark

HEIGHT = 400
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
    chart = go.Figure()
    for n, (asset, values) in enumerate(comparison.index.items()):
        chart.add_scatter(
            x=local,
            y=values,
            mode="lines",
            name=rows[asset].symbol,
            line={"color": colours[n], "width": 2, "dash": DASHES[n]},
            hovertemplate="%{y:.2f}",
        )
        last = next((value for value in reversed(values) if value is not None), None)
        if last is not None and local:
            chart.add_annotation(
                x=local[-1],
                y=last,
                text=f"<b>{escape(rows[asset].symbol)}</b>",
                xanchor="left",
                xshift=6,
                showarrow=False,
                font={"color": colours[n], "size": 12},
            )
    grid = mix(ink, background, 0.14)
    chart.add_hline(y=100, line={"color": mix(ink, background, 0.5), "width": 1, "dash": "dot"})
    chart.update_layout(
        height=HEIGHT,
        margin={"l": 0, "r": 64, "t": 30, "b": 0},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": ink, "size": 12},
        hovermode="x unified",
        hoverlabel={"bgcolor": background, "font": {"color": ink}},
        legend={"orientation": "h", "y": 1.1, "x": 0, "font": {"color": ink}},
        uirevision=",".join(comparison.index),
        xaxis={"showgrid": False, "tickcolor": grid, "tickformat": "%m-%d %H:%M", "nticks": 8},
        yaxis={"gridcolor": grid, "tickformat": ".4~g", "automargin": True},
    )
    if sample:
        chart.add_annotation(**watermark(ink, 64))
    return chart


def end_table(comparison: Comparison, rows: Mapping[str, Row]) -> str:
    """Where each line stands now, with its lowest and highest point."""
    head = [t("rankings.col_name"), t("rankings.end_value"), t("rankings.lowest"), t("rankings.highest")]
    body = []
    for asset, values in comparison.index.items():
        known = [value for value in values if value is not None]
        figures = [f"{value:.2f}" for value in (known[-1], min(known), max(known))] if known else ["–"] * 3
        body.append([f"{rows[asset].name} ({rows[asset].symbol})", *figures])
    return html_table(t("rankings.compare_lines"), head, body, visible=True)


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
        f'<table class="rk-table rk-matrix" style="color:{ink}">'
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
