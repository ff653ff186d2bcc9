"""Tests the treemap of the Rankings page."""

from decimal import Decimal
from typing import Any

import plotly.graph_objects
import pytest

from dashboard.app_pages.rankings import treemap
from dashboard.app_pages.rankings.rows import Row
from dashboard.charts.plotly_chart import Figure
from dashboard.frame.palette import DARK_BACKGROUNDS, LIGHT_BACKGROUNDS, SCHEMES, Scheme, contrast, shades

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
go: Any = plotly.graph_objects  # the package carries no types
INK = {False: "#131a26", True: "#e6ebf4"}


def build_tiles(rows: list[Row]) -> Figure:
    colours = shades("blue", dark=False)
    return treemap.build_figure(rows, "cap", "24h", colours, ink=INK[False], background="#ffffff", lang="en")


def test_plotly_accepts_every_property_of_the_figure() -> None:
    go.Figure(build_tiles(treemap.find_sized_rows(ROWS, "cap")))


def test_the_treemap_orders_assets_by_size_and_leaves_out_those_without() -> None:
    assert [row.id for row in treemap.find_sized_rows(ROWS, "cap")] == ["bitcoin", "ether"]
    assert [row.id for row in treemap.find_sized_rows(ROWS, "volume")] == ["ether"]


def test_treemap_tiles_show_the_direction_as_text_too() -> None:
    assert build_tiles(treemap.find_sized_rows(ROWS, "cap"))["data"][0]["text"] == ["▲ +1.50%", "▼ −2.25%"]


def test_tiles_too_small_for_a_name_have_none() -> None:
    tiny = Row("tiny", "TNY", "Tiny", market_cap=Decimal(1))
    (trace,) = build_tiles([*ROWS[:1], tiny])["data"]
    large_tile, small_tile = trace["texttemplate"]
    assert "%{label}" in large_tile
    assert small_tile.strip() == ""
    assert trace["customdata"][1][4] == "TNY"


def test_only_a_treemap_of_sample_figures_has_a_watermark() -> None:
    assert [annotation["text"] for annotation in build_tiles(ROWS[:1])["layout"]["annotations"]] == ["SAMPLE"]
    assert build_tiles(ROWS[1:2])["layout"]["annotations"] == []


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("change", ["-50", "-3", "-0.1", "0", "0.1", "3", "50"])
def test_text_stays_readable_on_every_tile(scheme: Scheme, dark: bool, change: str) -> None:
    background = (DARK_BACKGROUNDS if dark else LIGHT_BACKGROUNDS)[0]
    tile = treemap.compute_tile_colour(Decimal(change), "24h", shades(scheme, dark=dark), background)
    assert contrast(tile, INK[dark]) >= 4.5


def test_the_treemap_legend_labels_both_ends() -> None:
    text = treemap.build_legend("24h", shades("blue", dark=False), "#ffffff")
    assert "≤ −6%" in text
    assert "≥ +6%" in text
