"""Tests the comparison chart of the Rankings page and its tables."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import plotly.graph_objects
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.app_pages.rankings import comparison_chart
from dashboard.app_pages.rankings.comparison import Comparison, compare_assets
from dashboard.app_pages.rankings.rows import Row
from dashboard.charts.plotly_chart import Figure
from dashboard.frame.palette import DARK_BACKGROUNDS, LIGHT_BACKGROUNDS, contrast

go: Any = plotly.graph_objects  # the package carries no types
INK = "#131a26"


def build_lines(**ends: float) -> Figure:
    """Build the chart of assets that start at 100 and end at these values."""
    steps = [100.0 + n for n in range(48)]
    values = {asset: (*steps[:-1], end) for asset, end in ends.items()}
    times = tuple(datetime(2026, 5, 1, tzinfo=UTC) + timedelta(minutes=30 * n) for n in range(48))
    rows = {asset: Row(asset, asset.upper(), asset) for asset in ends}
    comparison = Comparison(times, values, {}, {}, {}, ())
    return comparison_chart.build_figure(
        comparison, rows, ZoneInfo("UTC"), dark=False, ink=INK, background="#ffffff", sample=True
    )


def test_plotly_accepts_every_property_of_the_figure() -> None:
    go.Figure(build_lines(a=101.0, b=101.1, c=90.0))


@pytest.mark.parametrize("dark", [False, True])
def test_comparison_lines_differ_by_stroke_and_have_enough_contrast(dark: bool) -> None:
    colours = comparison_chart.DARK_LINES if dark else comparison_chart.LIGHT_LINES
    background = (DARK_BACKGROUNDS if dark else LIGHT_BACKGROUNDS)[0]
    assert len(set(colours)) == len(set(comparison_chart.DASHES)) == 6
    assert all(contrast(colour, background) >= 4.5 for colour in colours)


def test_labels_at_the_ends_of_lines_do_not_overlap() -> None:
    figure = build_lines(a=101.0, b=101.02, c=101.01, d=140.0)
    low, high = figure["layout"]["yaxis"]["range"]
    pixels = comparison_chart.HEIGHT_PIXELS - comparison_chart.MARGIN["t"] - comparison_chart.MARGIN["b"]
    labels = [annotation for annotation in figure["layout"]["annotations"] if "yshift" in annotation]
    positions = sorted((label["y"] - low) / (high - low) * pixels + label["yshift"] for label in labels)
    gaps = [above - below for below, above in pairwise(positions)]
    assert len(labels) == 4
    assert min(gaps) >= comparison_chart.LABEL_GAP_PIXELS - 1e-6
    assert {label["text"]: label["yshift"] for label in labels}["<b>D</b>"] == 0


@given(st.lists(st.floats(0, 400), max_size=6), st.floats(1, 30))
def test_separated_labels_keep_their_order_and_their_mean(positions: list[float], gap: float) -> None:
    separated = comparison_chart.separate_labels(positions, gap)
    assert sum(separated) == pytest.approx(sum(positions), abs=1e-6)
    order = sorted(range(len(positions)), key=lambda n: positions[n])
    assert all(separated[above] - separated[below] >= gap - 1e-6 for below, above in pairwise(order))
    if all(positions[above] - positions[below] >= gap for below, above in pairwise(order)):
        assert separated == pytest.approx(positions)


def test_the_tables_show_the_comparison() -> None:
    rows = {
        "bitcoin": Row("bitcoin", "BTC", "Bitcoin", pct_24h=Decimal("2.5")),
        "ether": Row("ether", "ETH", "Ether"),
    }
    candles = [(n * 1_800_000, 100.0 + n, 103.0 + n, 99.0 + n, 101.0 + n, 10.0) for n in range(48)]
    result = compare_assets({"bitcoin": candles, "ether": candles}, 1_800_000)
    figures = comparison_chart.build_figure_table(result, rows, "24h")
    assert "Bitcoin (BTC)" in figures
    assert "<td>+2.50%</td>" in figures
    assert "<td>0.00%</td><td>100.00</td>" in figures, "a rise without a fall has no drawdown"
    last = [values[-1] for values in result.index.values()]
    assert re.findall(r"<td>([\d.]+)</td></tr>", figures) == [f"{value:.2f}" for value in last]
    matrix = comparison_chart.build_correlation_table(
        result, rows, ink=INK, background="#ffffff", tone="#0b57d0"
    )
    assert matrix.count("1.00") == 4
    assert matrix.count('scope="row"') == 2
