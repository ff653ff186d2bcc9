"""Builds the candle chart of one asset, its table and its summary."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from dashboard.charts import plotting
from dashboard.charts.plotly_chart import Figure, Table
from dashboard.charts.plotting import TRANSPARENT
from dashboard.client.market_schemas import CandleRow, ChartSpan
from dashboard.frame.display_currency import US_DOLLARS, DisplayCurrency
from dashboard.frame.formats import UNKNOWN
from dashboard.frame.palette import Shades
from dashboard.i18n import Language, t
from dashboard.i18n.punctuation import add_label

HEIGHT_PIXELS = 300
MAX_CANDLES = 200
"""A longer series is drawn as a line of its closes, because its candles would be thinner than two pixels."""
DAILY_SPANS: tuple[ChartSpan, ...] = ("90d", "1y")
"""Their candles are days in UTC."""
TICK_FORMATS: Mapping[ChartSpan, str] = {"1h": "%H:%M", "24h": "%H:%M\n%m-%d", "1y": "%Y-%m"}
"""Formats of the time axis; month and day for the other spans."""
FIRST_LABEL_PIXELS = 18
"""Space for the label of the first tick of the time axis, which is a month's first day."""
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
    span: ChartSpan,
    identity: str,
    lang: Language = "en",
    currency: DisplayCurrency = US_DOLLARS,
) -> Figure:
    """Builds filled rising and hollow falling candles, with volume below if every candle has one.

    More than :data:`MAX_CANDLES` are a line of their closes. Prices and volumes are in ``currency``.
    ``ink`` is the text colour and ``background`` the page's. A new figure with the same
    ``identity`` keeps the zoom. The time axis is in ``zone``, days are in UTC; hover labels also show UTC.
    """
    with_volume = bool(candles) and all(row[5] is not None for row in candles)
    times = [datetime.fromtimestamp(row[0] / 1000, UTC) for row in candles]
    axis_zone = UTC if span in DAILY_SPANS else zone
    local = [time.astimezone(axis_zone).replace(tzinfo=None) for time in times]
    is_line = len(candles) > MAX_CANDLES
    shape = _build_line(candles, ink, currency) if is_line else _build_candlesticks(candles, shades, currency)
    traces = [{"x": local, **shape, **_build_hover_text(candles, times, span, currency)}]
    if with_volume:
        traces.append({"x": local, **_build_volume_bars(candles, shades, lang, currency)})
    layout = {
        "showlegend": False,
        "uirevision": identity,
        "font": {"color": ink, "size": 12},
        "hoverlabel": plotting.build_hover_label(ink, background),
        "bargap": 0.25,
        **_build_axes(candles, span, plotting.fade(ink, 0.12), currency, with_volume=with_volume),
    }
    if is_line:
        layout["hovermode"] = "x"
    if sample:
        layout["annotations"] = [plotting.build_watermark(ink, 52, 0.6)]
    return plotting.build_figure(traces, layout)


def _build_candlesticks(
    candles: Sequence[CandleRow], shades: Shades, currency: DisplayCurrency
) -> dict[str, Any]:
    rate = float(currency.rate)
    return {
        "type": "candlestick",
        "open": [row[1] * rate for row in candles],
        "high": [row[2] * rate for row in candles],
        "low": [row[3] * rate for row in candles],
        "close": [row[4] * rate for row in candles],
        "increasing": {"line": {"color": shades.up, "width": 1}, "fillcolor": shades.up},
        "decreasing": {"line": {"color": shades.down, "width": 1.2}, "fillcolor": TRANSPARENT},
    }


def _build_line(candles: Sequence[CandleRow], ink: str, currency: DisplayCurrency) -> dict[str, Any]:
    rate = float(currency.rate)
    return {
        "type": "scatter",
        "mode": "lines",
        "y": [row[4] * rate for row in candles],
        "line": {"color": ink, "width": 1.5},
    }


def _build_hover_text(
    candles: Sequence[CandleRow], times: Sequence[datetime], span: ChartSpan, currency: DisplayCurrency
) -> dict[str, Any]:
    time_format = "%Y-%m-%d" if span in DAILY_SPANS else "%Y-%m-%d %H:%M"
    labels = [
        [_format_price(value, currency) for value in row[1:5]] + [f"{time:{time_format}} UTC"]
        for row, time in zip(candles, times, strict=True)
    ]
    return {
        "customdata": labels,
        "hovertemplate": (
            f"{t('chart.open')} %{{customdata[0]}}<br>{t('chart.high')} %{{customdata[1]}}<br>"
            f"{t('chart.low')} %{{customdata[2]}}<br>{t('chart.closing')} %{{customdata[3]}}<br>"
            "%{customdata[4]}<extra></extra>"
        ),
        "name": "",
    }


