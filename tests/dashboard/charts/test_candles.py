"""Candle chart, treemap and comparison chart, and their tables."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import plotly.graph_objects
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.app_pages.rankings import coin_panel_sections, comparison_chart, html_table, treemap
from dashboard.app_pages.rankings.comparison import Comparison, compare_assets
from dashboard.app_pages.rankings.rows import Row
from dashboard.charts import candles
from dashboard.charts.plotly_chart import Figure
from dashboard.client.market_schemas import Span
from dashboard.frame.palette import DARK_BACKGROUNDS, LIGHT_BACKGROUNDS, SCHEMES, contrast, shades

ROWS = [
    Row(
        "bitcoin",
        "BTC",
        "Bitcoin",
        price=Decimal(67000),
        market_cap=Decimal(10**12),
        pct_24h=Decimal("1.5"),
        source="sample",
    ),
    Row(
        "ether",
        "ETH",
        "Ether",
        price=Decimal(3200),
        market_cap=Decimal(10**11),
        pct_24h=Decimal("-2.25"),
        volume=Decimal(5),
    ),
    Row("none", "NON", "None <b>", pct_24h=None),
]
Candles = Sequence[tuple[int, float, float, float, float, float | None]]
go: Any = plotly.graph_objects  # the package carries no types
INK = {False: "#131a26", True: "#e6ebf4"}


def series(
    count: int = 48, volume: float | None = 10.0
) -> list[tuple[int, float, float, float, float, float | None]]:
    return [
        (n * 1_800_000, 100.0 + n, 103.0 + n, 99.0 + n, (101.0 if n % 2 else 99.5) + n, volume)
        for n in range(count)
    ]


def chart(
    rows: Candles,
    *,
    sample: bool = False,
    span: Span = "24h",
) -> Figure:
    return candles.build_figure(
        rows,
        shades("blue", dark=False),
        ZoneInfo("Asia/Tokyo"),
        ink=INK[False],
        background="#ffffff",
        sample=sample,
        span=span,
        identity="x",
    )


def tiles(rows: list[Row]) -> Figure:
    tone = shades("blue", dark=False)
    return treemap.build_figure(rows, "cap", "24h", tone, ink=INK[False], background="#ffffff", lang="en")


def lines(**ends: float) -> Figure:
    """A comparison of assets that end at these values, all from 100."""
    steps = [100.0 + n for n in range(48)]
    index = {asset: (*steps[:-1], end) for asset, end in ends.items()}
    times = tuple(datetime(2026, 5, 1, tzinfo=UTC) + timedelta(minutes=30 * n) for n in range(48))
    rows = {asset: Row(asset, asset.upper(), asset) for asset in ends}
    drawn = Comparison(times, index, {}, ())
    look = {"dark": False, "ink": INK[False], "background": "#ffffff", "sample": True}
    return comparison_chart.build_figure(drawn, rows, ZoneInfo("UTC"), **look)  # type: ignore[arg-type]


def test_rising_candles_are_filled_and_falling_ones_hollow() -> None:
    (trace, *_) = chart(series())["data"]
    assert trace["increasing"]["fillcolor"] == shades("blue", dark=False).up
    assert trace["decreasing"]["fillcolor"] == "rgba(0,0,0,0)"
    assert trace["decreasing"]["line"]["color"] == shades("blue", dark=False).down


@pytest.mark.parametrize(
    "drawn",
    [
        chart(series(), sample=True),
        chart(series(), span="7d"),
        tiles(treemap.find_sized_rows(ROWS, "cap")),
        lines(a=101.0, b=101.1, c=90.0),
    ],
)
def test_plotly_accepts_every_property_of_the_figures(drawn: Figure) -> None:
    go.Figure(drawn)


def test_volume_is_drawn_only_if_every_candle_has_one() -> None:
    assert len(chart(series())["data"]) == 2
    assert len(chart([*series(47), *series(48, None)[-1:]])["data"]) == 1


def test_only_a_sample_chart_has_a_watermark() -> None:
    assert chart(series(), sample=True)["layout"]["annotations"][0]["text"] == "SAMPLE"
    assert "annotations" not in chart(series())["layout"]


def test_candles_are_drawn_in_the_readers_zone() -> None:
    (trace, *_) = chart(series(1))["data"]
    assert str(trace["x"][0]).replace("T", " ").startswith("1970-01-01 09:00")


@pytest.mark.parametrize("prices", [(1.0, 1.0002), (67000.0, 68000.0), (1.2e-9, 1.3e-9), (5.0, 5.0)])
def test_the_ticks_of_the_price_axis_are_distinguishable(prices: tuple[float, float]) -> None:
    form = candles._choose_tick_format([prices[0]], [prices[1]])
    assert form[0] in ",."
    if prices == (1.0, 1.0002):
        assert form == ",.6f" or int(form.strip(",.f")) >= 5


def test_the_candle_table_lists_every_candle_newest_first() -> None:
    table = candles.build_table(series(3), "Bitcoin", "en")
    assert [row[0] for row in table.rows] == ["01-01 01:00", "01-01 00:30", "01-01 00:00"]
    assert {len(row) for row in table.rows} == {len(table.head)}


@pytest.mark.parametrize("price", [1.0, 67000.0, 123456789.0])
def test_the_margin_is_estimated_for_plain_labels(price: float) -> None:
    rows = [(n * 1_800_000, price, price * 1.03, price * 0.97, price, None) for n in range(4)]
    layout = chart(rows)["layout"]
    assert layout["yaxis"]["automargin"] is False
    digits = len(f"{price:.0f}")
    assert 6 * digits <= layout["margin"]["r"] <= 40 + 10 * digits


def test_plotly_finds_the_margin_for_labels_that_only_it_knows() -> None:
    rows = [(n * 1_800_000, 1e-9, 1.3e-9, 0.9e-9, 1.1e-9, None) for n in range(4)]
    assert chart(rows)["layout"]["yaxis"]["automargin"] is True


def test_the_summary_names_the_extremes() -> None:
    text = candles.build_summary(series(2), "Bitcoin", "24h")
    for part in ("Bitcoin", "$100.00", "$99.00", "$104.00"):
        assert part in text


def test_the_treemap_orders_assets_by_size_and_leaves_out_those_without() -> None:
    assert [row.id for row in treemap.find_sized_rows(ROWS, "cap")] == ["bitcoin", "ether"]
    assert [row.id for row in treemap.find_sized_rows(ROWS, "volume")] == ["ether"]


def test_treemap_tiles_show_the_direction_as_text_too() -> None:
    assert tiles(treemap.find_sized_rows(ROWS, "cap"))["data"][0]["text"] == ["▲ +1.50%", "▼ −2.25%"]


def test_tiles_too_small_for_a_name_have_none() -> None:
    tiny = Row("tiny", "TNY", "Tiny", market_cap=Decimal(1))
    (trace,) = tiles([*ROWS[:1], tiny])["data"]
    named, unnamed = trace["texttemplate"]
    assert "%{label}" in named
    assert unnamed.strip() == ""
    assert trace["customdata"][1][4] == "TNY"


def test_only_a_treemap_of_sample_figures_has_a_watermark() -> None:
    assert [mark["text"] for mark in tiles(ROWS[:1])["layout"]["annotations"]] == ["SAMPLE"]
    assert tiles(ROWS[1:2])["layout"]["annotations"] == []


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("change", ["-50", "-3", "-0.1", "0", "0.1", "3", "50"])
def test_text_stays_readable_on_every_tile(scheme: str, dark: bool, change: str) -> None:
    background = (DARK_BACKGROUNDS if dark else LIGHT_BACKGROUNDS)[0]
    tile = treemap.compute_tile_colour(Decimal(change), "24h", shades(scheme, dark=dark), background)  # type: ignore[arg-type]
    assert contrast(tile, INK[dark]) >= 4.5


def test_the_treemap_legend_labels_both_ends() -> None:
    text = treemap.build_legend("24h", shades("blue", dark=False), "#ffffff")
    assert "≤ −6%" in text
    assert "≥ +6%" in text


@pytest.mark.parametrize("dark", [False, True])
def test_comparison_lines_differ_by_stroke_and_have_enough_contrast(dark: bool) -> None:
    colours = comparison_chart.DARK_LINES if dark else comparison_chart.LIGHT_LINES
    background = (DARK_BACKGROUNDS if dark else LIGHT_BACKGROUNDS)[0]
    assert len(set(colours)) == len(set(comparison_chart.DASHES)) == 6
    assert all(contrast(colour, background) >= 4.5 for colour in colours)


def test_labels_at_the_ends_of_lines_do_not_overlap() -> None:
    drawn = lines(a=101.0, b=101.02, c=101.01, d=140.0)
    low, high = drawn["layout"]["yaxis"]["range"]
    pixels = comparison_chart.HEIGHT_PIXELS - comparison_chart.MARGIN["t"] - comparison_chart.MARGIN["b"]
    names = [mark for mark in drawn["layout"]["annotations"] if "yshift" in mark]
    places = sorted((mark["y"] - low) / (high - low) * pixels + mark["yshift"] for mark in names)
    gaps = [above - below for below, above in pairwise(places)]
    assert len(names) == 4
    assert min(gaps) >= comparison_chart.LABEL_GAP_PIXELS - 1e-6
    assert {mark["text"]: mark["yshift"] for mark in names}["<b>D</b>"] == 0


@given(st.lists(st.floats(0, 400), max_size=6), st.floats(1, 30))
def test_separated_labels_keep_their_order_and_their_mean(places: list[float], gap: float) -> None:
    moved = comparison_chart.separate_labels(places, gap)
    assert sum(moved) == pytest.approx(sum(places), abs=1e-6)
    order = sorted(range(len(places)), key=lambda n: places[n])
    assert all(moved[above] - moved[below] >= gap - 1e-6 for below, above in pairwise(order))
    if all(places[above] - places[below] >= gap for below, above in pairwise(order)):
        assert moved == pytest.approx(places)


def test_the_tables_show_the_comparison() -> None:
    rows = {row.id: row for row in ROWS}
    result = compare_assets({"bitcoin": series(), "ether": series()})
    ends = comparison_chart.build_end_table(result, rows)
    assert "Bitcoin (BTC)" in ends
    matrix = comparison_chart.build_correlation_table(
        result, rows, ink=INK[False], background="#ffffff", tone="#0b57d0"
    )
    assert matrix.count("1.00") == 4
    assert matrix.count('scope="row"') == 2


def test_foreign_text_is_escaped() -> None:
    hostile = "<img src=x onerror=alert(1)>"
    table = html_table.build_html_table(hostile, [hostile], [[hostile, hostile]])
    assert "<img" not in table
    head = coin_panel_sections.build_head(Row("x", hostile, hostile), '"><script>', "en", datetime.now(UTC))
    assert "<script" not in head
    assert "<img src=x" not in head


def test_a_copied_curl_command_has_no_key() -> None:
    call = coin_panel_sections.build_curl_commands("http://127.0.0.1:8000", "bitcoin", "7d")
    assert "YOUR_KEY" in call
    assert "cp_" not in call
    assert "/assets/bitcoin/candles?span=7d" in call
