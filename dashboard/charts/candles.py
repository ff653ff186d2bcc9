"""Builds the candle chart of one asset, its table and its summary."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from dashboard.charts import plotting
from dashboard.charts.plotly_chart import Figure, Table
from dashboard.charts.plotting import TRANSPARENT
from dashboard.client.market_schemas import CandleRow, Span
from dashboard.frame.formats import UNKNOWN, compact_usd, price
from dashboard.frame.palette import Shades
from dashboard.i18n import Language, t
from dashboard.i18n.punctuation import add_label

HEIGHT_PIXELS = 300
DIGIT_PIXELS, POINT_PIXELS = 6.9, 3.6
"""Maximum widths of a digit and of a comma or point on an axis."""


def build_figure(
    candles: Sequence[CandleRow],
    shades: Shades,
    zone: ZoneInfo,
    *,
    ink: str,
    background: str,
    sample: bool,
    span: Span,
    identity: str,
    lang: Language = "en",
) -> Figure:
    """Builds filled rising and hollow falling candles, with volume below if every candle has one.

    ``ink`` is the text colour and ``background`` the page's. A new figure with the same ``identity``
    keeps the zoom. The time axis is in ``zone``; hover labels also show UTC.
    """
    with_volume = bool(candles) and all(row[5] is not None for row in candles)
    times = [datetime.fromtimestamp(row[0] / 1000, UTC) for row in candles]
    local = [time.astimezone(zone).replace(tzinfo=None) for time in times]
    traces = [{"x": local, **_build_candlesticks(candles, times, shades)}]
    if with_volume:
        traces.append({"x": local, **_build_volume_bars(candles, shades, lang)})
    layout = {
        "showlegend": False,
        "uirevision": identity,
        "font": {"color": ink, "size": 12},
        "hoverlabel": plotting.build_hover_label(ink, background),
        "bargap": 0.25,
        **_build_axes(candles, span, plotting.fade(ink, 0.12), with_volume=with_volume),
    }
    if sample:
        layout["annotations"] = [plotting.build_watermark(ink, 52, 0.6)]
    return plotting.build_figure(traces, layout)


def _build_candlesticks(
    candles: Sequence[CandleRow], times: Sequence[datetime], shades: Shades
) -> dict[str, Any]:
    labels = [
        [_format_price(value) for value in row[1:5]] + [f"{time:%Y-%m-%d %H:%M} UTC"]
        for row, time in zip(candles, times, strict=True)
    ]
    return {
        "type": "candlestick",
        "open": [row[1] for row in candles],
        "high": [row[2] for row in candles],
        "low": [row[3] for row in candles],
        "close": [row[4] for row in candles],
        "increasing": {"line": {"color": shades.up, "width": 1}, "fillcolor": shades.up},
        "decreasing": {"line": {"color": shades.down, "width": 1.2}, "fillcolor": TRANSPARENT},
        "customdata": labels,
        "hovertemplate": (
            f"{t('chart.open')} %{{customdata[0]}}<br>{t('chart.high')} %{{customdata[1]}}<br>"
            f"{t('chart.low')} %{{customdata[2]}}<br>{t('chart.closing')} %{{customdata[3]}}<br>"
            "%{customdata[4]}<extra></extra>"
        ),
        "name": "",
    }


def _build_volume_bars(candles: Sequence[CandleRow], shades: Shades, lang: Language) -> dict[str, Any]:
    return {
        "type": "bar",
        "y": [row[5] for row in candles],
        "yaxis": "y2",
        "marker": {
            "color": [shades.up if row[4] >= row[1] else shades.down for row in candles],
            "opacity": 0.4,
        },
        "customdata": [_format_volume(row[5], lang) for row in candles],
        "hovertemplate": f"{t('chart.volume')} %{{customdata}}<extra></extra>",
    }


def _build_axes(candles: Sequence[CandleRow], span: Span, grid: str, *, with_volume: bool) -> dict[str, Any]:
    """Builds the axes of prices, times and volumes, and the margins for their labels."""
    tick_format = _choose_tick_format([row[3] for row in candles], [row[2] for row in candles])
    right = _estimate_label_width([row[2] for row in candles], tick_format)
    return {
        "margin": {"l": 0, "r": right or 4, "t": 6, "b": 24 if span == "7d" else 38},
        "xaxis": {
            "rangeslider": {"visible": False},
            "showgrid": False,
            "tickcolor": grid,
            "tickangle": 0,
            "ticklabeloverflow": "allow",
            "anchor": "y2" if with_volume else "y",
            "tickformat": "%m-%d" if span == "7d" else "%H:%M\n%m-%d",
            "hoverformat": "%m-%d %H:%M",
        },
        "yaxis": {
            "side": "right",
            "automargin": right is None,
            "nticks": 6,
            "ticklabeloverflow": "allow",
            "gridcolor": grid,
            "tickprefix": "$",
            "tickformat": tick_format,
            "domain": [0.24, 1] if with_volume else [0, 1],
            "fixedrange": False,
        },
        "yaxis2": {"domain": [0, 0.17], "visible": False, "anchor": "x"},
    }


def _choose_tick_format(lows: Sequence[float], highs: Sequence[float]) -> str:
    """Chooses enough digits to distinguish the ticks; a stablecoin's axis needs more than its price."""
    if not lows:
        return ",.2f"
    span, top = max(highs) - min(lows), max(highs)
    if span <= 0 or top <= 0:
        return ".4~g"
    digits = Decimal(top).adjusted() - Decimal(span / 4).adjusted() + 1
    return f",.{max(0, 1 - Decimal(span / 4).adjusted())}f" if top >= 0.001 else f".{max(3, digits)}~g"


def _estimate_label_width(highs: Sequence[float], tick_format: str) -> int | None:
    """Estimates the width of price labels in pixels; ``None`` if only Plotly knows their text.

    With a known margin, Plotly does not draw the axes twice.
    """
    if not highs or not tick_format.endswith("f"):
        return None
    return round(
        10
        + sum(
            POINT_PIXELS if sign in ",." else DIGIT_PIXELS for sign in f"${max(highs) * 1.02:{tick_format}}"
        )
    )


def build_table(candles: Sequence[CandleRow], name: str, lang: Language) -> Table:
    """Builds the table of the candles, newest first, in UTC."""
    head = [t(f"chart.{key}") for key in ("time", "open", "high", "low", "closing", "volume")]
    rows = [
        [
            f"{datetime.fromtimestamp(row[0] / 1000, UTC):%m-%d %H:%M}",
            *(_format_price(value) for value in row[1:5]),
            _format_volume(row[5], lang),
        ]
        for row in reversed(candles)
    ]
    return Table(add_label(t("chart.candles"), name), head, rows)


def build_summary(candles: Sequence[CandleRow], name: str, span: str) -> str:
    """Builds one sentence on the chart, for its text alternative."""
    return t(
        "chart.candles_alt",
        name=name,
        span=span,
        first=_format_price(candles[0][1]),
        last=_format_price(candles[-1][4]),
        low=_format_price(min(row[3] for row in candles)),
        high=_format_price(max(row[2] for row in candles)),
    )


# Cached: chart and table both show each price, and closed candles recur at every refresh.
@lru_cache(maxsize=8192)
def _format_price(value: float) -> str:
    return price(Decimal(repr(value)))


@lru_cache(maxsize=8192)
def _format_volume(value: float | None, lang: Language) -> str:
    return UNKNOWN if value is None else compact_usd(Decimal(repr(value)), lang)
