"""The candle chart, the treemap, the comparison, and the tables that say the same."""

from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from dashboard.palette import DARK_BACKGROUNDS, LIGHT_BACKGROUNDS, SCHEMES, contrast, shades
from dashboard.services.compare import compare
from dashboard.services.rankings import Row
from dashboard.views import candles, coin_parts, figure_table, treemap
from dashboard.views import compare as compare_view
from dashboard.views.plotting import go

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
INK = {False: "#131a26", True: "#e6ebf4"}


def series(
    count: int = 48, volume: float | None = 10.0
) -> list[tuple[int, float, float, float, float, float | None]]:
    return [
        (n * 1_800_000, 100.0 + n, 103.0 + n, 99.0 + n, (101.0 if n % 2 else 99.5) + n, volume)
        for n in range(count)
    ]


def chart(
    rows: list[tuple[int, float, float, float, float, float | None]], *, sample: bool = False
) -> dict[str, object]:
    drawn = candles.figure(
        rows,
        shades("blue", dark=False),
        ZoneInfo("Asia/Tokyo"),
        ink=INK[False],
        background="#ffffff",
        sample=sample,
        span="24h",
        identity="x",
    )
    body: dict[str, object] = drawn.to_dict()
    return body


def test_rising_candles_are_filled_and_falling_ones_hollow() -> None:
    (trace, *_) = chart(series())["data"]  # type: ignore[misc]
    assert trace["increasing"]["fillcolor"] == shades("blue", dark=False).up
    assert trace["decreasing"]["fillcolor"] == "rgba(0,0,0,0)"
    assert trace["decreasing"]["line"]["color"] == shades("blue", dark=False).down


def test_plotly_knows_every_property_of_the_chart_that_is_drawn_unchecked() -> None:
    go.Figure(chart(series(), sample=True))


def test_volume_is_drawn_only_when_every_candle_knows_it() -> None:
    assert len(chart(series())["data"]) == 2  # type: ignore[arg-type]
    assert len(chart([*series(47), *series(48, None)[-1:]])["data"]) == 1  # type: ignore[arg-type]


def test_a_sample_chart_carries_its_watermark_and_a_live_one_does_not() -> None:
    assert chart(series(), sample=True)["layout"]["annotations"][0]["text"] == "SAMPLE"  # type: ignore[index]
    assert "annotations" not in chart(series())["layout"]  # type: ignore[operator]


def test_candles_are_drawn_in_the_readers_zone() -> None:
    (trace, *_) = chart(series(1))["data"]  # type: ignore[misc]
    assert str(trace["x"][0]).replace("T", " ").startswith("1970-01-01 09:00")


@pytest.mark.parametrize("prices", [(1.0, 1.0002), (67000.0, 68000.0), (1.2e-9, 1.3e-9), (5.0, 5.0)])
def test_the_price_axis_can_tell_its_ticks_apart(prices: tuple[float, float]) -> None:
    form = candles._tick_format([prices[0]], [prices[1]])
    assert form[0] in ",."
    if prices == (1.0, 1.0002):
        assert form == ",.6f" or int(form.strip(",.f")) >= 5


def test_the_candle_table_holds_every_candle_newest_first() -> None:
    text = candles.table(series(3), "Bitcoin", "en")
    assert text.count("<tr>") == 4
    assert text.index("01-01 01:00") < text.index("01-01 00:00")


def test_the_summary_names_the_extremes() -> None:
    text = candles.summary(series(2), "Bitcoin", "24h")
    for part in ("Bitcoin", "$100.00", "$99.00", "$104.00"):
        assert part in text


def test_the_treemap_leaves_out_what_has_no_size_and_orders_by_it() -> None:
    assert [row.id for row in treemap.drawn(ROWS, "cap")] == ["bitcoin", "ether"]
    assert [row.id for row in treemap.drawn(ROWS, "volume")] == ["ether"]


def test_treemap_tiles_say_the_direction_in_words_too() -> None:
    body = treemap.figure(
        treemap.drawn(ROWS, "cap"),
        "cap",
        "24h",
        shades("blue", dark=False),
        ink=INK[False],
        background="#ffffff",
        lang="en",
    ).to_dict()
    assert list(body["data"][0]["text"]) == ["▲ +1.50%", "▼ −2.25%"]


def test_tiles_too_small_for_a_name_are_drawn_without_one() -> None:
    tiny = Row("tiny", "TNY", "Tiny", market_cap=Decimal(1))
    body = treemap.figure(
        [*ROWS[:1], tiny],
        "cap",
        "24h",
        shades("blue", dark=False),
        ink=INK[False],
        background="#ffffff",
        lang="en",
    ).to_dict()
    named, unnamed = body["data"][0]["texttemplate"]
    assert "%{label}" in named
    assert unnamed.strip() == ""
    assert body["data"][0]["customdata"][1][4] == "TNY"


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("change", ["-50", "-3", "-0.1", "0", "0.1", "3", "50"])
def test_text_stays_readable_on_every_tile(scheme: str, dark: bool, change: str) -> None:
    background = (DARK_BACKGROUNDS if dark else LIGHT_BACKGROUNDS)[0]
    tile = treemap.tile_colour(Decimal(change), "24h", shades(scheme, dark=dark), background)  # type: ignore[arg-type]
    assert contrast(tile, INK[dark]) >= 4.5


def test_the_treemap_legend_names_its_ends() -> None:
    text = treemap.legend("24h", shades("blue", dark=False), "#ffffff")
    assert "≤ −6%" in text
    assert "≥ +6%" in text


@pytest.mark.parametrize("dark", [False, True])
def test_comparison_lines_differ_by_stroke_and_stand_out(dark: bool) -> None:
    colours = compare_view.DARK_LINES if dark else compare_view.LIGHT_LINES
    background = (DARK_BACKGROUNDS if dark else LIGHT_BACKGROUNDS)[0]
    assert len(set(colours)) == len(set(compare_view.DASHES)) == 6
    assert all(contrast(colour, background) >= 4.5 for colour in colours)


def test_the_comparison_is_told_by_its_tables() -> None:
    rows = {row.id: row for row in ROWS}
    result = compare({"bitcoin": series(), "ether": series()})
    ends = compare_view.end_table(result, rows)
    assert "Bitcoin (BTC)" in ends
    matrix = compare_view.correlation_table(
        result, rows, ink=INK[False], background="#ffffff", tone="#0b57d0"
    )
    assert matrix.count("1.00") == 4
    assert matrix.count('scope="row"') == 2


def test_no_text_from_outside_becomes_markup() -> None:
    hostile = "<img src=x onerror=alert(1)>"
    table = figure_table.html_table(hostile, [hostile], [[hostile, hostile]])
    assert "<img" not in table
    head = coin_parts.head(Row("x", hostile, hostile), '"><script>', "en", candles.datetime.now(candles.UTC))
    assert "<script" not in head
    assert "<img src=x" not in head


def test_a_copied_call_carries_no_key() -> None:
    call = coin_parts.curl("http://127.0.0.1:8000", "bitcoin", "7d")
    assert "YOUR_KEY" in call
    assert "cp_" not in call
    assert "/assets/bitcoin/candles?span=7d" in call
