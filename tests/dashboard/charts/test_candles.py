"""Tests the candle chart and its table."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import plotly.graph_objects
import pytest

from dashboard.charts import candles
from dashboard.charts.plotly_chart import Figure
from dashboard.client.market_schemas import ChartSpan
from dashboard.frame.display_currency import CURRENCY_STYLES, US_DOLLARS, DisplayCurrency
from dashboard.frame.palette import shades

Candles = Sequence[tuple[int, float, float, float, float, float | None]]
go: Any = plotly.graph_objects  # the package carries no types


def series(
    count: int = 48, volume: float | None = 10.0
) -> list[tuple[int, float, float, float, float, float | None]]:
    return [
        (n * 1_800_000, 100.0 + n, 103.0 + n, 99.0 + n, (101.0 if n % 2 else 99.5) + n, volume)
        for n in range(count)
    ]


def build_chart(
    rows: Candles,
    *,
    sample: bool = False,
    span: ChartSpan = "24h",
    currency: DisplayCurrency = US_DOLLARS,
) -> Figure:
    return candles.build_figure(
        rows,
        shades("blue", dark=False),
        ZoneInfo("Asia/Tokyo"),
        ink="#131a26",
        background="#ffffff",
        sample=sample,
        span=span,
        identity="x",
        currency=currency,
    )


def test_rising_candles_are_filled_and_falling_ones_hollow() -> None:
    (trace, *_) = build_chart(series())["data"]
    assert trace["increasing"]["fillcolor"] == shades("blue", dark=False).up
    assert trace["decreasing"]["fillcolor"] == "rgba(0,0,0,0)"
    assert trace["decreasing"]["line"]["color"] == shades("blue", dark=False).down


@pytest.mark.parametrize("figure", [build_chart(series(), sample=True), build_chart(series(365), span="1y")])
def test_plotly_accepts_every_property_of_the_figure(figure: Figure) -> None:
    go.Figure(figure)


def test_a_year_is_a_line_of_closes_that_is_read_along_the_time_axis() -> None:
    rows = [(n * 86_400_000, 1.0, 3.0, 0.5, 2.0 + n, None) for n in range(365)]
    figure = build_chart(rows, span="1y")
    (trace,) = figure["data"]
    assert (trace["type"], trace["mode"], figure["layout"]["hovermode"]) == ("scatter", "lines", "x")
    assert trace["y"] == [row[4] for row in rows]
    assert trace["customdata"][1] == ["$1.00", "$3.00", "$0.5000", "$3.00", "1970-01-02 UTC"]
    assert str(trace["x"][1]).startswith("1970-01-02"), "a day of UTC keeps its date in every zone"
    assert candles.build_table(rows, "Bitcoin", "en", span="1y").rows[0][0] == "1970-12-31"
    assert "Line chart" in candles.build_summary(rows, "Bitcoin", "1y")


@pytest.mark.parametrize(
    ("span", "tick_format"),
    [("1h", "%H:%M"), ("24h", "%H:%M\n%m-%d"), ("7d", "%m-%d"), ("90d", "%m-%d"), ("1y", "%Y-%m")],
)
def test_the_labels_of_the_time_axis_fit_the_span(span: ChartSpan, tick_format: str) -> None:
    assert build_chart(series(365), span=span)["layout"]["xaxis"]["tickformat"] == tick_format


def test_the_few_days_of_a_young_coin_have_their_dates_on_the_time_axis() -> None:
    assert build_chart(series(8), span="1y")["layout"]["xaxis"]["tickformat"] == "%m-%d"


def test_volume_is_drawn_only_if_every_candle_has_one() -> None:
    assert len(build_chart(series())["data"]) == 2
    assert len(build_chart([*series(47), *series(48, None)[-1:]])["data"]) == 1


def test_only_a_sample_chart_has_a_watermark() -> None:
    assert build_chart(series(), sample=True)["layout"]["annotations"][0]["text"] == "SAMPLE"
    assert "annotations" not in build_chart(series())["layout"]


def test_candles_are_drawn_in_the_readers_zone() -> None:
    (trace, *_) = build_chart(series(1))["data"]
    assert str(trace["x"][0]).replace("T", " ").startswith("1970-01-01 09:00")


@pytest.mark.parametrize("prices", [(1.0, 1.0002), (67000.0, 68000.0), (1.2e-9, 1.3e-9), (5.0, 5.0)])
def test_the_ticks_of_the_price_axis_are_distinguishable(prices: tuple[float, float]) -> None:
    tick_format = candles._choose_tick_format([prices[0]], [prices[1]])
    assert tick_format[0] in ",."
    if prices == (1.0, 1.0002):
        assert tick_format == ",.6f" or int(tick_format.strip(",.f")) >= 5


def test_the_candle_table_lists_every_candle_newest_first() -> None:
    table = candles.build_table(series(3), "Bitcoin", "en")
    assert [row[0] for row in table.rows] == ["01-01 01:00", "01-01 00:30", "01-01 00:00"]
    assert {len(row) for row in table.rows} == {len(table.head)}


@pytest.mark.parametrize("price", [1.0, 67000.0, 123456789.0])
def test_the_margin_is_estimated_for_plain_labels(price: float) -> None:
    rows = [(n * 1_800_000, price, price * 1.03, price * 0.97, price, None) for n in range(4)]
    layout = build_chart(rows)["layout"]
    assert layout["yaxis"]["automargin"] is False
    digits = len(f"{price:.0f}")
    assert 6 * digits <= layout["margin"]["r"] <= 40 + 10 * digits


def test_very_small_prices_use_plotlys_automatic_margin() -> None:
    rows = [(n * 1_800_000, 1e-9, 1.3e-9, 0.9e-9, 1.1e-9, None) for n in range(4)]
    assert build_chart(rows)["layout"]["yaxis"]["automargin"] is True


def test_the_summary_names_the_extremes() -> None:
    text = candles.build_summary(series(2), "Bitcoin", "24h")
    for part in ("Bitcoin", "$100.00", "$99.00", "$104.00"):
        assert part in text


def test_a_chart_in_another_currency_has_its_axis_labels_and_table_in_it() -> None:
    yen = DisplayCurrency("JPY", Decimal("142.9"), CURRENCY_STYLES["JPY"])
    figure = build_chart(series(2), currency=yen)
    (trace, volume) = figure["data"]
    assert figure["layout"]["yaxis"]["tickprefix"] == "¥"
    assert trace["close"] == [99.5 * 142.9, 102.0 * 142.9]
    assert trace["customdata"][0][0] == "¥14,290"
    assert volume["customdata"][0] == "¥1.43K"
    assert candles.build_table(series(2), "Bitcoin", "en", yen).rows[-1][1] == "¥14,290"
    assert "¥14,290" in candles.build_summary(series(2), "Bitcoin", "24h", yen)
