"""The payload of the rank table, and its scripts."""

import re
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.app_pages.rankings import columns, rank_table
from dashboard.app_pages.rankings.columns import CANDLE_COUNTS, CANDLE_MS, TABLE_OPTIONS, TREND_LEVELS
from dashboard.app_pages.rankings.data import build_texts
from dashboard.app_pages.rankings.rank_table.payload import (
    Formats,
    build_payload,
    encode_trend,
    find_row_state,
    format_signed,
)
from dashboard.app_pages.rankings.rows import Row
from dashboard.i18n import LANGUAGES

PLAIN = Formats(price=lambda value: f"${value:f}", compact=lambda value: f"${value:f}")
NOW = 1_779_105_600.0
FOLDER = Path(rank_table.__file__).parent


def decode_payload(rows: list[Row], lang: Any = "en") -> dict[str, Any]:
    body: dict[str, Any] = orjson.loads(build_payload(rows, "24h", build_texts(lang), PLAIN, NOW))
    return body


def decode_trend(text: str) -> list[tuple[int, ...] | None]:
    """Decodes four levels per candle, like ``trend.js``."""
    levels = [None if char == " " else ord(char) - (35 if ord(char) < 92 else 36) for char in text]
    quads = [tuple(levels[n : n + 4]) for n in range(0, len(levels), 4)]
    return [None if None in quad else quad for quad in quads]  # type: ignore[misc]


def test_every_column_has_one_entry_per_row() -> None:
    rows = [Row("a", "A", "Alpha", price=Decimal("1.5")), Row("b", "B", "Beta")]
    sent_columns = decode_payload(rows)["columns"]
    assert {len(values) for name, values in sent_columns.items() if name != "order"} == {2}
    assert {len(values) for values in sent_columns["order"].values()} == {2}
    assert set(sent_columns["order"]) == set(columns.SORTABLE)


def test_a_price_is_sent_exact_and_without_an_exponent() -> None:
    sent_columns = decode_payload([Row("a", "A", "Alpha", price=Decimal("1.223E-9"))])["columns"]
    assert sent_columns["price"] == ["0.000000001223"]


def test_an_unknown_figure_is_null_and_never_zero() -> None:
    sent_columns = decode_payload([Row("a", "A", "Alpha")])["columns"]
    for name in ("price", "priceText", "24h", "capText", "volumeText", "tier", "at", "low"):
        assert sent_columns[name] == [None], name
    assert sent_columns["trend"] == [""]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ("1.235", "+1.24"),
        ("-0.5", "-0.50"),
        ("0", "0.00"),
        ("-0.001", "0.00"),
        ("1234.5", "+1,235"),
        (None, None),
    ],
)
def test_a_change_has_its_sign_in_ascii(change: str | None, text: str | None) -> None:
    assert format_signed(None if change is None else Decimal(change)) == text


@pytest.mark.parametrize(
    ("source", "flags", "state"),
    [
        ("sample", (), "sample"),
        ("sample", ("divergent",), "divergent"),
        ("coingecko", (), "single"),
        ("coingecko+coinmarketcap", (), "fresh"),
        ("coingecko", ("divergent", "conflict"), "conflict"),
        ("sample:stale", ("conflict",), "stale"),
        (None, (), "unknown"),
    ],
)
def test_the_most_serious_state_is_shown(source: str | None, flags: tuple[str, ...], state: str) -> None:
    assert find_row_state(Row("a", "A", "A", source=source, flags=flags)) == state


figures = st.floats(0.0001, 1e6)


@given(st.lists(st.tuples(figures, figures, figures, figures), min_size=1, max_size=48))
def test_mini_candles_keep_their_shape_within_one_step(candles: list[tuple[float, ...]]) -> None:
    step = CANDLE_MS["24h"]
    rows = [[n * step, *candle, None] for n, candle in enumerate(candles)]
    flat = [value for candle in candles for value in candle]
    low, high = min(flat), max(flat)
    text = encode_trend(rows, Decimal(repr(low)), Decimal(repr(high)), (len(rows) - 1) * step, "24h")
    assert '"' not in text
    assert "\\" not in text
    decoded = decode_trend(text)
    assert len(decoded) == len(candles)
    for levels, candle in zip(decoded, candles, strict=True):
        assert levels is not None
        if high > low:
            for level, value in zip(levels, candle, strict=True):
                assert abs(level / (TREND_LEVELS - 1) - (value - low) / (high - low)) <= 0.51 / (
                    TREND_LEVELS - 1
                )


def test_a_missing_candle_leaves_a_gap() -> None:
    step = CANDLE_MS["24h"]
    candles = [[n * step, 1.0, 2.0, 1.0, 2.0, None] for n in (0, 2)]
    decoded = decode_trend(encode_trend(candles, Decimal(1), Decimal(2), 3 * step, "24h"))
    assert [quad is None for quad in decoded] == [False, True, False, True] or len(decoded) == 4


def test_candles_older_than_the_span_are_not_drawn() -> None:
    step = CANDLE_MS["7d"]
    candles = [[n * step, 1.0, 2.0, 1.0, 2.0, None] for n in range(60)]
    text = encode_trend(candles, Decimal(1), Decimal(2), 59 * step, "7d")
    assert len(text) == 4 * CANDLE_COUNTS["7d"]


def test_the_payload_of_250_coins_stays_small() -> None:
    step = CANDLE_MS["24h"]
    candles = [[n * step, 100.5 + n, 102.25 + n, 99.75 + n, 101.0 + n, 1e6] for n in range(48)]
    rows = [
        Row(
            f"some-coin-{n}",
            f"SC{n}",
            f"Some Coin {n}",
            rank=n,
            price=Decimal("12345.678901234"),
            pct_1h=Decimal("0.12"),
            pct_24h=Decimal("-1.23"),
            pct_7d=Decimal("10.5"),
            pct_30d=Decimal("-33.1"),
            market_cap=Decimal(10**12),
            source="coingecko+coinmarketcap",
            last_updated=datetime(2026, 5, 18, tzinfo=UTC),
            categories=("Layer 1 (L1)", "Smart Contract Platform"),
            icon=f"/assets/some-coin-{n}/icon",
            candles=candles,
        )
        for n in range(250)
    ]
    payload = build_payload(rows, "24h", build_texts("ja"), PLAIN, NOW)
    assert (
        len(payload) + len(rank_table.build_script()) + len((FOLDER / "table.css").read_text("utf-8"))
        < 200_000
    )


def test_a_phone_has_all_columns_in_another_order() -> None:
    assert sorted(columns.PHONE_COLUMNS) == sorted(columns.COLUMNS)


def test_the_script_contains_the_options_that_it_uses() -> None:
    script = rank_table.build_script()
    (options,) = re.findall(r"const OPTIONS = (.*);", script)
    assert orjson.loads(options) == orjson.loads(orjson.dumps(TABLE_OPTIONS))
    assert set(re.findall(r"\bOPTIONS\.(\w+)", script)) == set(TABLE_OPTIONS)


def test_every_text_that_the_script_uses_is_sent_in_every_language() -> None:
    script = rank_table.build_script()
    used = set(re.findall(r"\bwords\.(\w+)", script))
    for lang in LANGUAGES:
        missing = used - set(build_texts(lang))
        assert not missing, (lang, missing)
        assert len(build_texts(lang)["caps"]) == len(columns.MIN_CAPS)


def test_the_script_builds_no_markup() -> None:
    script = rank_table.build_script()
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert forbidden not in script
    assert script.count("export default") == 1