def _build_volume_bars(
    candles: Sequence[CandleRow], shades: Shades, lang: Language, currency: DisplayCurrency
) -> dict[str, Any]:
    return {
        "type": "bar",
        "y": [row[5] for row in candles],
        "yaxis": "y2",
        "marker": {
            "color": [shades.up if row[4] >= row[1] else shades.down for row in candles],
            "opacity": 0.4,
        },
        "customdata": [_format_volume(row[5], lang, currency) for row in candles],
        "hovertemplate": f"{t('chart.volume')} %{{customdata}}<extra></extra>",
    }


def _build_axes(
    candles: Sequence[CandleRow], span: ChartSpan, grid: str, currency: DisplayCurrency, *, with_volume: bool
) -> dict[str, Any]:
    """Builds the axes of prices, times and volumes, and the margins for their labels."""
    rate, symbol = float(currency.rate), currency.style.symbol
    highs = [row[2] * rate for row in candles]
    tick_format = _choose_tick_format([row[3] * rate for row in candles], highs)
    is_young = span == "1y" and len(candles) <= MAX_CANDLES
    time_format = "%m-%d" if is_young else TICK_FORMATS.get(span, "%m-%d")
    right = _estimate_label_width(highs, tick_format, symbol)
    return {
        "margin": {
            "l": FIRST_LABEL_PIXELS if span in DAILY_SPANS else 0,
            "r": right or 4,
            "t": 6,
            "b": 38 if "\n" in time_format else 24,
        },
        "xaxis": {
            "rangeslider": {"visible": False},
            "showgrid": False,
            "tickcolor": grid,
            "tickangle": 0,
            "ticklabeloverflow": "allow",
            "anchor": "y2" if with_volume else "y",
            "tickformat": time_format,
            "hoverformat": "%Y-%m-%d" if span in DAILY_SPANS else "%m-%d %H:%M",
        },
        "yaxis": {
            "side": "right",
            "automargin": right is None,
            "nticks": 6,
            "ticklabeloverflow": "allow",
            "gridcolor": grid,
            "tickprefix": symbol,
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


def _estimate_label_width(highs: Sequence[float], tick_format: str, symbol: str) -> int | None:
    """Estimates the width of price labels in pixels; ``None`` if only Plotly knows their text.

    With a known margin, Plotly does not draw the axes twice.
    """
    if not highs or not tick_format.endswith("f"):
        return None
    label = f"{symbol}{max(highs) * 1.02:{tick_format}}"
    return round(10 + sum(POINT_PIXELS if sign in ",." else DIGIT_PIXELS for sign in label))


def build_table(
    candles: Sequence[CandleRow],
    name: str,
    lang: Language,
    currency: DisplayCurrency = US_DOLLARS,
    *,
    span: ChartSpan = "24h",
) -> Table:
    """Builds the table of the candles, newest first, in UTC."""
    time_format = "%Y-%m-%d" if span in DAILY_SPANS else "%m-%d %H:%M"
    head = [t(f"chart.{key}") for key in ("time", "open", "high", "low", "closing", "volume")]
    rows = [
        [
            f"{datetime.fromtimestamp(row[0] / 1000, UTC):{time_format}}",
            *(_format_price(value, currency) for value in row[1:5]),
            _format_volume(row[5], lang, currency),
        ]
        for row in reversed(candles)
    ]
    return Table(add_label(t("chart.candles"), name), head, rows)


def build_summary(
    candles: Sequence[CandleRow], name: str, span: str, currency: DisplayCurrency = US_DOLLARS
) -> str:
    """Builds one sentence on the chart, for its text alternative."""
    return t(
        "chart.line_alt" if len(candles) > MAX_CANDLES else "chart.candles_alt",
        name=name,
        span=span,
        first=_format_price(candles[0][1], currency),
        last=_format_price(candles[-1][4], currency),
        low=_format_price(min(row[3] for row in candles), currency),
        high=_format_price(max(row[2] for row in candles), currency),
    )


# Cached: chart and table both show each price, and closed candles recur at every refresh.
@lru_cache(maxsize=8192)
def _format_price(value: float, currency: DisplayCurrency) -> str:
    return currency.format_price(Decimal(repr(value)))


@lru_cache(maxsize=8192)
def _format_volume(value: float | None, lang: Language, currency: DisplayCurrency) -> str:
    return UNKNOWN if value is None else currency.format_compact(Decimal(repr(value)), lang)
