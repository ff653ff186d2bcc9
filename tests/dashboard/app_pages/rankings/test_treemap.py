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
    text = build_tiles(treemap.find_sized_rows(ROWS, "cap"))["data"][0]["text"]
    assert text[:2] == ["▲ +1.50%", "▼ −2.25%"]


def test_the_largest_tiles_of_each_group_have_a_name() -> None:
    coins = [
        Row(f"c{n}", f"C{n}", f"Coin {n}", market_cap=Decimal(1000 - n), categories=("A" if n < 70 else "B",))
        for n in range(80)
    ]
    (trace,) = build_tiles(coins)["data"]
    named = ["%{label}" in template for template in trace["texttemplate"]]
    assert named[:70] == [True] * treemap.MAX_NAMED_TILES + [False] * 10
    assert all(named[70:])
    assert trace["customdata"][69][4] == "C69", "a tile without a name has a hover label"


def test_tiles_stand_in_the_group_of_their_first_category() -> None:
    coins = [
        Row("a", "A", "A", market_cap=Decimal(5), categories=("Layer 1", "Meme")),
        Row("b", "B", "B", market_cap=Decimal(4)),
        Row("c", "C", "C", market_cap=Decimal(3), categories=("Layer 1",)),
    ]
    (trace,) = build_tiles(coins)["data"]
    by_id = dict(zip(trace["ids"], trace["parents"], strict=True))
    assert by_id == {
        "a": "group:Layer 1",
        "b": "group:",
        "c": "group:Layer 1",
        "group:Layer 1": "",
        "group:": "",
    }
    assert trace["labels"][-2:] == ["Layer 1", "No category"]
    assert trace["values"][-2:] == [0, 0], "a group has the area of its tiles"
    assert len({len(trace[name]) for name in ("ids", "labels", "values", "text", "customdata")}) == 1


def test_without_groups_every_tile_stands_alone() -> None:
    colours = shades("blue", dark=False)
    figure = treemap.build_figure(
        ROWS[:2], "cap", "24h", colours, ink=INK[False], background="#ffffff", lang="en", grouped=False
    )
    assert figure["data"][0]["ids"] == ["bitcoin", "ether"]
    assert figure["data"][0]["parents"] == ["", ""]


def test_only_a_treemap_of_sample_figures_has_a_watermark() -> None:
    assert [annotation["text"] for annotation in build_tiles(ROWS[:1])["layout"]["annotations"]] == ["SAMPLE"]
    assert build_tiles(ROWS[1:2])["layout"]["annotations"] == []


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("change", ["-50", "-3", "-0.1", "0", "0.1", "3", "50"])
def test_text_stays_readable_on_every_tile(scheme: Scheme, dark: bool, change: str) -> None:
    background = (DARK_BACKGROUNDS if dark else LIGHT_BACKGROUNDS)[0]
    tile = treemap.compute_tile_colour(Decimal(change), Decimal(6), shades(scheme, dark=dark), background)
    assert contrast(tile, INK[dark]) >= 4.5


def test_the_treemap_legend_labels_both_ends_of_the_days_spread() -> None:
    calm = [Row(f"c{n}", "C", "C", market_cap=Decimal(1), pct_24h=Decimal("-0.8")) for n in range(20)]
    wild = [Row(f"c{n}", "C", "C", market_cap=Decimal(1), pct_24h=Decimal(5)) for n in range(20)]
    colours = shades("blue", dark=False)
    assert "≤ −1.5%" in treemap.build_legend(calm, "24h", colours, "#ffffff")
    assert "≥ +6%" in treemap.build_legend(wild, "24h", colours, "#ffffff")
